//! The arguments of a call for other parameters.

use m1nd_lang::signatures::{ArgumentForm, ByteRange, CallPlace};

use super::change::{Change, Filler, Rank, Source};
use super::rewrite::{Item, Piece};

/// Characters of literals that may be written out at a call.
const LITERAL: &[char] = &['.', '_', '-', '"', '\'', ':'];

/// The arguments of a call afterwards.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    pub(super) items: Vec<Item>,
    /// Arguments that are gone, by their places.
    pub(super) dropped: Vec<usize>,
    /// Names of keyword arguments that change.
    pub(super) names: Vec<(ByteRange, String)>,
    /// Arguments that do something are evaluated in another order.
    pub(super) reorders_effects: bool,
}

impl Mapped {
    /// Returns whether the list of arguments changes.
    pub(super) fn changes_list(&self, count: usize) -> bool {
        self.items.len() != count || self.items.iter().enumerate().any(|(index, item)| item.from != Some(index))
    }
}

/// What each parameter gets from a call.
#[derive(Default)]
struct Bound {
    /// Arguments of the receiver.
    lead: Vec<usize>,
    by_position: Vec<Option<usize>>,
    by_name: Vec<Option<usize>>,
    /// Arguments of the parameter that takes the rest, or from a spread on.
    tail: Vec<usize>,
    /// Place among the positional parameters from which a spread fills them.
    spread: Option<usize>,
    has_map: bool,
}

/// Maps the arguments of a call. `receivers` is the number of leading arguments that are not of a parameter.
pub(super) fn map_call(change: &Change, call: &CallPlace, text: &str, receivers: usize) -> Result<Mapped, String> {
    let bound = bind(change, call, text, receivers)?;
    let keeps = |index: &usize| Item { from: Some(*index), pieces: vec![Piece::Keep(call.arguments[*index].range)] };
    let mut mapped = Mapped { items: bound.lead.iter().map(keeps).collect(), ..Mapped::default() };
    let mut by_name = Vec::new();
    emit_positional(change, call, &bound, (&mut mapped, &mut by_name))?;
    mapped.items.extend(bound.tail.iter().map(keeps));
    emit_by_name(change, call, &bound, (&mut mapped, by_name))?;
    let used = |index: &usize| mapped.items.iter().any(|item| item.from == Some(*index));
    mapped.dropped = (0..call.arguments.len()).filter(|index| !used(index)).collect();
    let order = mapped.items.iter().filter_map(|item| item.from).filter(|index| call.arguments[*index].has_effects);
    mapped.reorders_effects = !order.is_sorted();
    Ok(mapped)
}

fn bind(change: &Change, call: &CallPlace, text: &str, receivers: usize) -> Result<Bound, String> {
    let old = &change.old;
    let empty = || vec![None; old.len()];
    let mut bound = Bound { by_position: empty(), by_name: empty(), ..Bound::default() };
    let positional: Vec<usize> = (0..old.len()).filter(|index| old[*index].rank.is_positional()).collect();
    let takes = |rank: Rank| old.iter().any(|row| row.rank == rank);
    let mut next = 0;
    for (index, argument) in call.arguments.iter().enumerate() {
        match argument.form {
            ArgumentForm::Positional if bound.lead.len() < receivers => bound.lead.push(index),
            ArgumentForm::Spread if bound.lead.len() < receivers => {
                return Err("passes the value that it is called on through a spread".to_owned());
            }
            ArgumentForm::Positional if bound.spread.is_some() => bound.tail.push(index),
            ArgumentForm::Positional if next < positional.len() => {
                bound.by_position[positional[next]] = Some(index);
                next += 1;
            }
            ArgumentForm::Positional if takes(Rank::Rest) => bound.tail.push(index),
            ArgumentForm::Positional => return Err("passes more arguments than it takes".to_owned()),
            ArgumentForm::Spread => {
                bound.spread.get_or_insert(next);
                bound.tail.push(index);
            }
            ArgumentForm::KeywordSpread => bound.has_map = true,
            ArgumentForm::Keyword((start, end)) => {
                let name = &text[start..end];
                let found = old.iter().position(|row| {
                    row.name.as_deref() == Some(name) && matches!(row.rank, Rank::Plain | Rank::Keyword)
                });
                match found {
                    Some(found) => bound.by_name[found] = Some(index),
                    None if !takes(Rank::KeywordRest) => {
                        return Err(format!("passes `{name}`, which is not a parameter"));
                    }
                    None if change.entries.iter().any(|source| change.new_name(*source) == Some(name)) => {
                        return Err(format!("passes `{name}` among the further named arguments"));
                    }
                    None => {}
                }
            }
        }
    }
    if bound.lead.len() < receivers {
        return Err("does not pass the value that it is called on".to_owned());
    }
    let first_spread = bound.spread.map_or(usize::MAX, |at| positional.get(at).copied().unwrap_or(old.len()));
    for (index, row) in old.iter().enumerate() {
        let is_given = bound.by_position[index].is_some() || bound.by_name[index].is_some();
        let may_be_in_map = bound.has_map && row.rank != Rank::PositionalOnly;
        let is_open =
            !is_given && may_be_in_map && (change.removed.contains(&index) || change.renamed.contains_key(&index));
        if is_open && !matches!(row.rank, Rank::Rest | Rank::KeywordRest) {
            return Err(format!("passes a map of arguments, which may hold `{}`", row.name.as_deref().unwrap_or("_")));
        }
        let needs = !row.is_optional && matches!(row.rank, Rank::PositionalOnly | Rank::Plain | Rank::Keyword);
        if needs && !is_given && !bound.has_map && index < first_spread && row.rank != Rank::Keyword {
            return Err("passes fewer arguments than it takes".to_owned());
        }
    }
    Ok(bound)
}

/// Arguments by position; from the first one that is left out on, they go by name, or what is left out is written.
fn emit_positional(
    change: &Change,
    call: &CallPlace,
    bound: &Bound,
    (mapped, by_name): (&mut Mapped, &mut Vec<Item>),
) -> Result<(), String> {
    let positional: Vec<Source> =
        change.entries.iter().copied().filter(|source| change.rank(*source).is_positional()).collect();
    // What a spread fills must stay together, behind all others.
    let old: Vec<usize> = (0..change.old.len()).filter(|index| change.old[*index].rank.is_positional()).collect();
    let spread: &[usize] = bound.spread.map_or(&[], |at| &old[at..]);
    let first = positional.iter().position(|source| matches!(source, Source::Old(index) if spread.contains(index)));
    let end = first.unwrap_or(positional.len());
    if bound.spread.is_some() {
        let behind: Vec<Source> = positional[end..].iter().copied().take(spread.len()).collect();
        let is_kept = behind.iter().copied().eq(spread.iter().map(|index| Source::Old(*index)));
        let more = positional[end..].iter().skip(spread.len());
        let is_free =
            { more }.all(|source| matches!(source, Source::New(index) if change.added[*index].value.is_none()));
        if !is_kept || !is_free {
            return Err("passes arguments through a spread".to_owned());
        }
    }
    let mut gaps: Vec<Source> = Vec::new();
    for &source in &positional[..end] {
        let (from, pieces) = match source {
            Source::Old(index) => match bound.by_position[index] {
                Some(at) => (Some(at), vec![Piece::Keep(call.arguments[at].range)]),
                None => {
                    gaps.push(source);
                    continue;
                }
            },
            Source::New(index) => match &change.added[index].value {
                Some(value) => (None, vec![Piece::Text(value.clone())]),
                None if !change.added[index].is_optional => return Err(needs_value(change, index)),
                None => {
                    gaps.push(source);
                    continue;
                }
            },
        };
        let has_gap = gaps.iter().any(|gap| !matches!(gap, Source::Old(index) if bound.by_name[*index].is_some()));
        match change.filler {
            Filler::ByName if !gaps.is_empty() => {
                let name = change.new_name(source).filter(|_| change.rank(source) == Rank::Plain);
                let name = name.ok_or("leaves out an argument before one that has no name")?;
                let mut named = vec![Piece::Text(format!("{name}="))];
                named.extend(pieces);
                by_name.push(Item { from, pieces: named });
            }
            _ if has_gap => {
                fill(change, &gaps, mapped)?;
                gaps.clear();
                mapped.items.push(Item { from, pieces });
            }
            _ => mapped.items.push(Item { from, pieces }),
        }
    }
    let is_written = !bound.tail.is_empty() || first.is_some();
    if is_written && !gaps.is_empty() {
        if change.filler == Filler::ByName {
            return Err("leaves out an argument before those that have no name".to_owned());
        }
        fill(change, &gaps, mapped)?;
    }
    Ok(())
}

fn needs_value(change: &Change, index: usize) -> String {
    format!("needs a value for `{}`: pass `value`", change.added[index].name)
}

/// Writes out arguments that a call left out.
fn fill(change: &Change, gaps: &[Source], mapped: &mut Mapped) -> Result<(), String> {
    for gap in gaps {
        let default = match gap {
            Source::Old(index) => change.old[*index].default.clone(),
            Source::New(index) => {
                let added = &change.added[*index];
                added.default_at.map(|at| added.text[at..].trim().to_owned())
            }
        };
        let is_literal = |text: &String| text.chars().all(|c| c.is_alphanumeric() || LITERAL.contains(&c));
        let text = match change.filler {
            Filler::Undefined => "undefined".to_owned(),
            Filler::Default => default.filter(is_literal).ok_or("leaves out an argument whose default is computed")?,
            _ => return Err("leaves out an argument".to_owned()),
        };
        mapped.items.push(Item { from: None, pieces: vec![Piece::Text(text)] });
    }
    Ok(())
}

/// Keyword arguments where they stood, then those that go by name now, then maps.
fn emit_by_name(
    change: &Change,
    call: &CallPlace,
    bound: &Bound,
    (mapped, mut moved): (&mut Mapped, Vec<Item>),
) -> Result<(), String> {
    for &source in &change.entries {
        let Source::New(index) = source else { continue };
        let added = &change.added[index];
        if added.value.is_none() && !added.is_optional {
            return Err(needs_value(change, index));
        }
        if let (Some(value), Rank::Keyword) = (&added.value, added.rank) {
            let pieces = vec![Piece::Text(format!("{}={value}", added.name))];
            moved.push(Item { from: None, pieces });
        }
    }
    let mut moved = Some(moved);
    for (index, argument) in call.arguments.iter().enumerate() {
        let keep = Item { from: Some(index), pieces: vec![Piece::Keep(argument.range)] };
        match argument.form {
            ArgumentForm::Keyword(name) => {
                let of = bound.by_name.iter().position(|at| *at == Some(index));
                if of.is_some_and(|of| change.removed.contains(&of)) {
                    continue;
                }
                let new = of.and_then(|of| change.renamed.get(&of));
                mapped.names.extend(new.map(|new| (name, new.clone())));
                mapped.items.push(keep);
            }
            ArgumentForm::KeywordSpread => {
                mapped.items.extend(moved.take().into_iter().flatten());
                mapped.items.push(keep);
            }
            _ => {}
        }
    }
    mapped.items.extend(moved.into_iter().flatten());
    Ok(())
}
