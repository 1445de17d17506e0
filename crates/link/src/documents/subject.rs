//! Members that a document names without their class: the heading, the text around or the noun beside says which class
//! it speaks of.
//!
//! `` `response` property`` below a heading `ParseError` is a member of that class, as is the `text` attribute of a
//! `Response` named beside it; the `retry` option belongs to `Options`, a `beforeRequest` hook to `Hooks`. None of
//! this is ever certain.

use m1nd_lang::facts::{DefId, DefKind, Mention, MentionForm, MentionMark, Wanted};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Meant;
use super::fit::{self, parts};
use super::symbols;
use crate::eval::Eval;
use crate::ids::SymbolId;
use crate::tables::files::FileId;

/// Classes that are tried for one name.
const MAX_SUBJECTS: usize = 6;
/// Headings around a section that are looked at.
const MAX_HEADINGS: usize = 8;
/// Mentions before and after one that are looked at for its class.
const MAX_AROUND: usize = 24;

/// Finds what the names mean that mean nothing, or several things, by themselves.
pub(super) fn add(eval: &mut Eval<'_>, file: FileId, outside: &FxHashSet<String>, found: &mut [Option<Meant>]) {
    let unit = eval.project.unit(file);
    let mentions = &unit.facts.mentions;
    let mut subjects = Subjects { file, types: FxHashMap::default(), headings: FxHashMap::default() };
    for (at, mention) in mentions.iter().enumerate() {
        let name = unit.facts.name(mention.name);
        let is_open = found[at].as_ref().is_none_or(|meant| meant.targets.len() > 1);
        if !is_open || !may_be_member(mention, name) || outside.contains(name) {
            continue;
        }
        let by_heading = subjects.headings(eval, mention.enclosing);
        let mut targets = only(eval, mention, &by_heading, name);
        if targets.is_none() && is_said(mention, name) {
            let near = subjects.near(eval, mentions, at);
            targets = only(eval, mention, &near, name);
        }
        if targets.is_none() && mention.wants == Wanted::Member {
            let noun = mention.noun.map_or("", |noun| unit.facts.name(noun));
            targets = symbols::members_of(eval, mention, name, |owner| fit::is_kind(owner, noun));
        }
        if let Some(targets) = targets {
            found[at] = Some(Meant { targets, is_certain: false });
        }
    }
}

/// Returns whether a name may be that of a member of a class that the text speaks of.
fn may_be_member(mention: &Mention, name: &str) -> bool {
    mention.mark == MentionMark::Code
        && matches!(mention.form, MentionForm::Symbol | MentionForm::Call)
        && parts(name).len() == 1
        && !matches!(mention.wants, Wanted::Nothing | Wanted::Type | Wanted::Module)
}

/// Returns whether the noun beside a name, or its spelling, says that it is a member.
fn is_said(mention: &Mention, name: &str) -> bool {
    match mention.wants {
        Wanted::Member | Wanted::Method => true,
        Wanted::Any => symbols::is_clear(mention, name),
        _ => false,
    }
}

/// What the one class has that has a member of the name.
fn only(eval: &mut Eval<'_>, mention: &Mention, classes: &[String], name: &str) -> Option<Vec<SymbolId>> {
    for class in classes {
        let found = symbols::member(eval, mention, class, name);
        match found.len() {
            0 => {}
            1 => return Some(found),
            _ => return None,
        }
    }
    None
}

/// Classes that a document speaks of.
struct Subjects {
    file: FileId,
    /// Names, and whether a class of the project has them.
    types: FxHashMap<String, bool>,
    headings: FxHashMap<Option<DefId>, Vec<String>>,
}

impl Subjects {
    fn is_type(&mut self, eval: &mut Eval<'_>, name: &str) -> bool {
        if let Some(known) = self.types.get(name) {
            return *known;
        }
        let is_type = symbols::is_type_of_project(eval, name);
        self.types.insert(name.to_owned(), is_type);
        is_type
    }

    /// The classes that the headings around a section name, the innermost first.
    fn headings(&mut self, eval: &mut Eval<'_>, section: Option<DefId>) -> Vec<String> {
        if let Some(known) = self.headings.get(&section) {
            return known.clone();
        }
        let unit = eval.project.unit(self.file);
        let mut found: Vec<String> = Vec::new();
        let mut next = section;
        for _ in 0..MAX_HEADINGS {
            let Some(id) = next else { break };
            let definition = unit.facts.definition(id);
            if definition.kind == DefKind::Section {
                let heading = unit.facts.name(definition.name);
                for name in types_in(heading) {
                    if found.len() < MAX_SUBJECTS && !found.contains(&name) && self.is_type(eval, &name) {
                        found.push(name);
                    }
                }
            }
            next = definition.owner;
        }
        self.headings.insert(section, found.clone());
        found
    }

    /// The classes named in the paragraph of a mention, the nearest first.
    fn near(&mut self, eval: &mut Eval<'_>, mentions: &[Mention], at: usize) -> Vec<String> {
        let facts = &eval.project.unit(self.file).facts;
        let own = &mentions[at];
        let from = at.saturating_sub(MAX_AROUND);
        let mut around: Vec<(u32, &str)> = Vec::new();
        for other in mentions.iter().skip(from).take(2 * MAX_AROUND + 1) {
            let distance = other.pos.line.abs_diff(own.pos.line);
            let name = facts.name(other.name);
            let last = parts(name).last().copied().unwrap_or(name);
            let is_marked = !matches!(other.mark, MentionMark::Example | MentionMark::Bare);
            if is_marked && other.paragraph == own.paragraph && fit::is_type_name(last) {
                around.push((distance, last));
            }
        }
        around.sort_unstable();
        around.dedup_by(|a, b| a.1 == b.1);
        let mut found: Vec<String> = Vec::new();
        for (_, name) in around {
            if found.len() < MAX_SUBJECTS && !found.iter().any(|own| own == name) && self.is_type(eval, name) {
                found.push(name.to_owned());
            }
        }
        found
    }
}

/// Words of a heading that are spelled like types; a single word is one by its capital.
fn types_in(heading: &str) -> Vec<String> {
    let words: Vec<&str> =
        heading.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
    let is_alone = words.len() == 1;
    let fits = |word: &&&str| fit::is_type_name(word) && (is_alone || word.chars().skip(1).any(char::is_uppercase));
    words.iter().filter(fits).map(|word| (*word).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::types_in;

    #[test]
    fn headings_name_types_by_their_spelling() {
        assert_eq!(types_in("ParseError"), ["ParseError"]);
        assert_eq!(types_in("Response"), ["Response"]);
        assert_eq!(types_in("The RequestPool and a Response"), ["RequestPool"]);
        assert!(types_in("How to use it").is_empty());
    }
}
