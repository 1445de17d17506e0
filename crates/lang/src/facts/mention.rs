use serde::{Deserialize, Serialize};

use super::{DefId, NameId, Pos};
use crate::Language;

/// A place where a document names code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    /// The innermost section around it.
    pub enclosing: Option<DefId>,
    /// The name as written, without arguments and marks: `Session.get`, `src/pool.py`, `axum::routing::get`. Of an
    /// example the module that is imported, then the names below it.
    pub name: NameId,
    /// Module, and class, that the document says names without owners belong to.
    pub context: Option<NameId>,
    /// What the name looks like.
    pub form: MentionForm,
    /// How the document marks it.
    pub mark: MentionMark,
    /// Kind of thing that a role or directive asks for, or a noun beside the name: `` `limit` option``.
    pub wants: Wanted,
    /// That noun, in the singular.
    pub noun: Option<NameId>,
    /// First line of the paragraph, item or row of a table around it.
    pub paragraph: u32,
    /// Language of the example it is in.
    pub language: Option<Language>,
    /// Where the name begins; the start of its line if that is not known.
    pub pos: Pos,
}

/// What a name in a document looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MentionForm {
    /// A name, with or without owners and modules.
    Symbol,
    /// The same with an argument list.
    Call,
    /// A path of a file.
    Path,
    /// A line for a shell.
    Command,
    /// An option of a command, with its dashes.
    Flag,
}

/// How a document marks a name as code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MentionMark {
    /// In the type of code.
    Code,
    /// By a role or directive for code.
    Role,
    /// As the target of a link.
    Link,
    /// Only by its spelling.
    Bare,
    /// In an example, by an import of it.
    Example,
}

/// Kind of thing that a document says a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Wanted {
    /// Any.
    #[default]
    Any,
    /// A function, or what is called like one.
    Function,
    /// A member function.
    Method,
    /// A type.
    Type,
    /// A field, variable or constant.
    Value,
    /// A module or package.
    Module,
    /// What belongs to a value: a field, property or accessor.
    Member,
    /// Nothing that is defined: an argument, a header, a folder.
    Nothing,
}
