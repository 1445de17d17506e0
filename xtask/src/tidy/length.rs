//! Limits the length of files and functions.

use super::Source;

/// Maximum lines of a file.
const FILE_LINES: usize = 1_000;
/// Number of lines above which a hint is printed.
const LONG_FILE_LINES: usize = 800;
/// Maximum lines of a function, from its signature to its last brace.
const FUNCTION_LINES: usize = 100;

pub(super) fn check(source: &Source) -> Vec<String> {
    if !source.is_rust() {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    let count = source.text.lines().count();
    if count > FILE_LINES {
        complaints.push(format!("{}: {count} lines, at most {FILE_LINES}; split it", source.path));
    } else if count > LONG_FILE_LINES {
        println!("hint: {} has {count} lines; from {FILE_LINES} on it has to be split", source.path);
    }
    for (name, line, length) in functions(&source.text) {
        if length > FUNCTION_LINES {
            complaints.push(format!("{}:{line}: `{name}` has {length} lines, at most {FUNCTION_LINES}", source.path));
        }
    }
    complaints
}

/// Name, first line and number of lines of each function. Relies on rustfmt's layout: a function ends at the first
/// closing brace with the indentation of its first line.
pub(super) fn functions(text: &str) -> Vec<(&str, usize, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let is_end = |line: &&&str| {
            line.strip_prefix(indent).is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with(' '))
        };
        let ends_at_once = line.ends_with('}') || line.ends_with(';');
        let length =
            if ends_at_once { 1 } else { lines[start + 1..].iter().take_while(|line| !is_end(line)).count() + 2 };
        functions.push((name, start + 1, length));
    }
    functions
}

/// Name of the function that starts on this line.
fn function_name(line: &str) -> Option<&str> {
    const BEFORE: &[&str] =
        &["pub", "pub(crate)", "pub(super)", "pub(in", "const", "async", "unsafe", "extern", "\"C\""];
    // `pub(in crate::eval) fn` is two words.
    let is_before = |word: &&str| BEFORE.contains(word) || word.starts_with("crate") && word.ends_with(')');
    let mut words = line.trim_start().split(' ').skip_while(is_before);
    let name = (words.next() == Some("fn")).then(|| words.next())??;
    name.split(['(', '<']).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_their_lengths() {
        let text = "fn one() {}\n\nimpl A {\n    pub(crate) const fn two<T>(\n        a: T,\n    ) -> T {\n        a\n    }\n\n    pub(in crate::eval) fn three(&self);\n}\n\n// fn none() {\nfn four() {\n    if true {\n    }\n}\n";
        assert_eq!(functions(text), [("one", 1, 1), ("two", 4, 5), ("three", 10, 1), ("four", 14, 4)]);
    }

    #[test]
    fn long_ones_are_complained_about() {
        let source = |lines: usize| Source {
            path: "crates/x/src/y.rs".to_owned(),
            text: format!("fn long() {{\n{}}}\n", "    x();\n".repeat(lines)),
        };
        assert!(check(&source(FUNCTION_LINES - 2)).is_empty());
        assert_eq!(check(&source(FUNCTION_LINES - 1)).len(), 1);
        assert_eq!(check(&source(FILE_LINES)).len(), 2);
    }
}
