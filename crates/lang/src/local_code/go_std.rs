//! What is known of Go's standard library, and how one file of Go writes the types of another.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

/// Rows of `go_std.txt`: a name with the path of its package, and its type. `xtask/src/codegen/go_std.go` writes them.
static ROWS: &str = include_str!("go_std.txt");

/// Types that need no import.
const BUILT_IN: &[&str] = &[
    "string", "bool", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64",
    "uintptr", "byte", "rune", "float32", "float64", "complex64", "complex128", "error", "any", "map", "chan", "func",
    "interface",
];

/// The row of a name with the path of its package; functions and methods end in `()`.
pub(super) fn find_std(name: &str) -> Option<&'static str> {
    static TABLE: OnceLock<FxHashMap<&'static str, &'static str>> = OnceLock::new();
    let rows = || ROWS.lines().filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('\t')).collect();
    TABLE.get_or_init(rows).get(name).copied()
}

/// The packages that a file of Go imports, each with its name in the file.
#[derive(Debug, Default)]
pub(super) struct GoImports<'a> {
    rows: Vec<(&'a str, &'a str)>,
}

impl<'a> GoImports<'a> {
    /// Reads the imports at the beginning of a file.
    pub(super) fn read(text: &'a str) -> Self {
        let (mut rows, mut is_block) = (Vec::new(), false);
        for line in text.lines().map(str::trim) {
            let spec = match line.strip_prefix("import ").map(str::trim) {
                Some("(") => {
                    is_block = true;
                    continue;
                }
                Some(spec) => spec,
                None if is_block && line == ")" => {
                    is_block = false;
                    continue;
                }
                None if is_block => line,
                None if ["func ", "type ", "var ", "const "].iter().any(|word| line.starts_with(word)) => break,
                None => continue,
            };
            let Some((before, rest)) = spec.split_once('"') else { continue };
            let Some((path, _)) = rest.split_once('"') else { continue };
            let name = if before.trim().is_empty() { name_of_package(path) } else { before.trim() };
            rows.push((name, path));
        }
        Self { rows }
    }

    /// The path of the package that the file gives a name.
    pub(super) fn path_of(&self, name: &str) -> Option<&'a str> {
        self.rows.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    /// The name that the file gives a package.
    pub(super) fn name_of(&self, path: &str) -> Option<&'a str> {
        self.rows.iter().find(|row| row.1 == path && !matches!(row.0, "_" | ".")).map(|row| row.0)
    }

    /// The name that the file gives the package in a folder of the project, or at a path.
    pub(super) fn name_of_folder(&self, folder: &str) -> Option<&'a str> {
        let is_it = |path: &str| {
            let is_below = path.strip_suffix(folder).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
            is_below && !folder.is_empty() && path.contains('.')
        };
        self.rows.iter().find(|row| is_it(row.1) && !matches!(row.0, "_" | ".")).map(|row| row.0)
    }

    /// A type with names of this file, with the paths of the packages in their place.
    pub(super) fn write_full(&self, kind: &str) -> Option<String> {
        replace_words(kind, |word| match word.split_once('.') {
            Some((package, name)) => Some(format!("{}.{name}", self.path_of(package)?)),
            None => Some(word.to_owned()),
        })
    }

    /// A type with the paths of packages, as this file writes it; `None` if it does not import one of them.
    pub(super) fn write_local(&self, full: &str) -> Option<String> {
        let mut local = String::with_capacity(full.len());
        for part in full.split_inclusive(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/'))) {
            let end = part.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/'))).unwrap_or(part.len());
            match part[..end].rsplit_once('.') {
                Some((path, name)) => {
                    local.push_str(self.name_of(path)?);
                    local.push('.');
                    local.push_str(name);
                }
                None => local.push_str(&part[..end]),
            }
            local.push_str(&part[end..]);
        }
        Some(local)
    }
}

/// The name of a package that a file gives no name: the last part of its path that is not a version.
fn name_of_package(path: &str) -> &str {
    let is_version = |part: &str| part.strip_prefix('v').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    let last = path.rsplit('/').find(|part| !is_version(part)).unwrap_or(path);
    last.strip_prefix("go-").unwrap_or(last).split(".v").next().unwrap_or(last)
}

/// A type with each of its names replaced.
fn replace_words(kind: &str, new: impl Fn(&str) -> Option<String>) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
    let (mut text, mut rest) = (String::with_capacity(kind.len()), kind);
    while let Some(at) = rest.find(is_word) {
        text.push_str(&rest[..at]);
        let end = rest[at..].find(|c| !is_word(c)).map_or(rest.len(), |end| at + end);
        let word = &rest[at..end];
        let is_number = word.starts_with(|c: char| c.is_ascii_digit()) || word.starts_with("...");
        text.push_str(&if is_number { word.to_owned() } else { new(word)? });
        rest = &rest[end..];
    }
    text.push_str(rest);
    Some(text)
}

/// A type that one file of Go writes, as another one writes it. `folder` is that of the first, or the path of its
/// package, if both are not in one package. `None` if the other file cannot name it with its imports.
pub fn respell_go_type(kind: &str, (from, to): (&str, &str), folder: Option<&str>) -> Option<String> {
    let (theirs, own) = (GoImports::read(from), GoImports::read(to));
    if kind.contains(['{', '\n']) {
        return None;
    }
    replace_words(kind, |word| match (word.split_once('.'), folder) {
        (Some((package, name)), _) => Some(format!("{}.{name}", own.name_of(theirs.path_of(package)?)?)),
        (None, None) => Some(word.to_owned()),
        (None, Some(_)) if BUILT_IN.contains(&word) => Some(word.to_owned()),
        (None, Some(folder)) if word.starts_with(char::is_uppercase) => {
            Some(format!("{}.{word}", own.name_of_folder(folder)?))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_functions_methods_fields_and_types() {
        let rows = [
            ("net/http.NewRequest()", "*net/http.Request|error"),
            ("net/http.Request.URL", "*net/url.URL"),
            ("time.Time.Sub()", "time.Duration"),
            ("net/http.Header", "map[string][]string"),
            ("io.Reader", "interface"),
        ];
        for (name, kind) in rows {
            assert_eq!(find_std(name), Some(kind), "{name}");
        }
    }

    #[test]
    fn types_are_written_with_the_imports_of_the_other_file() {
        let from = "package a\nimport (\n\th \"net/http\"\n)\n";
        let to = "package b\nimport \"net/http\"\nimport x \"m.org/p/a\"\n";
        let rows = [
            ("map[string]*h.Request", None, Some("map[string]*http.Request")),
            ("[]*Box", Some("a"), Some("[]*x.Box")),
            ("[]*Box", None, Some("[]*Box")),
            ("*box", Some("a"), None),
            ("json.Decoder", None, None),
            ("*Box", Some("m.org/p/a"), Some("*x.Box")),
            ("*Box", Some("m.org/p"), None),
        ];
        for (kind, folder, expected) in rows {
            assert_eq!(respell_go_type(kind, (from, to), folder).as_deref(), expected, "{kind}");
        }
    }
}
