//! Manual pages in roff: the macros of `man` and `mdoc` that structure text.

use crate::Unreadable;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::text::lines;

/// Whether a text is a manual page.
pub(super) fn is(_name: &str, text: &str) -> bool {
    text.lines().take(200).any(|line| line.starts_with(".TH ") || line.starts_with(".Dd ") || line.starts_with(".SH "))
}

/// Reads a page.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let mut state = State::default();
    for line in lines(text) {
        let Some(request) = line.text.strip_prefix(['.', '\'']) else {
            state.words(&plain(line.text), line.number);
            continue;
        };
        let (name, rest) = request.trim_start().split_once(' ').unwrap_or((request.trim(), ""));
        state.request(name, rest.trim(), line.number, draft);
    }
    state.flush(draft);
    Ok(())
}

#[derive(Default)]
struct State {
    text: String,
    from: u32,
    to: u32,
    verbatim: bool,
    item: bool,
}

impl State {
    fn words(&mut self, words: &str, line: u32) {
        if self.text.is_empty() {
            self.from = line;
        }
        self.to = line;
        self.text.push_str(words);
        self.text.push('\n');
    }

    fn flush(&mut self, draft: &mut Draft<'_>) {
        let kind = match (self.verbatim, std::mem::take(&mut self.item)) {
            (true, _) => BlockKind::Code,
            (_, true) => BlockKind::Item,
            _ => BlockKind::Paragraph,
        };
        let text = std::mem::take(&mut self.text);
        draft.block(kind, &text, None, (self.from, self.to));
    }

    fn request(&mut self, name: &str, rest: &str, line: u32, draft: &mut Draft<'_>) {
        match name {
            // The title of the page; `Dt` and the like are of mdoc.
            "TH" | "Dt" => {
                let title: Vec<String> = arguments(rest);
                if let Some(name) = title.first() {
                    draft.metadata().title = Some(match title.get(1) {
                        Some(section) => format!("{name}({section})"),
                        None => name.clone(),
                    });
                }
            }
            // What begins a section, a paragraph or an item.
            "SH" | "Sh" | "SS" | "Ss" => {
                self.flush(draft);
                let level = if name.eq_ignore_ascii_case("sh") { 1 } else { 2 };
                draft.heading(level, &arguments(rest).join(" "), line);
            }
            "PP" | "P" | "LP" | "Pp" | "sp" | "HP" | "RS" | "RE" => self.flush(draft),
            "TP" | "IP" | "It" | "TQ" => {
                self.flush(draft);
                self.item = true;
                let words = arguments(rest).join(" ");
                if !words.is_empty() && words != "\u{2022}" && words != "*" {
                    self.flag(&words, line, draft);
                    self.words(&words, line);
                }
            }
            // Lines that stay as they are.
            "nf" | "EX" | "Bd" => {
                self.flush(draft);
                self.verbatim = true;
            }
            "fi" | "EE" | "Ed" => {
                self.flush(draft);
                self.verbatim = false;
            }
            // Words in a face: two letters join their words without a blank. Bold ones may be flags.
            "B" | "I" | "BR" | "IR" | "RB" | "RI" | "BI" | "IB" | "R" | "SM" | "SB" => {
                let parts = arguments(rest);
                let words = if name.len() == 1 { parts.join(" ") } else { parts.concat() };
                if name.starts_with('B') {
                    self.flag(&words, line, draft);
                }
                self.words(&words, line);
            }
            "Nm" | "Fl" | "Ar" | "Op" | "Nd" | "Xr" | "Pa" | "Ev" | "Cm" | "Li" | "Sy" | "Em" => {
                let words = arguments(rest).join(" ");
                let words = if name == "Fl" { format!("-{words}") } else { words };
                self.flag(&words, line, draft);
                self.words(&words, line);
            }
            _ => {}
        }
    }

    /// Notes options and paths among words in bold.
    fn flag(&self, words: &str, line: u32, draft: &mut Draft<'_>) {
        for word in words.split([' ', ',', '=']).filter(|word| word.starts_with('-') || word.contains('/')) {
            draft.code(word, line);
        }
    }
}

/// Arguments of a request: words, or texts in quotation marks.
fn arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(inner) => inner.split_once('"').unwrap_or((inner, "")),
            None => {
                // A blank behind a backslash belongs to the word.
                let end = rest.char_indices().find(|&(at, c)| c == ' ' && !rest[..at].ends_with('\\'));
                rest.split_at(end.map_or(rest.len(), |(at, _)| at))
            }
        };
        found.push(plain(word));
        rest = after.trim_start();
    }
    found
}

/// A text without escapes.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            // Faces and sizes are dropped.
            Some('f') => match chars.next() {
                Some('(') => _ = chars.by_ref().nth(1),
                Some('[') => _ = chars.by_ref().find(|c| *c == ']'),
                _ => {}
            },
            Some('-') => out.push('-'),
            Some('e' | '\\') => out.push('\\'),
            // Characters by name.
            Some('(') => {
                let name: String = chars.by_ref().take(2).collect();
                out.push_str(match name.as_str() {
                    "bu" => "\u{2022}",
                    "aq" | "cq" | "oq" => "'",
                    "dq" | "lq" | "rq" => "\"",
                    "em" => "—",
                    "en" => "–",
                    "co" => "©",
                    _ => "",
                });
            }
            Some('[') => _ = chars.by_ref().find(|c| *c == ']'),
            Some('*') => match chars.next() {
                Some('(') => _ = chars.by_ref().nth(1),
                Some('[') => _ = chars.by_ref().find(|c| *c == ']'),
                _ => {}
            },
            Some('s') => {
                let mut rest = chars.clone();
                while rest.next().is_some_and(|c| c.is_ascii_digit() || matches!(c, '+' | '-')) {
                    chars.next();
                }
            }
            // A comment, up to the end of the line.
            Some('"') => break,
            Some(' ' | '~' | '0') => out.push(' '),
            Some('&' | '%' | '/' | ',' | '|' | '^' | ':' | 'c' | ')') | None => {}
            Some(c) => out.push(c),
        }
    }
    out
}
