//! Zones of a long text: an issue, a report, a commit message. Words in the title or in code spans are better hints
//! than words in a listing, a version table or a form heading.

/// Kind of a zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Zone {
    /// The first line.
    Title,
    /// Code inside a sentence.
    Span,
    /// The message of an error.
    Error,
    /// Prose.
    Prose,
    /// A code block or a shell session.
    Code,
    /// A stack frame and the source line it shows.
    Trace,
    /// Headings, versions, addresses.
    Noise,
}

impl Zone {
    /// Weight of a word in this zone.
    pub(crate) const fn weight(self) -> f64 {
        match self {
            Self::Title => 1.0,
            Self::Span => 0.7,
            Self::Error => 0.6,
            Self::Prose => 0.45,
            Self::Code => 0.3,
            Self::Trace => 0.25,
            Self::Noise => 0.1,
        }
    }
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) zone: Zone,
    pub(crate) text: &'a str,
}

/// Maximum bytes of a text that are read.
pub(crate) const MAX_TEXT: usize = 64 << 10;

/// Splits a text into zones, in order. A single-line text is a title.
pub(crate) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let mut state = State::default();
    let mut pieces = Vec::new();
    for line in text.lines() {
        state.line(line.trim_end(), &mut pieces);
    }
    pieces
}

#[derive(Debug, Default)]
struct State {
    titled: bool,
    /// Inside a fenced code block.
    fenced: bool,
    /// Inside an HTML comment.
    hidden: bool,
    /// The previous line was a stack frame.
    frame: bool,
}

impl State {
    fn line<'a>(&mut self, line: &'a str, pieces: &mut Vec<Piece<'a>>) {
        let bare = line.trim_start();
        if bare.is_empty() {
            return;
        }
        if self.hidden || bare.starts_with("<!--") {
            self.hidden = !bare.contains("-->");
            return;
        }
        if bare.starts_with("```") || bare.starts_with("~~~") {
            self.fenced = !self.fenced;
            return;
        }
        if !self.titled {
            self.titled = true;
            pieces.push(Piece { zone: Zone::Title, text: bare.trim_start_matches('#') });
            return;
        }
        let after_frame = std::mem::take(&mut self.frame);
        if is_frame(bare) {
            self.frame = true;
            pieces.push(Piece { zone: Zone::Trace, text: bare });
        } else if is_error(bare) {
            pieces.push(Piece { zone: Zone::Error, text: bare });
        } else if after_frame && line.len() - bare.len() >= 4 {
            pieces.push(Piece { zone: Zone::Trace, text: bare });
        } else if self.fenced || is_session(bare) || line.len() - bare.len() >= 4 && !is_list(bare) {
            pieces.push(Piece { zone: Zone::Code, text: bare });
        } else if is_noise(bare) {
            pieces.push(Piece { zone: Zone::Noise, text: bare });
        } else {
            spans(bare, pieces);
        }
    }
}

/// Sentences and the code spans in them.
fn spans<'a>(line: &'a str, pieces: &mut Vec<Piece<'a>>) {
    for (number, text) in line.split('`').enumerate() {
        let zone = if number % 2 == 1 { Zone::Span } else { Zone::Prose };
        if !text.trim().is_empty() {
            pieces.push(Piece { zone, text });
        }
    }
}

fn is_list(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ")
}

fn is_session(line: &str) -> bool {
    [">>> ", "... ", "In [", "Out[", "$ ", "irb>", "> let ", "% "].iter().any(|prompt| line.starts_with(prompt))
}

/// Returns whether a line is a stack frame that names a location.
pub(crate) fn is_frame(line: &str) -> bool {
    if line.starts_with("Traceback (most") {
        return true;
    }
    if line.starts_with("File \"") && line.contains(", line ") {
        return true;
    }
    let numbered = line.split_once(':').is_some_and(|(head, rest)| {
        !head.is_empty() && head.bytes().all(|b| b.is_ascii_digit()) && rest.starts_with(' ') && rest.contains("::")
    });
    let at = line.strip_prefix("at ").is_some_and(|rest| rest.contains(':') || rest.contains('('));
    numbered || at || place(line).is_some_and(|(_, _, rest)| rest.is_empty() || rest.starts_with(": in "))
}

/// A path with a line number at the start of a text: path, line, rest.
pub(crate) fn place(text: &str) -> Option<(&str, u32, &str)> {
    let (path, rest) = text.split_once(':')?;
    let looks = path.contains('.') && !path.contains(' ') && path.len() > 2;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let line = rest.get(..digits)?.parse().ok()?;
    let mut rest = &rest[digits..];
    // A column may follow.
    if let Some(column) = rest.strip_prefix(':') {
        let digits = column.bytes().take_while(u8::is_ascii_digit).count();
        rest = if digits > 0 { &column[digits..] } else { rest };
    }
    looks.then_some((path, line, rest))
}

/// Returns whether the line is an error message: `ValueError: …`, `panicked at …`.
fn is_error(line: &str) -> bool {
    let line = line.strip_prefix("E ").map_or(line, str::trim_start);
    let head = line.split([':', ' ', '(']).next().unwrap_or("");
    let named = ["Error", "Exception", "Warning", "Failure", "Fault"].iter().any(|end| head.ends_with(end));
    let spoken = head.len() > 5 && named && line[head.len()..].starts_with(':');
    spoken || line.contains("panicked at") || line.starts_with("error: ") || line.starts_with("error[")
}

/// Returns whether the line is a form heading, a version, or part of an environment table.
fn is_noise(line: &str) -> bool {
    if line.starts_with('#') || line.starts_with("![") || line.starts_with("<img") || line.starts_with("- [") {
        return true;
    }
    if line.starts_with("**") && line.trim_end_matches([':', ' ']).ends_with("**") {
        return true;
    }
    let item = line.trim_start_matches(['-', '*', ' ', '|']);
    let value = item.split_once([':', '=']).map(|(key, value)| (key, value.trim_start_matches(['=', ' ', 'v'])));
    value.is_some_and(|(key, value)| {
        key.len() <= 24
            && value.len() <= 40
            && value.bytes().next().is_some_and(|b| b.is_ascii_digit())
            && value.contains('.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issue_is_taken_apart() {
        let text = "Plot fails\n### Describe the bug\nCalling `plot(x)` raises.\n```python\n>>> plot(1)\nTraceback (most \
                    recent call last):\n  File \"a/b.py\", line 3, in plot\n    return draw(x)\nValueError: no axis\n```\n- \
                    numpy: 1.17.0\n<!-- hidden\nstill -->\nThe end.";
        let found: Vec<(Zone, &str)> = pieces(text).iter().map(|piece| (piece.zone, piece.text.trim())).collect();
        assert_eq!(
            found,
            [
                (Zone::Title, "Plot fails"),
                (Zone::Noise, "### Describe the bug"),
                (Zone::Prose, "Calling"),
                (Zone::Span, "plot(x)"),
                (Zone::Prose, "raises."),
                (Zone::Code, ">>> plot(1)"),
                (Zone::Trace, "Traceback (most recent call last):"),
                (Zone::Trace, "File \"a/b.py\", line 3, in plot"),
                (Zone::Trace, "return draw(x)"),
                (Zone::Error, "ValueError: no axis"),
                (Zone::Noise, "- numpy: 1.17.0"),
                (Zone::Prose, "The end."),
            ]
        );
    }

    #[test]
    fn places_have_a_path_and_a_line() {
        assert_eq!(place("src/a.rs:12:5"), Some(("src/a.rs", 12, "")));
        assert_eq!(place("src/a.py:12: in load"), Some(("src/a.py", 12, ": in load")));
        assert_eq!(place("note: see"), None);
        assert!(is_frame("at Object.load (/x/a.js:1:2)") && !is_frame("see a.py"));
    }
}
