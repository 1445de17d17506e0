//! Members whose names code puts together when it runs: `getattr(self, f"handle_{verb}")`, ``this[`on${name}`]``.

use m1nd_lang::facts::{DefKind, Namespace};

use crate::eval::ancestors::Ancestor;
use crate::eval::{Eval, Module, Search, Value};
use crate::names::Name;
use crate::reason::Reason;
use crate::tables::files::{DefRef, FileId};

/// Stands for any text in the name of a member.
const ANY: char = '*';
/// Members of one pattern.
const MAX_MEMBERS: usize = 32;

impl Eval<'_> {
    /// Returns whether a name has parts that are known when the code runs.
    pub(in crate::eval) fn is_computed(&self, file: FileId, name: Name) -> bool {
        self.project.rules(file).computed_members && self.text(name).contains(ANY)
    }

    /// The members of a value that a computed name may mean.
    pub(in crate::eval) fn computed_members(&mut self, value: &Value, pattern: Name, want: Namespace) -> Search {
        let mut names = Vec::new();
        match value {
            Value::Instance(of, _) | Value::Def(of, _) | Value::Super(of, _) => {
                for ancestor in self.ancestors(*of).iter() {
                    if let Ancestor::Class(class, _) = ancestor {
                        self.ask_members(*class);
                        self.names_like(class.file, Some(*class), pattern, &mut names);
                    }
                }
            }
            Value::Module(Module::File(file)) => {
                self.ask_all(*file);
                self.names_like(*file, None, pattern, &mut names);
            }
            _ => {}
        }
        names.sort_unstable();
        names.dedup();
        if names.len() > MAX_MEMBERS {
            return Search::unknown(Reason::TooManyCandidates);
        }
        let mut search = Search::default();
        for name in names {
            self.member(value, name, want).found.into_iter().for_each(|found| search.push(found));
        }
        search.unknown = (!search.found.is_empty()).then_some(Reason::UnknownReceiver);
        search
    }

    /// Names of the functions of an owner that fit a pattern.
    fn names_like(&mut self, file: FileId, owner: Option<DefRef>, pattern: Name, names: &mut Vec<Name>) {
        let unit = self.unit(file);
        let pattern = self.text(pattern);
        let owner = owner.map(|owner| owner.def);
        let own = unit.facts.definitions.iter().filter(|row| row.owner == owner && row.kind == DefKind::Function);
        let fitting = own.filter(|row| fits(pattern, unit.facts.name(row.name)));
        names.extend(fitting.map(|row| unit.name(row.name)).take(MAX_MEMBERS + 1));
    }
}

/// Returns whether a name has the parts of a pattern, in order.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split(ANY);
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(rest_end) = parts.pop().and_then(|last| rest.strip_suffix(last)) else { return false };
    rest = rest_end;
    parts.into_iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn patterns() {
        assert!(fits("handle_*", "handle_get"));
        assert!(fits("*_a_*_b", "x_a_y_b"));
        assert!(!fits("handle_*", "other"));
        assert!(!fits("on*end", "on"));
        assert!(!fits("ab*bc", "abc"));
    }
}
