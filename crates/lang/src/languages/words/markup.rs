//! Names in pages, templates, components and files of elements: attributes, what a template computes, scripts. Prose
//! between the elements names no code.

use std::ops::Range;

use super::files::find;
use super::{Finder, WordPlace, code, is_word, literals, word_end};
use crate::Language;

/// What stands around code in a template; of marks with a common start, the longest comes first.
const HOLES: &[(&str, &str)] = &[
    ("{{--", "--}}"),
    ("{{!--", "--}}"),
    ("{{", "}}"),
    ("{%", "%}"),
    ("{!!", "!!}"),
    ("{#", "#}"),
    ("<%--", "--%>"),
    ("<%#", "%>"),
    ("<%", "%>"),
    ("<?", "?>"),
    ("${", "}"),
    ("#{", "}"),
    ("@{", "}"),
    ("*{", "}"),
    ("@(", ")"),
    ("<!--", "-->"),
];
/// Beginnings of holes that hold comments.
const COMMENTS: &[&str] = &["{{--", "{{!--", "{#", "<%--", "<%#", "<!--"];
/// Holes that a script in a page may have: the others are signs of its own.
const IN_SCRIPTS: &[&str] = &["{{", "{%", "<%", "<?"];
/// Words of template languages that stand first between `{%` and `%}`.
const TAGS: &[&str] = &[
    "apply", "assign", "autoescape", "block", "blocktrans", "blocktranslate", "break", "call", "capture", "case",
    "comment", "continue", "csrf_token", "cycle", "debug", "do", "elif", "else", "elseif", "embed", "endapply",
    "endautoescape", "endblock", "endblocktrans", "endblocktranslate", "endcache", "endcall", "endcapture", "endcase",
    "endcomment", "endembed", "endfilter", "endfor", "endif", "endifchanged", "endmacro", "endraw", "endset",
    "endspaceless", "endtrans", "endunless", "endverbatim", "endwith", "extends", "filter", "firstof", "for",
    "form_theme", "from", "if", "ifchanged", "import", "include", "layout", "load", "lorem", "macro", "now", "partial",
    "raw", "regroup", "render", "resetcycle", "section", "set", "spaceless", "static", "tablerow", "templatetag",
    "trans", "translate", "unless", "url", "use", "verbatim", "when", "widthratio", "with",
];
/// Attributes of pages whose value names no code.
const PLAIN: &[&str] = &[
    "alt", "autocomplete", "charset", "class", "content", "crossorigin", "for", "height", "href", "hreflang", "id",
    "integrity", "lang", "media", "method", "name", "placeholder", "property", "rel", "role", "scope", "sizes", "src",
    "style", "target", "title", "type", "value", "width", "xmlns",
];
/// Prefixes of attributes whose values are expressions.
const BINDINGS: &[&str] = &["v-", "x-", "ng-", "th:", "hx-on", "bind:", "on:", "wire:", "asp-", "phx-"];
/// Longest hole or attribute that is read, in bytes.
const MAX_HOLE: usize = 16 << 10;
/// Bytes that are looked through in vain for an end, for each byte of a text; with [`LOST_ANYWAY`] for a short one.
const LOST_PER_BYTE: usize = 16;
const LOST_ANYWAY: usize = 1 << 20;

/// Adds the names of a text with elements. `all`: the value of any attribute and the text of an element may be a name,
/// which is so in files for programs but not in pages.
pub(super) fn scan(text: &str, all: bool, finder: &mut Finder<'_>) {
    let (language, braces) = (Language::JavaScript, false);
    let place = WordPlace::Text;
    Markup { bytes: text.as_bytes(), text, all, braces, language, place, left: budget(text), finder }.scan();
}

/// Adds the names of a component: a page whose scripts and expressions are one program.
pub(super) fn scan_component(language: Language, text: &str, finder: &mut Finder<'_>) {
    let braces = matches!(language, Language::Svelte | Language::Astro);
    let place = WordPlace::Code;
    Markup { bytes: text.as_bytes(), text, all: false, braces, language, place, left: budget(text), finder }.scan();
}

/// Bytes that are looked through in vain behind marks that nothing closes.
fn budget(text: &str) -> usize {
    LOST_PER_BYTE * text.len() + LOST_ANYWAY
}

struct Markup<'t, 'f, 'a> {
    text: &'t str,
    bytes: &'t [u8],
    all: bool,
    /// Code stands in single braces.
    braces: bool,
    /// Language of the expressions.
    language: Language,
    /// What the expressions may name.
    place: WordPlace,
    /// Bytes that may still be looked through in vain for an end.
    left: usize,
    finder: &'a mut Finder<'f>,
}

impl Markup<'_, '_, '_> {
    fn scan(&mut self) {
        let mut at = 0;
        while at < self.bytes.len() {
            at = self.step(at);
        }
    }

    /// Reads what begins at a byte, outside of all elements; returns where the next thing begins.
    fn step(&mut self, at: usize) -> usize {
        if let Some(end) = self.hole(at) {
            return end;
        }
        match self.bytes[at] {
            b'<' if self.bytes.get(at + 1).is_some_and(|byte| is_word(*byte)) => self.element(at),
            b'@' if at == 0 || !is_word(self.bytes[at - 1]) => self.razor(at),
            _ if self.all && is_word(self.bytes[at]) => self.value_of_element(at),
            _ => at + 1,
        }
    }

    /// Reads code of a template that begins at a byte, if any does.
    fn hole(&mut self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        if self.braces && rest[0] == b'{' {
            let end = self.end_of_brackets(at, b'{', b'}');
            self.code(at + 1..end);
            return Some(end + 1);
        }
        let (open, close) = HOLES.iter().find(|(open, _)| rest.starts_with(open.as_bytes()))?;
        let start = at + open.len();
        if COMMENTS.contains(open) {
            // One that nothing closes goes to the end.
            let end = find(self.bytes, start..self.bytes.len(), close);
            return Some(end.map_or(self.bytes.len(), |end| end + close.len()));
        }
        let end = self.find_end(start, close)?;
        let from = if *open == "{%" { self.behind_tag(start, end) } else { start };
        self.code(from..end);
        Some(end + close.len())
    }

    /// Where a text stands behind a place, if it is near.
    fn find_end(&mut self, start: usize, close: &str) -> Option<usize> {
        let limit = self.bytes.len().min(start + MAX_HOLE.min(self.left));
        let end = find(self.bytes, start.min(limit)..limit, close);
        if end.is_none() {
            self.left = self.left.saturating_sub(limit.saturating_sub(start));
        }
        end
    }

    /// Where the code of a statement of a template begins: behind the word of the language that it is.
    fn behind_tag(&self, start: usize, end: usize) -> usize {
        let spaces = self.bytes[start..end].iter().take_while(|byte| !is_word(**byte)).count();
        let word = start + spaces..word_end(self.bytes, start + spaces).min(end);
        let is_tag = self.text.get(word.clone()).is_some_and(|word| TAGS.contains(&word));
        if is_tag { word.end } else { start }
    }

    fn code(&mut self, part: Range<usize>) {
        code::scan(self.language, part, self.place, self.finder);
    }

    /// `@name(…)` and `@a.b` of Razor and Blade.
    fn razor(&mut self, at: usize) -> usize {
        let length = self.bytes[at + 1..].iter().take_while(|byte| is_word(**byte) || **byte == b'.').count();
        let end = at + 1 + length;
        let is_called = self.bytes.get(end) == Some(&b'(');
        let close = if is_called { self.end_of_brackets(end, b'(', b')') } else { end };
        self.code(at + 1..close);
        close.max(at + 1)
    }

    /// Where the bracket that opens at a place closes; the end of what is read of it if it does not.
    fn end_of_brackets(&mut self, open: usize, opening: u8, closing: u8) -> usize {
        let mut depth = 0_usize;
        let most = MAX_HOLE.min(self.left);
        for (at, byte) in self.bytes.iter().enumerate().skip(open).take(most) {
            match *byte {
                byte if byte == opening => depth += 1,
                byte if byte == closing && depth == 1 => return at,
                byte if byte == closing => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.left = self.left.saturating_sub(most);
        self.bytes.len().min(open + 1)
    }

    /// Reads an element's name and attributes. The content of a script is code.
    fn element(&mut self, at: usize) -> usize {
        let name_end = at + 1 + self.bytes[at + 1..].iter().take_while(|byte| is_tag(**byte)).count();
        let name = self.text.get(at + 1..name_end).unwrap_or_default();
        // Components and classes have names like types, or paths.
        if name.starts_with(|c: char| c.is_ascii_uppercase()) || self.all && name.contains('.') {
            literals::add_path(at + 1..name_end, self.place, self.finder);
        }
        let (is_script, is_style) = (name.eq_ignore_ascii_case("script"), name.eq_ignore_ascii_case("style"));
        let mut next = name_end;
        while next < self.bytes.len() && self.bytes[next] != b'>' {
            next = match self.hole(next) {
                Some(end) => end,
                None if begins_attribute(self.bytes[next]) => self.attribute(next),
                None if self.bytes[next] == b'<' => return next,
                None => next + 1,
            };
        }
        let end = (next + 1).min(self.bytes.len());
        if !is_script && !is_style {
            return end;
        }
        let close = if is_script { "</script" } else { "</style" };
        let inside = end..find(self.bytes, end..self.bytes.len(), close).unwrap_or(self.bytes.len());
        match self.place {
            _ if is_style => {}
            WordPlace::Code => self.code(inside.clone()),
            _ => self.script(inside.clone()),
        }
        inside.end
    }

    /// Reads a script of a page; what a template puts into it is not JavaScript.
    fn script(&mut self, part: Range<usize>) {
        let mut start = part.start;
        let mut at = start;
        while at < part.end {
            let rest = &self.bytes[at..part.end];
            if !IN_SCRIPTS.iter().any(|mark| rest.starts_with(mark.as_bytes())) {
                at += 1;
                continue;
            }
            code::scan(Language::JavaScript, start..at, WordPlace::Script, self.finder);
            at = self.hole(at).unwrap_or(at + 1).min(part.end);
            start = at;
        }
        code::scan(Language::JavaScript, start..part.end, WordPlace::Script, self.finder);
    }

    /// Reads an attribute with its value.
    fn attribute(&mut self, at: usize) -> usize {
        let is_part = |byte: &&u8| {
            !byte.is_ascii_whitespace() && !matches!(byte, b'=' | b'>' | b'/' | b'"' | b'\'' | b'<' | b'{')
        };
        let end = at + self.bytes[at..].iter().take_while(is_part).count();
        self.directive(at..end);
        let Some((start, close)) = self.value(end) else { return end.max(at + 1) };
        let name = self.text.get(at..end).unwrap_or_default().to_ascii_lowercase();
        let inside = self.bytes.get(start..close).unwrap_or_default();
        let has_hole =
            (0..inside.len()).any(|at| HOLES.iter().any(|(open, _)| inside[at..].starts_with(open.as_bytes())));
        let is_plain = PLAIN.contains(&name.as_str()) && !self.all;
        let is_expression = self.braces && self.bytes.get(start.saturating_sub(1)) == Some(&b'{')
            || name.starts_with("on")
            || name.starts_with(['@', ':', '(', '[', '*', '#'])
            || BINDINGS.iter().any(|prefix| name.starts_with(prefix));
        if has_hole {
            let mut next = start;
            while next < close {
                next = self.hole(next).unwrap_or(next + 1);
            }
            return next.max(close) + 1;
        }
        if is_expression {
            self.code(start..close);
        } else if !is_plain {
            literals::scan(start..close, WordPlace::Text, Some(WordPlace::Text), self.finder);
        }
        close + 1
    }

    /// The name behind the mark of a directive: `use:action`.
    fn directive(&mut self, key: Range<usize>) {
        let Some(at) = self.bytes[key.clone()].iter().position(|byte| *byte == b':') else { return };
        if matches!(&self.bytes[key.start..key.start + at], b"use" | b"transition" | b"in" | b"out" | b"animate") {
            let start = key.start + at + 1;
            let end = word_end(self.bytes, start).min(key.end);
            self.finder.add(start, end, self.place);
        }
    }

    /// The bytes of the value behind an attribute's name, between its quotes or braces.
    fn value(&mut self, at: usize) -> Option<(usize, usize)> {
        let sign = at + self.bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        (self.bytes.get(sign) == Some(&b'=')).then_some(())?;
        let start = sign + 1 + self.bytes[sign + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        match self.bytes.get(start)? {
            b'"' => Some((start + 1, self.find_end(start + 1, "\"")?)),
            b'\'' => Some((start + 1, self.find_end(start + 1, "'")?)),
            b'{' if self.braces => Some((start + 1, self.end_of_brackets(start, b'{', b'}'))),
            _ => {
                let is_part = |byte: &&u8| !byte.is_ascii_whitespace() && **byte != b'>';
                Some((start, start + self.bytes[start..].iter().take_while(is_part).count()))
            }
        }
    }

    /// The text of an element, if it is one name or path.
    fn value_of_element(&mut self, at: usize) -> usize {
        let is_part = |byte: &&u8| !matches!(byte, b'<' | b'\n');
        let end = at + self.bytes[at..].iter().take_while(is_part).count();
        let begins = self.bytes[..at].iter().rev().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'>');
        if begins {
            let trailing = self.bytes[at..end].iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
            literals::scan(at..end - trailing, WordPlace::Text, Some(WordPlace::Text), self.finder);
        }
        end.max(at + 1)
    }
}

const fn is_tag(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'.' | b':' | b'-')
}

const fn begins_attribute(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'@' | b':' | b'(' | b'[' | b'*' | b'#')
}
