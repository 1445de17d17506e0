//! Fields of records: how many a reader found, and how many a plain scan of the text counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use m1nd_documents::{Document, DocumentLimits, RecordRelation, detect, parse};
use serde_json::Value;

use super::Row;

/// Numbers of fields by their name.
type Counts = BTreeMap<&'static str, usize>;

/// Results, a row each.
#[derive(Default)]
pub(super) struct Table {
    /// Documents that another parser of XML refuses as well: no field of them can be lost.
    broken: Vec<(String, String)>,
    rows: Vec<(String, String, Counts, Result<Counts, String>)>,
}

impl Table {
    /// Compares a document.
    pub(super) fn add(&mut self, row: &Row<'_>, bytes: &[u8], explained: usize) {
        let text = String::from_utf8_lossy(bytes);
        let wanted = match row.format {
            "bibtex" => bibtex(&text),
            "jats" => jats(&text),
            "rfc" => rfc(&text),
            "crossref" => crossref(&text),
            _ => light(&text),
        };
        let found = match (
            detect(row.path, bytes).map(|format| format.word()),
            parse(row.path, bytes, &DocumentLimits::default()),
        ) {
            (Some(format), _) if format != row.format => Err(format!("taken for {format}")),
            (_, Err(why)) => Err(why.to_string()),
            (_, Ok(document)) => Ok(ours(&document, row.format)),
        };
        if found.is_err() && matches!(row.format, "jats" | "rfc") && !is_well_formed(bytes) {
            self.broken.push((row.format.to_owned(), format!("{}/{}", row.repository, row.path)));
            return;
        }
        if found.as_ref() != Ok(&wanted) && explained > 0 {
            println!("{} {}\n  scan: {wanted:?}\n  read: {found:?}", row.repository, row.path);
        }
        self.rows.push((row.format.to_owned(), format!("{}/{}", row.repository, row.path), wanted, found));
    }

    /// The table; prints its summary.
    pub(super) fn finish(mut self) -> String {
        self.rows.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let mut out = String::from("format\tdocument\tfield\tscan\tread\n");
        self.broken.sort();
        for (format, name) in &self.broken {
            println!("{format}: refused by both, as it is not well-formed: {name}");
            _ = writeln!(out, "{format}\t{name}\trefused\t1\t1");
        }
        let mut sums: BTreeMap<(&str, &str), (usize, usize)> = BTreeMap::new();
        let mut documents: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (format, name, wanted, found) in &self.rows {
            let of_format = documents.entry(format).or_default();
            of_format.0 += 1;
            of_format.1 += usize::from(found.as_ref() == Ok(wanted));
            for (field, count) in wanted {
                let read = found.as_ref().map_or(0, |found| found.get(field).copied().unwrap_or(0));
                _ = writeln!(out, "{format}\t{name}\t{field}\t{count}\t{read}");
                let sum = sums.entry((format, field)).or_default();
                *sum = (sum.0 + count, sum.1 + read.min(*count));
            }
        }
        for (format, (all, equal)) in documents {
            let fields = sums.iter().filter(|((of, _), _)| *of == format);
            let shares = fields.map(|((_, field), (count, read))| format!("{field} {read}/{count}"));
            println!(
                "{format}: {all} documents, {equal} equal in all fields; {}",
                shares.collect::<Vec<_>>().join(", ")
            );
        }
        out
    }
}

/// Returns whether Python's parser of XML reads a document, with entities that it does not know.
fn is_well_formed(bytes: &[u8]) -> bool {
    const SCRIPT: &str = "import sys, xml.parsers.expat as expat\n\
                          parser = expat.ParserCreate()\n\
                          parser.UseForeignDTD(True)\n\
                          parser.Parse(sys.stdin.buffer.read(), True)\n";
    let run = || -> std::io::Result<bool> {
        let mut child =
            Command::new("python3").args(["-c", SCRIPT]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let mut input = child.stdin.take();
        if let Some(input) = input.as_mut() {
            // A document that is refused early is not read to its end.
            _ = input.write_all(bytes);
        }
        drop(input);
        Ok(child.wait()?.success())
    };
    // Without Python, nothing is known to be broken.
    run().unwrap_or(true)
}

/// What the reader found.
fn ours(document: &Document, format: &str) -> Counts {
    let records = &document.records;
    let sum = |count: fn(&m1nd_documents::Record) -> usize| records.iter().map(count).sum();
    let with = |fits: fn(&m1nd_documents::Record) -> bool| records.iter().filter(|record| fits(record)).count();
    let links = |relation: RecordRelation| {
        records.iter().flat_map(|record| &record.links).filter(|link| link.relation == relation).count()
    };
    match format {
        "bibtex" => [
            ("entries", records.len()),
            ("titles", with(|record| !record.title.is_empty())),
            ("with authors", with(|record| !record.authors.is_empty())),
            ("years", with(|record| record.year.is_some())),
            ("DOIs", with(|record| record.ids.iter().any(|id| id.starts_with("doi:")))),
        ]
        .into(),
        "jats" => [
            ("DOIs", with(|record| record.ids.iter().any(|id| id.starts_with("doi:")))),
            ("titles", with(|record| !record.title.is_empty())),
            ("authors", sum(|record| record.authors.len())),
            ("references", links(RecordRelation::Cites)),
            ("keywords", sum(|record| record.keywords.len())),
            ("journals", with(|record| record.venue.is_some())),
        ]
        .into(),
        "rfc" => [
            ("titles", with(|record| !record.title.is_empty())),
            ("authors", sum(|record| record.authors.len())),
            ("references", links(RecordRelation::Cites)),
            ("obsoletes", links(RecordRelation::Obsoletes)),
            ("updates", links(RecordRelation::Updates)),
        ]
        .into(),
        "crossref" => [
            ("DOIs", with(|record| record.ids.iter().any(|id| id.starts_with("doi:")))),
            ("titles", with(|record| !record.title.is_empty())),
            ("authors", sum(|record| record.authors.len())),
            ("references", links(RecordRelation::Cites)),
            ("subjects", sum(|record| record.keywords.len())),
        ]
        .into(),
        _ => {
            let empty = m1nd_documents::light::LightDocument::default();
            let light = document.light.as_ref().unwrap_or(&empty);
            let relations =
                light.relations.len() + light.claims.iter().map(|claim| claim.relations.len()).sum::<usize>();
            [
                ("fields", light.header.len()),
                ("claims", light.claims.len()),
                ("relations", relations),
                ("sections", document.sections.iter().filter(|section| section.level == 2).count()),
            ]
            .into()
        }
    }
}

/// Entries from `@type{` at the start of a line to the next one.
fn bibtex(text: &str) -> Counts {
    let mut counts: Counts = [("entries", 0), ("titles", 0), ("with authors", 0), ("years", 0), ("DOIs", 0)].into();
    let mut seen: Vec<&'static str> = Vec::new();
    let mut is_entry = false;
    for line in text.lines() {
        let bare = line.trim_start();
        if let Some(rest) = bare.strip_prefix('@') {
            let kind = rest.split(['{', '(']).next().unwrap_or_default().trim().to_lowercase();
            is_entry = rest.contains(['{', '(']) && !["comment", "string", "preamble"].contains(&kind.as_str());
            seen.clear();
            *counts.entry("entries").or_default() += usize::from(is_entry);
        }
        if !is_entry {
            continue;
        }
        for part in bare.split(',') {
            let Some((name, value)) = part.split_once('=') else { continue };
            let is_empty = value.trim().trim_matches(['{', '}', '"', ' ']).is_empty() && part.len() == bare.len();
            let field = match name.trim().rsplit(['{', ' ']).next().unwrap_or_default().to_lowercase().as_str() {
                "title" => "titles",
                "author" => "with authors",
                "year" | "date" => "years",
                "doi" => "DOIs",
                _ => continue,
            };
            if !seen.contains(&field) && !is_empty {
                seen.push(field);
                *counts.entry(field).or_default() += 1;
            }
        }
    }
    counts
}

/// Texts from `<name` to `</name>`, without those inside of each other.
fn elements<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    let (open, close) = (format!("<{name}"), format!("</{name}>"));
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(&open) {
        rest = &rest[at..];
        let is_whole = rest[open.len()..].starts_with([' ', '>', '/', '\n', '\t', '\r']);
        let Some(start_end) = rest.find('>') else { break };
        if !is_whole || rest[..start_end].ends_with('/') {
            if is_whole {
                found.push(&rest[..start_end]);
            }
            rest = &rest[open.len()..];
            continue;
        }
        let end = rest.find(&close).unwrap_or(rest.len());
        found.push(&rest[..end]);
        rest = &rest[end..];
    }
    found
}

fn without_comments(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("<!--") {
        out.push_str(&rest[..at]);
        rest = rest[at..].find("-->").map_or("", |end| &rest[at + end + 3..]);
    }
    out + rest
}

fn jats(text: &str) -> Counts {
    let text = without_comments(text);
    let front = elements(&text, "front").first().copied().unwrap_or_default().to_owned();
    let meta = elements(&front, "article-meta").first().copied().unwrap_or_default().to_owned();
    let authors = elements(&meta, "contrib").into_iter().filter(|text| {
        let head = text.split('>').next().unwrap_or_default();
        head.contains("contrib-type=\"author\"")
    });
    let own_meta = meta.split("<related-object").next().unwrap_or_default();
    let doi = elements(own_meta, "article-id").into_iter().any(|text| text.contains("pub-id-type=\"doi\""));
    let back = elements(&text, "ref-list").into_iter().map(|list| elements(list, "ref").len()).sum();
    let keywords: usize = elements(&meta, "kwd-group").into_iter().map(|group| elements(group, "kwd").len()).sum();
    let journal = front.contains("<journal-title") || front.contains("<journal-id");
    [
        ("DOIs", usize::from(doi)),
        ("titles", usize::from(meta.contains("<article-title"))),
        ("authors", authors.count()),
        ("references", back),
        ("keywords", keywords),
        ("journals", usize::from(journal)),
    ]
    .into()
}

fn rfc(text: &str) -> Counts {
    let text = without_comments(text);
    let front = elements(&text, "front").first().copied().unwrap_or_default().to_owned();
    let head =
        text.find("<rfc").map(|at| text[at..].split('>').next().unwrap_or_default().to_owned()).unwrap_or_default();
    let listed = |name: &str| {
        let quoted = ['"', '\''].iter().find_map(|quote| {
            let at = head.find(&format!("{name}={quote}"))?;
            head[at + name.len() + 2..].split(*quote).next().map(str::to_owned)
        });
        quoted.map_or(0, |list| list.split(',').filter(|item| !item.trim().is_empty()).count())
    };
    // Newer sources name references by address only: in an instruction, an entity or an element, each counted once.
    let tags = text
        .split('<')
        .filter(|tag| ["?rfc include", "!ENTITY", "xi:include", "include"].iter().any(|start| tag.starts_with(start)));
    let named = tags.filter_map(|tag| tag.split("reference.").nth(1)).filter_map(|rest| {
        let name = rest.split(['"', '\'', '>', '?']).next()?.trim_end_matches(".xml");
        (name.starts_with("RFC.") || name.starts_with("I-D.")).then(|| name.replace("I-D.draft-", "I-D."))
    });
    let included = named.collect::<std::collections::BTreeSet<String>>().len();
    [
        ("titles", usize::from(front.contains("<title"))),
        ("authors", elements(&front, "author").len()),
        ("references", elements(&text, "reference").len() + included),
        ("obsoletes", listed("obsoletes")),
        ("updates", listed("updates")),
    ]
    .into()
}

fn crossref(text: &str) -> Counts {
    let mut counts: Counts = [("DOIs", 0), ("titles", 0), ("authors", 0), ("references", 0), ("subjects", 0)].into();
    let Ok(value) = serde_json::from_str::<Value>(text) else { return counts };
    let message = value.get("message").unwrap_or(&value);
    let items = message.get("items").and_then(Value::as_array);
    let works: Vec<&Value> = match (items, message.as_array()) {
        (Some(items), _) | (None, Some(items)) => items.iter().collect(),
        (None, None) => vec![message],
    };
    let length = |work: &Value, name: &str| work.get(name).and_then(Value::as_array).map_or(0, Vec::len);
    for work in works {
        *counts.entry("DOIs").or_default() += usize::from(work.get("DOI").is_some());
        *counts.entry("titles").or_default() += usize::from(match work.get("title") {
            Some(Value::Array(titles)) => !titles.is_empty(),
            Some(Value::String(title)) => !title.is_empty(),
            _ => false,
        });
        for (field, name) in [("authors", "author"), ("references", "reference"), ("subjects", "subject")] {
            *counts.entry(field).or_default() += length(work, name);
        }
    }
    counts
}

/// Markers of the seed's list outside of code, fields between the rules at the top, and headings.
fn light(text: &str) -> Counts {
    let kinds = ["[⍂ entity:", "[⍐ state:", "[⍌ event:", "[RED blocker:", "[AMBER warning:"];
    let relations = ["[⟁ depends_on:", "[⟁ binds_to:", "[⟁ tests:", "[𝔻 confidence:", "[𝔻 ambiguity:", "[𝔻 evidence:"];
    let mut counts: Counts = [("fields", 0), ("claims", 0), ("relations", 0), ("sections", 0)].into();
    let mut rules = 0;
    let mut is_code = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_code = !is_code;
        }
        if is_code {
            continue;
        }
        if line.trim() == "---" && rules < 2 {
            rules += 1;
        } else if rules == 1 {
            *counts.entry("fields").or_default() += usize::from(line.contains(':') && !line.starts_with("- "));
        } else {
            let outside: String = line.split('`').step_by(2).collect();
            let count = |marks: &[&str]| marks.iter().map(|mark| outside.matches(mark).count()).sum::<usize>();
            *counts.entry("claims").or_default() += count(&kinds);
            *counts.entry("relations").or_default() += count(&relations);
            *counts.entry("sections").or_default() += usize::from(line.starts_with("## "));
        }
    }
    counts
}
