//! Assigns decorators, annotations and attributes to definitions: the innermost one whose text contains it, including
//! decorators.
//!
//! In the syntax trees, decorators are visited before the decorated definition is known, or inside of it. So they are
//! kept with their positions until all definitions exist.

use super::{DefId, ExprId, FactsBuilder, Pos};

/// Decorators that no definition has been given yet.
#[derive(Debug, Default)]
pub(super) struct Decorators {
    /// Byte and number of each reference.
    pub(super) referred: Vec<(usize, usize)>,
    /// Byte, position and expression of each for the list of its definition.
    pub(super) listed: Vec<(usize, Pos, ExprId)>,
    /// Texts of definitions whose bytes do not hold their decorators.
    pub(super) extents: Vec<Extent>,
}

/// The text of a definition, and which it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Extent {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) id: DefId,
    /// End of its own decorators, if not at its name.
    pub(super) header: Option<usize>,
}

impl Decorators {
    pub(super) fn place(self, builder: &mut FactsBuilder) {
        if self.referred.is_empty() && self.listed.is_empty() {
            return;
        }
        let extents = extents(builder, self.extents);
        refer(builder, &extents, self.referred);
        list(builder, &extents, self.listed);
    }
}

/// The extents of all definitions, by their start; of those that start together the outer ones first.
fn extents(builder: &FactsBuilder, mut extents: Vec<Extent>) -> Vec<Extent> {
    let definitions = builder.facts().definitions.iter().enumerate();
    let extent = |(index, definition): (usize, &super::Definition)| {
        let (start, end) = definition.bytes;
        Extent { start: start as usize, end: end as usize, id: DefId(index as u32), header: None }
    };
    extents.extend(definitions.map(extent));
    extents.sort_by_key(|extent| (extent.start, std::cmp::Reverse(extent.end)));
    extents
}

/// The innermost extents that hold bytes, asked for from the first byte to the last.
struct Sweep<'e> {
    ahead: &'e [Extent],
    open: Vec<Extent>,
}

impl Sweep<'_> {
    fn at(&mut self, byte: usize) -> &[Extent] {
        while let [next, rest @ ..] = self.ahead
            && next.start <= byte
        {
            self.open.push(*next);
            self.ahead = rest;
            // Extents that ended before are visited only once more.
            if next.end <= byte {
                self.open.pop();
            }
        }
        while self.open.last().is_some_and(|extent| extent.end <= byte) {
            self.open.pop();
        }
        let Some(last) = self.open.last() else { return &[] };
        // Names of one declaration share the text before it.
        let shares = |extent: &&Extent| (extent.start, extent.end) == (last.start, last.end);
        let count = self.open.iter().rev().take_while(shares).count();
        &self.open[self.open.len() - count..]
    }
}

fn refer(builder: &mut FactsBuilder, extents: &[Extent], mut referred: Vec<(usize, usize)>) {
    referred.sort_unstable();
    let mut sweep = Sweep { ahead: extents, open: Vec::new() };
    for (byte, index) in referred {
        let mut enclosing: Vec<DefId> =
            sweep.at(byte).iter().filter_map(|extent| find_named(builder, extent.id)).collect();
        enclosing.dedup();
        let Some((&first, others)) = enclosing.split_first() else { continue };
        let reference = builder.facts().references[index];
        builder.facts_mut().references[index].enclosing = Some(first);
        for &other in others {
            builder.reference(super::Reference { enclosing: Some(other), ..reference });
        }
    }
}

fn list(builder: &mut FactsBuilder, extents: &[Extent], mut listed: Vec<(usize, Pos, ExprId)>) {
    listed.sort_unstable();
    let mut sweep = Sweep { ahead: extents, open: Vec::new() };
    let mut rows: Vec<(DefId, ExprId)> = Vec::new();
    for (byte, pos, expr) in listed {
        // A decorator after the name belongs to a parameter or another part that is no definition.
        let before = sweep.at(byte).iter().filter(|extent| match extent.header {
            Some(header) => byte < header,
            None => pos < builder.facts().definition(extent.id).pos,
        });
        rows.extend(before.map(|extent| (extent.id, expr)));
    }
    rows.sort_by_key(|(id, _)| *id);
    for rows in rows.chunk_by(|(one, _), (other, _)| one == other) {
        let exprs: Vec<ExprId> = rows.iter().map(|(_, expr)| *expr).collect();
        let decorators = builder.list(&exprs);
        builder.definition_mut(rows[0].0).decorators = decorators;
    }
}

/// The innermost definition around that has a name.
fn find_named(builder: &FactsBuilder, id: DefId) -> Option<DefId> {
    let mut next = Some(id);
    while let Some(id) = next {
        let definition = builder.facts().definition(id);
        if !definition.flags.is_anonymous {
            return Some(id);
        }
        next = definition.owner;
    }
    None
}
