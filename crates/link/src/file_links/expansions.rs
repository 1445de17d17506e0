//! Effects of macros invoked by a file on their arguments: which of the functions that they may define exist, and
//! which references in their arguments are code.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use m1nd_lang::facts::{DefKind, Expr, ExprId, NameId, Namespace, Pos, Reference, ScopeId};
use rustc_hash::FxHashMap;

use crate::eval::{Entity, Eval};
use crate::ids::{Generated, GeneratedFunctions};
use crate::tables::files::{DefRef, FileId};

/// The functions that the macros invoked among a file's items define.
pub(crate) fn list_generated(eval: &mut Eval<'_>, file: FileId) -> GeneratedFunctions {
    let unit = eval.unit(file);
    let mut found = GeneratedFunctions::default();
    for &(def, symbol) in &unit.generated {
        let definition = unit.facts.definition(def);
        let Some(path) = definition.declared else { continue };
        let name = unit.facts.name(definition.name);
        let macros = macros(eval, file, path);
        let mut is_test = true;
        let names = !macros.is_empty()
            && macros.iter().all(|&of| {
                let facts = &eval.unit(of.file).facts;
                let flags = facts.definition(of.def).flags;
                is_test &= flags.names_test;
                let mut words = facts.parameters(of.def).iter();
                flags.names_function && !words.any(|word| facts.name(word.name) == name)
            });
        if names {
            found.insert(def, Generated { symbol, is_test });
        }
    }
    found
}

/// The references of a file as the definitions of the macros around them have them: exact where all these macros take
/// code, made by a function of a macro only where there is one.
pub(super) fn references<'a>(eval: &mut Eval<'a>, file: FileId) -> Cow<'a, [Reference]> {
    let unit = eval.unit(file);
    if unit.facts.macro_arguments.is_empty() && unit.generated.is_empty() {
        return Cow::Borrowed(&unit.facts.references);
    }
    let mut references = unit.facts.references.clone();
    let mut code = ArgumentsOfCode::default();
    let mut rows = unit.facts.macro_arguments.iter().peekable();
    for reference in &mut references {
        while let Some(row) = rows.next_if(|row| row.start <= reference.pos) {
            let takes_code = code.is_code(eval, file, row.path);
            code.open(row.end, takes_code);
        }
        code.close_before(reference.pos);
        reference.inexact = reference.inexact && !code.around();
        if let Some(def) = reference.enclosing
            && unit.facts.definition(def).flags.is_generated
            && !eval.generated.contains_key(&def)
        {
            reference.enclosing = unit.facts.definition(def).owner;
        }
    }
    // The word that names a function is no reference.
    references.retain(|reference| {
        reference
            .enclosing
            .is_none_or(|def| !eval.generated.contains_key(&def) || unit.facts.definition(def).pos != reference.pos)
    });
    Cow::Owned(references)
}

/// The arguments of macros around a place, as places come in order.
#[derive(Debug, Default)]
struct ArgumentsOfCode {
    /// Ends of the open ranges, nearest first, and whether each is code.
    open: BinaryHeap<Reverse<(Pos, bool)>>,
    /// Number of those that are no code.
    others: usize,
    /// Macros by bare name.
    known: FxHashMap<(NameId, ScopeId), bool>,
}

impl ArgumentsOfCode {
    fn open(&mut self, end: Pos, is_code: bool) {
        self.open.push(Reverse((end, is_code)));
        self.others += usize::from(!is_code);
    }

    fn close_before(&mut self, pos: Pos) {
        while let Some(Reverse((_, is_code))) = self.open.peek().copied().filter(|Reverse((end, _))| *end < pos) {
            self.open.pop();
            self.others -= usize::from(!is_code);
        }
    }

    /// Returns whether there is a macro around, and all that are take code.
    fn around(&self) -> bool {
        !self.open.is_empty() && self.others == 0
    }

    fn is_code(&mut self, eval: &mut Eval<'_>, file: FileId, path: ExprId) -> bool {
        let key = match eval.unit(file).facts.expr(path) {
            Expr::Unknown => return false,
            Expr::Name { name, scope } => Some((name, scope)),
            _ => None,
        };
        if let Some(&known) = key.and_then(|key| self.known.get(&key)) {
            return known;
        }
        let macros = macros(eval, file, path);
        let takes = |of: &DefRef| eval.unit(of.file).facts.definition(of.def).flags.takes_code;
        let is_code = !macros.is_empty() && macros.iter().all(takes);
        self.known.extend(key.map(|key| (key, is_code)));
        is_code
    }
}

/// The macros of the project that a path names; none if it may name anything else.
fn macros(eval: &mut Eval<'_>, file: FileId, path: ExprId) -> Vec<DefRef> {
    eval.begin_reference();
    let search = eval.resolve(file, path, Namespace::Macro);
    if search.unknown.is_some() {
        return Vec::new();
    }
    let macros = search.found.iter().map(|found| match found.entity {
        Entity::Def(of) => (eval.unit(of.file).facts.definition(of.def).kind == DefKind::Macro).then_some(of),
        _ => None,
    });
    macros.collect::<Option<Vec<DefRef>>>().unwrap_or_default()
}
