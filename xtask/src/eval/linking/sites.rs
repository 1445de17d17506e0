//! Sites covered by the truth: its references by position.

use std::collections::{HashMap, HashSet};

use super::ours::{Edge, Ours, is_typed};
use super::truth::{Reference, Truth};
use crate::eval::golden::Verdict;

/// The references of the truth, by position.
#[derive(Debug)]
pub(in crate::eval) struct Sites<'t> {
    at: HashMap<(&'t str, u32), Vec<&'t Reference>>,
    /// Functions, by file and line of the name, in which the truth has a reference.
    inside: HashSet<(&'t str, u32)>,
}

impl<'t> Sites<'t> {
    pub(in crate::eval) fn new(truth: &'t Truth) -> Self {
        let mut sites = Self { at: HashMap::new(), inside: HashSet::new() };
        for reference in &truth.references {
            sites.at.entry((&reference.file, reference.line)).or_default().push(reference);
            if let Some(enclosing) = reference.enclosing.as_ref().filter(|enclosing| enclosing.kind == "fn") {
                sites.inside.insert((&reference.file, enclosing.line));
            }
        }
        sites
    }

    /// The references of the truth at a position: those exactly there with this name, or else those on that line with
    /// this name (tools count columns in other units, or point at the start of a path), or else those exactly there
    /// with another name. `col` is 1-based.
    pub(in crate::eval) fn at(&self, file: &str, line: u32, col: u32, name: &str) -> Vec<&'t Reference> {
        let on_line = self.at.get(&(file, line)).map_or(&[][..], Vec::as_slice);
        let is_exact = |reference: &&&Reference| reference.col + 1 == col;
        let is_named = |reference: &&&Reference| reference.name == name;
        let both: Vec<_> = on_line.iter().filter(is_exact).filter(is_named).copied().collect();
        if !both.is_empty() {
            return both;
        }
        let named: Vec<_> = on_line.iter().filter(is_named).copied().collect();
        if named.is_empty() { on_line.iter().filter(is_exact).copied().collect() } else { named }
    }

    /// Judges an edge at one of its sites.
    ///
    /// *Right*: a reference there has the same target. *Invented*: its target is another definition of the same name.
    /// *Other name*: its target has another name. *Silent*: there is no reference to a definition of the repository,
    /// in a language whose compiler knows all types and in a function that the truth covers otherwise. TypeScript's
    /// index has no rows about definitions inside of functions. In all other cases the two are not comparable: there
    /// is no reference in an untyped language; or the truth names a variable and we its value; or the truth names a
    /// class and we its inherited constructor; or there is no reference and we name a constructor (indexes omit
    /// `super(…)`; the edge to the class is judged).
    pub(in crate::eval) fn judge(&self, ours: &Ours, edge: &Edge, (line, col): (u32, u32)) -> Verdict {
        let (from, to) = (&ours.nodes[edge.from], &ours.nodes[edge.to]);
        let Some(file) = from.file.as_deref() else { return Verdict::Unjudged };
        let there = self.at(file, line, col, &to.name);
        if there.is_empty() {
            let caller = ours.caller(edge.from).map(|caller| ours.nodes[caller].line);
            let is_known = caller.is_some_and(|caller| self.inside.contains(&(file, caller)));
            let speaks = is_typed(file) && is_known && !to.is_constructor && !ours.is_local(edge.to);
            return if speaks { Verdict::Silent } else { Verdict::Unjudged };
        }
        let means = |reference: &&Reference| {
            let accepted = ours.list_accepted(&reference.target_file, reference.target_line, &reference.name);
            accepted.contains(&edge.to)
        };
        if there.iter().any(means) {
            return Verdict::Right;
        }
        let callable: Vec<_> = there.iter().filter(|reference| is_callable(&reference.kind)).collect();
        let names_class = callable.iter().any(|reference| reference.kind == "type");
        if callable.is_empty() || to.is_constructor && names_class {
            return Verdict::Unjudged;
        }
        let same_name = callable.iter().any(|reference| reference.name == to.name);
        if same_name { Verdict::Invented } else { Verdict::OtherName }
    }
}

/// Returns whether a kind in the truth can be called, constructed or expanded.
pub(in crate::eval) fn is_callable(kind: &str) -> bool {
    matches!(kind, "fn" | "type" | "macro")
}
