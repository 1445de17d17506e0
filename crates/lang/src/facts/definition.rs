use serde::{Deserialize, Serialize};

use super::{DefId, ExprId, ListId, NameId, Pos, ScopeId};

/// Kind of a definition. [`DefKind::word`] is its name in node ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DefKind {
    /// Function, method, constructor, accessor.
    Function,
    /// Class.
    Class,
    /// Struct, record.
    Struct,
    /// Enum.
    Enum,
    /// One variant or constant of an enum.
    Variant,
    /// Untagged union.
    Union,
    /// Trait, protocol, mixin.
    Trait,
    /// Interface.
    Interface,
    /// Type alias.
    TypeAlias,
    /// Module or namespace inside a file.
    Module,
    /// Block of members added to a type written elsewhere: Rust `impl`, Swift and C# extensions, Ruby reopening.
    Impl,
    /// Field, attribute, property without code.
    Field,
    /// Variable of a module or class.
    Variable,
    /// Constant or static.
    Constant,
    /// Macro.
    Macro,
    /// Object literal with members, bound to a name.
    Object,
    /// Section of a document: a heading and the text below it.
    Section,
}

impl DefKind {
    /// Every kind, in the order of the declaration.
    pub const ALL: [Self; Self::Section as usize + 1] = [
        Self::Function,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Variant,
        Self::Union,
        Self::Trait,
        Self::Interface,
        Self::TypeAlias,
        Self::Module,
        Self::Impl,
        Self::Field,
        Self::Variable,
        Self::Constant,
        Self::Macro,
        Self::Object,
        Self::Section,
    ];

    /// Returns whether a text is the name of a kind.
    pub fn is_word(text: &str) -> bool {
        Self::ALL.iter().any(|kind| kind.word() == text)
    }

    /// Name in node ids.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Function => "fn",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Variant => "variant",
            Self::Union => "union",
            Self::Trait => "trait",
            Self::Interface => "interface",
            Self::TypeAlias => "type",
            Self::Module => "mod",
            Self::Impl => "impl",
            Self::Field => "field",
            Self::Variable => "var",
            Self::Constant => "const",
            Self::Macro => "macro",
            Self::Object => "object",
            Self::Section => "section",
        }
    }

    /// Returns whether it has members that a value or the thing itself offers.
    pub const fn is_class_like(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Enum
                | Self::Union
                | Self::Trait
                | Self::Interface
                | Self::Impl
                | Self::Object
        )
    }

    /// Returns whether it names a type.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Enum | Self::Union | Self::Trait | Self::Interface | Self::TypeAlias
        )
    }
}

/// Scope in which a definition is visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// Everybody.
    Public,
    /// The package, crate or namespace.
    Package,
    /// The class and its heirs.
    Protected,
    /// The file, class or module that holds it.
    Private,
}

/// Boolean properties of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct DefFlags {
    /// Belongs to the class, not to a value of it.
    pub is_static: bool,
    /// Receives the class as its first parameter (Python `classmethod`).
    pub is_classmethod: bool,
    /// Calling it yields an awaitable.
    pub is_async: bool,
    /// Calling it yields an iterator over its yields.
    pub is_generator: bool,
    /// Declared without a body.
    pub is_abstract: bool,
    /// A member that values may do without (`name?: T`).
    pub is_optional: bool,
    /// Accessed like a field: the value is the result of calling it (`property`, getters).
    pub is_property: bool,
    /// Called to construct its class (`__init__`, `constructor`, Java constructors).
    pub is_constructor: bool,
    /// A test.
    pub is_test: bool,
    /// Its attributes or directives hand it to code outside: a test runner, a linker, a compiler.
    pub is_entry: bool,
    /// Has no name of its own, so it is not a node. References inside belong to the enclosing definition.
    pub is_anonymous: bool,
    /// Local to a function body.
    pub is_local: bool,
    /// Exported from its file by a keyword on the definition.
    pub is_exported: bool,
    /// Part of some builds only, itself or by what it is in: another definition of its name may take its place in the
    /// others (Rust `#[cfg]`, items among the arguments of a macro).
    pub is_conditional: bool,
    /// Declares what another definition implements (C prototypes, TypeScript `declare`, stubs).
    pub is_declaration: bool,
    /// A [`DefKind::TypeAlias`] that is a type of its own with members of its own, not another name (Go `type T U`).
    pub is_distinct: bool,
    /// A candidate: the definition that a macro invoked among items would create if its first argument names a
    /// function ([`DefFlags::names_function`]). Not bound to a name; [`Definition::declared`] names the macro.
    pub is_generated: bool,
    /// A member of an object literal that something spread after it may take the place of.
    pub is_replaceable: bool,
    /// A macro that defines a function named by the first word it is given. Its parameters are the words that are no
    /// such name, because a rule of it begins with them.
    pub names_function: bool,
    /// A macro whose function ([`DefFlags::names_function`]) is a test.
    pub names_test: bool,
    /// A macro whose arguments are code of the invocation site, so names in them are resolved there.
    pub takes_code: bool,
    /// A class that others satisfy by having its methods, without naming it (Python protocols).
    pub is_structural: bool,
    /// It only calls, compares, reads or returns its first argument (after the receiver), as do the functions inside of
    /// it: nothing keeps the argument beyond the call, so a decorator of this kind only wraps. `false` if not known.
    pub releases_first: bool,
    /// A function written in place whose body returns no value, so that it cannot be used where one is expected.
    pub returns_nothing: bool,
    /// A function written in place whose body returns a value and is not a call or assignment, so that it cannot be
    /// used where none is expected.
    pub returns_value: bool,
}

/// A definition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Its kind.
    pub kind: DefKind,
    /// Its name. For an impl block the header without `impl`: `Pool`, `Display for Pool`, `Iter<'_, T>`.
    pub name: NameId,
    /// The definition it is written inside of.
    pub owner: Option<DefId>,
    /// The scope it is bound in.
    pub scope: ScopeId,
    /// The scope of its body: parameters and locals of a function, members of a class.
    pub body: Option<ScopeId>,
    /// Position of its name.
    pub pos: Pos,
    /// First line, decorators and doc comment excluded.
    pub line_start: u32,
    /// Last line.
    pub line_end: u32,
    /// Byte range of the whole definition, for cutting its text out.
    pub bytes: (u32, u32),
    /// Its visibility.
    pub visibility: Visibility,
    /// Properties.
    pub flags: DefFlags,
    /// Doc comment without its markers, at most [`Definition::MAX_DOC`] bytes.
    pub doc: Option<Box<str>>,
    /// The header on one line, as written, at most [`Definition::MAX_SIGNATURE`] bytes.
    pub signature: Option<Box<str>>,
    /// Run in [`FileFacts::parameters`](super::FileFacts::parameters): start, length.
    pub parameters: (u32, u32),
    /// Run in [`FileFacts::type_parameters`](super::FileFacts::type_parameters): start, length.
    pub type_parameters: (u32, u32),
    /// Declared type: of a function its result, of a field or variable its own, of an alias its target.
    pub declared: Option<ExprId>,
    /// Values: the results of a function (or yields, for a generator), the values assigned to a field or variable.
    pub values: ListId,
    /// Base classes and inherited interfaces or supertraits, in order.
    pub bases: ListId,
    /// Implemented interfaces; for `impl Trait for T` the trait.
    pub implements: ListId,
    /// Decorators, annotations and attributes, as written.
    pub decorators: ListId,
    /// The type whose members these are, if they are written elsewhere: `T` of `impl T`, the receiver type of a Go
    /// method, `A` of `void A::f() {}`, the extended type of an extension.
    pub extends_type: Option<ExprId>,
}

impl Definition {
    /// Longest doc comment kept, in bytes.
    pub const MAX_DOC: usize = 600;
    /// Longest signature kept, in bytes.
    pub const MAX_SIGNATURE: usize = 240;
}

/// A parameter of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its name (empty for a pattern); where callers write labels, its label (`_` for none).
    pub name: NameId,
    /// How arguments are passed to it.
    pub kind: ParameterKind,
    /// Written type.
    pub declared: Option<ExprId>,
    /// Default value.
    pub default: Option<ExprId>,
}

/// How arguments are passed to a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ParameterKind {
    /// The value a method is called on: Python `self`, Rust `self`, a Go receiver.
    Receiver,
    /// The class a class method is called on: Python `cls`.
    ClassReceiver,
    /// By position or name.
    Plain,
    /// By name only.
    Keyword,
    /// All further positional arguments; inside it is a list of the declared type.
    Rest,
    /// All further named arguments; inside it is a map with values of the declared type.
    KeywordRest,
}

/// A type parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TypeParameter {
    /// Its name.
    pub name: NameId,
    /// Upper bound: [`Expr::Union`](super::Expr::Union) of all bounds if there are several.
    pub bound: Option<ExprId>,
}
