//! Values that a file hands to code outside of the project, in languages where a type satisfies interfaces by its
//! methods alone, and objects with functions of JavaScript: the code outside may call any method of the value that
//! others see.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{DefKind, Expr, ExprId, ListId, Namespace, Pos, Role};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::edges::derived::Derived;
use crate::eval::{Entity, Eval, Value};
use crate::file_links::{self, Resolution, Target};
use crate::ids::SymbolId;
use crate::rules::Dispatch;
use crate::tables::files::FileId;

/// Maximum number of values of one file that are followed.
const MAX_VALUES: usize = 4_096;

/// The types of the project whose values a file gives to functions of other packages, or to variables and results of
/// their types, as registrations of the types. `resolutions` are those of the references of the file.
pub(crate) fn handed_over(eval: &mut Eval<'_>, file: FileId, resolutions: &[Resolution<'_>]) -> Vec<Derived> {
    if eval.rules(file).explicit_exports {
        return handed_objects(eval, file, resolutions);
    }
    if eval.rules(file).dispatch != Dispatch::Structural {
        return Vec::new();
    }
    let unit = eval.unit(file);
    let outside: FxHashSet<Pos> = resolutions.iter().filter(|row| leads_to_package(row)).map(|row| row.pos).collect();
    let mut given: Vec<(SymbolId, Pos, ExprId)> = Vec::new();
    if !outside.is_empty() {
        let args: FxHashMap<ExprId, ListId> = unit.facts.exprs.iter().filter_map(call).collect();
        for reference in &unit.facts.references {
            if reference.role == Role::Call
                && outside.contains(&reference.pos)
                && let Some(&args) = args.get(&reference.expr)
            {
                let from = file_links::source(eval, file, reference);
                given.extend(unit.list(args).iter().map(|&arg| (from, reference.pos, arg)));
            }
        }
    }
    given.truncate(MAX_VALUES);
    let mut edges = made_for_outside(eval, file, resolutions);
    for (from, pos, value) in given {
        eval.begin_reference();
        for value in eval.eval(file, value, Namespace::Value).items {
            let Value::Instance(of, _) = value else { continue };
            let Some(to) = eval.unit(of.file).symbols[of.def.index()] else { continue };
            let to = Target::Symbol(to);
            edges.push(Derived { from, to, relation: Relation::Registers, tier: EdgeTier::Possible, of: 1, pos });
        }
    }
    edges
}

/// Functions of the language that keep objects and call their members.
const KEEPING: &[&str] = &["Proxy", "addEventListener", "create", "define", "defineProperties", "defineProperty"];

/// Object literals that are given to functions of other packages by their names, as registrations of the objects.
fn handed_objects(eval: &mut Eval<'_>, file: FileId, resolutions: &[Resolution<'_>]) -> Vec<Derived> {
    let unit = eval.unit(file);
    let language = eval.rules(file).builtin_package;
    let keeps = |row: &&Resolution<'_>| {
        let is_other = |target: &Target| matches!(target, Target::External(package) if package != language);
        let is_outside = row.role == Some(Role::Call) && row.tier == Some(EdgeTier::External);
        is_outside && (row.targets.iter().any(is_other) || KEEPING.contains(&row.name))
    };
    let outside: FxHashSet<Pos> = resolutions.iter().filter(keeps).map(|row| row.pos).collect();
    if outside.is_empty() {
        return Vec::new();
    }
    let args: FxHashMap<ExprId, ListId> = unit.facts.exprs.iter().filter_map(call).collect();
    let mut edges = Vec::new();
    for reference in unit.facts.references.iter().filter(|reference| outside.contains(&reference.pos)) {
        let Some(&args) = args.get(&reference.expr).filter(|_| reference.role == Role::Call) else { continue };
        let from = file_links::source(eval, file, reference);
        for &arg in unit.list(args).iter().filter(|&&arg| matches!(unit.facts.expr(arg), Expr::Name { .. })) {
            eval.begin_reference();
            for found in eval.resolve(file, arg, Namespace::Value).found {
                let Entity::Def(of) = found.entity else { continue };
                eval.ask_definition(of);
                let unit = eval.unit(of.file);
                let is_object = unit.facts.definition(of.def).kind == DefKind::Object;
                let Some(to) = unit.symbols[of.def.index()].filter(|_| is_object && edges.len() < MAX_VALUES) else {
                    continue;
                };
                let (to, relation) = (Target::Symbol(to), Relation::Registers);
                edges.push(Derived { from, to, relation, tier: EdgeTier::Possible, of: 1, pos: reference.pos });
            }
        }
    }
    edges
}

fn call(expr: &Expr) -> Option<(ExprId, ListId)> {
    match *expr {
        Expr::Call { callee, args } => Some((callee, args)),
        _ => None,
    }
}

/// Returns whether a call leads to a package that is not of the standard library: its path begins with a domain.
fn leads_to_package(row: &Resolution<'_>) -> bool {
    let is_package = |target: &Target| match target {
        Target::External(package) => package.split('/').next().is_some_and(|first| first.contains('.')),
        _ => false,
    };
    row.role == Some(Role::Call) && row.tier == Some(EdgeTier::External) && row.targets.iter().any(is_package)
}

/// Types that code names where it makes a value of a type of another package: in functions with such a result, and
/// beside such a type in a declaration of a variable at the top of the file.
fn made_for_outside(eval: &mut Eval<'_>, file: FileId, resolutions: &[Resolution<'_>]) -> Vec<Derived> {
    let unit = eval.unit(file);
    // With the line of its name, and whether more lines follow: a type that is named there is that of a parameter.
    let mut makers: FxHashMap<SymbolId, Option<u32>> = FxHashMap::default();
    for (index, definition) in unit.facts.definitions.iter().enumerate() {
        let (Some(symbol), DefKind::Function) = (unit.symbols[index], definition.kind) else { continue };
        let Some(declared) = definition.declared else { continue };
        let types = match unit.facts.expr(declared) {
            Expr::Collection { items, .. } => unit.list(items).to_vec(),
            _ => vec![declared],
        };
        if types.into_iter().any(|declared| is_of_package(eval, file, declared)) {
            makers.insert(symbol, Some(definition.pos.line).filter(|line| *line < definition.line_end));
        }
    }
    let is_at_top = |row: &Resolution<'_>| !is_in_definition(eval.project.symbols.text(row.from));
    let is_outside_type = |row: &&Resolution<'_>| row.role == Some(Role::Type) && row.tier == Some(EdgeTier::External);
    let lines: FxHashSet<u32> =
        resolutions.iter().filter(is_outside_type).filter(|row| is_at_top(row)).map(|row| row.pos.line).collect();
    let mut edges = Vec::new();
    for row in resolutions.iter().filter(|row| row.role.is_some() && row.tier == Some(EdgeTier::Certain)) {
        let is_beside = is_at_top(row) && lines.contains(&row.pos.line);
        let is_made =
            makers.get(&row.from).is_some_and(|header| row.role != Some(Role::Type) || *header != Some(row.pos.line));
        if !is_beside && !is_made {
            continue;
        }
        for target in &row.targets {
            let Target::Symbol(symbol) = target else { continue };
            if is_type(eval.project.symbols.text(*symbol)) {
                let (from, to, relation) = (row.from, target.clone(), Relation::Registers);
                edges.push(Derived { from, to, relation, tier: EdgeTier::Possible, of: 1, pos: row.pos });
            }
        }
    }
    edges
}

/// Returns whether the id of a node is that of a type with methods.
fn is_type(id: &str) -> bool {
    matches!(id.rsplit("::").nth(1), Some("struct" | "type"))
}

/// Returns whether the id of a node is that of a function or type, or of something in one.
fn is_in_definition(id: &str) -> bool {
    id.contains("::fn::") || is_type(id) || id.contains("::field::")
}

/// Returns whether a written type is one of another package, predeclared types aside.
fn is_of_package(eval: &mut Eval<'_>, file: FileId, declared: ExprId) -> bool {
    if !matches!(eval.unit(file).facts.expr(declared), Expr::Member { .. } | Expr::Path { .. }) {
        return false;
    }
    eval.begin_reference();
    let search = eval.resolve(file, declared, Namespace::Type);
    search.found.iter().any(|found| matches!(found.entity, Entity::External(..)))
}
