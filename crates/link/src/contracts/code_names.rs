//! Code that settings, or texts in code, name by its whole address: entry points, handlers, classes that a framework
//! loads by name. Whoever reads the name may run it, so it is registered there.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::Language;
use m1nd_lang::facts::{DefKind, Shared, SharedKind};

use super::Contracts;
use super::common::{self, node_of};
use super::deployments::{folder_of, join};
use crate::documents;
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::tables::files::FileId;

/// A name that means more than this many definitions says nothing about any of them.
const MAX_TARGETS: usize = 8;

/// What a name means, and whether it can mean nothing else.
type Meant = (Vec<SymbolId>, bool);

/// Adds the code that a file names.
pub(super) fn link(eval: &mut Eval<'_>, file: FileId, found: &mut Contracts) {
    let unit = eval.project.unit(file);
    for row in unit.facts.shared.iter().filter(|row| row.kind == SharedKind::Code) {
        let from = node_of(unit, row.owner);
        let (targets, is_sure) = find_meant(eval, file, row);
        let of = u16::try_from(targets.len()).unwrap_or(u16::MAX);
        let tier = if is_sure && of == 1 { EdgeTier::Certain } else { EdgeTier::Possible };
        for to in targets.into_iter().filter(|to| *to != from) {
            let to = Target::Symbol(to);
            found.edges.push(Derived { from, to, relation: Relation::Registers, tier, of, pos: row.pos });
        }
    }
}

fn find_meant(eval: &mut Eval<'_>, file: FileId, row: &Shared) -> Meant {
    let parts: Vec<&str> = row.name.split(['.', ':', '/', '#', '\\', '$']).filter(|part| !part.is_empty()).collect();
    let (mut targets, is_sure) = match &*row.of {
        Shared::FILE => (path(eval, file, &row.name), true),
        Shared::MODULE => {
            let modules = documents::modules(eval, &parts, Language::Python);
            if modules.is_empty() {
                (documents::modules(eval, &entry(&parts), Language::Python), true)
            } else {
                (modules, true)
            }
        }
        Shared::CLASS => (class(eval, row), false),
        Shared::OWN => (own(eval, file, &row.name), true),
        form => {
            let (found, is_exact) = documents::find_addressed(eval, &parts);
            match found.is_empty() && form == Shared::DOTTED && parts.len() > 1 {
                true => (documents::modules(eval, &parts, Language::Python), false),
                false => (found, is_exact && form == Shared::OBJECT),
            }
        }
    };
    if targets.len() > MAX_TARGETS {
        targets.clear();
    }
    (targets, is_sure)
}

/// What `python -m pkg` runs of a package.
fn entry<'p>(parts: &[&'p str]) -> Vec<&'p str> {
    parts.iter().copied().chain(["__main__"]).collect()
}

fn path(eval: &Eval<'_>, file: FileId, written: &str) -> Vec<SymbolId> {
    let here = eval.project.path(file).as_str();
    let root = common::root_of(eval, here).to_owned();
    let folders = [folder_of(here).to_owned(), root];
    let target = folders.iter().find_map(|folder| eval.file_at(&join(folder, written)?));
    target.map(|file| eval.project.unit(file).file_symbol).into_iter().collect()
}

/// Classes of the machine of Java with this name, at the top of a file.
fn class(eval: &mut Eval<'_>, row: &Shared) -> Vec<SymbolId> {
    documents::top_types(eval, &row.name, Language::Java)
}

fn own(eval: &Eval<'_>, file: FileId, name: &str) -> Vec<SymbolId> {
    let unit = eval.project.unit(file);
    let rows = unit.facts.definitions.iter().zip(&unit.symbols);
    let named = rows
        .filter(|(row, _)| row.owner.is_none() && row.kind == DefKind::Function && unit.facts.name(row.name) == name);
    named.filter_map(|(_, symbol)| *symbol).collect()
}
