//! reStructuredText. Headings are lines underlined, or under- and overlined, with a run of one character; the level
//! of a character follows from the order of first occurrence.

use crate::Unreadable;
use crate::draft::Draft;
use crate::headings::{Heading, plain};
use crate::model::BlockKind;
use crate::text::{Line, cut, is_run, lines};

/// Longest line that is a heading, in characters.
const MAX_TITLE: usize = 200;
/// Characters by which a line may be shorter than the title that it underlines.
const SHORTER: usize = 2;
/// Longest name of a role, in bytes.
const MAX_ROLE: usize = 60;
/// Longest text of a role or link, in bytes.
const MAX_SPAN: usize = 1_000;

/// The headings of a text, in order.
pub(crate) fn headings(text: &str) -> Vec<Heading> {
    let all: Vec<Line<'_>> = lines(text).collect();
    let mut styles: Vec<(char, bool)> = Vec::new();
    let mut found = Vec::new();
    let mut next = 0;
    for at in 1..all.len() {
        if at < next {
            continue;
        }
        let Some((sign, over)) = heading_at(&all, at) else { continue };
        let Some(text) = plain(&all[at - 1].text.replace('`', "")) else { continue };
        let level = styles.iter().position(|style| *style == (sign, over)).unwrap_or_else(|| {
            styles.push((sign, over));
            styles.len() - 1
        });
        let start = if over { all[at - 2].start } else { all[at - 1].start };
        let level = u8::try_from(level + 1).unwrap_or(u8::MAX);
        found.push(Heading { level, text, start, end: all[at].end, line: all[at - 1].number });
        next = at + 2;
    }
    found
}

/// Returns whether line `at` underlines the one before it: the sign, and whether that is overlined, too.
fn heading_at(all: &[Line<'_>], at: usize) -> Option<(char, bool)> {
    let under = all[at].text.trim_end();
    let sign = is_run(under)?;
    let title = all[at - 1].text.trim_end();
    let length = title.chars().count();
    let above = at.checked_sub(2).map_or("", |above| all[above].text.trim_end());
    let over = above == under;
    let fits = length > 0 && length <= MAX_TITLE && is_run(title.trim()).is_none();
    // An indented line is a title only below a line of its own; a short line may underline a title that is a bit
    // longer.
    let is_title = if over { true } else { !title.starts_with(char::is_whitespace) && above.trim().is_empty() };
    (fits && is_title && under.len() + SHORTER >= length).then_some((sign, over))
}

/// Reads a page.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let all: Vec<Line<'_>> = lines(text).collect();
    let headings = headings(text);
    let mut headings = headings.into_iter().peekable();
    let mut reader = Reader { all: &all, at: 0, draft };
    while let Some(line) = all.get(reader.at) {
        if let Some(heading) = headings.next_if(|heading| heading.start <= line.start) {
            reader.draft.heading(heading.level, &heading.text, heading.line);
            spans(&all[heading.line as usize - 1], reader.draft);
            while all.get(reader.at).is_some_and(|line| line.start < heading.end) {
                reader.at += 1;
            }
            continue;
        }
        let stop = headings.peek().map_or(all.len(), |next| all.partition_point(|line| line.start < next.start));
        reader.block(stop);
    }
    Ok(())
}

struct Reader<'t, 'd, 'l> {
    all: &'t [Line<'t>],
    at: usize,
    draft: &'d mut Draft<'l>,
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start().len()
}

impl Reader<'_, '_, '_> {
    /// Reads what starts at the current line, up to line `stop` at most.
    fn block(&mut self, stop: usize) {
        let line = self.all[self.at];
        let bare = line.text.trim_start();
        if bare.is_empty() {
            self.at += 1;
        } else if let Some(rest) = bare.strip_prefix("..").filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
            self.explicit(rest.trim(), stop);
        } else if bare.starts_with(">>>") {
            let end = self.paragraph_end(stop);
            self.code(self.at, end, Some("python"));
        } else if is_table_border(bare) {
            self.table(stop);
        } else {
            self.paragraph(stop);
        }
    }

    /// Index of the line after the paragraph at the current line.
    fn paragraph_end(&self, stop: usize) -> usize {
        let rest = self.all[self.at..stop].iter().position(|line| line.text.trim().is_empty());
        rest.map_or(stop, |count| self.at + count.max(1))
    }

    /// Index of the line after all that is indented deeper than `depth`, from the current line on.
    fn indented_end(&self, from: usize, depth: usize, stop: usize) -> usize {
        let deeper = |line: &Line<'_>| line.text.trim().is_empty() || indent(line.text) > depth;
        let mut end = self.all[from..stop].iter().position(|line| !deeper(line)).map_or(stop, |count| from + count);
        while end > from && self.all[end - 1].text.trim().is_empty() {
            end -= 1;
        }
        end
    }

    fn code(&mut self, from: usize, to: usize, language: Option<&str>) {
        let to = to.max(from);
        let rows = &self.all[from..to];
        let depth = rows.iter().filter(|line| !line.text.trim().is_empty()).map(|line| indent(line.text)).min();
        let cut = depth.unwrap_or(0);
        let text: Vec<&str> = rows.iter().map(|line| line.text.get(cut..).unwrap_or("")).collect();
        if let (Some(first), Some(last)) = (rows.first(), rows.last()) {
            let text = text.join("\n");
            self.draft.block(BlockKind::Code, text.trim_start_matches('\n'), language, (first.number, last.number));
        }
        self.at = to.max(self.at + 1);
    }

    /// A directive, a target or a comment.
    fn explicit(&mut self, rest: &str, stop: usize) {
        let line = self.all[self.at];
        let end = self.indented_end(self.at + 1, indent(line.text), stop);
        if let Some(target) = rest.strip_prefix('_') {
            if let Some((name, target)) = target.split_once(": ") {
                self.draft.label(name.trim_matches('`'));
                self.draft.link(name.trim_matches('`'), target, line.number);
            } else if let Some(name) = target.trim_end().strip_suffix(':') {
                self.draft.label(name.trim_matches('`'));
            }
            self.at += 1;
            return;
        }
        let Some((name, argument)) = rest.split_once("::") else {
            // A comment.
            self.at = end.max(self.at + 1);
            return;
        };
        let argument = argument.trim();
        match name.trim() {
            "code-block" | "code" | "sourcecode" | "parsed-literal" | "highlight" => {
                let from = self.after_options(end);
                self.code(from, end, Some(argument));
            }
            "image" | "figure" | "literalinclude" | "include" => {
                self.draft.link("", argument, line.number);
                self.at += 1;
            }
            "toctree" => {
                for at in self.at + 1..end {
                    let entry = self.all[at].text.trim();
                    if !entry.is_empty() && !entry.starts_with(':') {
                        self.draft.link(entry, entry, self.all[at].number);
                    }
                }
                self.at = end.max(self.at + 1);
            }
            "raw" | "contents" | "math" | "index" | "plot" | "graphviz" | "digraph" | "graph" | "uml" | "mermaid" => {
                self.at = end.max(self.at + 1);
            }
            // What another domain makes of its text is not known; examples that it runs are.
            name if is_foreign(name) || matches!(name, "doctest" | "testcode" | "testsetup" | "ipython" | "prompt") => {
                let from = self.after_options(end);
                self.code(from, end, None);
            }
            name => self.directive(name, argument),
        }
    }

    /// A directive whose text is read as part of the page.
    fn directive(&mut self, name: &str, argument: &str) {
        let line = self.all[self.at];
        let own = name.rsplit_once(':').map_or(name, |(_, own)| own);
        let role = own.strip_prefix("auto").unwrap_or(own);
        if matches!(
            role,
            "module"
                | "class"
                | "function"
                | "method"
                | "attribute"
                | "exception"
                | "data"
                | "currentmodule"
                | "staticmethod"
                | "classmethod"
        ) {
            self.draft.role(role, argument, line.number);
        } else if matches!(
            name,
            "note" | "warning" | "caution" | "danger" | "important" | "tip" | "attention" | "deprecated" | "hint"
        ) && !argument.is_empty()
        {
            let text = inline(argument, line.number, self.draft);
            self.draft.block(BlockKind::Note, &text, None, (line.number, line.number));
        }
        self.at += 1;
        // Options of the directive are no text.
        while self
            .all
            .get(self.at)
            .is_some_and(|line| line.text.starts_with(' ') && line.text.trim_start().starts_with(':'))
        {
            self.at += 1;
        }
    }

    fn after_options(&self, end: usize) -> usize {
        let mut from = self.at + 1;
        while from < end && self.all[from].text.trim_start().starts_with(':') {
            from += 1;
        }
        from
    }

    fn paragraph(&mut self, stop: usize) {
        let first = self.all[self.at];
        let mut end = self.paragraph_end(stop);
        let marker = item(first.text.trim_start());
        // A further item ends this one.
        let next = (self.at + 1..end).find(|&at| {
            let text = self.all[at].text.trim_start();
            item(text).is_some() || text.starts_with(".. ")
        });
        end = next.unwrap_or(end);
        let mut text = String::new();
        for line in &self.all[self.at..end] {
            let words = line.text.trim();
            let words = if line.number == first.number { &words[marker.unwrap_or(0)..] } else { words };
            text.push_str(&inline(words, line.number, self.draft));
            text.push('\n');
        }
        let literal = text.trim_end().ends_with("::");
        let shown = text.trim_end().trim_end_matches(':');
        let kind = if marker.is_some() { BlockKind::Item } else { BlockKind::Paragraph };
        self.draft.block(kind, shown, None, (first.number, self.all[end - 1].number));
        self.at = end;
        if literal {
            let from = (end..stop).find(|&at| !self.all[at].text.trim().is_empty()).unwrap_or(stop);
            let to = self.indented_end(from, indent(first.text), stop);
            if to > from {
                self.code(from, to, None);
            }
        }
    }

    fn table(&mut self, stop: usize) {
        let from = self.at;
        let first = self.all[from].text.trim_end();
        let is_grid = first.trim_start().starts_with('+');
        let end = match is_grid {
            true => self.paragraph_end(stop),
            // A simple table may have blank rows; its last border ends it.
            false => {
                let border = |at: &usize| self.all[*at].text.trim_end() == first;
                let borders: Vec<usize> = (from + 1..stop).filter(border).take(2).collect();
                borders.last().map_or(self.paragraph_end(stop), |last| last + 1)
            }
        };
        let columns = columns(first);
        let mut rows = Vec::new();
        for line in &self.all[from..end] {
            let text = line.text.trim_end();
            if is_table_border(text.trim_start()) || text.is_empty() {
                continue;
            }
            let cells: Vec<String> = if is_grid {
                text.trim()
                    .trim_matches('|')
                    .split('|')
                    .map(|cell| inline(cell.trim(), line.number, self.draft))
                    .collect()
            } else {
                cells(text, &columns).into_iter().map(|cell| inline(cell, line.number, self.draft)).collect()
            };
            rows.push(cells);
        }
        self.draft.table(None, rows, self.all[from].number);
        self.at = end.max(from + 1);
    }
}

/// Domains of directives that describe code; the text below them is prose.
const DOMAINS: &[&str] = &["py", "c", "cpp", "js", "rst", "std", "rust", "go", "php", "rb", "java"];

/// Returns whether a directive belongs to a domain that does not describe code.
fn is_foreign(name: &str) -> bool {
    name.split_once(':').is_some_and(|(domain, _)| !DOMAINS.contains(&domain))
}

fn is_table_border(text: &str) -> bool {
    let simple = text.starts_with("==") && text.contains(' ') && text.bytes().all(|b| matches!(b, b'=' | b' '));
    let grid = text.starts_with("+-") && text.bytes().all(|b| matches!(b, b'+' | b'-' | b'='));
    simple || grid || text.starts_with("+=") && text.ends_with('+')
}

/// Bytes at which the columns of a simple table start.
fn columns(border: &str) -> Vec<usize> {
    let bytes = border.as_bytes();
    (0..bytes.len()).filter(|&at| bytes[at] == b'=' && (at == 0 || bytes[at - 1] == b' ')).collect()
}

fn cells<'t>(text: &'t str, columns: &[usize]) -> Vec<&'t str> {
    let place = |at: usize| text.floor_char_boundary(at.min(text.len()));
    let ends = columns.iter().skip(1).copied().chain([text.len()]);
    columns.iter().zip(ends).map(|(&from, to)| text[place(from)..place(to.max(from))].trim()).collect()
}

/// Bytes of the mark of an item of a list.
fn item(text: &str) -> Option<usize> {
    for mark in ["- ", "* ", "+ ", "#. "] {
        if text.starts_with(mark) {
            return Some(mark.len());
        }
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=3).contains(&digits) && text[digits..].starts_with(". ")).then_some(digits + 2)
}

fn spans(line: &Line<'_>, draft: &mut Draft<'_>) {
    inline(line.text, line.number, draft);
}

/// A line of text without marks. Names, links and terms in it go to the document.
fn inline(text: &str, line: u32, draft: &mut Draft<'_>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['`', '*']) {
        let (before, tail) = rest.split_at(at);
        if tail.starts_with('*') {
            out.push_str(before);
            let mark = if tail.starts_with("**") { 2 } else { 1 };
            if mark == 2
                && let Some(end) = cut(&tail[2..], MAX_SPAN).find("**")
            {
                draft.term(&tail[2..2 + end], line);
            }
            rest = &tail[mark..];
            continue;
        }
        let marks = if tail.starts_with("``") { 2 } else { 1 };
        let close = if marks == 2 { "``" } else { "`" };
        let Some(end) = cut(&tail[marks..], MAX_SPAN).find(close) else {
            out.push_str(before);
            rest = &tail[marks..];
            continue;
        };
        let span = &tail[marks..marks + end];
        let after = &tail[marks + end + marks..];
        let (before, role) = if marks == 1 { role_before(before) } else { (before, None) };
        if marks == 1 && before.ends_with('_') {
            draft.label(span);
        }
        out.push_str(before);
        rest = read_interpreted(span, marks == 2, role, after, line, draft, &mut out);
    }
    out.push_str(rest);
    out
}

/// The text before a role, and the role: `see :func:`.
fn role_before(before: &str) -> (&str, Option<&str>) {
    let Some(inner) = before.strip_suffix(':') else { return (before, None) };
    let from = inner.ceil_char_boundary(inner.len().saturating_sub(MAX_ROLE));
    let start = inner[from..].rfind(|c: char| !(c.is_alphanumeric() || matches!(c, ':' | '-' | '_' | '.' | '+')));
    let start = start.map(|at| from + at).map_or(from, |at| at + inner[at..].chars().next().map_or(1, char::len_utf8));
    match inner[start..].strip_prefix(':') {
        Some(role) if !role.is_empty() => (&before[..start], Some(role)),
        _ => (before, None),
    }
}

/// Roles of code.
const ROLES: &[&str] = &[
    "func", "class", "meth", "mod", "attr", "exc", "data", "obj", "const", "type", "any", "struct", "macro", "member",
    "trait", "fn", "enum",
];

fn read_interpreted<'t>(
    span: &str,
    literal: bool,
    role: Option<&str>,
    after: &'t str,
    line: u32,
    draft: &mut Draft<'_>,
    out: &mut String,
) -> &'t str {
    let (shown, target) = match span.strip_suffix('>').and_then(|inner| inner.rsplit_once('<')) {
        Some((shown, target)) if !literal => (shown.trim(), Some(target)),
        _ => (span, None),
    };
    let shown = shown.trim_start_matches(['~', '!']);
    out.push_str(shown);
    if literal {
        draft.code(span, line);
        return after;
    }
    let Some(role) = role else {
        let link = after.starts_with('_');
        // `__` ends an anonymous one.
        let is_named = link && !after.starts_with("__");
        match target {
            // `shown <label_>`_ leads to a label.
            Some(target) if is_named && target.ends_with('_') && !target.contains(['/', ':']) => {
                draft.label(shown);
                draft.refer(target.trim_matches(['_', '`']), false, line);
            }
            Some(target) if link => {
                draft.label(shown);
                draft.link(shown, target, line);
            }
            _ if is_named && is_label(span) => draft.refer(span, false, line),
            _ if link => {}
            _ => draft.code(shown, line),
        }
        return after.trim_start_matches('_');
    };
    record_marked(role, shown, target.unwrap_or(span), line, draft);
    after
}

/// Returns whether the text between two backticks can be a label: they may be those of two spans that go over lines.
fn is_label(span: &str) -> bool {
    !span.starts_with(['_', '.', ',']) && span.trim() == span && span.starts_with(char::is_alphanumeric)
}

/// A text with a role, in another format.
pub(crate) fn role(role: &str, span: &str, line: u32, draft: &mut Draft<'_>) {
    let (shown, target) = match span.strip_suffix('>').and_then(|inner| inner.rsplit_once('<')) {
        Some((shown, target)) => (shown.trim(), target),
        None => (span, span),
    };
    record_marked(role, shown.trim_start_matches(['~', '!']), target, line, draft);
}

/// What a role says of a text.
fn record_marked(role: &str, shown: &str, target: &str, line: u32, draft: &mut Draft<'_>) {
    let own = role.rsplit_once(':').map_or(role, |(_, own)| own);
    match own {
        own if ROLES.contains(&own) => draft.role(own, target.trim_start_matches(['~', '!', '.']), line),
        "doc" | "download" => draft.link(shown, target, line),
        // A file that the text speaks of, of whatever project.
        "file" => draft.code(target, line),
        // Labels with a prefix belong to other projects.
        "ref" | "numref" if !target.contains(':') => draft.refer(target.trim_start_matches('!'), true, line),
        "envvar" => draft.code(&format!("${target}"), line),
        "option" | "program" | "command" | "code" | "samp" => draft.code(target, line),
        "doi" => {
            if let Some(doi) = crate::doi(target) {
                draft.cite(format!("doi:{doi}"), line);
            }
        }
        "rfc" => draft.cite(format!("rfc:{}", target.split('#').next().unwrap_or(target)), line),
        _ => {}
    }
}
