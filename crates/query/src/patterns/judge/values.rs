//! Evidence about values: who uses and who sets a variable, and earlier checks of it.

use m1nd_base::NodeKind;
use m1nd_graph::NodeIx;
use m1nd_lang::patterns::SyntaxMatch;

use super::{Judge, Verdict};
use crate::patterns::matching::{MatchSite, Raw};

impl Judge<'_> {
    pub(super) fn variable(&self, raw: &Raw) -> Option<NodeIx> {
        let MatchSite::Syntax(found) = &raw.at else { return None };
        let name = found.name.as_deref()?;
        let file = self.graph.find_file(raw.path.as_str())?;
        let is = |node: &NodeIx| {
            let kinds = [NodeKind::Variable, NodeKind::Constant, NodeKind::Field, NodeKind::Object];
            self.graph.label(*node) == name && kinds.contains(&self.graph.kind(*node))
        };
        self.subject(raw).filter(is).or_else(|| self.graph.of_file(file).into_iter().find(is))
    }

    pub(super) fn asked_before(
        &mut self,
        raw: &Raw,
        found: &SyntaxMatch,
        node: Option<NodeIx>,
        asks: &'static str,
    ) -> Verdict {
        let confirmed = Verdict::confirm("as written; what the graph knows has no bearing on it");
        let function = node.filter(|&node| self.graph.kind(node) == NodeKind::Function);
        let (Some(value), Some(function)) = (found.name.as_deref().map(asked_value), function) else {
            return confirmed;
        };
        let (first, start) = (self.graph.lines(function).0, found.found.start);
        let rows = self.graph.find_file(raw.path.as_str()).and_then(|file| self.matches_in(file, asks));
        let before = |one: &&SyntaxMatch| {
            first <= one.found.start.line && one.found.start < start && one.name.as_deref() == Some(value)
        };
        match rows.iter().flat_map(|rows| rows.iter()).rfind(before) {
            Some(one) => {
                Verdict::mitigate(format!("`{value}` is asked for what it holds in line {}", one.found.start.line))
            }
            None => confirmed,
        }
    }

    pub(super) fn shared_once_set(&mut self, raw: &Raw, writes: &'static str, once: &str) -> Verdict {
        let (MatchSite::Syntax(found), Some(file)) = (&raw.at, self.graph.find_file(raw.path.as_str())) else {
            return self.judge_shared(raw);
        };
        let writes = self.matches_in(file, writes);
        let sets_up = |one: &SyntaxMatch| {
            let node = self.snapshot.node_at(&raw.path, one.found.start.line);
            node.is_some_and(|node| self.graph.kind(node) == NodeKind::Function && self.graph.label(node) == once)
        };
        let own = writes.iter().flat_map(|rows| rows.iter()).filter(|one| one.name == found.name);
        if own.clone().next().is_some() && own.clone().all(sets_up) {
            return Verdict::mitigate(format!("in this file only `{once}` assigns it, which runs before all others"));
        }
        self.judge_shared(raw)
    }

    pub(super) fn judge_shared(&self, raw: &Raw) -> Verdict {
        let Some(variable) = self.variable(raw) else {
            return Verdict::confirm("as written").open("who uses the variable is not known");
        };
        let (users, possible) = self.users(variable);
        let functions: Vec<NodeIx> =
            users.into_iter().filter(|user| self.graph.kind(*user) == NodeKind::Function).collect();
        match functions.as_slice() {
            [_, _, ..] => {
                Verdict::confirm(format!("{} functions use it", functions.len())).with(functions, "references")
            }
            _ if possible => Verdict::confirm("as written")
                .with(functions, "references")
                .open("some uses are only possible: who shares it is not known"),
            [only] => {
                let reason = format!("only `{}` uses it", self.graph.label(*only));
                Verdict::mitigate(reason).with([*only], "references")
            }
            [] => Verdict::mitigate("no function is known to use it"),
        }
    }
}

/// Receiver of a call: `items` of `items.last()` and of `items`.
fn asked_value(written: &str) -> &str {
    let Some(inner) = written.strip_suffix(')') else { return written };
    let mut depth = 1_u32;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return inner[..at].rsplit_once('.').map_or(written, |(value, _)| value.trim_end());
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_calls_are_made_on() {
        let cases = [
            ("items", "items"),
            ("self.max", "self.max"),
            ("items.last()", "items"),
            ("self.map.get(&key(1))", "self.map"),
            ("make(1)", "make(1)"),
            (")", ")"),
        ];
        for (written, value) in cases {
            assert_eq!(asked_value(written), value, "{written}");
        }
    }
}
