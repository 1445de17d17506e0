use serde::{Deserialize, Serialize};

macro_rules! word_enum {
    ($(#[$doc:meta])* $name:ident, $what:literal { $($(#[$vdoc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        #[repr(u8)]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
        }

        impl $name {
            /// Every value, in the order of its number in files.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The value with this number.
            pub fn from_number(number: u8) -> Option<Self> {
                Self::ALL.get(usize::from(number)).copied()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.word())
            }
        }
    };
}

word_enum! {
    /// Relation between the two ends of an edge. Numbers are stored in files: append only.
    Relation, "relation" {
        /// Holds it: file → definition, class → method.
        Contains = "contains",
        /// Imports it or its file.
        Imports = "imports",
        /// Imports it and exposes it to its own importers.
        Reexports = "reexports",
        /// Calls or constructs it.
        Calls = "calls",
        /// Names it otherwise: reads, writes, uses as a type.
        References = "references",
        /// Has it as a base class, supertrait or parent interface.
        Inherits = "inherits",
        /// Implements the interface or trait.
        Implements = "implements",
        /// Replaces a member of a base.
        Overrides = "overrides",
        /// Is decorated or annotated with it.
        Decorates = "decorates",
        /// Test code that exercises it.
        Tests = "tests",
        /// Reads a configuration key or environment variable.
        ReadsConfig = "reads_config",
        /// A package that needs another package.
        DependsOn = "depends_on",
        /// Text that describes code.
        Documents = "documents",
        /// Registers it with a framework as an entry point.
        Registers = "registers",
        /// Any other relation of imported data.
        RelatesTo = "relates_to",
        /// Names it as literature.
        Cites = "cites",
        /// Was written by this person.
        AuthoredBy = "authored_by",
        /// Appeared in this journal, book or series.
        PublishedIn = "published_in",
        /// Is owned by it: a patent by its holder.
        AssignedTo = "assigned_to",
        /// Belongs to this class of patents.
        ClassifiedAs = "classified_as",
        /// Replaces this standard.
        Obsoletes = "obsoletes",
        /// Changes this standard.
        Updates = "updates",
        /// States it: a document its claims.
        Declares = "declares",
        /// Asks for the route, procedure or topic that another program serves.
        Requests = "requests",
        /// A route, procedure or topic that is answered by it.
        Serves = "serves",
        /// Sets a configuration key or environment variable.
        SetsConfig = "sets_config",
    }
}

impl Relation {
    /// Returns whether it relates works and what documents state, not code.
    pub const fn is_between_works(self) -> bool {
        self as u8 > Self::RelatesTo as u8 && self as u8 <= Self::Declares as u8
    }

    /// Parses a word from the wire; older and foreign words are accepted.
    pub fn parse(word: &str) -> Option<Self> {
        let known = Self::ALL.iter().copied().find(|relation| relation.word() == word);
        known.or(match word {
            "implements_trait" => Some(Self::Implements),
            "belongs_to_type" | "owned_by_impl" | "declares_module" => Some(Self::Contains),
            "configures" => Some(Self::ReadsConfig),
            "grounded_in" | "binds_to" | "mentions_symbol" | "evidenced_by" => Some(Self::Documents),
            "contains_section" | "contains_block" | "contains_code" | "contains_table" => Some(Self::Contains),
            "declares_claim" | "declares_entity" | "declares_state" | "declares_event" => Some(Self::Declares),
            _ => None,
        })
    }

    /// Returns whether it is a part of the structure of the code: neither containment nor a text about it. What
    /// documents say of code is no use of it.
    pub const fn is_structure(self) -> bool {
        !matches!(self, Self::Contains | Self::Documents)
    }

    /// Returns whether a change of the target can change or break the source. `contains` does not carry it.
    pub const fn carries_change(self) -> bool {
        !matches!(self, Self::Contains | Self::RelatesTo) && !self.is_between_works()
    }
}

word_enum! {
    /// How sure an edge is.
    EdgeTier, "tier" {
        /// The language's rules give this one target.
        Certain = "certain",
        /// One of several candidates that the rules leave open.
        Possible = "possible",
        /// Leads out of the indexed roots; the package is known.
        External = "external",
    }
}

word_enum! {
    /// Kind of a graph node. Numbers are stored in files: append only.
    NodeKind, "node type" {
        /// A file.
        File = "file",
        /// A folder (only of imported data).
        Directory = "directory",
        /// Function, method, constructor, accessor.
        Function = "function",
        /// Class.
        Class = "class",
        /// Struct, record, untagged union.
        Struct = "struct",
        /// Enum.
        Enum = "enum",
        /// Variant of an enum.
        Variant = "variant",
        /// Trait, protocol, mixin.
        Trait = "trait",
        /// Interface.
        Interface = "interface",
        /// Type alias.
        Type = "type",
        /// Module or namespace inside a file.
        Module = "module",
        /// Block of members added to a type written elsewhere.
        Impl = "impl",
        /// Field, attribute, property.
        Field = "field",
        /// Variable of a module or class.
        Variable = "variable",
        /// Constant or static.
        Constant = "constant",
        /// Macro.
        Macro = "macro",
        /// Object literal bound to a name.
        Object = "object",
        /// A package outside the indexed roots.
        Package = "package",
        /// Concept of imported data.
        Concept = "concept",
        /// Anything else of imported data.
        Custom = "custom",
        /// A configuration key or environment variable, by name.
        Config = "config",
        /// Something inside a package outside the indexed roots that the code uses.
        PackageMember = "package_member",
        /// Section of a document.
        Section = "section",
        /// A route, procedure or topic that the code serves to other programs.
        Route = "route",
    }
}

impl NodeKind {
    /// Returns whether it lies outside the indexed roots: a package, or something inside of one.
    pub const fn is_outside(self) -> bool {
        matches!(self, Self::Package | Self::PackageMember)
    }
}
