//! Commands and options of programs of the project that a document names: what declares them.
//!
//! A line for a shell says its program; an option alone is of the program that its section speaks of. One that several
//! places declare is one of so many, unless the command in front of it tells them apart.

use m1nd_base::{EdgeTier, Relation};
use m1nd_lang::facts::{DeclaredKind, DefId, Mention, MentionForm, MentionMark};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{MAX_TARGETS, symbols};
use crate::edges::derived::Derived;
use crate::eval::Eval;
use crate::file_links::Target;
use crate::ids::SymbolId;
use crate::named::option_word;
use crate::tables::files::{DefRef, FileId};
use crate::unit::Unit;

/// Files that declare one name and are compared.
const MAX_FILES: usize = 64;
/// Words of a line that are looked at.
const MAX_WORDS: usize = 32;
/// Words in front of a program that start it.
const STARTERS: &[&str] = &["$", ">", "%", "sudo", "npx", "uvx", "bunx", "time", "env", "exec", "pipx"];
/// Programs whose next word starts another one.
const RUNNERS: &[(&str, &str)] = &[
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("pdm", "run"),
    ("hatch", "run"),
    ("pipx", "run"),
    ("pnpm", "exec"),
    ("npm", "exec"),
    ("python", "-m"),
    ("python3", "-m"),
];
/// Options that libraries add by themselves.
const IMPLIED: &[&str] = &["--help", "--version", "-h", "-V"];

/// What declares a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Declarer {
    file: FileId,
    def: Option<DefId>,
    symbol: SymbolId,
}

/// The programs of the project that the sections of a document speak of.
#[derive(Default)]
struct Spoken {
    /// Folders of programs by section.
    own: FxHashMap<Option<DefId>, Vec<String>>,
    /// Sections with lines for other programs.
    foreign: FxHashSet<Option<DefId>>,
}

/// Edges from the lines, options and names of commands in a document.
pub(super) fn add(eval: &mut Eval<'_>, file: FileId, edges: &mut Vec<Derived>) {
    let unit = eval.project.unit(file);
    let facts = &unit.facts;
    let is_command = |mention: &Mention| matches!(mention.form, MentionForm::Command | MentionForm::Flag);
    let is_said = |mention: &Mention| mention.noun.is_some_and(|noun| facts.name(noun) == "command");
    if !facts.mentions.iter().any(|mention| is_command(mention) || is_said(mention)) {
        return;
    }
    // First the programs that each section speaks of, which decide whose option a lone `--flag` is.
    let mut spoken = Spoken::default();
    for mention in facts.mentions.iter().filter(|mention| mention.form == MentionForm::Command) {
        let Some((program, _)) = split(facts.name(mention.name)) else { continue };
        match folder(eval, program) {
            Some(folder) => spoken.own.entry(mention.enclosing).or_default().push(folder),
            None => _ = spoken.foreign.insert(mention.enclosing),
        }
    }
    // Then the mentions themselves.
    for mention in &facts.mentions {
        let name = facts.name(mention.name);
        let mut found: Vec<(Vec<Declarer>, bool)> = Vec::new();
        match mention.form {
            MentionForm::Command => line(eval, name, &mut found),
            MentionForm::Flag => found.extend(alone(eval, mention, name, &spoken)),
            MentionForm::Symbol if is_said(mention) && mention.mark == MentionMark::Code => {
                if let Some(entry) = eval.project.packages.entry_of(name).map(str::to_owned) {
                    add_entry(eval, file, mention, &entry, edges);
                } else {
                    found.extend(alone(eval, mention, name, &spoken));
                }
            }
            _ => {}
        }
        let from = source(unit, mention);
        for (rows, is_certain) in found {
            add_rows(rows, is_certain, from, mention, edges);
        }
    }
}

fn source(unit: &Unit, mention: &Mention) -> SymbolId {
    mention.enclosing.and_then(|def| unit.symbols[def.index()]).unwrap_or(unit.file_symbol)
}

fn add_rows(rows: Vec<Declarer>, is_certain: bool, from: SymbolId, mention: &Mention, edges: &mut Vec<Derived>) {
    let mut targets: Vec<SymbolId> = rows.into_iter().map(|row| row.symbol).collect();
    targets.sort_unstable();
    targets.dedup();
    if targets.len() > MAX_TARGETS {
        return;
    }
    let of = u16::try_from(targets.len()).unwrap_or(u16::MAX);
    let tier = if is_certain && of == 1 { EdgeTier::Certain } else { EdgeTier::Possible };
    for to in targets {
        let to = Target::Symbol(to);
        edges.push(Derived { from, to, relation: Relation::Documents, tier, of, pos: mention.pos });
    }
}

/// The function that a program starts with: "the `tool` command".
fn add_entry(eval: &mut Eval<'_>, file: FileId, mention: &Mention, entry: &str, edges: &mut Vec<Derived>) {
    let names: Vec<&str> = entry.split(['.', ':']).filter(|part| !part.is_empty()).collect();
    let found = symbols::find_named(eval, mention, &names);
    let unit = eval.project.unit(file);
    if let [to] = found.as_slice() {
        let (from, to) = (source(unit, mention), Target::Symbol(*to));
        let (relation, tier) = (Relation::Documents, EdgeTier::Certain);
        edges.push(Derived { from, to, relation, tier, of: 1, pos: mention.pos });
    }
}

/// The program of a line for a shell, and the words behind it.
fn split(line: &str) -> Option<(&str, Vec<&str>)> {
    let mut words = line.split_whitespace().take(MAX_WORDS).peekable();
    loop {
        let word = words.next()?;
        let is_setting = word.split_once('=').is_some_and(|(name, _)| is_name(name) && !name.starts_with('-'));
        if STARTERS.contains(&word) || is_setting {
            continue;
        }
        if let Some(next) = words.peek()
            && RUNNERS.contains(&(word, *next))
        {
            words.next();
            continue;
        }
        let program = word.rsplit(['/', '\\']).next().unwrap_or(word);
        let program = program.strip_suffix(".exe").unwrap_or(program);
        let ends = |word: &&str| !matches!(*word, "|" | "||" | "&&" | ";" | "--" | "#" | ">" | "<" | "\\");
        return is_name(program).then(|| (program, words.take_while(ends).collect()));
    }
}

fn is_name(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

/// The folder of a program of the project: by its manifest, or where its main file is.
fn folder(eval: &Eval<'_>, program: &str) -> Option<String> {
    let packages = &eval.project.packages;
    if let Some(folder) = packages.folder_of(program) {
        return Some(folder.to_owned());
    }
    let at = |folder: &str, path: &str| {
        let whole = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        eval.file_at(&whole).is_some()
    };
    let named = packages.list_named(program).find(|folder| at(folder, "src/main.rs") || at(folder, "main.go"));
    let command = format!("cmd/{program}");
    named.map(str::to_owned).or_else(|| at("", &format!("{command}/main.go")).then_some(command))
}

/// What the words of a line declare: its commands, then its options.
fn line(eval: &mut Eval<'_>, line: &str, found: &mut Vec<(Vec<Declarer>, bool)>) {
    /// Commands below one another.
    const MAX_COMMANDS: usize = 2;
    let Some((program, words)) = split(line) else { return };
    let Some(folder) = folder(eval, program) else { return };
    let mut command: Vec<(Declarer, &str)> = Vec::new();
    let mut before = "";
    for word in &words {
        let may_be_value = std::mem::replace(&mut before, word).starts_with('-');
        if word.starts_with('-') {
            continue;
        }
        let rows = list_declared(eval, word, DeclaredKind::Command);
        let (rows, is_inside) = within(eval, rows, &folder);
        if let [row] = rows.as_slice() {
            command = vec![(*row, word)];
        }
        if !rows.is_empty() {
            found.push((rows, is_inside));
        } else if !may_be_value {
            break;
        }
        if found.len() >= MAX_COMMANDS {
            break;
        }
    }
    for word in words.iter().filter(|word| word.starts_with('-')) {
        let end = word.find(['=', '[', ',']).unwrap_or(word.len());
        let rows = list_declared(eval, &word[..end], DeclaredKind::Option);
        let (rows, is_inside) = within(eval, rows, &folder);
        let rows = match command.first() {
            Some((row, name)) => below(eval, rows, *row, name),
            None => rows,
        };
        if !rows.is_empty() {
            found.push((rows, is_inside));
        }
    }
}

/// What declares an option or command that stands alone: of the program that the section, or else the document, speaks
/// of.
fn alone(eval: &mut Eval<'_>, mention: &Mention, name: &str, spoken: &Spoken) -> Option<(Vec<Declarer>, bool)> {
    let kind = if name.starts_with('-') { DeclaredKind::Option } else { DeclaredKind::Command };
    // Short options are those of any program.
    if kind == DeclaredKind::Option && !name.starts_with("--") {
        return None;
    }
    let own = spoken.own.get(&mention.enclosing);
    if own.is_none() && spoken.foreign.contains(&mention.enclosing) {
        return None;
    }
    let rows = list_declared(eval, name, kind);
    let of_document: Vec<&String> = spoken.own.values().flatten().collect();
    let folders: Vec<&String> = own.map_or(of_document, |own| own.iter().collect());
    let mut is_certain = own.is_some();
    let rows = if folders.is_empty() {
        rows
    } else {
        let mut kept: Vec<Declarer> = Vec::new();
        for folder in folders {
            let (rows, is_inside) = within(eval, rows.clone(), folder);
            is_certain &= is_inside;
            for row in rows {
                if !kept.contains(&row) {
                    kept.push(row);
                }
            }
        }
        kept
    };
    (!rows.is_empty()).then_some((rows, is_certain))
}

/// The declarations of a name, those of tests and examples left out.
fn list_declared(eval: &mut Eval<'_>, name: &str, kind: DeclaredKind) -> Vec<Declarer> {
    let mut found: Vec<Declarer> = Vec::new();
    if IMPLIED.contains(&name) || name.len() < 2 {
        return found;
    }
    let mut files = eval.defining(option_word(name));
    if files.len() > MAX_FILES {
        return found;
    }
    eval.project.sort_by_path(&mut files);
    for file in files {
        let unit = eval.project.unit(file);
        if unit.is_test || symbols::is_aside(unit.path.as_str()) || symbols::is_documentation(unit.path.as_str()) {
            continue;
        }
        for row in unit.facts.declared.iter().filter(|row| row.kind == kind && &*row.name == name) {
            let (def, symbol) = owner(unit, row.def);
            let row = Declarer { file, def, symbol };
            if !found.contains(&row) {
                found.push(row);
            }
        }
    }
    found
}

/// The innermost definition that is a node.
fn owner(unit: &Unit, mut def: Option<DefId>) -> (Option<DefId>, SymbolId) {
    while let Some(id) = def {
        if let Some(symbol) = unit.symbols[id.index()] {
            return (Some(id), symbol);
        }
        def = unit.facts.definition(id).owner;
    }
    (None, unit.file_symbol)
}

/// The rows in a folder, and `true`; all of them if there are none: code of a program may be in other packages, but
/// these may be of other programs as well.
fn within(eval: &Eval<'_>, rows: Vec<Declarer>, folder: &str) -> (Vec<Declarer>, bool) {
    let is_in = |row: &&Declarer| {
        let rest = eval.project.path(row.file).as_str().strip_prefix(folder);
        folder.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
    };
    let inside: Vec<Declarer> = rows.iter().filter(is_in).copied().collect();
    if inside.is_empty() { (rows, false) } else { (inside, true) }
}

/// The options of a command, if they can be told from those of others: declared by the same definition or inside of it,
/// by a type named after it, or in the same file.
fn below(eval: &Eval<'_>, rows: Vec<Declarer>, command: Declarer, name: &str) -> Vec<Declarer> {
    let plain =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let name = plain(name);
    let of = |row: &Declarer| DefRef { file: row.file, def: row.def.unwrap_or(DefId(0)) };
    let is_same = |row: &Declarer| {
        let facts = &eval.project.unit(row.file).facts;
        let outer = row.def.and_then(|def| facts.definition(def).owner);
        row.file == command.file && command.def.is_some() && (of(row) == of(&command) || outer == command.def)
    };
    let is_named = |row: &Declarer| {
        let facts = &eval.project.unit(row.file).facts;
        let outer = row.def.and_then(|def| facts.definition(def).owner);
        outer.is_some_and(|outer| plain(facts.name(facts.definition(outer).name)).starts_with(&name))
    };
    let in_file = |row: &Declarer| row.file == command.file;
    let kept =
        |fits: &dyn Fn(&Declarer) -> bool| rows.iter().filter(|row| fits(row)).copied().collect::<Vec<Declarer>>();
    for found in [kept(&is_same), kept(&is_named), kept(&in_file)] {
        if !found.is_empty() {
            return found;
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_line_has_a_program_and_words() {
        for (line, program, count) in [
            ("$ tool serve --port 80 | less -x", "tool", 3),
            ("sudo A=b ./target/tool.exe --x", "tool", 1),
            ("uv run tool serve", "tool", 1),
            ("python -m tool serve", "tool", 1),
            ("git commit", "git", 1),
        ] {
            let found = split(line).map(|(program, words)| (program, words.len()));
            assert_eq!(found, Some((program, count)), "{line}");
        }
        assert_eq!(split("\"a\" b").map(|found| found.0), None);
    }
}
