use serde::{Deserialize, Serialize};

use super::{DefId, NameId, NameTable, Pos};

/// Words of a file that may name code although no other fact explains them.
///
/// They make no edge: a word only says that a definition of its name may be used here in a way that the facts do not
/// show. Their texts are apart from [`FileFacts::names`](super::FileFacts::names), which are the names that the file
/// uses for certain.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LooseWords {
    /// Texts of the rows, distinct.
    pub names: NameTable,
    /// The words, in order of position: of each the first place, and the first in another definition.
    pub rows: Vec<LooseWord>,
    /// Names that are made when the code runs, in order of position.
    pub dynamic: Vec<DynamicName>,
}

/// A place where code makes a name when it runs, or finds something by such a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct DynamicName {
    /// What is known of the name, in [`LooseWords::names`]: its beginning and its end, with `*` between them.
    pub pattern: NameId,
    /// What has the things that it may name.
    pub receiver: NameReceiver,
    /// Innermost definition around it.
    pub enclosing: Option<DefId>,
    /// Where it stands.
    pub pos: Pos,
}

/// What has the members that a computed name may mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NameReceiver {
    /// The object that the code belongs to: `self`, `this`.
    Own,
    /// What the name at this position means.
    Named(Pos),
    /// Anything.
    Unknown,
}

impl LooseWords {
    /// Gives back memory that growing took and filling did not need.
    pub(crate) fn shrink(&mut self) {
        self.names.shrink();
        self.rows.shrink_to_fit();
        self.dynamic.shrink_to_fit();
    }

    /// The text of a row.
    pub fn name(&self, row: &LooseWord) -> &str {
        self.names.get(row.name)
    }
}

/// A place where a word stands that may name code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LooseWord {
    /// The word, in [`LooseWords::names`].
    pub name: NameId,
    /// What it stands in.
    pub place: WordPlace,
    /// Innermost definition around it.
    pub enclosing: Option<DefId>,
    /// Where it begins.
    pub pos: Pos,
}

/// What a loose word stands in, and so what it may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum WordPlace {
    /// Code: it can only name something that the language can refer to.
    Code,
    /// A script in a page: something that JavaScript can refer to.
    Script,
    /// A string literal, or a file without a grammar: code of any language may read it.
    Text,
    /// A string literal of a language whose programs call nothing of their own by such a text: code of other languages
    /// may read it.
    Foreign,
}
