//! What must not stand in a file: unfinished code, state that the whole process shares, paths of the machine it was
//! written on, comments wider than the code.

use super::Source;

/// Macros that mark unfinished code or a forgotten look inside.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];
/// Types of changing state. In a static, nobody owns it and nothing drops it.
const CHANGING: &[&str] = &["Mutex<", "RwLock<", "RefCell<"];
/// Folders at the top of a developer's machine.
const FOLDERS: &[&str] = &["work", "root", "home", "Users"];

/// Characters of the longest line, as `max_width` in rustfmt.toml, which does not wrap comments.
const MAX_WIDTH: usize = 120;

pub(super) fn check(source: &Source) -> Vec<String> {
    let mut complaints = wide_comments(source);
    // Tests are about such text; what they run is judged by the lints of clippy.
    if source.is_test() || source.is_data() {
        return complaints;
    }
    for (number, line) in source.text.lines().enumerate() {
        let mut complain = |what: &str| complaints.push(format!("{}:{}: {what}", source.path, number + 1));
        if source.is_rust() {
            for name in MACROS.iter().filter(|name| calls_macro(line, name)) {
                complain(&format!("`{name}!` must not stay in the code"));
            }
            if is_changing_static(line) {
                complain("state of the whole process; give it to the engine, a snapshot or the services");
            }
        }
        for folder in FOLDERS.iter().filter(|folder| names_folder(line, folder)) {
            complain(&format!("a path below `/{folder}` exists on one machine only"));
        }
    }
    complaints
}

fn wide_comments(source: &Source) -> Vec<String> {
    if !source.is_rust() || source.is_data() {
        return Vec::new();
    }
    let wide = source.text.lines().enumerate().filter(|(_, line)| is_wide_comment(line));
    let complaint =
        |(number, _)| format!("{}:{}: a comment of more than {MAX_WIDTH} characters; wrap it", source.path, number + 1);
    wide.map(complaint).collect()
}

/// Whether the line is a comment that is too long and can be wrapped: rows of tables and lone words, such as addresses,
/// cannot.
fn is_wide_comment(line: &str) -> bool {
    // `//- path` starts a file of a fixture, inside a string.
    let comment = line.trim_start().strip_prefix("//").filter(|text| !text.starts_with('-'));
    let Some(text) = comment else { return false };
    let text = text.trim_start_matches(['/', '!']).trim();
    line.chars().count() > MAX_WIDTH && !text.starts_with('|') && text.contains(' ')
}

fn calls_macro(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices(&format!("{name}!")).any(|(at, found)| {
        let before = code[..at].chars().next_back();
        let after = code[at + found.len()..].chars().next();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_') && after.is_some_and(|c| "([{".contains(c))
    })
}

/// Whether the line declares a static that holds changing state.
fn is_changing_static(line: &str) -> bool {
    let declared = line.trim_start().split_once("static ");
    let (before, declaration) = declared.unwrap_or_default();
    let before = before.trim_end();
    let is_declaration = before.is_empty() || before.starts_with("pub") && !before.contains(' ');
    is_declaration && CHANGING.iter().any(|name| declaration.contains(name))
}

/// Whether the line has an absolute path into the folder: one that starts there, not a longer path that goes through
/// it.
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
    fn changing_statics() {
        let rows = [
            ("static KEPT: LazyLock<Mutex<Queries>> = LazyLock::new(Mutex::default);", 1),
            ("    pub(crate) static KEPT: RwLock<Vec<u8>> = RwLock::new(Vec::new());", 1),
            ("static PATTERN: LazyLock<Regex> = LazyLock::new(pattern);", 0),
            ("pub fn kept(of: &'static Mutex<u8>) {}", 0),
            ("let kept: Mutex<&'static str> = Mutex::default();", 0),
        ];
        for (line, expected) in rows {
            assert_eq!(complaints("crates/x/src/a.rs", line), expected, "{line}");
            assert_eq!(complaints("crates/x/tests/a.rs", line), 0, "{line} in a test");
        }
    }

    #[test]
    fn wide_comments() {
        let words = "word ".repeat(30);
        let rows = [
            ("crates/base/src/a.rs", format!("    // {words}"), 1),
            ("crates/base/src/a.rs", format!("/// | {words}"), 0),
            ("crates/base/src/a.rs", format!("// {}", "a".repeat(200)), 0),
            ("crates/base/src/a.rs", format!("let x = 1; // {words}"), 0),
            ("crates/base/src/a.rs", format!("    //- a.py {words}"), 0),
            ("crates/base/tests/fixtures/a.rs", format!("// {words}"), 0),
            ("README.md", format!("// {words}"), 0),
        ];
        for (path, line, expected) in rows {
            assert_eq!(complaints(path, &line), expected, "{path}: {line}");
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
