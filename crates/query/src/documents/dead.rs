//! Names in a document that nothing of the project has: candidates, which commits and code then judge.

use m1nd_base::{Cancel, Limits, NodeKind};
use m1nd_documents::{BlockKind, Form, Mention, MentionKind};
use m1nd_engine::Snapshot;
use m1nd_graph::{NodeFlags, NodeIx};
use m1nd_lang::facts::MentionMark;
use m1nd_lang::reading_rules::{Package, ReadingRules};
use m1nd_lang::{Language, extract, listing_language};
use rustc_hash::{FxHashMap, FxHashSet};

use super::past::Owned;
use super::{DriftClass, Read, is_there};
use crate::bases::bases;

/// Maximum candidates of one document.
const MAX_CANDIDATES: usize = 4_000;
/// Shortest name that is looked for, in bytes: shorter ones are words of all languages.
const LEAST: usize = 4;
/// Shortest name in a listing that is looked for, in bytes: listings have many names of their own.
const LEAST_LISTED: usize = 6;

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
    /// What is dead if it is gone.
    pub(super) owned: Owned,
    /// The form alone proves that code is meant: a role, an import of the project's own module.
    pub(super) is_proven: bool,
    /// A mark says that it is code, so that a name that never was is a slip.
    pub(super) is_marked: bool,
    /// It stands in a line for a program of the project.
    pub(super) is_line: bool,
}

impl Candidate {
    /// The form that the name of an option has in code that derives options from names.
    pub(super) fn in_code(&self) -> Option<String> {
        (self.owned == Owned::Option && self.word.contains('-')).then(|| self.word.replace('-', "_"))
    }

    /// Returns whether the name is among those that no code has.
    pub(super) fn is_absent(&self, absent: &FxHashSet<String>) -> bool {
        absent.contains(&self.word) && self.in_code().is_none_or(|word| absent.contains(&word))
    }
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
        found.extend(m1nd_engine::programs_of(name, &text.text).into_iter().map(|(program, _)| program));
    }
    for file in snapshot.files().iter() {
        let parts: Vec<&str> = file.path.as_str().split('/').collect();
        if let [.., "cmd", program, _] = parts.as_slice() {
            found.insert((*program).to_owned());
        }
    }
    found
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
    let owners = find_headed_classes(snapshot, read);
    let mut outer: FxHashMap<u32, Vec<&str>> = FxHashMap::default();
    for link in read.document.links.iter().filter(|link| link.target.contains("://")) {
        outer.entry(link.line).or_default().push(&link.text);
    }
    for mention in &read.document.mentions {
        // The text of a link to another site is the name of what is there.
        let links = outer.get(&mention.line).map_or(&[][..], Vec::as_slice);
        let is_elsewhere = links.iter().any(|text| text.contains(&mention.name));
        if is_elsewhere || bound.contains(&(mention.line, mention.name.as_str())) || found.len() >= MAX_CANDIDATES {
            continue;
        }
        let name = mention.name.as_str();
        match mention.form {
            Form::Symbol | Form::Call => {
                found.extend(symbol(snapshot, mention, mention.section.and_then(|at| owners.get(&at)).copied()));
                found.extend(requirement(mention));
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
    let text = snapshot.read_file(&read.path).map(|file| file.text).unwrap_or_default();
    found.extend(list_listing_names(read, &text));
    found.extend(examples(snapshot, read, cancel));
    let own = own_names(read);
    found.retain(|row| row.is_proven || !own.contains(row.word.as_str()));
    found.truncate(MAX_CANDIDATES);
    found
}

/// Names that the listings of a document define or quote: they are those of its examples.
fn own_names(read: &Read) -> FxHashSet<&str> {
    let mut own: FxHashSet<&str> = FxHashSet::default();
    let blocks = read.document.blocks.iter().filter(|block| block.kind == BlockKind::Code);
    for line in blocks.flat_map(|block| block.text.lines()) {
        own.extend(list_defined_names(line));
        // Every other part stands between two quotes of one kind.
        for quote in ['"', '\''] {
            let quoted = line.split(quote).skip(1).step_by(2);
            own.extend(quoted.map(|part| part.trim_start_matches("--")).filter(|part| !part.is_empty()));
        }
    }
    own
}

/// The class that a heading names, by section: the section is about its members.
fn find_headed_classes(snapshot: &Snapshot, read: &Read) -> FxHashMap<u32, NodeIx> {
    /// Headings that are looked up.
    const MAX_HEADINGS: usize = 4_000;
    let sections = read.document.sections.iter().zip(0u32..).take(MAX_HEADINGS);
    let rows = sections.filter_map(|(section, at)| {
        let heading = section.heading.trim_matches('`');
        let name =
            m1nd_documents::name_of_code(heading).filter(|name| matches!(name.form, Form::Symbol | Form::Call))?;
        let is_shaped = name.text.starts_with(char::is_uppercase) || name.text.contains(['.', ':']);
        Some((at, own_type(snapshot, &name.text).filter(|_| is_shaped)?))
    });
    rows.collect()
}

/// The only class or module of the project that has a name.
fn own_type(snapshot: &Snapshot, name: &str) -> Option<NodeIx> {
    if name.len() < LEAST.min(3) {
        return None;
    }
    let graph = snapshot.graph();
    match snapshot.nodes_named(name).as_slice() {
        [only] => {
            let is_type = matches!(
                graph.kind(*only),
                NodeKind::Class
                    | NodeKind::Struct
                    | NodeKind::Enum
                    | NodeKind::Trait
                    | NodeKind::Interface
                    | NodeKind::File
            );
            (is_type && !graph.flags(*only).has(NodeFlags::TEST)).then_some(*only)
        }
        _ => None,
    }
}

/// A name of a symbol: a plain word is none.
fn symbol(snapshot: &Snapshot, mention: &Mention, headed: Option<NodeIx>) -> Option<Candidate> {
    let name = mention.name.as_str();
    let is_role = mention.kind == MentionKind::Role;
    let cut = name.rfind(['.', '#', ':']);
    let (before, word) = cut.map_or(("", name), |at| (name[..at].trim_end_matches(':'), &name[at + 1..]));
    let is_dunder = word.starts_with("__") && word.ends_with("__");
    let is_shaped = is_shaped(word);
    let is_called = mention.form == Form::Call || is_role;
    if word.len() < LEAST || is_dunder || !(is_shaped || is_called || !before.is_empty()) {
        return None;
    }
    // In front may be a class or module of the project, or in the heading: then its file has to have the name.
    let graph = snapshot.graph();
    let owner = if before.is_empty() { headed.filter(|_| is_shaped) } else { own_type(snapshot, before) };
    let file = owner.map(|owner| graph.path(owner).to_owned());
    // A name of a value or of a package outside says nothing about the project.
    if !before.is_empty() && file.is_none() && (!is_shaped || is_outside(snapshot, before)) {
        return None;
    }
    Some(Candidate {
        class: DriftClass::BindingMissing,
        line: mention.line,
        name: name.to_owned(),
        word: word.to_owned(),
        file,
        owned: Owned::Definition,
        is_proven: is_role && !before.is_empty() && owner.is_some_and(|owner| bases(graph, owner).1),
        is_marked: is_shaped && matches!(mention.kind, MentionKind::Code | MentionKind::Role),
        is_line: false,
    })
}

/// Returns whether a word is spelled as only names are: `a_b`, `aB`, `Ab`.
fn is_shaped(word: &str) -> bool {
    word.trim_matches('_').contains('_')
        || word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase)
}

/// Returns whether the first part of what stands in front of a name is a package outside of the project.
fn is_outside(snapshot: &Snapshot, before: &str) -> bool {
    let first = before.split(['.', ':', '#']).next().unwrap_or(before);
    let found = snapshot.nodes_named(first);
    !found.is_empty() && found.iter().all(|node| snapshot.graph().kind(*node).is_outside())
}

/// A plain word in the type of code, which may be a package that the project requires.
fn requirement(mention: &Mention) -> Option<Candidate> {
    let name = mention.name.as_str();
    let is_plain = name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let fits = is_plain && name.len() >= LEAST && mention.kind == MentionKind::Code && mention.form == Form::Symbol;
    fits.then(|| Candidate {
        class: DriftClass::BindingMissing,
        line: mention.line,
        name: name.to_owned(),
        word: name.to_owned(),
        file: None,
        owned: Owned::Requirement,
        is_proven: false,
        is_marked: false,
        is_line: false,
    })
}

/// Names in listings in languages of code that look like those of a project, and that the listings do not define.
fn list_listing_names(read: &Read, text: &str) -> Vec<Candidate> {
    let lines: Vec<&str> = text.lines().collect();
    let blocks = read.document.blocks.iter().filter(|block| block.kind == BlockKind::Code);
    let blocks = blocks.filter(|block| block.language.as_deref().is_some_and(|word| listing_language(word).is_some()));
    let blocks: Vec<_> = blocks.collect();
    let mut found = Vec::new();
    let mut seen: FxHashSet<(u32, &str)> = FxHashSet::default();
    for block in blocks {
        let mut at = block.line.saturating_sub(1) as usize;
        for row in block.text.lines() {
            let same = |other: &&str| other.trim() == row.trim();
            at += lines.get(at..).and_then(|rest| rest.iter().take(64).position(same)).unwrap_or(0);
            let code = without_comment(row);
            let line = at as u32 + 1;
            for word in code.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
                let place = (word.as_ptr() as usize).saturating_sub(code.as_ptr() as usize);
                let fits = word.len() >= LEAST_LISTED && is_shaped(word) && is_member(code, place, word.len());
                if fits && found.len() < MAX_CANDIDATES && seen.insert((line, word)) {
                    found.push(Candidate {
                        class: DriftClass::ExampleBroken,
                        line,
                        name: word.to_owned(),
                        word: word.to_owned(),
                        file: None,
                        owned: Owned::Definition,
                        is_proven: false,
                        is_marked: false,
                        is_line: false,
                    });
                }
            }
            at += 1;
        }
    }
    found
}

/// Returns whether a word of a listing is a member, a key or a named argument: other names are mostly the example's
/// own.
fn is_member(code: &str, at: usize, length: usize) -> bool {
    let (before, after) = (&code[..at], &code[at + length..]);
    let is_argument = after.starts_with('=') && !after.starts_with("==");
    before.ends_with('.') && !before.ends_with("..") || after.starts_with(": ") || is_argument
}

/// The part of a line of code before a comment.
fn without_comment(line: &str) -> &str {
    let ends = ["//", "# ", "/*"].iter().filter_map(|mark| line.find(mark));
    ends.min().map_or(line, |end| &line[..end])
}

/// The names that a line of a listing defines: behind a word that declares, in front of an assignment.
fn list_defined_names(line: &str) -> Vec<&str> {
    const DECLARING: &[&str] = &[
        "def", "class", "function", "fn", "func", "let", "const", "var", "type", "struct", "enum", "trait",
        "interface", "mod", "for", "as", "mut", "static", "async",
    ];
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut last = "";
    for part in line.split(|c: char| !word(c)).filter(|part| !part.is_empty()) {
        if DECLARING.contains(&last) {
            found.push(part);
        }
        last = part;
    }
    if ["import ", "from ", "use "].iter().any(|start| line.trim_start().starts_with(start)) {
        found.extend(line.split(|c: char| !word(c)).filter(|part| !part.is_empty()));
    }
    let assigned = line.split_once(" = ").or_else(|| line.split_once(" := ")).map(|(left, _)| left);
    found.extend(assigned.into_iter().flat_map(|left| left.split(|c: char| !word(c))).filter(|part| !part.is_empty()));
    found
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
        owned: Owned::Option,
        is_proven,
        is_marked: false,
        is_line: false,
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
                owned: Owned::Option,
                is_proven: false,
                is_marked: false,
                is_line: true,
            });
        }
        found.extend(flag(line, word, false).map(|row| Candidate { is_line: true, ..row }));
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
        owned: Owned::Definition,
        is_proven: false,
        is_marked: false,
        is_line: false,
    })
}

/// Names that examples take from modules of the project, and nothing has.
fn examples(snapshot: &Snapshot, read: &Read, cancel: &Cancel) -> Vec<Candidate> {
    let graph = snapshot.graph();
    let Some(language) = snapshot.files().by_text(read.path.as_str()).map(|file| file.language) else {
        return Vec::new();
    };
    let Some(text) = snapshot.read_bytes(&read.path).ok().filter(|_| language.is_prose() && !language.is_unknown())
    else {
        return Vec::new();
    };
    let bound: FxHashSet<(u32, &str)> = read.bindings.iter().map(|row| (row.line, graph.label(row.target))).collect();
    let facts = extract(language, &text, &Limits::default(), cancel);
    let mut modules: FxHashMap<String, Option<String>> = FxHashMap::default();
    let rows =
        facts.mentions.iter().filter(|mention| mention.mark == MentionMark::Example && mention.language.is_some());
    let rows = rows.filter_map(|mention| {
        let name = facts.name(mention.name);
        let (module, rest) = name.split_once("::")?;
        let word = rest.split("::").next()?;
        let is_bound = rest.split("::").any(|part| bound.contains(&(mention.pos.line, part)));
        if is_bound || word.len() < LEAST {
            return None;
        }
        let own = modules.entry(module.to_owned()).or_insert_with(|| own_module(snapshot, module, mention.language));
        Some(Candidate {
            class: DriftClass::ExampleBroken,
            line: mention.pos.line,
            name: format!("{module}.{word}"),
            word: word.to_owned(),
            file: Some(own.clone()?),
            owned: Owned::Definition,
            is_proven: true,
            is_marked: false,
            is_line: false,
        })
    });
    rows.collect()
}

/// The file of the project that a module is which an example imports; of a package of Go, its folder.
fn own_module(snapshot: &Snapshot, module: &str, language: Option<Language>) -> Option<String> {
    let files = snapshot.files();
    let graph = snapshot.graph();
    if let Some((language, Package::Marked(mark))) =
        language.map(|language| (language, ReadingRules::of(language).package))
    {
        let path = module.replace('.', "/");
        let ends = [format!("{path}/{mark}"), format!("{path}.py")];
        // Imports look into the folder above the topmost package.
        let is_top = |folder: &str| files.by_text(&format!("{folder}{mark}")).is_none();
        let mut own = files.iter().filter(|file| file.language == language && !file.is_test);
        let found = own.find(|file| {
            let path = file.path.as_str();
            ends.iter().any(|end| {
                let folder = path.strip_suffix(end.as_str());
                folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/') && is_top(folder))
            })
        });
        return found.map(|file| file.path.as_str().to_owned());
    }
    let found = snapshot.nodes_named(module);
    let own = found.iter().find(|node| graph.kind(**node) == NodeKind::File && !graph.path(**node).is_empty());
    let path = own
        .map(|node| graph.path(*node))
        .filter(|path| files.by_text(path).is_some_and(|file| !file.language.is_prose()))?;
    Some(path.to_owned())
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
