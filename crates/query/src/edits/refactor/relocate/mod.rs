//! `move`: a definition or a file goes to another file, and its users follow.

mod carried;
mod cut;
mod draft;
mod exports;
mod go;
mod helpers;
mod imports;
mod java;
mod modules;
mod native;
mod needs;
mod rust;
mod spec;
mod whole_file;

use m1nd_base::{Cancel, NodeKind};
use m1nd_engine::{Language, Snapshot};
use m1nd_graph::NodeIx;

pub(super) use carried::{Carried, carry, read_java_package};
pub(super) use native::list_included;

use super::{CannotRefactor, Note, Refactoring, find_made_name};

/// A definition or file that goes to another file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Move {
    /// The definition, or the file.
    pub node: NodeIx,
    /// The file that it goes to, by its path in the index. It may be new.
    pub to: String,
    /// Whether private helpers that only it uses go along.
    pub with_helpers: bool,
}

/// Returns whether the refactorings know a language: how its files name each other, and what its code does.
pub const fn knows_language(language: Language) -> bool {
    matches!(language, Language::Go | Language::Rust | Language::Java | Language::C | Language::Cpp)
        || spec::Dialect::of(language).is_some()
}

/// Plans the operation: the files with new texts, checked by a trial.
///
/// # Errors
/// [`CannotRefactor`].
pub(super) fn plan(snapshot: &Snapshot, request: &Move, cancel: &Cancel) -> Result<Refactoring, CannotRefactor> {
    let graph = snapshot.graph();
    let language = snapshot.file_of(request.node).map(|file| file.language);
    let Some(language) = language.filter(|_| !graph.path(request.node).is_empty()) else {
        let id = graph.id(request.node);
        return Err(CannotRefactor::BadRequest(format!("`{id}` is in no file of the project")));
    };
    // Every language is given a path of the index.
    let to = helpers::target_path(snapshot, graph.path(request.node), &request.to)?;
    let request = &Move { to: to.as_str().to_owned(), ..request.clone() };
    // What a macro pastes together is compiled; what is made at run time may mean something else.
    let made = (graph.kind(request.node) != NodeKind::File).then(|| find_made_name(snapshot, request.node)).flatten();
    let note = match (language, made) {
        (Language::C | Language::Cpp, Some((file, line))) => {
            let why = "makes a name that may be its own, so not all of its users are known";
            return Err(CannotRefactor::at("the definition cannot be moved", &file, line, why));
        }
        (_, made) => made.map(|(file, line)| Note { file, line, what: "makes a name that may mean it".to_owned() }),
    };
    let mut planned = plan_of_language(snapshot, (request, language), cancel)?;
    planned.notes.extend(note);
    Ok(planned)
}

fn plan_of_language(
    snapshot: &Snapshot,
    (request, language): (&Move, Language),
    cancel: &Cancel,
) -> Result<Refactoring, CannotRefactor> {
    let graph = snapshot.graph();
    match language {
        Language::Go => go::plan(snapshot, request, cancel),
        Language::Rust => rust::plan(snapshot, request, cancel),
        Language::Java => java::plan(snapshot, request, cancel),
        Language::C | Language::Cpp => native::plan(snapshot, request, cancel),
        other => match spec::Dialect::of(other) {
            Some(dialect) if graph.kind(request.node) == NodeKind::File => {
                whole_file::plan(snapshot, (request, dialect), cancel)
            }
            Some(dialect) => modules::plan(snapshot, (request, dialect), cancel),
            None => Err(CannotRefactor::NotForLanguage { operation: "move", language: other.name() }),
        },
    }
}
