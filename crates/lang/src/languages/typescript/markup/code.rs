//! Code that stands for the markup of a component: expressions as they are written, joined by statements that give
//! them the scopes they have there. Every byte leads back to its place in the file.

use std::ops::Range;

use m1nd_base::Problem;

/// Part of the code that was copied from the file, or stands for something written there.
#[derive(Debug, Clone, Copy)]
struct Piece {
    /// Where it starts in the code.
    start: usize,
    /// Where it starts in the file.
    place: usize,
    /// Number of bytes that are the same as in the file; 0 if it only stands for what is written there.
    copied: usize,
}

/// Code made of markup.
#[derive(Debug)]
pub(in super::super) struct Code<'a> {
    file: &'a str,
    text: String,
    pieces: Vec<Piece>,
}

/// Escapes that an attribute of markup may write its value with.
const ESCAPES: &[(&str, &str)] =
    &[("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'")];

impl<'a> Code<'a> {
    /// Code of a file, in a block of its own: what it declares is not visible outside.
    pub(super) fn new(file: &'a str) -> Self {
        Self { file, text: "{\n".to_owned(), pieces: Vec::new() }
    }

    /// The text of a part of the file.
    pub(super) fn at(&self, range: &Range<usize>) -> &'a str {
        self.file.get(range.clone()).unwrap_or("")
    }

    /// A part of the file without white space around it.
    pub(super) fn trim_range(&self, range: &Range<usize>) -> Range<usize> {
        let text = self.at(range);
        let start = range.start + (text.len() - text.trim_start().len());
        start..start + text.trim().len()
    }

    /// Adds text that is not in the file.
    pub(super) fn add(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds a part of the file as it is written, escapes replaced.
    pub(super) fn copy(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let rest = self.at(&(at..range.end));
            let next = ESCAPES.iter().filter_map(|row| rest.find(row.0).map(|place| (place, row))).min();
            let plain = next.map_or(rest.len(), |(place, _)| place);
            if plain > 0 {
                self.pieces.push(Piece { start: self.text.len(), place: at, copied: plain });
                self.text.push_str(&rest[..plain]);
            }
            at += plain;
            if let Some((_, (written, meant))) = next {
                self.stand_for(meant, at);
                at += written.len();
            }
        }
    }

    /// Adds text for something that is written differently at a place of the file.
    pub(super) fn stand_for(&mut self, text: &str, place: usize) {
        self.pieces.push(Piece { start: self.text.len(), place, copied: 0 });
        self.text.push_str(text);
    }

    /// Adds a statement that evaluates an expression; nothing if there is none.
    pub(super) fn evaluate(&mut self, range: &Range<usize>) {
        let range = self.trim_range(range);
        if !is_blank(self.at(&range)) {
            self.add("(");
            self.copy(range);
            // On a line of its own: the expression may end with a comment.
            self.add("\n);\n");
        }
    }

    /// Adds a call of what an expression names, with arguments that are not known.
    pub(super) fn call(&mut self, range: Range<usize>) {
        self.copy(range);
        self.add("(...[]);\n");
    }

    /// Adds a call of a component that is given properties: the value it makes is asked for each of them. Each is the
    /// name and the place that it is written at.
    pub(super) fn call_component(&mut self, add_name: impl FnOnce(&mut Self), properties: &[(String, usize)]) {
        let properties = properties.iter().filter(|(name, _)| is_name(name));
        let properties: Vec<&(String, usize)> = properties.collect();
        if properties.is_empty() {
            add_name(self);
            return self.add("(...[]);\n");
        }
        self.add("{const {");
        for (name, place) in properties {
            self.stand_for(name, *place);
            self.add(": _, ");
        }
        self.add("} = ");
        add_name(self);
        self.add("(...[]);}\n");
    }

    /// Adds an event handler: a path is called with the event, anything else is evaluated.
    pub(super) fn handle(&mut self, range: &Range<usize>) {
        let range = self.trim_range(range);
        if is_path(self.at(&range)) { self.call(range) } else { self.evaluate(&range) }
    }

    /// The code, closed, and the way back to the file. `None` if there is none.
    pub(in super::super) fn finish(mut self) -> Option<(String, Places)> {
        self.text.push_str("}\n");
        let lines = std::iter::once(0).chain(self.file.match_indices('\n').map(|(at, _)| at + 1)).collect();
        (!self.pieces.is_empty()).then_some((self.text, Places { pieces: self.pieces, lines }))
    }
}

/// Returns whether code is nothing but comments.
fn is_blank(mut code: &str) -> bool {
    loop {
        code = code.trim_start();
        let (rest, end) = match (code.strip_prefix("/*"), code.strip_prefix("//")) {
            (Some(rest), _) => (rest, "*/"),
            (_, Some(rest)) => (rest, "\n"),
            _ => return code.is_empty(),
        };
        code = rest.split_once(end).map_or("", |(_, rest)| rest);
    }
}

/// Returns whether a text is a name.
fn is_name(text: &str) -> bool {
    is_path(text) && text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
}

/// Returns whether an expression is a name or a way through members: `a`, `a.b`, `a?.b`, `a['b']`.
pub(super) fn is_path(text: &str) -> bool {
    let starts = text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '$'));
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '?' | '[' | ']' | '\'' | '"');
    starts && text.chars().all(goes_on) && !matches!(text, "true" | "false" | "null" | "undefined" | "this")
}

/// Where code that was made of markup stands in the file.
#[derive(Debug)]
pub(in super::super) struct Places {
    pieces: Vec<Piece>,
    /// Where each line of the file starts.
    lines: Vec<usize>,
}

impl Places {
    /// The place in the file of a byte of the code; between two pieces the end of the one before.
    pub(in super::super) fn byte(&self, of: usize) -> usize {
        let index = self.pieces.partition_point(|piece| piece.start <= of);
        match index.checked_sub(1).map(|index| self.pieces[index]) {
            Some(piece) => piece.place + (of - piece.start).min(piece.copied),
            None => self.pieces.first().map_or(0, |piece| piece.place),
        }
    }

    /// A problem of the code at its place in the file.
    pub(in super::super) fn of(&self, code: &str, mut problem: Problem) -> Problem {
        if problem.line > 0 {
            let before = code.split_inclusive('\n').take(problem.line as usize - 1).map(str::len).sum();
            problem.line = self.line(self.byte(before));
        }
        problem
    }

    /// The 1-based line of a byte of the file.
    pub(in super::super) fn line(&self, byte: usize) -> u32 {
        self.lines.partition_point(|&start| start <= byte) as u32
    }

    /// Where a line of the file starts.
    pub(in super::super) fn line_start(&self, line: u32) -> usize {
        self.lines.get((line as usize).saturating_sub(1)).copied().unwrap_or(0)
    }
}

/// The code that markup becomes, on one line.
#[cfg(test)]
pub(super) fn print_code(text: &str, add: impl FnOnce(&mut Code<'_>)) -> String {
    let mut code = Code::new(text);
    add(&mut code);
    let code = code.finish().map_or_else(String::new, |(code, _)| code);
    let inside = code.strip_prefix("{\n").and_then(|code| code.strip_suffix("}\n"));
    inside.unwrap_or("").replace('\n', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_leads_back() {
        let file = "<p :a=\"b &amp;&amp; c\">\n{{ d }}";
        let mut code = Code::new(file);
        code.evaluate(&(7..21));
        code.evaluate(&(26..29));
        let (text, places) = code.finish().expect("it has code");
        assert_eq!(text, "{\n(b && c\n);\n(d\n);\n}\n");
        for (name, line, place) in [("b", 1, 7), ("c", 1, 20), ("d", 2, 27)] {
            let byte = places.byte(text.find(name).expect("it is there"));
            assert_eq!((byte, places.line(byte)), (place, line), "{name}");
        }
    }

    #[test]
    fn paths_are_told_from_expressions() {
        for path in ["a", "a.b", "a?.b", "a['b']", "$emit"] {
            assert!(is_path(path), "{path}");
        }
        for other in ["a()", "a => b", "1", "a + b", "true", ""] {
            assert!(!is_path(other), "{other}");
        }
    }
}
