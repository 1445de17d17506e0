//! What questions about code have to know of a language: a row each. The crates `engine`, `query` and `tools` read the
//! rows to follow links in comments, and to say who may use something unseen.

use crate::language::Language;

/// The rules of a language for questions.
#[derive(Debug, Clone, Copy)]
pub struct ReadingRules {
    /// How comments link to code; `None` if they do not.
    pub links: Option<CommentLinks>,
    /// Whether the first text of a body documents its owner.
    pub has_docstrings: bool,
    /// Whether callers name the arguments that they pass.
    pub names_arguments: bool,
    /// Whether what is read of a value without a call is a field.
    pub has_fields_apart: bool,
    /// Whether a type names the interfaces that it has.
    pub names_interfaces: bool,
    /// Whether modules have a default export, which importers name as they like.
    pub has_default_exports: bool,
    /// Whether importers cannot assign what a module exports.
    pub exports_are_constant: bool,
    /// What a package is.
    pub package: Package,
    /// What code outside of the project can use of it.
    pub library: Library,
}

/// How comments link to code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommentLinks {
    /// `{@link Pool}` and `@see Pool`.
    Tags,
    /// ``[`Pool`]``.
    Brackets,
    /// ``:class:`Pool` ``.
    Roles,
    /// `[Pool]`, of names that are exported.
    Exported,
}

/// What a package is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Package {
    /// A file, or something that only manifests say.
    File,
    /// All files of a folder.
    Folder,
    /// A folder with a file of this name, whose modules are the files beside it.
    Marked(&'static str),
}

/// What code outside of the project can use of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// What it exports.
    Exports,
    /// What it exports, if this manifest declares a library.
    Declared(&'static str),
    /// What it exports, outside of folders of this name.
    Outside(&'static str),
}

impl ReadingRules {
    /// Of a language without a row: what is true of most.
    const DEFAULT: Self = Self {
        links: None,
        has_docstrings: false,
        names_arguments: false,
        has_fields_apart: false,
        names_interfaces: false,
        has_default_exports: false,
        exports_are_constant: false,
        package: Package::File,
        library: Library::Exports,
    };

    /// The row of a language.
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::Python => &PYTHON,
            Language::Notebook => &NOTEBOOK,
            Language::JavaScript | Language::TypeScript | Language::Tsx => &SCRIPT,
            Language::Vue | Language::Svelte | Language::Astro => &COMPONENT,
            Language::Rust => &RUST,
            Language::Go => &GO,
            Language::Java => &JAVA,
            Language::Kotlin | Language::CSharp => &TYPED,
            Language::Scala => &TAGGED,
            Language::Php => &PHP,
            _ => &Self::DEFAULT,
        }
    }
}

const PYTHON: ReadingRules = ReadingRules {
    links: Some(CommentLinks::Roles),
    has_docstrings: true,
    names_arguments: true,
    package: Package::Marked("__init__.py"),
    ..ReadingRules::DEFAULT
};

/// The code of its cells is Python; none of its files is a module.
const NOTEBOOK: ReadingRules = ReadingRules { links: Some(CommentLinks::Roles), ..ReadingRules::DEFAULT };

/// JavaScript and TypeScript.
const SCRIPT: ReadingRules = ReadingRules { exports_are_constant: true, ..COMPONENT };

/// Components, whose scripts are of these languages.
const COMPONENT: ReadingRules =
    ReadingRules { links: Some(CommentLinks::Tags), has_default_exports: true, ..ReadingRules::DEFAULT };

const RUST: ReadingRules = ReadingRules {
    links: Some(CommentLinks::Brackets),
    has_fields_apart: true,
    library: Library::Declared("Cargo.toml"),
    ..ReadingRules::DEFAULT
};

const GO: ReadingRules = ReadingRules {
    links: Some(CommentLinks::Exported),
    package: Package::Folder,
    library: Library::Outside("internal"),
    ..ReadingRules::DEFAULT
};

const JAVA: ReadingRules = ReadingRules { has_fields_apart: true, ..TYPED };

/// Kotlin and C#.
const TYPED: ReadingRules = ReadingRules { names_interfaces: true, ..TAGGED };

const PHP: ReadingRules =
    ReadingRules { names_arguments: true, has_fields_apart: true, names_interfaces: true, ..TAGGED };

/// Scala.
const TAGGED: ReadingRules = ReadingRules { links: Some(CommentLinks::Tags), ..ReadingRules::DEFAULT };
