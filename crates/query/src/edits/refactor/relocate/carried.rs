//! Imports that follow the body of a function into the files that called it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use m1nd_base::{Cancel, Pos};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;
use m1nd_lang::ItemKind;
use m1nd_lang::facts::{BindingTarget, ScopeId};

use super::cut::{Parsed, Patch, apply};
use super::draft::folder_of;
use super::go::Imports;
use super::java::{Row, add_imports, list_imports};
use super::modules::Moving;
use super::spec::Dialect;
use super::{CannotRefactor, Move};

/// A file that the body of a function goes to.
pub(in super::super) struct Carried<'a> {
    pub(in super::super) path: &'a str,
    /// The body in the file that the function is in.
    pub(in super::super) body: Range<usize>,
    /// Where the file imports the function.
    pub(in super::super) imported_at: &'a [Pos],
    /// What replaces the calls.
    pub(in super::super) replaced: Vec<Patch>,
    /// Names that the body uses and does not declare.
    pub(in super::super) names: &'a BTreeSet<String>,
}

/// The text of a file that called a function, with its imports, and what changes in the file of the function.
///
/// # Errors
/// A name that the body needs cannot be imported, or an import of the function cannot be taken out.
pub(in super::super) fn carry(
    snapshot: &Snapshot,
    node: NodeIx,
    carried: Carried<'_>,
    cancel: &Cancel,
) -> Result<(String, Vec<Patch>), CannotRefactor> {
    let graph = snapshot.graph();
    let own = graph.path(node);
    let language = snapshot.file_of(node).map(|file| file.language);
    let is_other = own != carried.path;
    match (language, language.and_then(Dialect::of)) {
        (_, Some(dialect)) if is_other => carry_names(snapshot, node, carried, dialect, cancel),
        (Some(Language::Go), _) => Ok((carry_packages(snapshot, own, &carried, cancel)?, Vec::new())),
        (Some(Language::Java), _) if is_other => {
            let (from, to) = (Parsed::read(snapshot, own, cancel)?, Parsed::read(snapshot, carried.path, cancel)?);
            let imports = list_imports(from.text(), &from.items);
            let known = list_imports(to.text(), &to.items);
            let is_needed = |name: &&String| !known.iter().any(|import| import.name() == *name);
            let needed = carried.names.iter().filter(is_needed);
            let rows = needed.filter_map(|name| imports.iter().find(|import| import.name() == name));
            let mut rows: BTreeSet<Row> = rows.map(|import| import.row()).collect();
            // Classes of one package know each other; those of another one are imported.
            let (package, here) = (read_java_package(from.text()), read_java_package(to.text()));
            rows.retain(|row| here.is_none() || row.path.rsplit_once('.').map(|(package, _)| package) != here);
            let is_class = |name: &&String| {
                let own = |other: NodeIx| {
                    graph.parent(other) == graph.file(other) && folder_of(graph.path(other)) == folder_of(own)
                };
                package != here && graph.find_labelled(name).into_iter().any(own)
            };
            let is_imported = |name: &&String| imports.iter().any(|import| import.name() == *name);
            let beside = carried.names.iter().filter(is_needed).filter(|name| !is_imported(name)).filter(is_class);
            rows.extend(beside.filter_map(|name| Some(Row::of(format!("{}.{name}", package?)))));
            let text = apply(to.text(), carried.replaced);
            let text = add_imports(snapshot, &text, &rows, cancel)
                .ok_or(CannotRefactor::File { path: carried.path.to_owned(), why: "cannot be parsed" })?;
            Ok((text, Vec::new()))
        }
        _ => Ok((apply(Parsed::read(snapshot, carried.path, cancel)?.text(), carried.replaced), Vec::new())),
    }
}

/// The package that a file of Java declares.
pub(in super::super) fn read_java_package(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.trim().strip_prefix("package ")?.split(';').next()).map(str::trim)
}

/// Names of modules: Python and scripts.
fn carry_names(
    snapshot: &Snapshot,
    node: NodeIx,
    carried: Carried<'_>,
    dialect: Dialect,
    cancel: &Cancel,
) -> Result<(String, Vec<Patch>), CannotRefactor> {
    let request = Move { node, to: carried.path.to_owned(), with_helpers: false };
    let mut moving = Moving::new(snapshot, &request, dialect, cancel)?;
    moving.parts = Some(vec![carried.body]);
    let needs = moving.find_needs()?;
    for name in &needs.raised {
        moving.raise(name)?;
    }
    let Some(mut target) = moving.target.take() else {
        return Err(CannotRefactor::File { path: carried.path.to_owned(), why: "cannot be read" });
    };
    let refuse =
        |line: u32, why: String| Err(CannotRefactor::at("the function cannot be inlined", carried.path, line, why));
    // The function is imported no more.
    for pos in carried.imported_at {
        let row = target.parsed.offset(*pos).and_then(|at| target.name_at(at));
        match row.filter(|row| target.statements[row.0].kind == ItemKind::Import) {
            Some(row) => target.drop_name(row),
            None => return refuse(pos.line, "imports it in a form that is not known, or passes it on".to_owned()),
        }
    }
    // What the body needs and the file does not have.
    for (module, name) in needs.names {
        let bound = name.alias.as_ref().unwrap_or(&name.name);
        let facts = &target.parsed.facts;
        let mut known = facts
            .bindings
            .iter()
            .filter(|binding| binding.scope == ScopeId(0) && facts.name(binding.name) == bound)
            .map(|binding| binding.target)
            .peekable();
        if known.peek().is_none() {
            target.add(&module, name);
            continue;
        }
        let is_same = |found: BindingTarget| {
            let BindingTarget::Import(import) = found else { return false };
            let at = target.parsed.offset(facts.imports[import.index()].pos);
            at.and_then(|at| target.name_at(at)).is_some_and(|row| {
                let other = target.import(row);
                target.module(row.0) == module
                    && other.name == name.name
                    && (other.alias == name.alias)
                    && other.is_type <= name.is_type
            })
        };
        if !known.all(is_same) {
            return refuse(0, format!("has another `{bound}` than the function uses"));
        }
    }
    for statement in needs.statements {
        let text = target.parsed.text();
        let last = statement.split([' ', '.']).next_back().unwrap_or_default().trim_matches(';').to_owned();
        let facts = &target.parsed.facts;
        let is_taken =
            facts.bindings.iter().any(|binding| binding.scope == ScopeId(0) && facts.name(binding.name) == last);
        if is_taken && !text.contains(&format!("{statement}\n")) {
            return refuse(0, format!("has another `{last}` than the function uses"));
        }
        target.add_statement(statement);
    }
    target.patches.extend(carried.replaced);
    let raised = std::mem::take(&mut moving.origin.patches);
    Ok((target.finish(), raised))
}

/// Packages of Go: those that the body names come along, and those that nothing names go.
fn carry_packages(
    snapshot: &Snapshot,
    own: &str,
    carried: &Carried<'_>,
    cancel: &Cancel,
) -> Result<String, CannotRefactor> {
    let (from, to) = (Parsed::read(snapshot, own, cancel)?, Parsed::read(snapshot, carried.path, cancel)?);
    let known = BTreeMap::new();
    let text = apply(to.text(), carried.replaced.clone());
    let read = |text: &str| Imports::read(snapshot, text, &known, cancel);
    let unread = || CannotRefactor::File { path: carried.path.to_owned(), why: "cannot be parsed" };
    let (theirs, before, after) =
        (read(from.text()).ok_or_else(unread)?, read(to.text()).ok_or_else(unread)?, read(&text).ok_or_else(unread)?);
    let named = carried.names.iter().filter(|name| after.qualifiers.contains(*name));
    let specs = named.filter_map(|name| theirs.by_name(name));
    let needed = specs.map(|spec| (spec.path.clone(), spec.alias.clone())).collect();
    Ok(after.fit(&before.qualifiers, &needed, ""))
}
