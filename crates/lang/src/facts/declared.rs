use serde::{Deserialize, Serialize};

use super::{DefId, Pos};

/// A command or an option that code declares for the command line of its program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// `serve`, `--verbose`, `-v`. Empty if it is not written as a text.
    pub name: Box<str>,
    /// What it is.
    pub kind: DeclaredKind,
    /// What declares it: a field, a function with a decorator, the function of the call. `None` at the top of the file.
    pub def: Option<DefId>,
    /// Where it is written.
    pub pos: Pos,
}

/// What a program has on its command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum DeclaredKind {
    /// The name of a command.
    Command,
    /// An option, with its dashes.
    Option,
    /// Something that the text of the file does not show: the program may have any option.
    Open,
}
