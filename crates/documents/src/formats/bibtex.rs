//! BibTeX. The parser is our own: a bibliography of many hands has broken entries, and one of them must not cost the
//! others.

use std::collections::HashMap;

use super::jats::join;
use crate::Unreadable;
use crate::draft::Draft;
use crate::model::{Person, Record, RecordKind, RecordLink, RecordRelation, Venue};
use crate::text::LineIndex;

/// Longest value of a field kept, in bytes.
const MAX_VALUE: usize = 64 << 10;
/// Fields of one entry.
const MAX_FIELDS: usize = 200;
/// Strings (`@string`) of one file.
const MAX_STRINGS: usize = 10_000;

/// Reads a bibliography.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let lines = LineIndex::new(text);
    let mut strings: HashMap<String, String> = HashMap::new();
    let mut cursor = Cursor { text, at: 0 };
    let mut is_open = false;
    while let Some(found) = text[cursor.at..].find('@') {
        let start = cursor.at + found;
        cursor.at = start + 1;
        let above = text[..start].rfind('\n').map_or(0, |end| end + 1);
        if text[above..start].trim_start().starts_with('%') {
            continue;
        }
        let line = lines.line(start);
        let kind = cursor.word().to_ascii_lowercase();
        cursor.blank();
        if kind.is_empty() || !matches!(cursor.peek(), Some(b'{' | b'(')) {
            continue;
        }
        if kind == "comment" || kind == "preamble" {
            let behind = cursor.at;
            // A comment that does not end is a word between entries; no other one is tried, each would read to the end.
            if is_open || cursor.value(&strings).is_err() {
                is_open = true;
                cursor.at = behind + 1;
            }
            continue;
        }
        cursor.at += 1;
        match entry(&mut cursor, &kind, &mut strings) {
            Ok(Some((key, fields))) => draft.record(record(&kind, &key, &fields, line)),
            Ok(None) => {}
            Err(why) => {
                draft.problem(format!("line {line}: {why}"));
                // What follows may be whole: entries start with `@` at the start of a line.
                cursor.at = text[start + 1..].find("\n@").map_or(text.len(), |next| start + 1 + next);
            }
        }
    }
    Ok(())
}

type Fields = Vec<(String, String)>;

/// The key and fields of an entry; `None` for the definition of a string.
fn entry(
    cursor: &mut Cursor<'_>,
    kind: &str,
    strings: &mut HashMap<String, String>,
) -> Result<Option<(String, Fields)>, String> {
    let mut fields: Fields = Vec::new();
    let mut key = String::new();
    // The key, which abbreviations do not have.
    if kind != "string" {
        cursor.blank();
        key = cursor.until(b",}) \t\r\n").to_owned();
        cursor.blank();
        if cursor.peek() == Some(b',') {
            cursor.at += 1;
        }
    }
    loop {
        cursor.blank();
        match cursor.peek() {
            None => return Err(format!("entry `{key}` does not end")),
            Some(b'}' | b')') => {
                cursor.at += 1;
                break;
            }
            Some(b',') => {
                cursor.at += 1;
                continue;
            }
            _ => {}
        }
        // A field; a value may be joined from texts and abbreviations.
        let name = cursor.word().to_ascii_lowercase();
        cursor.blank();
        if name.is_empty() || cursor.peek() != Some(b'=') || fields.len() >= MAX_FIELDS {
            return Err(format!("entry `{key}`: expected `name = value`, found `{}`", cursor.show_rest()));
        }
        cursor.at += 1;
        let value = cursor.read_joined(strings)?;
        fields.push((name, value));
    }
    // An abbreviation is kept for the entries after it.
    if kind == "string" {
        for (name, value) in fields {
            if strings.len() < MAX_STRINGS {
                strings.insert(name, value);
            }
        }
        return Ok(None);
    }
    if key.is_empty() {
        return Err("an entry has no key".to_owned());
    }
    Ok(Some((key, fields)))
}

struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips blanks, and comments from `%` to the end of their line.
    fn blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at),
                byte if byte.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
    }

    fn word(&mut self) -> &'t str {
        self.until(b" \t\r\n{}(),=#\"@")
    }

    fn until(&mut self, ends: &[u8]) -> &'t str {
        let rest = &self.text[self.at..];
        let end = rest.bytes().position(|byte| ends.contains(&byte)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn show_rest(&self) -> String {
        self.text[self.at..].chars().take(30).collect()
    }

    /// Values joined by `#`.
    fn read_joined(&mut self, strings: &HashMap<String, String>) -> Result<String, String> {
        let mut out = String::new();
        loop {
            self.blank();
            let value = self.value(strings)?;
            if out.len() + value.len() <= MAX_VALUE {
                out.push_str(&value);
            }
            self.blank();
            if self.peek() != Some(b'#') {
                return Ok(out);
            }
            self.at += 1;
        }
    }

    /// One value: in braces, in quotation marks, a number or the name of a string.
    fn value(&mut self, strings: &HashMap<String, String>) -> Result<String, String> {
        let open = self.peek().ok_or("a value is missing")?;
        if !matches!(open, b'{' | b'"' | b'(') {
            let word = self.word();
            if word.is_empty() {
                return Err(format!("expected a value, found `{}`", self.show_rest()));
            }
            let lower = word.to_ascii_lowercase();
            return Ok(strings.get(&lower).cloned().unwrap_or_else(|| month(&lower).unwrap_or(word).to_owned()));
        }
        self.at += 1;
        let from = self.at;
        let mut depth = 0usize;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\\' => self.at += 1,
                b'{' => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                b'}' if open == b'{' => break,
                b'"' if open == b'"' && depth == 0 => break,
                b')' if open == b'(' && depth == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        if self.at >= bytes.len() {
            return Err("a value does not end".to_owned());
        }
        let value = &self.text[from..self.at];
        self.at += 1;
        Ok(value.to_owned())
    }
}

fn month(word: &str) -> Option<&'static str> {
    let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let numbers = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"];
    months.iter().position(|month| *month == word).map(|at| numbers[at])
}

fn record(kind: &str, key: &str, fields: &Fields, line: u32) -> Record {
    let raw = |name: &str| fields.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value);
    let get = |name: &str| plain(raw(name));
    let mut record = Record::new(RecordKind::Bibliography);
    record.line = line;
    if let Some(doi) = crate::doi(&get("doi")).or_else(|| crate::doi_in(&get("url"))) {
        record.id("doi", &doi);
    }
    record.id("key", key);
    record.title = get("title");
    let people = if raw("author").is_empty() { raw("editor") } else { raw("author") };
    record.authors = names(people).into_iter().map(|name| Person { name, orcid: None }).collect();
    let venue =
        ["journal", "journaltitle", "booktitle", "series", "publisher", "school", "institution", "howpublished"];
    let venue = venue.iter().map(|name| get(name)).find(|venue| !venue.is_empty());
    let issn = Some(get("issn")).filter(|issn| !issn.is_empty());
    record.venue = venue.map(|name| Venue { name, issn });
    let year = if raw("year").is_empty() { get("date") } else { get("year") };
    record.year = Some(year.chars().take(4).collect::<String>()).filter(|year| !year.is_empty());
    record.field("type", kind);
    for name in
        ["volume", "number", "pages", "month", "publisher", "url", "eprint", "isbn", "language", "note", "edition"]
    {
        record.field(name, &get(name));
    }
    record.keywords =
        get("keywords").split([',', ';']).map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect();
    record.summary = get("abstract");
    let other = get("crossref");
    if !other.is_empty() {
        record.links.push(RecordLink {
            relation: RecordRelation::Cites,
            target: format!("key:{other}"),
            title: String::new(),
        });
    }
    record
}

/// Names joined by `and`, each as `Family, Given`.
fn names(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut depth = 0usize;
    let mut name = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if depth == 0 && word.trim() == "and" {
            names.push(std::mem::take(&mut name));
            continue;
        }
        depth = (depth + word.matches('{').count()).saturating_sub(word.matches('}').count());
        name.push_str(word);
    }
    names.push(name);
    let full = |name: &String| -> Option<String> {
        let name = name.trim();
        if name.is_empty() || name == "others" {
            return None;
        }
        // A name in braces is that of an organisation.
        if name.starts_with('{') && name.ends_with('}') {
            return Some(plain(name));
        }
        let name = plain(name);
        if let Some((family, given)) = name.split_once(',') {
            return Some(join(family.trim(), given.trim()));
        }
        let Some((given, family)) = name.rsplit_once(' ') else { return Some(name) };
        // Particles in lower case belong to the family: Ludwig van Beethoven.
        let particle = given.split(' ').skip(1).position(|word| word.starts_with(char::is_lowercase));
        let Some(particle) = particle else { return Some(join(family, given)) };
        let words: Vec<&str> = given.split(' ').collect();
        let (given, before) = words.split_at(particle + 1);
        Some(join(&format!("{} {family}", before.join(" ")), &given.join(" ")))
    };
    names.iter().filter_map(full).collect()
}

/// Accents of TeX and the combining characters that they stand for.
const ACCENTS: &[(char, char)] = &[
    ('\'', '\u{301}'),
    ('`', '\u{300}'),
    ('^', '\u{302}'),
    ('"', '\u{308}'),
    ('~', '\u{303}'),
    ('=', '\u{304}'),
    ('.', '\u{307}'),
    ('u', '\u{306}'),
    ('v', '\u{30c}'),
    ('H', '\u{30b}'),
    ('c', '\u{327}'),
    ('k', '\u{328}'),
    ('r', '\u{30a}'),
];
/// Letters with an accent as one character, so that a name is the same however it was typed.
const COMPOSED: &[(&str, char)] = &[
    ("a\u{301}", 'á'),
    ("a\u{300}", 'à'),
    ("a\u{302}", 'â'),
    ("a\u{308}", 'ä'),
    ("a\u{303}", 'ã'),
    ("a\u{30a}", 'å'),
    ("a\u{306}", 'ă'),
    ("a\u{328}", 'ą'),
    ("e\u{301}", 'é'),
    ("e\u{300}", 'è'),
    ("e\u{302}", 'ê'),
    ("e\u{308}", 'ë'),
    ("e\u{30c}", 'ě'),
    ("e\u{328}", 'ę'),
    ("i\u{301}", 'í'),
    ("i\u{300}", 'ì'),
    ("i\u{302}", 'î'),
    ("i\u{308}", 'ï'),
    ("o\u{301}", 'ó'),
    ("o\u{300}", 'ò'),
    ("o\u{302}", 'ô'),
    ("o\u{308}", 'ö'),
    ("o\u{303}", 'õ'),
    ("o\u{30b}", 'ő'),
    ("u\u{301}", 'ú'),
    ("u\u{300}", 'ù'),
    ("u\u{302}", 'û'),
    ("u\u{308}", 'ü'),
    ("u\u{30b}", 'ű'),
    ("u\u{30a}", 'ů'),
    ("y\u{301}", 'ý'),
    ("c\u{327}", 'ç'),
    ("c\u{30c}", 'č'),
    ("c\u{301}", 'ć'),
    ("n\u{303}", 'ñ'),
    ("n\u{301}", 'ń'),
    ("n\u{30c}", 'ň'),
    ("s\u{30c}", 'š'),
    ("s\u{301}", 'ś'),
    ("s\u{327}", 'ş'),
    ("z\u{30c}", 'ž'),
    ("z\u{301}", 'ź'),
    ("z\u{307}", 'ż'),
    ("r\u{30c}", 'ř'),
    ("g\u{306}", 'ğ'),
    ("A\u{301}", 'Á'),
    ("A\u{308}", 'Ä'),
    ("A\u{30a}", 'Å'),
    ("E\u{301}", 'É'),
    ("O\u{308}", 'Ö'),
    ("O\u{301}", 'Ó'),
    ("U\u{308}", 'Ü'),
    ("C\u{30c}", 'Č'),
    ("C\u{327}", 'Ç'),
    ("S\u{30c}", 'Š'),
    ("Z\u{30c}", 'Ž'),
    ("R\u{30c}", 'Ř'),
    ("I\u{307}", 'İ'),
    ("N\u{303}", 'Ñ'),
];

/// A value without braces and commands of TeX, on one line.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' | '}' | '$' => {}
            '~' => out.push(' '),
            '\\' => command(&mut chars, &mut out),
            '-' if chars.peek() == Some(&'-') => {
                while chars.peek() == Some(&'-') {
                    chars.next();
                }
                out.push('–');
            }
            c => out.push(c),
        }
    }
    crate::text::fold_text(&out)
}

fn command(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    let Some(first) = chars.next() else { return };
    // An accent and its letter are one character: `\"{o}`.
    let accent = ACCENTS.iter().find(|(sign, _)| *sign == first).map(|(_, mark)| *mark);
    let next = chars.peek().copied();
    let is_accent = accent.is_some() && (!first.is_alphabetic() || matches!(next, Some('{' | ' ')));
    if let (Some(mark), true) = (accent, is_accent) {
        while matches!(chars.peek(), Some('{' | ' ' | '\\')) {
            chars.next();
        }
        let Some(letter) = chars.next() else { return };
        let letter = match letter {
            'ı' => 'i',
            letter => letter,
        };
        let pair: String = [letter, mark].iter().collect();
        match COMPOSED.iter().find(|(known, _)| *known == pair) {
            Some((_, whole)) => out.push(*whole),
            None => out.push_str(&pair),
        }
        return;
    }
    // An escaped character, or a line break.
    if !first.is_alphabetic() {
        out.push(if first == '\\' { ' ' } else { first });
        return;
    }
    // A command by its name, with the blank that ends it.
    let mut name = String::from(first);
    while let Some(c) = chars.next_if(char::is_ascii_alphabetic) {
        name.push(c);
    }
    let shown = match name.as_str() {
        "ss" => "ß",
        "o" => "ø",
        "O" => "Ø",
        "l" => "ł",
        "L" => "Ł",
        "ae" => "æ",
        "AE" => "Æ",
        "aa" => "å",
        "AA" => "Å",
        "oe" => "œ",
        "i" => "i",
        "textendash" => "–",
        "textemdash" => "—",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        _ => "",
    };
    out.push_str(shown);
    if !shown.is_empty() && chars.peek() == Some(&' ') {
        chars.next();
    }
}

#[cfg(test)]
mod tests {
    use crate::{DocumentLimits, parse};

    #[test]
    fn comments_cost_no_entry() {
        let text = "@comment{a, b={\n}\njunk\n@book{one, % a comment\n  title={One}, % another\n  % a line\n  year=2001}\n\
                    % @book{two, title={Two}}\n@comment{@book{three, title={Three}}}\n@book{four, title={5\\% of it}}\n";
        let document = parse("a.bib", text.as_bytes(), &DocumentLimits::default()).expect("it is read");
        let titles: Vec<&str> = document.records.iter().map(|record| record.title.as_str()).collect();
        // Behind a comment that does not end, the others are words as well.
        assert_eq!(titles, ["One", "Three", "5% of it"]);
    }
}
