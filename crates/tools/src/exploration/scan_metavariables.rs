//! Patterns with metavariables (`$X.unwrap()`, `run($$$)`), as ast-grep and similar tools write them. `scan` does not read them,
//! and as a regular expression they would mean something else, mostly nothing: `$` is the end of a line there.

/// A piece of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'p> {
    /// `$NAME`, one node of the code.
    One(&'p str),
    /// `$$$` or `$$$NAME`, any number of them.
    Many(&'p str),
    /// Text as it is.
    Text(&'p str),
}

/// The first metavariable of a pattern, if it has one. `\$` and `[$]` are none: there `$` is the sign itself.
pub(super) fn first_metavariable(pattern: &str) -> Option<&str> {
    let (mut escaped, mut class) = (false, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => class = true,
            ']' => class = false,
            '$' if !class => match piece_at(&pattern[at..]) {
                Piece::One(text) | Piece::Many(text) => return Some(text),
                Piece::Text(_) => {}
            },
            _ => {}
        }
    }
    None
}

/// The regular expression that comes nearest: a metavariable is a name or a chain of names, several are anything in the line.
pub(super) fn as_expression(pattern: &str) -> String {
    let mut expression = String::new();
    let mut rest = pattern;
    while !rest.is_empty() {
        let piece = piece_at(rest);
        let (text, written) = match piece {
            Piece::One(text) => (text, r"[\w.]+".to_owned()),
            Piece::Many(text) => (text, ".*".to_owned()),
            Piece::Text(text) => (text, escaped(text)),
        };
        expression += &written;
        rest = &rest[text.len()..];
    }
    expression
}

/// The piece that a text, which is not empty, begins with.
fn piece_at(text: &str) -> Piece<'_> {
    let name = |from: usize| {
        let rest = &text[from..];
        let begins = rest.starts_with(|c: char| c.is_ascii_uppercase() || c == '_');
        let is_name = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let end = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
        // `$Xy` is no metavariable.
        let is_whole = !rest[end..].starts_with(|c: char| c.is_ascii_lowercase());
        (begins && is_whole).then_some(from + end)
    };
    if text.starts_with("$$$") {
        return Piece::Many(&text[..name(3).unwrap_or(3)]);
    }
    if let Some(end) = text.strip_prefix('$').and_then(|_| name(1)) {
        return Piece::One(&text[..end]);
    }
    let first = text.chars().next().map_or(0, char::len_utf8);
    Piece::Text(&text[..text[first..].find('$').map_or(text.len(), |at| first + at)])
}

fn escaped(text: &str) -> String {
    let mut written = String::new();
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            written.push('\\');
        }
        written.push(c);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metavariables_and_what_is_none() {
        let cases = [
            ("$X.unwrap()", Some("$X")),
            ("foo($$$)", Some("$$$")),
            ("foo($$$ARGS)", Some("$$$ARGS")),
            ("if ($_) { $BODY2 }", Some("$_")),
            (r"\$X", None),
            ("[$A-Z]+", None),
            ("x$", None),
            ("^$", None),
            ("$this->x", None),
            ("$Name", None),
            ("end$|$", None),
        ];
        for (pattern, expected) in cases {
            assert_eq!(first_metavariable(pattern), expected, "{pattern}");
        }
    }

    #[test]
    fn the_nearest_expression() {
        let cases = [
            ("$X.unwrap()", r"[\w.]+\.unwrap\(\)"),
            ("foo($$$)", r"foo\(.*\)"),
            ("foo($A, $$$REST)", r"foo\([\w.]+, .*\)"),
            ("a[$I] = $_ + é", r"a\[[\w.]+\] = [\w.]+ \+ é"),
            ("$", r"\$"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(as_expression(pattern), expected, "{pattern}");
        }
    }
}
