//! What the contracts of all kinds share.

use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, ExprId, Namespace};

use crate::eval::{Entity, Eval, Value};
use crate::ids::SymbolId;
use crate::spots::{constants, value_word};
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;

/// Files that are looked at for one name.
pub(super) const MAX_FILES: usize = 256;

/// The node that a definition is, or the nearest one around it; the file if there is none.
pub(super) fn node_of(unit: &Unit, def: Option<DefId>) -> SymbolId {
    let mut next = def;
    while let Some(def) = next {
        if let Some(symbol) = unit.symbols[def.index()] {
            return symbol;
        }
        next = unit.facts.definition(def).owner;
    }
    unit.file_symbol
}

/// The files under a word that are no tests, or the file itself.
pub(super) fn files(eval: &mut Eval<'_>, home: FileId, word: &str) -> Vec<FileId> {
    let mut files = eval.contract(word);
    files.retain(|file| *file == home || !eval.project.unit(*file).is_test);
    files.truncate(MAX_FILES);
    files
}

/// A name as it is given: the text, or the value of the constant in braces.
pub(super) fn name_of(eval: &mut Eval<'_>, file: FileId, text: &str) -> Option<String> {
    let Some(inner) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) else {
        return (!text.is_empty() && !text.contains(['{', '$', ' '])).then(|| text.to_owned());
    };
    let last = inner.rsplit('.').next().filter(|last| !last.is_empty() && !last.contains(['{', '}']))?;
    let own = |unit: &Unit| -> Vec<String> {
        let rows = constants(&unit.facts).filter(|(key, _)| *key == last);
        rows.map(|(_, row)| row.text.to_string()).collect()
    };
    let mut found = own(eval.unit(file));
    if found.is_empty() {
        for other in eval.contract(&value_word(last)) {
            found.extend(own(eval.project.unit(other)));
        }
    }
    found.sort_unstable();
    found.dedup();
    match found.as_slice() {
        [text] if !text.is_empty() && !text.contains(['{', '$', ' ']) => Some(text.clone()),
        _ => None,
    }
}

/// The folder of the repository that a path is in; empty if all are of one.
pub(super) fn root_of<'e>(eval: &'e Eval<'_>, path: &str) -> &'e str {
    let is_around = |root: &&String| {
        path.strip_prefix(root.as_str()).is_some_and(|rest| root.is_empty() || rest.is_empty() || rest.starts_with('/'))
    };
    let roots = eval.project.tree.roots.iter().filter(is_around);
    roots.max_by_key(|root| root.len()).map_or("", String::as_str)
}

/// Number of folders that two paths have in common.
pub(super) fn common(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

/// Of several copies of one declaration, that of the program that a file belongs to; else the one nearest to the root
/// of its repository.
pub(super) fn own_copy<T>(eval: &Eval<'_>, home: FileId, copies: Vec<(FileId, T)>) -> Option<(FileId, T)> {
    let here = eval.project.path(home).as_str();
    let root = root_of(eval, here);
    let depth = root.split('/').filter(|part| !part.is_empty()).count();
    let rank = |file: FileId| {
        let path = eval.project.path(file).as_str();
        let shared = common(here, path);
        // In one folder below the root, most programs of a repository lie.
        let own = if shared >= depth + 2 || file == home { shared } else { 0 };
        (std::cmp::Reverse(own), root_of(eval, path) != root, path.split('/').count(), path.to_owned())
    };
    copies.into_iter().min_by_key(|(file, _)| rank(*file))
}

/// Keeps those with most folders in common with a file.
pub(super) fn nearest<T>(eval: &Eval<'_>, home: FileId, rows: &mut Vec<(FileId, T)>) {
    let here = eval.project.path(home).as_str();
    let shared = |file: FileId| common(here, eval.project.path(file).as_str());
    let most = rows.iter().map(|(file, _)| shared(*file)).max();
    rows.retain(|(file, _)| Some(shared(*file)) == most);
}

/// The functions that an expression may be, through `f.bind(x)`.
pub(super) fn functions(eval: &mut Eval<'_>, file: FileId, expr: ExprId) -> Vec<DefRef> {
    let unit = eval.unit(file);
    let mut expr = expr;
    if let Expr::Call { callee, .. } = unit.facts.expr(expr)
        && let Expr::Member { base, name } = unit.facts.expr(callee)
        && unit.facts.name(name) == "bind"
    {
        expr = base;
    }
    let values = eval.eval(file, expr, Namespace::Value);
    let defs = values.items.iter().filter_map(|value| match value {
        Value::Def(of, _) | Value::Bound(of, _) => Some(*of),
        _ => None,
    });
    let defs: Vec<DefRef> = defs.collect();
    defs.into_iter().filter(|of| eval.unit(of.file).facts.definition(of.def).kind == DefKind::Function).collect()
}

/// The members of a value under one of these names: functions, or what holds them.
pub(super) fn members(eval: &mut Eval<'_>, value: &Value, names: &[String]) -> Vec<DefRef> {
    let mut found = Vec::new();
    for name in names {
        let name = eval.project.names.intern(name);
        let mut search = eval.member(value, name, Namespace::Callee);
        if search.found.is_empty() {
            search = eval.member(value, name, Namespace::Value);
        }
        for row in &search.found {
            match row.entity {
                Entity::Def(of) => {
                    let definition = eval.unit(of.file).facts.definition(of.def);
                    let (kind, values) = (definition.kind, definition.values);
                    // A field or variable that holds a function stands for that function.
                    if kind != DefKind::Function
                        && let Some(&held) = eval.unit(of.file).list(values).first()
                    {
                        let held = functions(eval, of.file, held);
                        found.extend(if held.is_empty() { vec![of] } else { held });
                    } else {
                        found.push(of);
                    }
                }
                Entity::Expr(file, expr) => found.extend(functions(eval, file, expr)),
                Entity::Local(file, binding) => {
                    let target = eval.unit(file).facts.bindings[binding as usize].target;
                    if let BindingTarget::Value(expr) = target {
                        found.extend(functions(eval, file, expr));
                    }
                }
                _ => {}
            }
        }
        // The first name that exists counts; the others are spellings of it.
        if !found.is_empty() {
            break;
        }
    }
    found.sort_unstable_by_key(|of| (of.file.0, of.def));
    found.dedup();
    eval.project.by_path_order(&mut found);
    found
}
