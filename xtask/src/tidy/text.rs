//! Text that no file may contain: unfinished code, and absolute paths of a developer's machine.

use super::Source;

/// Macros that mark unfinished code or leftover debugging.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];
/// Top-level folders of developers' machines.
const FOLDERS: &[&str] = &["work", "root", "home", "Users"];

pub(super) fn check(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    // Tests contain such text on purpose; their code is checked by clippy.
    if source.is_test() || is_data(&source.path) {
        return complaints;
    }
    for (number, line) in source.text.lines().enumerate() {
        let mut complain = |what: &str| complaints.push(format!("{}:{}: {what}", source.path, number + 1));
        if source.is_rust() {
            for name in MACROS.iter().filter(|name| calls_macro(line, name)) {
                complain(&format!("`{name}!` must not stay in the code"));
            }
        }
        for folder in FOLDERS.iter().filter(|folder| names_folder(line, folder)) {
            complain(&format!("a path below `/{folder}` exists on one machine only"));
        }
    }
    complaints
}

/// Returns whether the file is test input or expected output, which may contain any text.
fn is_data(path: &str) -> bool {
    ["/fixtures/", "/testdata/", "/snapshots/"].iter().any(|folder| path.contains(folder)) || path.starts_with("eval/")
}

fn calls_macro(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices(&format!("{name}!")).any(|(at, found)| {
        let before = code[..at].chars().next_back();
        let after = code[at + found.len()..].chars().next();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after.is_some_and(|c| "([{".contains(c))
    })
}

/// Returns whether the line contains an absolute path into the folder, as opposed to a longer path through it.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(&format!("/{folder}/")).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && !"._-~/*}>)$".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaints(path: &str, text: &str) -> usize {
        check(&Source { path: path.to_owned(), text: text.to_owned() }).len()
    }

    #[test]
    fn unfinished_code() {
        for (name, expected) in [("todo", 1), ("dbg", 1), ("unimplemented", 1), ("println", 0), ("my_todo", 0)] {
            assert_eq!(complaints("crates/x/src/a.rs", &format!("    {name}!(x)")), expected, "{name}");
            assert_eq!(complaints("crates/x/src/a.rs", &format!("    // {name}!(x)")), 0, "{name} in a comment");
            assert_eq!(complaints("README.md", &format!("{name}!(x)")), 0, "{name} in a text");
        }
    }

    #[test]
    fn machine_paths() {
        for (before, expected) in [("", 1), ("at ", 1), ("\"", 1), ("a", 0), ("~", 0), ("/proc/self", 0), ("./", 0)] {
            for folder in FOLDERS {
                let line = format!("{before}/{folder}/x");
                assert_eq!(complaints("docs/a.md", &line), expected, "{line}");
                assert_eq!(complaints("crates/x/tests/a.rs", &line), 0, "{line} in a test");
            }
        }
    }
}
