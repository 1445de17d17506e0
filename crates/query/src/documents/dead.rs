//! Names in a document that nothing of the project has: candidates, which commits and code then judge.

use m1nd_base::{Cancel, Limits, NodeKind};
use m1nd_documents::{BlockKind, Form, MentionKind};
use m1nd_engine::Snapshot;
use m1nd_graph::NodeFlags;
use m1nd_lang::facts::MentionMark;
use m1nd_lang::{Language, extract};
use rustc_hash::FxHashSet;

use super::{DriftClass, Read, is_there};

/// Maximum candidates of one document.
const MAX_CANDIDATES: usize = 4_000;
/// Shortest name that is looked for, in bytes: shorter ones are words of all languages.
const LEAST: usize = 4;
/// Folders from which Python imports the packages of a project.
const PYTHON_FOLDERS: [&str; 3] = ["", "src/", "lib/"];

/// A name that nothing of the project has, as far as the graph says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) class: DriftClass,
    pub(super) line: u32,
    /// As written.
    pub(super) name: String,
    /// The word that code would have.
    pub(super) word: String,
    /// A file that would have it: that of the class or module in front of the name.
    pub(super) file: Option<String>,
    /// The form alone proves that code is meant: a role, an import of the project's own module.
    pub(super) is_proven: bool,
}

/// Names of the programs of the project, by its manifests and folders.
pub(super) fn programs(snapshot: &Snapshot) -> FxHashSet<String> {
    /// Manifests read.
    const MAX_MANIFESTS: usize = 256;
    let mut found = FxHashSet::default();
    let manifests = snapshot.files().iter().filter(|file| {
        let name = file.path.as_str().rsplit('/').next().unwrap_or("");
        matches!(name, "Cargo.toml" | "package.json" | "pyproject.toml" | "setup.cfg") && !file.is_test
    });
    for file in manifests.take(MAX_MANIFESTS) {
        let Ok(text) = snapshot.read_file(&file.path) else { continue };
        let name = file.path.as_str().rsplit('/').next().unwrap_or("");
        match name {
            "package.json" => of_package(&text.text, &mut found),
            _ => of_tables(&text.text, name, &mut found),
        }
    }
    for file in snapshot.files().iter() {
        let parts: Vec<&str> = file.path.as_str().split('/').collect();
        if let [.., "cmd", program, _] = parts.as_slice() {
            found.insert((*program).to_owned());
        }
    }
    found
}

fn of_package(text: &str, found: &mut FxHashSet<String>) {
    let Ok(value) = serde_json::from_str::<serde_json::Value>(text) else { return };
    match &value["bin"] {
        serde_json::Value::String(_) => found.extend(value["name"].as_str().map(str::to_owned)),
        serde_json::Value::Object(all) => found.extend(all.keys().cloned()),
        _ => {}
    }
}

/// Programs of `[[bin]]`, `[project.scripts]` and the like, line by line.
fn of_tables(text: &str, manifest: &str, found: &mut FxHashSet<String>) {
    let mut table = "";
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            table = line.trim_matches(['[', ']']).trim();
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let (key, value) = (key.trim().trim_matches('"'), value.trim().trim_matches(['"', '\'']));
        match (manifest, table) {
            ("Cargo.toml", "bin") if key == "name" => _ = found.insert(value.to_owned()),
            ("pyproject.toml", "project.scripts" | "tool.poetry.scripts") => _ = found.insert(key.to_owned()),
            ("setup.cfg", "options.entry_points") if value.contains(':') => _ = found.insert(key.to_owned()),
            _ => {}
        }
    }
}

/// The candidates of a document.
pub(super) fn candidates(
    snapshot: &Snapshot,
    read: &Read,
    programs: &FxHashSet<String>,
    cancel: &Cancel,
) -> Vec<Candidate> {
    let mut found = Vec::new();
    let bound: FxHashSet<(u32, &str)> = read.bindings.iter().map(|row| (row.line, row.mention.as_str())).collect();
    for mention in &read.document.mentions {
        if bound.contains(&(mention.line, mention.name.as_str())) || found.len() >= MAX_CANDIDATES {
            continue;
        }
        let name = mention.name.as_str();
        match mention.form {
            Form::Symbol | Form::Call => {
                let is_role = mention.kind == MentionKind::Role;
                found.extend(symbol(snapshot, mention.line, name, mention.form == Form::Call || is_role, is_role));
            }
            Form::Flag => found.extend(flag(mention.line, name, false)),
            Form::Command => found.extend(command(mention.line, name, programs)),
            Form::Path => found.extend(path(snapshot, read, mention.line, name, mention.kind)),
            Form::Variable => {}
        }
    }
    for block in read.document.blocks.iter().filter(|block| block.kind == BlockKind::Code) {
        let is_shell = matches!(
            block.language.as_deref(),
            Some("sh" | "bash" | "shell" | "console" | "zsh" | "shell-session" | "terminal" | "text" | "none") | None
        );
        if is_shell {
            for (line, number) in block.text.lines().zip(1..) {
                let line = line.trim_start().trim_start_matches("$ ").trim_start_matches("> ");
                found.extend(command(block.line + number, line, programs));
            }
        }
    }
    found.extend(examples(snapshot, read, cancel));
    found.truncate(MAX_CANDIDATES);
    found
}

/// A name of a symbol: a plain word is none.
fn symbol(snapshot: &Snapshot, line: u32, name: &str, is_marked: bool, is_role: bool) -> Option<Candidate> {
    let cut = name.rfind(['.', '#', ':']);
    let (before, word) = cut.map_or(("", name), |at| (name[..at].trim_end_matches(':'), &name[at + 1..]));
    let is_shaped = word.trim_matches('_').contains('_')
        || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    let is_dunder = word.starts_with("__") && word.ends_with("__");
    if word.len() < LEAST || is_dunder || !(is_shaped || is_marked || !before.is_empty()) {
        return None;
    }
    // In front may be a class or module of the project: then its file has to have the name.
    let graph = snapshot.graph();
    let owners = if before.len() < LEAST { Vec::new() } else { snapshot.nodes_named(before) };
    let owner = owners.first().filter(|owner| {
        let kind = graph.kind(**owner);
        let is_type = matches!(
            kind,
            NodeKind::Class
                | NodeKind::Struct
                | NodeKind::Enum
                | NodeKind::Trait
                | NodeKind::Interface
                | NodeKind::File
        );
        owners.len() == 1 && is_type && !graph.flags(**owner).has(NodeFlags::TEST)
    });
    let file = owner.map(|owner| graph.path(*owner).to_owned());
    // A name of a value or of a package outside says nothing about the project.
    if !before.is_empty() && file.is_none() && !is_shaped {
        return None;
    }
    Some(Candidate {
        class: DriftClass::BindingMissing,
        line,
        name: name.to_owned(),
        word: word.to_owned(),
        file,
        is_proven: is_role && owner.is_some(),
    })
}

fn flag(line: u32, name: &str, is_proven: bool) -> Option<Candidate> {
    let word = name.strip_prefix("--")?.split(['=', ' ', '[']).next()?;
    let fits = word.len() >= LEAST && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    fits.then(|| Candidate {
        class: DriftClass::CommandMissing,
        line,
        name: format!("--{word}"),
        word: word.to_owned(),
        file: None,
        is_proven,
    })
}

/// The options and the first word of a line for a shell, if the program is of the project.
fn command(line: u32, text: &str, programs: &FxHashSet<String>) -> Vec<Candidate> {
    let mut words = text.split_whitespace().take(24);
    let Some(program) = words.next().filter(|word| programs.contains(word.rsplit('/').next().unwrap_or(word))) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (number, word) in words.enumerate() {
        if matches!(word, "|" | "&&" | ";" | "--" | "#") {
            break;
        }
        let is_word = word.len() >= LEAST && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
        if number == 0 && is_word && !word.starts_with('-') {
            found.push(Candidate {
                class: DriftClass::CommandMissing,
                line,
                name: format!("{program} {word}"),
                word: word.to_owned(),
                file: None,
                is_proven: false,
            });
        }
        found.extend(flag(line, word, false));
    }
    found
}

/// A path whose folder is there, and the file is not.
fn path(snapshot: &Snapshot, read: &Read, line: u32, name: &str, kind: MentionKind) -> Option<Candidate> {
    let inner = name.trim_start_matches("./");
    let (first, _) = inner.split_once('/')?;
    let has_ending = inner.rsplit('/').next().is_some_and(|file| file.trim_start_matches('.').contains('.'));
    let is_own = snapshot.files().within(first).next().is_some();
    let is_missing = has_ending && is_own && kind != MentionKind::Link && !is_there(snapshot, &read.path, inner);
    is_missing.then(|| Candidate {
        class: DriftClass::BindingMissing,
        line,
        name: name.to_owned(),
        word: String::new(),
        file: Some(inner.to_owned()),
        is_proven: false,
    })
}

/// Names that examples take from modules of the project, and nothing has.
fn examples(snapshot: &Snapshot, read: &Read, cancel: &Cancel) -> Vec<Candidate> {
    let graph = snapshot.graph();
    let Some(language) = snapshot.files().by_text(read.path.as_str()).map(|file| file.language) else {
        return Vec::new();
    };
    let Some(text) = snapshot.read_bytes(&read.path).ok().filter(|_| language.is_prose() && language != Language::Text)
    else {
        return Vec::new();
    };
    let bound: FxHashSet<(u32, &str)> = read.bindings.iter().map(|row| (row.line, graph.label(row.target))).collect();
    let facts = extract(language, &text, &Limits::default(), cancel);
    let rows = facts.mentions.iter().filter(|mention| mention.mark == MentionMark::Example);
    let rows = rows.filter_map(|mention| {
        let name = facts.name(mention.name);
        let (module, rest) = name.split_once("::")?;
        let word = rest.split("::").next()?;
        let is_bound = rest.split("::").any(|part| bound.contains(&(mention.pos.line, part)));
        if is_bound || word.len() < LEAST {
            return None;
        }
        is_own_module(snapshot, module, mention.language?).then(|| Candidate {
            class: DriftClass::ExampleBroken,
            line: mention.pos.line,
            name: format!("{module}.{word}"),
            word: word.to_owned(),
            file: None,
            is_proven: true,
        })
    });
    rows.collect()
}

/// Returns whether a module that an example imports is a file of the project.
fn is_own_module(snapshot: &Snapshot, module: &str, language: Language) -> bool {
    let files = snapshot.files();
    if language == Language::Python {
        let path = module.replace('.', "/");
        let is_there = |folder: &&str| {
            ["/__init__.py", ".py"].iter().any(|end| files.by_text(&format!("{folder}{path}{end}")).is_some())
        };
        return PYTHON_FOLDERS.iter().any(is_there);
    }
    let graph = snapshot.graph();
    let found = snapshot.nodes_named(module);
    let own = found.iter().find(|node| graph.kind(**node) == NodeKind::File && !graph.path(**node).is_empty());
    own.and_then(|node| files.by_text(graph.path(*node))).is_some_and(|file| !file.language.is_prose())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_the_project_have_options_and_a_first_word() {
        let programs = ["tool".to_owned()].into_iter().collect();
        let names = |text: &str| command(1, text, &programs).into_iter().map(|row| row.name).collect::<Vec<_>>();
        assert_eq!(names("tool check --since=HEAD --json | less --raw"), ["tool check", "--since", "--json"]);
        assert_eq!(names("other check --since"), Vec::<String>::new());
        assert_eq!(names("tool ./path -v"), Vec::<String>::new());
    }
}
