//! What a request makes of the parameters of a function.

use std::collections::{BTreeMap, BTreeSet};

use m1nd_engine::Language;

use super::ChangeSignature;
use crate::edits::refactor::CannotRefactor;

/// How arguments reach a parameter; parameters of a list stand in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    PositionalOnly,
    Plain,
    Rest,
    Keyword,
    KeywordRest,
}

impl Rank {
    pub(super) fn is_positional(self) -> bool {
        self <= Self::Plain
    }
}

/// A parameter that the function has, other than its receiver.
#[derive(Debug, Clone)]
pub(super) struct OldParameter {
    pub(super) name: Option<String>,
    pub(super) rank: Rank,
    pub(super) is_optional: bool,
    pub(super) default: Option<String>,
}

/// A parameter that it gets.
#[derive(Debug, Clone)]
pub(super) struct Added {
    pub(super) name: String,
    pub(super) text: String,
    /// First byte of its default in its text.
    pub(super) default_at: Option<usize>,
    pub(super) is_optional: bool,
    pub(super) value: Option<String>,
    pub(super) at: Option<usize>,
    pub(super) rank: Rank,
}

/// A parameter in the new order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    Old(usize),
    New(usize),
}

/// What calls of a language can leave out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filler {
    /// An argument behind one that is left out is given by its name.
    ByName,
    /// `undefined` stands for an argument that is left out.
    Undefined,
    /// The default is written out.
    Default,
    /// The language has no default values.
    Nothing,
}

impl Filler {
    pub(super) fn of(language: Language) -> Self {
        match language {
            Language::Python => Self::ByName,
            Language::JavaScript | Language::TypeScript | Language::Tsx => Self::Undefined,
            Language::Cpp => Self::Default,
            _ => Self::Nothing,
        }
    }
}

/// The change of a list of parameters.
#[derive(Debug, Clone)]
pub(super) struct Change {
    pub(super) filler: Filler,
    pub(super) old: Vec<OldParameter>,
    pub(super) added: Vec<Added>,
    pub(super) renamed: BTreeMap<usize, String>,
    pub(super) removed: BTreeSet<usize>,
    pub(super) entries: Vec<Source>,
}

fn refuse<T>(why: impl Into<String>) -> Result<T, CannotRefactor> {
    Err(CannotRefactor::BadRequest(why.into()))
}

impl Change {
    /// Reads a request. `old` are the parameters without the receiver.
    pub(super) fn of(
        request: &ChangeSignature,
        old: Vec<OldParameter>,
        added: Vec<Added>,
        language: Language,
    ) -> Result<Self, CannotRefactor> {
        let names = || old.iter().filter_map(|row| row.name.clone()).collect::<Vec<_>>().join(", ");
        let find = |name: &String| match old.iter().position(|row| row.name.as_ref() == Some(name)) {
            Some(index) => Ok(index),
            None => refuse(format!("the function has no parameter `{name}`; it has: {}", names())),
        };
        let removed = request.remove.iter().map(find).collect::<Result<BTreeSet<usize>, _>>()?;
        let mut renamed = BTreeMap::new();
        for (name, new) in &request.rename {
            let index = find(name)?;
            if removed.contains(&index) || name == new {
                return refuse(format!("`{name}` cannot be renamed: it is removed, or has the name already"));
            }
            renamed.insert(index, new.clone());
        }
        if removed.is_empty() && renamed.is_empty() && added.is_empty() && request.order.is_empty() {
            return refuse("name a change: `add`, `remove`, `rename` or `order`");
        }
        let kept = (0..old.len()).filter(|index| !removed.contains(index)).map(Source::Old).collect();
        let mut change = Self { filler: Filler::of(language), old, added, renamed, removed, entries: kept };
        change.check_names()?;
        change.reorder(&request.order)?;
        change.place_added(language)?;
        change.check_order(language)?;
        Ok(change)
    }

    /// The name of a parameter afterwards.
    pub(super) fn new_name(&self, source: Source) -> Option<&str> {
        match source {
            Source::Old(index) => {
                self.renamed.get(&index).map(String::as_str).or_else(|| self.old[index].name.as_deref())
            }
            Source::New(index) => Some(&self.added[index].name),
        }
    }

    pub(super) fn rank(&self, source: Source) -> Rank {
        match source {
            Source::Old(index) => self.old[index].rank,
            Source::New(index) => self.added[index].rank,
        }
    }

    fn check_names(&self) -> Result<(), CannotRefactor> {
        let kept = self.entries.iter().filter_map(|source| self.new_name(*source));
        let mut seen = BTreeSet::new();
        for name in kept.chain(self.added.iter().map(|row| row.name.as_str())) {
            if name != "_" && !seen.insert(name) {
                return refuse(format!("two parameters would have the name `{name}`"));
            }
        }
        Ok(())
    }

    fn reorder(&mut self, order: &[String]) -> Result<(), CannotRefactor> {
        if order.is_empty() {
            return Ok(());
        }
        let all = self.entries.iter().copied().chain((0..self.added.len()).map(Source::New));
        let all: Vec<Source> = all.collect();
        let find = |name: &String| match all.iter().find(|source| self.new_name(**source) == Some(name)) {
            Some(source) => Ok(*source),
            None => refuse(format!("`order` has `{name}`, which is not a parameter after the change")),
        };
        let entries = order.iter().map(find).collect::<Result<Vec<_>, _>>()?;
        let is_missing = |source: &&Source| !entries.contains(source);
        if let Some(missing) = self.entries.iter().find(is_missing) {
            let name = self.new_name(*missing).unwrap_or("a parameter without a name");
            return refuse(format!("`order` must have all parameters; `{name}` is missing"));
        }
        if (1..entries.len()).any(|index| entries[..index].contains(&entries[index])) {
            return refuse("`order` has a parameter twice");
        }
        self.entries = entries;
        for index in 0..self.added.len() {
            if let Some(at) = self.entries.iter().position(|source| *source == Source::New(index)) {
                self.added[index].rank = self.rank_at(at);
            }
        }
        Ok(())
    }

    /// The rank that a new parameter at a place has by its neighbours.
    fn rank_at(&self, at: usize) -> Rank {
        let is_old = |source: &&Source| matches!(source, Source::Old(_));
        let left = self.entries[..at].iter().rev().find(is_old).map(|source| self.rank(*source));
        let right = self.entries[at..].iter().find(is_old).map(|source| self.rank(*source));
        match (left, right) {
            (Some(left), _) if left >= Rank::Rest => Rank::Keyword,
            (_, Some(Rank::PositionalOnly)) => Rank::PositionalOnly,
            _ => Rank::Plain,
        }
    }

    fn place_added(&mut self, language: Language) -> Result<(), CannotRefactor> {
        for index in 0..self.added.len() {
            if self.entries.contains(&Source::New(index)) {
                continue;
            }
            let (at, rank) = match self.added[index].at {
                Some(at) if at > self.entries.len() => {
                    return refuse(format!("`at` is {at}; the function has {} parameter(s)", self.entries.len()));
                }
                Some(at) => (at, self.rank_at(at)),
                None => self.last_place(self.added[index].is_optional, language),
            };
            self.added[index].rank = rank;
            self.entries.insert(at, Source::New(index));
        }
        Ok(())
    }

    /// The last place that is allowed for a new parameter.
    fn last_place(&self, is_optional: bool, language: Language) -> (usize, Rank) {
        let place_of = |is: &dyn Fn(Source) -> bool| self.entries.iter().position(|source| is(*source));
        let end = self.entries.len();
        let has_keywords = self.old.iter().any(|row| matches!(row.rank, Rank::Rest | Rank::Keyword));
        if language == Language::Python && has_keywords {
            return (place_of(&|source| self.rank(source) == Rank::KeywordRest).unwrap_or(end), Rank::Keyword);
        }
        let plain_end = place_of(&|source| self.rank(source) > Rank::Plain).unwrap_or(end);
        let optional = place_of(&|source| self.rank(source).is_positional() && self.is_optional(source));
        let at = if is_optional || self.filler == Filler::Nothing { plain_end } else { optional.unwrap_or(plain_end) };
        (at, self.rank_at(at))
    }

    fn is_optional(&self, source: Source) -> bool {
        match source {
            Source::Old(index) => self.old[index].is_optional,
            Source::New(index) => self.added[index].is_optional,
        }
    }

    /// Refuses an order that the language does not have.
    fn check_order(&self, language: Language) -> Result<(), CannotRefactor> {
        let mut optional: Option<Source> = None;
        for pair in self.entries.windows(2) {
            if self.rank(pair[0]) > self.rank(pair[1]) {
                let name = self.new_name(pair[1]).unwrap_or("a parameter");
                return refuse(format!("`{name}` cannot stand behind parameters that are given in another way"));
            }
        }
        for source in self.entries.iter().copied().filter(|source| self.rank(*source).is_positional()) {
            let counts = match (language, source) {
                // A parameter without a default may stand behind one that has it, but not behind `x?: T`.
                (Language::TypeScript | Language::Tsx, Source::Old(index)) => self.old[index].default.is_none(),
                (Language::TypeScript | Language::Tsx, Source::New(index)) => self.added[index].default_at.is_none(),
                (Language::JavaScript, _) => false,
                _ => true,
            };
            match (self.is_optional(source), optional) {
                (true, _) => optional = optional.or(Some(source).filter(|_| counts)),
                (false, Some(before)) => {
                    let word = |source| self.new_name(source).unwrap_or("_").to_owned();
                    let (name, before) = (word(source), word(before));
                    return refuse(format!("`{name}` has no default and would stand behind `{before}`, which has one"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Returns whether a call by positions must change: parameters before others come, go or change places.
    pub(super) fn changes_positions(&self) -> bool {
        let is_in_place = |(index, source): (usize, &Source)| match source {
            Source::Old(old) => *old == index,
            Source::New(_) => false,
        };
        let old = self.old.len();
        let has_value = self.added.iter().any(|row| row.value.is_some() || !row.is_optional);
        // What is added by name, or behind all that a call may give by position.
        let entries: Vec<Source> = { self.entries.iter().copied() }
            .filter(|source| !matches!(source, Source::New(_)) || self.rank(*source).is_positional())
            .collect();
        let has_rest = self.old.iter().any(|row| row.rank == Rank::Rest);
        let positional = entries.iter().filter(|source| self.rank(**source).is_positional());
        let positional: Vec<Source> = positional.copied().collect();
        let count = self.old.iter().filter(|row| row.rank.is_positional()).count();
        let is_prefix = positional.iter().take(count).enumerate().all(is_in_place) && positional.len() >= count;
        let keeps_rest = !has_rest || positional.len() == count;
        let keeps_all = self.removed.is_empty() && old <= self.entries.len();
        has_value || !is_prefix || !keeps_rest || !keeps_all
    }
}
