//! Names that an example in a document takes from modules: its imports, and the members of what it imports. They are
//! read by the extractor of the example's language.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{Input, extract};
use super::mentions::is_read;
use crate::Language;
use crate::facts::{BindingTarget, Expr, ExprId, FileFacts, ImportKind, NameId, PathRoot, Role};

/// Longest name, with its modules, in bytes.
const MAX_NAME: usize = 200;
/// Maximum names below an import.
const MAX_MEMBERS: usize = 8;

/// A name in an example.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Example {
    /// The module, then the names below it, joined by `::`.
    pub(super) name: String,
    pub(super) is_call: bool,
    /// 1-based line in the example.
    pub(super) line: u32,
    pub(super) language: Language,
}

/// The language of a listing, by the word behind its fence; `None` if its references are not resolved.
pub fn language(word: &str) -> Option<Language> {
    let word = word.trim().to_ascii_lowercase();
    let language = match word.as_str() {
        "py" | "python" | "python3" | "pycon" | "ipython" | "doctest" => Language::Python,
        "js" | "javascript" | "jsx" | "mjs" | "node" => Language::JavaScript,
        "ts" | "typescript" => Language::TypeScript,
        "tsx" => Language::Tsx,
        "rust" | "rs" => Language::Rust,
        "go" | "golang" => Language::Go,
        "java" => Language::Java,
        _ => return None,
    };
    is_read(language).then_some(language)
}

/// The names that an example takes from modules, each once per line.
pub(super) fn names(language: Language, text: &str, input: &Input<'_>) -> Vec<Example> {
    if !imports(language, text) {
        return Vec::new();
    }
    let plain = if language == Language::Python { without_prompts(text) } else { None };
    let text = plain.as_deref().unwrap_or(text);
    let facts = extract(language, text.as_bytes(), input.limits, input.cancel);
    let imported = list_imported(&facts);
    let mut found: Vec<Example> = Vec::new();
    let mut seen: FxHashSet<(String, u32)> = FxHashSet::default();
    let mut add = |name: String, is_call: bool, line: u32| {
        if name.len() <= MAX_NAME && seen.insert((name.clone(), line)) {
            found.push(Example { name, is_call, line, language });
        }
    };
    for (index, import) in facts.imports.iter().enumerate() {
        if let Some(name) = target(&facts, index) {
            add(name, false, import.pos.line);
        }
    }
    for reference in &facts.references {
        let Some((root, members)) = chain(&facts, reference.expr) else { continue };
        let Some(base) = imported.get(&root).filter(|_| !members.is_empty()) else { continue };
        let names: Vec<&str> = members.iter().map(|name| facts.name(*name)).collect();
        add(format!("{base}::{}", names.join("::")), reference.role == Role::Call, reference.pos.line);
    }
    found
}

/// Returns whether an example may import something: parsing others would be in vain.
fn imports(language: Language, text: &str) -> bool {
    match language {
        Language::Rust => text.contains("use ") || text.contains("::"),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            text.contains("import") || text.contains("require")
        }
        _ => text.contains("import"),
    }
}

/// An interactive session without prompts and output, line by line; `None` if it is no session.
fn without_prompts(text: &str) -> Option<String> {
    let is_session = text.lines().any(|line| line.trim_start().starts_with(">>>"));
    is_session.then(|| {
        let rows = text.lines().map(|line| {
            let bare = line.trim_start();
            let code = bare.strip_prefix(">>>").or_else(|| bare.strip_prefix("..."));
            code.map_or("", |code| code.strip_prefix(' ').unwrap_or(code))
        });
        rows.collect::<Vec<&str>>().join("\n")
    })
}

/// Local names of imports, and what they are; names that are bound to something else as well are left out.
fn list_imported(facts: &FileFacts) -> FxHashMap<NameId, String> {
    let mut known: FxHashMap<NameId, Option<String>> = FxHashMap::default();
    for binding in &facts.bindings {
        let target = match binding.target {
            BindingTarget::Import(id) => find_bound(facts, id.index()),
            _ => None,
        };
        let row = known.entry(binding.name).or_insert_with(|| target.clone());
        if *row != target {
            *row = None;
        }
    }
    known.into_iter().filter_map(|(name, target)| Some((name, target?))).collect()
}

/// What the local name of an import is.
fn find_bound(facts: &FileFacts, import: usize) -> Option<String> {
    let whole = target(facts, import)?;
    match facts.imports[import].kind {
        ImportKind::ModuleRoot => whole.split(['.', ':']).next().map(str::to_owned),
        _ => Some(whole),
    }
}

/// The module and name that an import names; `None` for what lies beside the example.
fn target(facts: &FileFacts, import: usize) -> Option<String> {
    let row = &facts.imports[import];
    if let Some(path) = row.path {
        let mut names = path_names(facts, path)?;
        if let ImportKind::Symbol(name) = row.kind {
            let name = facts.name(name);
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        return Some(names.join("::"));
    }
    let module = facts.name(row.module);
    if row.level > 0 || module.is_empty() || module.starts_with('.') || module.starts_with('/') {
        return None;
    }
    match row.kind {
        ImportKind::Symbol(name) => Some(format!("{module}::{}", facts.name(name))),
        ImportKind::ModuleRoot | ImportKind::Module | ImportKind::Default | ImportKind::SideEffect => {
            Some(module.to_owned())
        }
        ImportKind::Wildcard | ImportKind::Include | ImportKind::FileModule(_) => None,
    }
}

/// The names of a path (Rust); `None` if it begins at a keyword.
fn path_names(facts: &FileFacts, mut path: ExprId) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    for _ in 0..MAX_MEMBERS {
        match facts.expr(path) {
            Expr::Path { base, name } => {
                names.push(facts.name(name));
                path = base;
            }
            Expr::Name { name, .. } => {
                names.push(facts.name(name));
                names.reverse();
                return Some(names);
            }
            Expr::Root { root: PathRoot::Global, .. } => {
                names.reverse();
                return Some(names).filter(|names| !names.is_empty());
            }
            _ => return None,
        }
    }
    None
}

/// The name that an access path begins with, and its members.
fn chain(facts: &FileFacts, mut expr: ExprId) -> Option<(NameId, Vec<NameId>)> {
    let mut members = Vec::new();
    for _ in 0..MAX_MEMBERS {
        match facts.expr(expr) {
            Expr::Member { base, name } | Expr::Path { base, name } => {
                members.push(name);
                expr = base;
            }
            Expr::Generic { base, .. } => expr = base,
            Expr::Name { name, .. } => {
                members.reverse();
                return Some((name, members));
            }
            _ => return None,
        }
    }
    None
}
