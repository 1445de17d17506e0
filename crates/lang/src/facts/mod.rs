//! The facts of one file: scopes, bindings, definitions, imports, expressions and references.
//!
//! All references between facts are indexes into tables of the same [`FileFacts`]; nothing refers to another file.
//! Positions are 1-based lines and 1-based columns counted in characters.

mod argument;
mod build;
mod declared;
mod decorators;
mod definition;
mod expr;
mod mention;
mod shared;
mod stored;
mod text_use;
mod word;

use serde::{Deserialize, Serialize};

pub use argument::Argument;
pub use build::FactsBuilder;
pub use declared::{Declared, DeclaredKind};
pub use definition::{DefFlags, DefKind, Definition, Parameter, ParameterKind, TypeParameter, Visibility};
pub use expr::{CONSTRUCTOR, Collection, DESTRUCTOR, Expr, Literal, NarrowTest, PathRoot};
pub use m1nd_base::Pos;
use m1nd_base::Problem;
pub use mention::{Mention, MentionForm, MentionMark, Wanted};
pub use shared::{Shared, SharedKind};
pub use stored::ELEMENT;
pub use text_use::TextUse;
pub use word::{DynamicName, LooseWord, LooseWords, NameReceiver, WordPlace};

use crate::Language;

macro_rules! index {
    ($(#[$doc:meta] $name:ident),* $(,)?) => {$(
        #[$doc]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The index as a `usize`, for table access.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

index! {
    /// A text of [`FileFacts::names`].
    NameId,
    /// A scope of [`FileFacts::scopes`]. Scope 0 is the file's own.
    ScopeId,
    /// A definition of [`FileFacts::definitions`].
    DefId,
    /// An expression of [`FileFacts::exprs`].
    ExprId,
    /// An import of [`FileFacts::imports`].
    ImportId,
    /// A run of expressions of [`FileFacts::lists`].
    ListId,
}

/// A lexical scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scope {
    /// The scope that lookup goes on in; `None` for the file scope.
    pub parent: Option<ScopeId>,
    /// Kind of the scope.
    pub kind: ScopeKind,
    /// The definition whose body it is: a function, class, module or impl. Blocks have the owner of the enclosing
    /// scope.
    pub owner: Option<DefId>,
}

/// Kind of a scope. Look-up rules depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ScopeKind {
    /// The file.
    File,
    /// A module or namespace inside the file. Rust lookup of item names stops at it.
    Module,
    /// Body of a class-like definition (class, struct, trait, interface, enum, impl, object literal). Its bindings are
    /// the definition's members. Whether nested scopes see them by bare name is a rule of the language.
    Class,
    /// Parameters and body of a function.
    Function,
    /// Anything smaller, including the rest of a block after a binding that shadows (Rust `let`).
    Block,
    /// Type parameters of a generic definition, around its signature and body.
    Generics,
}

/// The namespace of a binding, for languages with several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Namespace {
    /// One name space for all (Python, JavaScript classes, imports whose target is not known yet).
    Any,
    /// Values and functions only.
    Value,
    /// Types and modules only.
    Type,
    /// Macros only.
    Macro,
    /// A value that is called. Languages that keep fields and methods apart leave fields out. Bound only where methods
    /// have a name space of their own (Java); elsewhere it is only asked for.
    Callee,
}

/// A name that a scope knows.
///
/// Several bindings of one name in one scope are alternatives (assigned twice, or in two branches): all are possible.
/// A language whose later binding hides the earlier one opens a new scope for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// Scope that knows the name.
    pub scope: ScopeId,
    /// The name.
    pub name: NameId,
    /// Its name space.
    pub namespace: Namespace,
    /// Target of the name.
    pub target: BindingTarget,
}

/// Target of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BindingTarget {
    /// A definition of this file.
    Definition(DefId),
    /// An imported name.
    Import(ImportId),
    /// Parameter number `.1` of the definition.
    Parameter(DefId, u32),
    /// A type parameter: number `.1` of the definition.
    TypeParameter(DefId, u32),
    /// The value of an expression (assignment, loop variable, pattern, `with … as`).
    Value(ExprId),
    /// A variable with a written type; the expression names the type.
    Typed(ExprId),
    /// The name belongs to this scope but nothing is known of its value (`except: x`, unmodelled patterns).
    Opaque,
    /// Lookup goes on outside (`global`, `nonlocal`): skip to the file scope if `.0`, else to the next function scope.
    Outer(bool),
}

/// One imported name, or one imported module, or one wildcard: a statement that imports three names is three rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Imported part of the module.
    pub kind: ImportKind,
    /// The module exactly as written, without leading dots of relative Python imports: `a.b`, `./x`, `java.util`.
    /// Empty when [`Import::path`] is used (Rust).
    pub module: NameId,
    /// Leading dots of a relative import (Python); 0 otherwise.
    pub level: u16,
    /// The path as an expression ([`Expr::Name`], [`Expr::Root`], [`Expr::Path`]), where imports are paths (Rust).
    pub path: Option<ExprId>,
    /// Scope the imported name is bound in.
    pub scope: ScopeId,
    /// Position of the imported name (or of the module, if there is no name).
    pub pos: Pos,
    /// Form of the import.
    pub flags: ImportFlags,
}

/// Imported part of a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ImportKind {
    /// Python `import a.b.c`: binds the first component, makes the rest reachable as members.
    ModuleRoot,
    /// The module as a value: `import a.b as x`, `import * as ns`, `const x = require("x")`, Go and C# imports.
    Module,
    /// One named member: `from m import n`, `import { n } from "m"`, `import java.util.List`, Rust `use a::n`
    /// (where the member may itself be a module).
    Symbol(NameId),
    /// The default export of a module.
    Default,
    /// Every public member: `from m import *`, `export * from`, `use a::*`, `import java.util.*`.
    Wildcard,
    /// Only for its effects: `import "m"`.
    SideEffect,
    /// Textual inclusion: `#include`, PHP `require`, Ruby `require`, Bash `source`, Lua `require`.
    Include,
    /// A module declared to live in another file: Rust `mod m;`. Binds the name to that file.
    FileModule(NameId),
}

/// Form of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub struct ImportFlags {
    /// Visible to importers of this file (`export … from`, `pub use`).
    pub reexport: bool,
    /// For types only (`import type`, `if TYPE_CHECKING`).
    pub type_only: bool,
    /// Inside a condition, a `try` or a function: it may not run. In Rust: part of some builds only.
    pub conditional: bool,
    /// `#include <…>` rather than `#include "…"`; CommonJS `require` in JavaScript.
    pub system: bool,
    /// CommonJS: the value is `module.exports` of the target.
    pub commonjs: bool,
    /// For a module in another file: only part of test builds (Rust `#[cfg(test)] mod m;`, or inside of test code).
    pub test_only: bool,
}

/// A member that importers of this file see under `name`, for languages with explicit exports (JavaScript,
/// TypeScript). Elsewhere the exports of a module follow from scope and visibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Export {
    /// Name for importers; `default` for the default export; [`FileFacts::EXPORT_ASSIGN`] for `module.exports = …`
    /// and `export = …`.
    pub name: NameId,
    /// The exported expression.
    pub value: ExprId,
    /// Position of the export.
    pub pos: Pos,
}

/// Role of a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Calls it (for a class: constructs it).
    Call,
    /// Reads it, without a call.
    Read,
    /// Assigns to it.
    Write,
    /// Names it as a type.
    Type,
    /// Names it as a base class.
    Inherit,
    /// Names it as an implemented interface or trait.
    Implement,
    /// Decorates or annotates with it.
    Decorate,
    /// Invokes it as a macro.
    Macro,
}

/// One place where the file uses a name. Names that resolve to parameters or local variables of the same function have
/// no reference of their own unless they are called, because they may hold functions; else they matter only as parts of
/// expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    /// The access path, whose last name is the reference: [`Expr::Name`], [`Expr::Member`], [`Expr::Path`],
    /// [`Expr::Super`] or [`Expr::Root`] (an import path of Rust that ends in a keyword). [`Expr::Implicit`] is called
    /// without being written, or, if it is read, a method taken of a value. Any other expression is called by its value
    /// (`f()()`, `handlers["k"]()`), and has no target if the value is unknown.
    pub expr: ExprId,
    /// Role of the reference.
    pub role: Role,
    /// Found in the token tree of a macro or another place that the grammar does not understand: at most `possible`,
    /// unless all of [`FileFacts::macro_arguments`] around it turn out to be code.
    pub inexact: bool,
    /// Number of positional and named arguments of a call, saturating; 255 when unknown (spread) or not a call.
    pub arity: u8,
    /// Position of the last name of the access path; for a call by value, the start of its arguments.
    pub pos: Pos,
    /// Innermost named definition around it (never an anonymous one); `None` at the top level of the file.
    pub enclosing: Option<DefId>,
}

/// Arguments of a macro that are code or not, depending on the macro's definition. Inexact references are in one of
/// these, or, for nested macros, in several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MacroArguments {
    /// Names the macro; [`Expr::Unknown`] if they are not known to be code whatever the macro is.
    pub path: ExprId,
    /// Their first character.
    pub start: Pos,
    /// Their last character, or a place behind it on the same line.
    pub end: Pos,
}

/// `base.name = value`. Among [`FileFacts::member_writes`], the base is not the receiver of a method (those become
/// [`DefKind::Field`] definitions): `Foo.prototype.bar = …`, `app.get = …`, `module.attr = …`. Among
/// [`FileFacts::stored`], the base of a variable is its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemberWrite {
    /// The object that the member is added to.
    pub base: ExprId,
    /// The member.
    pub name: NameId,
    /// Value of the member.
    pub value: ExprId,
}

/// The texts of a file, each once, in one allocation: a file has many names and a repository many files.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NameTable {
    text: String,
    /// End offset of each text.
    ends: Vec<u32>,
}

impl NameTable {
    /// The text of a name.
    pub fn get(&self, id: NameId) -> &str {
        let start = if id.0 == 0 { 0 } else { self.ends[id.index() - 1] as usize };
        &self.text[start..self.ends[id.index()] as usize]
    }

    /// Number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All texts in order of their ids.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len() as u32).map(|id| self.get(NameId(id)))
    }

    /// Returns the id of a text, adding it if needed. Linear in the number of texts: for a few additions to complete
    /// facts.
    pub(crate) fn intern(&mut self, text: &str) -> NameId {
        let known = self.iter().position(|known| known == text);
        match known {
            Some(place) => NameId(place as u32),
            None => self.push(text),
        }
    }

    /// Gives back memory that growing took and filling did not need.
    fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    /// Adds a text, which must not be there yet.
    pub(crate) fn push(&mut self, text: &str) -> NameId {
        self.text.push_str(text);
        self.ends.push(self.text.len() as u32);
        NameId(self.ends.len() as u32 - 1)
    }
}

/// A run in [`FileFacts::list_items`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct List {
    /// First item.
    pub start: u32,
    /// Number of items.
    pub len: u32,
}

/// Everything known of one file from its bytes alone. Cached by content hash and
/// [`EXTRACTOR_VERSION`](crate::EXTRACTOR_VERSION).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFacts {
    /// Language the file was extracted as.
    pub language: Language,
    /// Number of lines.
    pub lines: u32,
    /// Texts referred to by the other tables, distinct.
    pub names: NameTable,
    /// Scopes; the first is the file's. Parents precede their children.
    pub scopes: Vec<Scope>,
    /// Definitions in order of their start; owners precede their members.
    pub definitions: Vec<Definition>,
    /// Parameters; each definition has a run of them.
    pub parameters: Vec<Parameter>,
    /// Type parameters; each definition has a run of them.
    pub type_parameters: Vec<TypeParameter>,
    /// Names and their targets.
    pub bindings: Vec<Binding>,
    /// Imports in order.
    pub imports: Vec<Import>,
    /// Exports written as such.
    pub exports: Vec<Export>,
    /// `__all__` or its like: the names a wildcard import takes. `None` if not written.
    pub export_list: Option<Vec<NameId>>,
    /// Expressions; sub-expressions precede their users.
    pub exprs: Vec<Expr>,
    /// Runs in `list_items`. List 0 is empty.
    pub lists: Vec<List>,
    /// Items of all lists.
    pub list_items: Vec<ExprId>,
    /// Uses of names, in order of position.
    pub references: Vec<Reference>,
    /// Members added to things from outside.
    pub member_writes: Vec<MemberWrite>,
    /// Values that may be functions, by the member or variable that they are stored in: calling that may run them.
    pub stored: Vec<MemberWrite>,
    /// Recorded arguments, sorted by callee.
    pub arguments: Vec<Argument>,
    /// Arguments of macros that may be code, in order of their start.
    pub macro_arguments: Vec<MacroArguments>,
    /// Texts that other programs may know.
    pub texts: Vec<TextUse>,
    /// Code that a document names, in order of position.
    pub mentions: Vec<Mention>,
    /// Commands and options that the file declares for a command line, in order of position.
    pub declared: Vec<Declared>,
    /// Names that the file shares with other programs.
    pub shared: Vec<Shared>,
    /// Words that may name code although nothing above explains them.
    pub words: LooseWords,
    /// Package or namespace the whole file declares (`package com.x`, Go `package p`, PHP `namespace`).
    pub package: Option<NameId>,
    /// Doc comment of the file, shortened.
    pub doc: Option<Box<str>>,
    /// The file is a test by its content (its path is judged elsewhere).
    pub is_test: bool,
    /// Problems of the extraction.
    pub problems: Vec<Problem>,
}

impl FileFacts {
    /// Name of the export that represents the whole module (`module.exports = …`).
    pub const EXPORT_ASSIGN: &'static str = "export=";
    /// Start of the names that package clauses and package objects bind in the scope of the file, which no code can
    /// write: what is in these packages is seen without an import.
    pub const PACKAGE_CLAUSE: &'static str = "package ";

    /// The text of a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// A definition.
    pub fn definition(&self, id: DefId) -> &Definition {
        &self.definitions[id.index()]
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id.index()]
    }

    /// The items of a list.
    pub fn list(&self, id: ListId) -> &[ExprId] {
        let List { start, len } = self.lists[id.index()];
        &self.list_items[start as usize..(start + len) as usize]
    }

    /// Parameters of a definition, in order; a receiver is among them.
    pub fn parameters(&self, id: DefId) -> &[Parameter] {
        let (start, len) = self.definition(id).parameters;
        &self.parameters[start as usize..(start + len) as usize]
    }

    /// Type parameters of a definition.
    pub fn type_parameters(&self, id: DefId) -> &[TypeParameter] {
        let (start, len) = self.definition(id).type_parameters;
        &self.type_parameters[start as usize..(start + len) as usize]
    }

    /// The last name of an access path, without its type arguments.
    pub fn last_name(&self, mut expr: ExprId) -> Option<&str> {
        // Sub-expressions precede their users, so this ends.
        loop {
            match self.expr(expr) {
                Expr::Name { name, .. } | Expr::Member { name, .. } | Expr::Path { name, .. } => {
                    return Some(self.name(name));
                }
                Expr::Generic { base, .. } => expr = base,
                _ => return None,
            }
        }
    }

    /// The value of an argument without its label.
    pub fn without_label(&self, argument: ExprId) -> ExprId {
        match self.expr(argument) {
            Expr::Entry { value, .. } => value,
            _ => argument,
        }
    }

    /// The recorded arguments of an access path.
    pub fn arguments_of(&self, of: ExprId) -> &[Argument] {
        let start = self.arguments.partition_point(|argument| argument.of < of);
        let count = self.arguments[start..].partition_point(|argument| argument.of == of);
        &self.arguments[start..start + count]
    }

    /// Gives back memory that growing took and filling did not need: facts of all files are held at once.
    fn shrink(&mut self) {
        self.names.shrink();
        self.scopes.shrink_to_fit();
        self.definitions.shrink_to_fit();
        self.parameters.shrink_to_fit();
        self.type_parameters.shrink_to_fit();
        self.bindings.shrink_to_fit();
        self.imports.shrink_to_fit();
        self.exports.shrink_to_fit();
        self.exprs.shrink_to_fit();
        self.lists.shrink_to_fit();
        self.list_items.shrink_to_fit();
        self.references.shrink_to_fit();
        self.member_writes.shrink_to_fit();
        self.stored.shrink_to_fit();
        self.arguments.shrink_to_fit();
        self.macro_arguments.shrink_to_fit();
        self.mentions.shrink_to_fit();
        self.declared.shrink_to_fit();
        self.shared.shrink_to_fit();
        self.words.shrink();
    }

    /// Bytes of memory that the facts take, about.
    pub fn bytes(&self) -> usize {
        fn of<T>(rows: &[T]) -> usize {
            size_of_val(rows)
        }
        let texts = |definition: &Definition| {
            definition.signature.as_deref().map_or(0, str::len) + definition.doc.as_deref().map_or(0, str::len)
        };
        let tables = [
            self.names.text.len() + of(&self.names.ends) + of(&self.scopes) + of(&self.definitions),
            of(&self.parameters) + of(&self.type_parameters) + of(&self.bindings) + of(&self.imports),
            of(&self.exports) + of(&self.exprs) + of(&self.lists) + of(&self.list_items) + of(&self.references),
            of(&self.member_writes) + of(&self.arguments) + of(&self.macro_arguments) + of(&self.texts),
            of(&self.mentions) + of(&self.declared) + of(&self.shared) + of(&self.stored),
            self.words.names.text.len() + of(&self.words.names.ends) + of(&self.words.rows) + of(&self.words.dynamic),
            self.definitions.iter().map(texts).sum(),
        ];
        size_of::<Self>() + tables.iter().sum::<usize>()
    }

    /// Number of facts, as counted against [`Limits::facts_per_file`](m1nd_base::Limits::facts_per_file).
    pub fn len(&self) -> usize {
        self.definitions.len() + self.bindings.len() + self.imports.len() + self.exprs.len() + self.references.len()
    }

    /// Returns whether there is no fact at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
