//! Roles of occurrences: from the relation of their edge, or from the text of the file if the relation leaves it open.

use m1nd_base::{Cancel, Pos, Relation, RepoPath};
use m1nd_engine::Snapshot;
use m1nd_lang::facts;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

/// Maximum files parsed again for the roles in them; occurrences in further ones have the role [`Role::Use`].
const MAX_FILES: usize = 400;

macro_rules! roles {
    ($($(#[doc = $doc:literal])* $variant:ident = $word:literal,)*) => {
        /// What an occurrence of a name does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Role {
            $($(#[doc = $doc])* $variant,)*
        }

        impl Role {
            /// Every role, in the order of answers.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }
    };
}

roles! {
    /// Calls or constructs it.
    Call = "call",
    /// Invokes it as a macro.
    Macro = "macro",
    /// Reads it without a call.
    Read = "read",
    /// Assigns to it.
    Write = "write",
    /// Names it as a type.
    Type = "type",
    /// Has it as a base class, or implements it.
    Inherit = "inherit",
    /// Replaces it in a derived class.
    Override = "override",
    /// Decorates or annotates with it.
    Decorate = "decorate",
    /// Imports it.
    Import = "import",
    /// Imports it and exposes it to its own importers.
    Reexport = "reexport",
    /// Registers it with a framework.
    Register = "register",
    /// Reads it as a configuration key.
    Config = "config",
    /// Text that describes it.
    Document = "document",
    /// Any other use, or one whose file changed since it was indexed.
    Use = "use",
}

impl Role {
    /// The role with this word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|role| role.word() == word)
    }

    /// The role of all edges of this relation; `None` if it is not a use of a name.
    pub(super) fn of(relation: Relation) -> Option<Self> {
        match relation {
            Relation::Calls => Some(Self::Call),
            Relation::Imports => Some(Self::Import),
            Relation::Reexports => Some(Self::Reexport),
            Relation::References | Relation::DependsOn => Some(Self::Use),
            Relation::Inherits | Relation::Implements => Some(Self::Inherit),
            Relation::Overrides => Some(Self::Override),
            Relation::Decorates => Some(Self::Decorate),
            Relation::Registers => Some(Self::Register),
            Relation::ReadsConfig | Relation::SetsConfig => Some(Self::Config),
            Relation::Requests => Some(Self::Call),
            Relation::Serves => Some(Self::Register),
            Relation::Documents => Some(Self::Document),
            // The same sites have an edge of their own relation.
            Relation::Tests => None,
            Relation::Contains
            | Relation::RelatesTo
            | Relation::Cites
            | Relation::AuthoredBy
            | Relation::PublishedIn
            | Relation::AssignedTo
            | Relation::ClassifiedAs
            | Relation::Obsoletes
            | Relation::Updates
            | Relation::Declares => None,
        }
    }
}

impl From<facts::Role> for Role {
    fn from(role: facts::Role) -> Self {
        match role {
            facts::Role::Call => Self::Call,
            facts::Role::Read => Self::Read,
            facts::Role::Write => Self::Write,
            facts::Role::Type => Self::Type,
            facts::Role::Inherit | facts::Role::Implement => Self::Inherit,
            facts::Role::Decorate => Self::Decorate,
            facts::Role::Macro => Self::Macro,
        }
    }
}

/// Roles by place, of the files that are as they were when they were indexed.
pub(super) fn in_files<'p>(
    snapshot: &Snapshot,
    paths: &[&'p str],
    cancel: &Cancel,
) -> FxHashMap<&'p str, FxHashMap<Pos, Role>> {
    let read = |path: &&'p str| {
        let repo_path = RepoPath::new(path).ok()?;
        let entry = snapshot.files().get(&repo_path)?;
        let source = snapshot.read_file(&repo_path).ok().filter(|source| !source.stale && !source.binary)?;
        let facts = m1nd_lang::extract(entry.language, source.text.as_bytes(), snapshot.limits(), cancel);
        let mut roles: FxHashMap<Pos, Role> = FxHashMap::default();
        for reference in &facts.references {
            // A constructor that is called there without a name is not what is done with the name.
            let role = Role::from(reference.role);
            roles.entry(reference.pos).and_modify(|known| *known = (*known).max(role)).or_insert(role);
        }
        Some((*path, roles))
    };
    paths[..paths.len().min(MAX_FILES)].par_iter().filter_map(read).collect()
}
