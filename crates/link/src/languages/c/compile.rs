//! `compile_commands.json`: the include paths of each source file.

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::languages::paths::normal;

/// Name of the manifest.
pub(super) const FILE_NAME: &str = "compile_commands.json";

/// Entries read of one manifest; more are left out.
const MAX_ENTRIES: usize = 100_000;

/// Compile command of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Command {
    /// Folders for `#include "x"`, in order, relative to the root of the project.
    pub(super) quote: Vec<String>,
    /// Folders for both kinds of include.
    pub(super) all: Vec<String>,
    /// The program or library it belongs to, according to the name of its output (`CMakeFiles/app.dir/main.c.o`).
    pub(super) target: Option<String>,
}

/// Checks the text; the error is the reason why it is unusable.
pub(super) fn check(text: &str) -> Result<(), String> {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(_)) => Ok(()),
        Ok(_) => Err("expected a list of compile commands".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}

/// The commands of a manifest at `path`, by file.
///
/// Its paths are absolute on the machine that wrote it. The project's root is the prefix that remains when the
/// longest possible suffix of one of them names a file known to `is_file`.
pub(super) fn commands(path: &str, text: &str, is_file: &dyn Fn(&str) -> bool) -> FxHashMap<String, Command> {
    let Ok(Value::Array(rows)) = serde_json::from_str::<Value>(text) else { return FxHashMap::default() };
    let rows: Vec<CompileCommand> = rows.iter().take(MAX_ENTRIES).filter_map(CompileCommand::new).collect();
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let root = rows.iter().find_map(|row| root_of(&row.path()?, is_file)).unwrap_or_default();
    let relative = |at: &str, directory: &str| -> Option<String> {
        let full = if at.starts_with('/') { normal(at)? } else { normal(&format!("{directory}/{at}"))? };
        if !full.starts_with('/') {
            return if folder.is_empty() { Some(full) } else { normal(&format!("{folder}/{full}")) };
        }
        let rest = full.strip_prefix(root.as_str())?;
        (rest.is_empty() || rest.starts_with('/')).then(|| rest.trim_start_matches('/').to_owned())
    };
    let mut found: FxHashMap<String, Command> = FxHashMap::default();
    for row in &rows {
        let Some(file) = relative(&row.file, &row.directory) else { continue };
        let mut command = Command { target: target(row), ..Command::default() };
        for (quote, dir) in include_dirs(&row.arguments) {
            if let Some(dir) = relative(&dir, &row.directory) {
                let dirs = if quote { &mut command.quote } else { &mut command.all };
                if !dirs.contains(&dir) {
                    dirs.push(dir);
                }
            }
        }
        // A file that is compiled several times: the first command counts, its target is then not known.
        found.entry(file).and_modify(|known| known.target = None).or_insert(command);
    }
    found
}

struct CompileCommand {
    file: String,
    directory: String,
    arguments: Vec<String>,
    output: Option<String>,
}

impl CompileCommand {
    fn new(row: &Value) -> Option<Self> {
        let text = |key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
        let arguments = match row.get("arguments") {
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => words(row.get("command").and_then(Value::as_str).unwrap_or("")),
        };
        let directory = text("directory").unwrap_or_default();
        Some(Self { file: text("file")?, directory, arguments, output: text("output") })
    }

    /// The whole path of the file, if it starts at the machine's root.
    fn path(&self) -> Option<String> {
        let path =
            if self.file.starts_with('/') { self.file.clone() } else { format!("{}/{}", self.directory, self.file) };
        normal(&path).filter(|path| path.starts_with('/'))
    }
}

/// The part of a path before the suffix known to the project.
fn root_of(file: &str, is_file: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut rest = file;
    while let Some((_, shorter)) = rest.split_once('/') {
        rest = shorter;
        if is_file(rest) {
            let cut = file.len() - rest.len();
            return Some(file[..cut].trim_end_matches('/').to_owned());
        }
    }
    None
}

/// The words of a command line: quotes and backslashes as a shell has them.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote, mut started) = (Vec::new(), String::new(), None, false);
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '"' | '\'') => (quote, started) = (Some(c), true),
            (Some(open), c) if c == open => quote = None,
            (None | Some('"'), '\\') => word.extend(chars.next()),
            (None, c) if c.is_whitespace() => {
                if started || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                started = false;
            }
            (_, c) => word.push(c),
        }
    }
    if started || !word.is_empty() {
        words.push(word);
    }
    words
}

/// Include folders in order; whether each is for quoted includes only.
fn include_dirs(arguments: &[String]) -> Vec<(bool, String)> {
    let mut dirs = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        let flags = [("-iquote", true), ("-isystem", false), ("-idirafter", false), ("-I", false), ("/I", false)];
        let Some((flag, quote)) = flags.into_iter().find(|(flag, _)| argument.starts_with(flag)) else { continue };
        let joined = argument[flag.len()..].to_owned();
        let dir = if joined.is_empty() { rest.next().cloned() } else { Some(joined) };
        dirs.extend(dir.map(|dir| (quote, dir)));
    }
    dirs
}

fn target(row: &CompileCommand) -> Option<String> {
    let named = || row.arguments.iter().skip_while(|word| *word != "-o").nth(1).cloned();
    let output = row.output.clone().or_else(named)?;
    let folder = output.split('/').find_map(|part| part.strip_suffix(".dir"))?;
    Some(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_relative_to_the_root() {
        let text = r#"[{"directory": "/src/p/build", "file": "../src/a.c", "command": "cc -I../include -I /usr/include -iquote '/src/p/q d' -c ../src/a.c"},
            {"directory": "/src/p", "file": "/src/p/src/b.c", "arguments": ["cc", "-Iinclude"], "output": "CMakeFiles/app.dir/src/b.c.o"}]"#;
        let found = commands("compile_commands.json", text, &|path| path == "src/a.c" || path == "src/b.c");
        let a = Command { quote: vec!["q d".into()], all: vec!["include".into()], target: None };
        let b = Command { quote: vec![], all: vec!["include".into()], target: Some("app".into()) };
        assert_eq!(found.get("src/a.c"), Some(&a));
        assert_eq!(found.get("src/b.c"), Some(&b));
    }

    #[test]
    fn relative_directories_start_at_the_manifest() {
        let text = r#"[{"directory": ".", "file": "a.c", "arguments": ["cc", "-Iinc"]}]"#;
        let found = commands("sub/compile_commands.json", text, &|path| path == "sub/a.c");
        assert_eq!(found.get("sub/a.c").map(|command| command.all.clone()), Some(vec!["sub/inc".to_owned()]));
    }

    #[test]
    fn other_texts_are_refused() {
        assert!(check("{}").is_err());
        assert!(check("[").is_err());
        assert!(check("[]").is_ok());
    }
}
