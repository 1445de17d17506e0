//! Keys and values of YAML and JSON with their places: the part of YAML that settings are written in, also where
//! templates make the rest of a file something else.

/// Keys and items of one file; further ones are left out.
const MAX_ENTRIES: usize = 60_000;
/// Brackets that may be open; deeper ones are read as if they were not there.
const MAX_OPEN: usize = 128;
/// Bytes of a text of several lines that are kept.
const MAX_BLOCK: usize = 16 << 10;

/// A key with its value, or an item of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry<'t> {
    /// The entry it is in.
    pub(crate) parent: Option<usize>,
    /// `None` for an item of a list.
    pub(crate) key: Option<&'t str>,
    /// The value without its quotes, empty if it is a list or a map.
    pub(crate) value: &'t str,
    /// Number of the document of the file.
    pub(crate) document: usize,
    /// First byte.
    pub(crate) start: usize,
    /// First byte of the value.
    pub(crate) value_at: usize,
    /// Byte behind it and what it contains.
    pub(crate) end: usize,
}

/// All entries of a file; those that contain others precede them.
#[derive(Debug, Default)]
pub(crate) struct Entries<'t> {
    pub(crate) rows: Vec<Entry<'t>>,
}

impl<'t> Entries<'t> {
    /// The entries directly in one, or at the top of a document.
    pub(crate) fn inside(&self, of: usize) -> impl Iterator<Item = (usize, &Entry<'t>)> {
        let rows = self.rows.iter().enumerate().skip(of + 1);
        let end = self.rows.get(of).map_or(0, |row| row.end);
        rows.take_while(move |(_, row)| row.start < end).filter(move |(_, row)| row.parent == Some(of))
    }

    /// All entries of a document.
    pub(crate) fn of_document(&self, document: usize) -> impl Iterator<Item = (usize, &Entry<'t>)> {
        let start = self.rows.partition_point(|row| row.document < document);
        self.rows.iter().enumerate().skip(start).take_while(move |(_, row)| row.document == document)
    }

    /// The entries at the top of a document.
    pub(crate) fn top(&self, document: usize) -> impl Iterator<Item = (usize, &Entry<'t>)> {
        self.of_document(document).filter(|(_, row)| row.parent.is_none())
    }

    /// The entry of a key in another one.
    pub(crate) fn get(&self, of: usize, key: &str) -> Option<(usize, &Entry<'t>)> {
        self.inside(of).find(|(_, row)| row.key == Some(key))
    }

    /// The entry of a key at the top of a document.
    pub(crate) fn get_top(&self, document: usize, key: &str) -> Option<(usize, &Entry<'t>)> {
        self.top(document).find(|(_, row)| row.key == Some(key))
    }

    /// The value of a key in another entry; empty if there is none.
    pub(crate) fn value(&self, of: usize, key: &str) -> &'t str {
        self.get(of, key).map_or("", |(_, row)| row.value)
    }

    /// Number of documents.
    pub(crate) fn documents(&self) -> usize {
        self.rows.last().map_or(0, |row| row.document + 1)
    }
}

struct Reader<'t> {
    text: &'t str,
    rows: Vec<Entry<'t>>,
    /// Indentation and place of the entries that are open.
    open: Vec<(usize, usize)>,
    document: usize,
}

/// Reads a file.
pub(crate) fn read(text: &str) -> Entries<'_> {
    let mut reader = Reader { text, rows: Vec::new(), open: Vec::new(), document: 0 };
    if text.trim_start().starts_with('{') && !text.trim_start().starts_with("{{") {
        reader.flow(0, None);
    } else {
        let mut at = 0;
        while at < text.len() && reader.rows.len() < MAX_ENTRIES {
            at = reader.line(at);
        }
    }
    let mut rows = reader.rows;
    // What contains others ends with the last of them.
    for at in (0..rows.len()).rev() {
        if let Some(parent) = rows[at].parent {
            rows[parent].end = rows[parent].end.max(rows[at].end);
        }
    }
    Entries { rows }
}

impl<'t> Reader<'t> {
    fn line_end(&self, at: usize) -> usize {
        self.text[at..].find('\n').map_or(self.text.len(), |end| at + end)
    }

    /// Reads the line at a byte and what belongs to it. Returns where the next one begins.
    fn line(&mut self, start: usize) -> usize {
        let end = self.line_end(start);
        let line = self.text[start..end].trim_end();
        let content = line.trim_start_matches(' ');
        if content.is_empty() || content.starts_with(['#', '\t', '%']) || content.starts_with("{{") {
            return end + 1;
        }
        // Keys of different documents have nothing to do with each other.
        if line == "---" || line.starts_with("--- ") || line == "..." {
            if !self.rows.is_empty() {
                self.document = self.rows.last().map_or(0, |row| row.document) + 1;
            }
            self.open.clear();
            return end + 1;
        }
        let mut at = start + (line.len() - content.len());
        let stop = start + line.len();
        // `- - a: 1` opens several items on one line, each indented by its place.
        loop {
            let indent = at - start;
            let rest = &self.text[at..stop];
            if rest != "-" && !rest.starts_with("- ") {
                return self.pair(at, indent, (stop, end));
            }
            while self
                .open
                .last()
                .is_some_and(|(other, place)| *other > indent || *other == indent && self.rows[*place].key.is_none())
            {
                self.open.pop();
            }
            let item = self.add(None, at, stop);
            self.open.push((indent, item));
            let behind = rest[1..].trim_start_matches(' ');
            at = stop - behind.len();
            if behind.is_empty() || behind.starts_with('#') {
                return end + 1;
            }
            if key(behind).is_none() {
                return self.value(item, at, (stop, end), indent);
            }
        }
    }

    /// A key with its value.
    fn pair(&mut self, at: usize, indent: usize, (stop, end): (usize, usize)) -> usize {
        while self.open.last().is_some_and(|(other, _)| *other >= indent) {
            self.open.pop();
        }
        let Some((name, length)) = key(&self.text[at..stop]) else { return end + 1 };
        let entry = self.add(Some(name), at, stop);
        self.open.push((indent, entry));
        let behind = self.text[at + length..stop].trim_start_matches(' ');
        self.value(entry, stop - behind.len(), (stop, end), indent)
    }

    fn add(&mut self, key: Option<&'t str>, start: usize, end: usize) -> usize {
        let parent = self.open.last().map(|(_, place)| *place);
        self.rows.push(Entry { parent, key, value: "", document: self.document, start, value_at: end, end });
        self.rows.len() - 1
    }

    /// The value of an entry. Returns where the next line begins.
    fn value(&mut self, entry: usize, at: usize, (stop, end): (usize, usize), indent: usize) -> usize {
        let mut at = at;
        // Anchors and tags.
        while self.text[at..stop].starts_with(['&', '!']) {
            let word = self.text[at..stop].find(' ').map_or(stop, |length| at + length);
            at = stop - self.text[word..stop].trim_start_matches(' ').len();
        }
        let rest = &self.text[at..stop];
        self.rows[entry].value_at = at.min(stop);
        match rest.as_bytes().first() {
            None | Some(b'#') => end + 1,
            Some(b'|' | b'>') => self.block(entry, end + 1, indent),
            Some(b'[' | b'{') if !rest.starts_with("{{") => {
                let next = self.flow(at, Some(entry));
                self.line_end(next.min(self.text.len())) + 1
            }
            Some(quote @ (b'"' | b'\'')) => {
                let (text, next) = read_quoted(self.text, at, *quote);
                self.rows[entry].value = text;
                self.rows[entry].end = next;
                self.line_end(next.min(self.text.len())) + 1
            }
            Some(_) => {
                let plain = rest.find(" #").map_or(rest, |comment| &rest[..comment]);
                self.rows[entry].value = plain.trim_end();
                end + 1
            }
        }
    }

    /// The lines that are indented more than their key.
    fn block(&mut self, entry: usize, start: usize, indent: usize) -> usize {
        let mut at = start.min(self.text.len());
        let first = at;
        while at < self.text.len() {
            let end = self.line_end(at);
            let line = &self.text[at..end];
            let own = line.len() - line.trim_start_matches(' ').len();
            if !line.trim().is_empty() && own <= indent {
                break;
            }
            at = (end + 1).min(self.text.len());
        }
        let kept = self.text[first..at].floor_char_boundary(MAX_BLOCK);
        (self.rows[entry].value, self.rows[entry].value_at) = (&self.text[first..first + kept], first);
        self.rows[entry].end = at;
        at
    }

    /// Lists and maps in brackets, as in JSON. Returns where they end.
    fn flow(&mut self, start: usize, around: Option<usize>) -> usize {
        let bytes = self.text.as_bytes();
        // Of each bracket the entry whose value it is, and whether it is a map.
        let mut open: Vec<(Option<usize>, bool)> = Vec::new();
        let mut current = around;
        let mut at = start;
        let mut deeper = 0u32;
        while at < bytes.len() && self.rows.len() < MAX_ENTRIES {
            match bytes[at] {
                byte if byte.is_ascii_whitespace() => at += 1,
                b'{' | b'[' if open.len() >= MAX_OPEN => {
                    deeper += 1;
                    at += 1;
                }
                byte @ (b'{' | b'[') => {
                    if let (None, Some((parent, false))) = (current, open.last().copied()) {
                        current = Some(self.flow_entry(parent, None, at));
                    }
                    open.push((current, byte == b'{'));
                    current = None;
                    at += 1;
                }
                b'}' | b']' if deeper > 0 => {
                    deeper -= 1;
                    at += 1;
                }
                b'}' | b']' => {
                    at += 1;
                    if let Some((Some(entry), _)) = open.pop() {
                        self.rows[entry].end = at;
                    }
                    current = None;
                    if open.is_empty() {
                        return at;
                    }
                }
                b',' => {
                    current = None;
                    at += 1;
                }
                b':' => at += 1,
                b'#' if at == 0 || bytes[at - 1].is_ascii_whitespace() => at = self.line_end(at),
                _ if open.is_empty() => return at,
                byte => {
                    let (text, next) = match byte {
                        b'"' | b'\'' => read_quoted(self.text, at, byte),
                        _ => plain(self.text, at),
                    };
                    if deeper > 0 {
                        at = next.max(at + 1);
                        continue;
                    }
                    let (parent, is_map) = open.last().copied().unwrap_or((around, true));
                    let behind = bytes[next..].iter().position(|byte| !byte.is_ascii_whitespace());
                    let is_key = is_map && current.is_none();
                    if is_key {
                        current = Some(self.flow_entry(parent, Some(text), at));
                        // A key without a value is one of itself.
                        if behind.is_none_or(|behind| bytes[next + behind] != b':') {
                            current = None;
                        }
                    } else {
                        let entry = current.unwrap_or_else(|| self.flow_entry(parent, None, at));
                        (self.rows[entry].value, self.rows[entry].value_at) = (text, at);
                        self.rows[entry].end = next;
                    }
                    at = next.max(at + 1);
                }
            }
        }
        at
    }

    fn flow_entry(&mut self, parent: Option<usize>, key: Option<&'t str>, start: usize) -> usize {
        let document = self.document;
        self.rows.push(Entry { parent, key, value: "", document, start, value_at: start, end: start + 1 });
        self.rows.len() - 1
    }
}

/// The key that a line begins with, and its length with the colon.
fn key(line: &str) -> Option<(&str, usize)> {
    if let Some(quote @ (b'"' | b'\'')) = line.as_bytes().first() {
        let (text, next) = read_quoted(line, 0, *quote);
        let rest = line.get(next..)?;
        let is_key = rest == ":" || rest.starts_with(": ");
        return is_key.then_some((text, next + 1));
    }
    if line.starts_with(['{', '[', '#', '|', '>']) {
        return None;
    }
    let at = line
        .match_indices(':')
        .map(|(at, _)| at)
        .find(|at| matches!(line.as_bytes().get(at + 1), None | Some(b' ')))?;
    if line.find(" #").is_some_and(|comment| comment < at) {
        return None;
    }
    Some((line[..at].trim_end(), at + 1))
}

/// The text between quotes, and the byte behind them. What is not closed goes on to the end of its line.
fn read_quoted(text: &str, at: usize, quote: u8) -> (&str, usize) {
    let bytes = text.as_bytes();
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' if quote == b'"' => next += 1,
            byte if byte == quote && quote == b'\'' && bytes.get(next + 1) == Some(&quote) => next += 1,
            byte if byte == quote => return (&text[at + 1..next], next + 1),
            _ => {}
        }
        next += 1;
    }
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    (text[at + 1..end].trim_end(), end)
}

/// A text without quotes in brackets.
fn plain(text: &str, at: usize) -> (&str, usize) {
    let bytes = text.as_bytes();
    let ends = |at: usize| match bytes[at] {
        b',' | b'[' | b']' | b'{' | b'}' | b'\n' => true,
        b':' => matches!(bytes.get(at + 1), None | Some(b' ' | b'\n' | b',' | b'}' | b']')),
        _ => false,
    };
    let end = (at + 1..bytes.len()).find(|at| ends(*at)).unwrap_or(bytes.len());
    (text[at..end].trim_end(), end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show_entries(text: &str) -> Vec<String> {
        let entries = read(text);
        let rows = entries.rows.iter().map(|row| {
            let mut path = vec![row.key.unwrap_or("-")];
            let mut parent = row.parent;
            while let Some(at) = parent {
                path.push(entries.rows[at].key.unwrap_or("-"));
                parent = entries.rows[at].parent;
            }
            path.reverse();
            format!("{} {}={}", row.document, path.join("."), row.value.replace('\n', "/"))
        });
        rows.collect()
    }

    #[test]
    fn keys_and_values() {
        let text = "# c\nservices:\n  web: &w\n    image: \"a:1\" # c\n    build: {context: ./x, args: [a, 'b']}\n    environment:\n    - A=1\n    - name: B\n      value: \"2: x\"\n  'db':\n    run: |\n      a: b\n\n      c\n    x: http://h:1/p\n{{- if x }}\n---\nlast: [\n  1,\n  2 ]\nend: !t v\n";
        let expected = [
            "0 services=",
            "0 services.web=",
            "0 services.web.image=a:1",
            "0 services.web.build=",
            "0 services.web.build.context=./x",
            "0 services.web.build.args=",
            "0 services.web.build.args.-=a",
            "0 services.web.build.args.-=b",
            "0 services.web.environment=",
            "0 services.web.environment.-=A=1",
            "0 services.web.environment.-=",
            "0 services.web.environment.-.name=B",
            "0 services.web.environment.-.value=2: x",
            "0 services.db=",
            "0 services.db.run=      a: b//      c/",
            "0 services.db.x=http://h:1/p",
            "1 last=",
            "1 last.-=1",
            "1 last.-=2",
            "1 end=v",
        ];
        assert_eq!(show_entries(text), expected);
        let json = "{\n \"openapi\": \"3.0\", \"paths\": {\"/a/{b}\": {\"get\": {\"tags\": [\"x\"]}}}\n}";
        let expected = [
            "0 openapi=3.0", "0 paths=", "0 paths./a/{b}=", "0 paths./a/{b}.get=", "0 paths./a/{b}.get.tags=",
            "0 paths./a/{b}.get.tags.-=x",
        ];
        assert_eq!(show_entries(json), expected);
    }

    #[test]
    fn whatever_is_written_is_read_to_its_end() {
        for text in
            ["a: [", "a: {b: [}", "- - - x", "\"a", "a: 'b", "a: |", ":", "- ", "a: &", "{", "{\"a\"", "[1", "é: ü # ß"]
        {
            _ = show_entries(text);
        }
        let deep = "[".repeat(5_000) + &"{a: ".repeat(5_000);
        assert!(read(&format!("a: {deep}")).rows.len() < 500);
    }
}
