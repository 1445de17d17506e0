//! What resolvers of modules may know of all files: small enough to be kept when the facts of a file are not.

use m1nd_lang::facts::{BindingTarget, DefId, DefKind, Expr, Import, ImportKind, PathRoot, Role, ScopeId, ScopeKind};
use m1nd_lang::{FileFacts, Language};
use serde::{Deserialize, Serialize};

/// The part of a file's facts that decides which modules there are. Only what the resolver of the file's language uses
/// is filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Brief {
    /// Language of the file.
    pub language: Language,
    /// Number of its definitions.
    pub(crate) definitions: u32,
    /// Package that the whole file declares (Go, Java, PHP, C#).
    pub package: Option<Box<str>>,
    /// One of its imports is of CommonJS.
    pub requires: bool,
    /// Modules imported as values (Go), for all files that are built together (C#), or at all (Swift).
    pub modules: Box<[Box<str>]>,
    /// `#include`s in order: the name as written, and whether it is in angle brackets.
    pub includes: Box<[(Box<str>, bool)]>,
    /// Modules that are declared to be in other files (Rust).
    pub declared: Box<[Declared]>,
    /// `extern crate name as alias;` at the top level of a crate root: alias and name.
    pub crates: Box<[(Box<str>, Box<str>)]>,
    /// It defines macros outside functions (Rust).
    pub macros: bool,
    /// It calls macros outside functions, which may declare modules (Rust).
    pub item_macros: bool,
    /// Types at the top level (Java), and all else there (Kotlin); with the modules around them (C#).
    pub types: Box<[Box<str>]>,
    /// Names at the top level of a file without imports and exports (TypeScript); further namespaces (PHP, Scala).
    pub globals: Box<[Box<str>]>,
}

/// `mod name;`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// The modules around it in the file, outermost first.
    pub inline: Box<[Box<str>]>,
    /// Its name.
    pub name: Box<str>,
    /// The path attribute, or empty.
    pub written: Box<str>,
    /// Only compiled for tests.
    pub test_only: bool,
    /// Part of some builds only.
    pub conditional: bool,
}

impl Brief {
    pub(crate) fn of(facts: &FileFacts) -> Self {
        let language = facts.language;
        let mut brief = Self {
            language,
            definitions: facts.definitions.len() as u32,
            package: None,
            requires: false,
            modules: Box::default(),
            includes: Box::default(),
            declared: Box::default(),
            crates: Box::default(),
            macros: false,
            item_macros: false,
            types: Box::default(),
            globals: Box::default(),
        };
        match language.family() {
            Language::Go => {
                brief.package = package(facts);
                let modules = facts.imports.iter().filter(|import| import.kind == ImportKind::Module);
                brief.modules = modules.map(|import| facts.name(import.module).into()).collect();
            }
            Language::Java if language == Language::Kotlin => {
                brief.package = package(facts);
                brief.types = top_level(facts);
            }
            Language::Java => {
                brief.package = package(facts);
                let types = facts.definitions.iter().filter(|row| row.owner.is_none() && row.kind.is_type());
                brief.types = types.map(|row| facts.name(row.name).into()).collect();
                if language == Language::Scala {
                    brief.globals = inner_packages(facts);
                }
            }
            Language::Php => {
                brief.package = package(facts);
                let modules = facts.definitions.iter().filter(|row| row.kind == DefKind::Module);
                brief.globals = modules.map(|row| facts.name(row.name).into()).collect();
            }
            Language::CSharp => {
                brief.package = package(facts);
                brief.types = namespace_types(facts);
                brief.modules = global_usings(facts);
            }
            Language::Swift => brief.modules = swift_modules(facts),
            Language::C => {
                let includes = facts.imports.iter().filter(|import| import.kind == ImportKind::Include);
                brief.includes =
                    includes.map(|import| (facts.name(import.module).into(), import.flags.system)).collect();
            }
            Language::Rust => {
                brief.declared = declarations(facts);
                brief.crates = extern_crates(facts);
                let is_inside = |scope: ScopeId| facts.scopes[scope.index()].kind == ScopeKind::Function;
                let mut macros = facts.definitions.iter().filter(|row| row.kind == DefKind::Macro);
                brief.macros = macros.any(|row| !is_inside(row.scope));
                // What a macro may define is around its name.
                let is_item = |def: DefId| facts.definition(def).flags.is_generated;
                let mut calls = facts.references.iter().filter(|row| row.role == Role::Macro);
                brief.item_macros = calls.any(|row| row.enclosing.is_none_or(is_item));
            }
            Language::Bash => {
                let sourced = facts.imports.iter().filter(|import| import.kind == ImportKind::Include);
                brief.modules = sourced.map(|import| facts.name(import.module).into()).collect();
            }
            Language::JavaScript => {
                brief.requires = facts.imports.iter().any(|import| import.flags.commonjs);
                if facts.imports.is_empty() && facts.exports.is_empty() {
                    brief.globals = top_level(facts);
                }
            }
            _ => {}
        }
        brief
    }
}

fn package(facts: &FileFacts) -> Option<Box<str>> {
    facts.package.map(|name| facts.name(name).into())
}

/// Types outside of other types, each by the path of modules and its name, as it is bound.
fn namespace_types(facts: &FileFacts) -> Box<[Box<str>]> {
    let mut found: Vec<Box<str>> = Vec::new();
    for binding in &facts.bindings {
        let BindingTarget::Definition(def) = binding.target else { continue };
        let definition = facts.definition(def);
        let is_inside = definition.owner.is_some_and(|owner| facts.definition(owner).kind != DefKind::Module);
        if definition.kind.is_type() && !is_inside {
            let mut names = inline_modules(facts, binding.scope).into_vec();
            names.push(facts.name(binding.name).into());
            found.push(names.join("/").into());
        }
    }
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// Packages below that of the file: those of clauses with a body, and those whose members are in an object.
fn inner_packages(facts: &FileFacts) -> Box<[Box<str>]> {
    let mut found: Vec<Box<str>> = Vec::new();
    for binding in &facts.bindings {
        let BindingTarget::Definition(def) = binding.target else { continue };
        let name = facts.name(binding.name);
        let own = match facts.definition(def).kind {
            DefKind::Module => name,
            DefKind::Object => match name.strip_prefix(FileFacts::PACKAGE_CLAUSE) {
                Some(own) => own,
                None => continue,
            },
            _ => continue,
        };
        let mut names = inline_modules(facts, binding.scope).into_vec();
        names.push(own.into());
        found.push(names.join(".").into());
    }
    found.sort_unstable();
    found.dedup();
    found.into()
}

/// What a file imports for all files that it is built with.
fn global_usings(facts: &FileFacts) -> Box<[Box<str>]> {
    let rows = facts.imports.iter().filter(|import| import.kind == ImportKind::Wildcard && import.flags.reexport);
    rows.filter(|import| import.flags.type_only).map(|import| facts.name(import.module).into()).collect()
}

/// The modules that a file imports; behind `+` those that it hands on to whoever imports its own.
fn swift_modules(facts: &FileFacts) -> Box<[Box<str>]> {
    let rows = facts.imports.iter().map(|import| {
        let module = facts.name(import.module);
        if import.flags.reexport { format!("+{module}").into() } else { module.into() }
    });
    rows.collect()
}

/// Names of definitions at the top level.
fn top_level(facts: &FileFacts) -> Box<[Box<str>]> {
    let is_top = |target| matches!(target, BindingTarget::Definition(_));
    let rows = facts.bindings.iter().filter(|row| row.scope == ScopeId(0) && is_top(row.target));
    let mut names: Vec<Box<str>> = rows.map(|row| facts.name(row.name).into()).collect();
    names.sort_unstable();
    names.dedup();
    names.into()
}

/// The modules that a file declares to be in other files.
fn declarations(facts: &FileFacts) -> Box<[Declared]> {
    let rows = facts.imports.iter().filter_map(|import| match import.kind {
        ImportKind::FileModule(name) => Some(Declared {
            inline: inline_modules(facts, import.scope),
            name: facts.name(name).into(),
            written: facts.name(import.module).into(),
            test_only: import.flags.test_only,
            conditional: import.flags.conditional,
        }),
        _ => None,
    });
    rows.collect()
}

fn extern_crates(facts: &FileFacts) -> Box<[(Box<str>, Box<str>)]> {
    let mut found = Vec::new();
    for binding in &facts.bindings {
        if let (BindingTarget::Import(id), ScopeId(0)) = (binding.target, binding.scope)
            && let Import { kind: ImportKind::Module, path: Some(path), .. } = facts.imports[id.index()]
            && let Expr::Path { base, name } = facts.expr(path)
            && let Expr::Root { root: PathRoot::Global, .. } = facts.expr(base)
        {
            found.push((facts.name(binding.name).into(), facts.name(name).into()));
        }
    }
    found.into()
}

/// Inline modules around a scope, outermost first.
fn inline_modules(facts: &FileFacts, scope: ScopeId) -> Box<[Box<str>]> {
    let mut around: Vec<Box<str>> = Vec::new();
    let mut scope = Some(scope);
    while let Some(id) = scope {
        let row = facts.scopes[id.index()];
        if let (ScopeKind::Module, Some(owner)) = (row.kind, row.owner) {
            around.push(facts.name(facts.definition(owner).name).into());
        }
        scope = row.parent;
    }
    around.reverse();
    around.into()
}
