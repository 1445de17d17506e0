//! References of documents to labels (`:ref:`, `` `name`_ ``) that nothing declares.

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use rustc_hash::FxHashSet;

use super::{DriftClass, Finding, Read};

/// Labels that Sphinx makes itself.
const MADE: &[&str] = &["genindex", "modindex", "search", "py-modindex"];
/// Maximum bytes of the files that are searched for labels.
const MAX_BYTES: usize = 256 << 20;

/// The labels of a project.
pub(super) struct Labels<'s> {
    snapshot: &'s Snapshot,
    known: Option<Known>,
}

/// What the files of a project say about labels.
#[derive(Default)]
struct Known {
    /// Labels that any file declares, in documents or comments of code.
    declared: FxHashSet<String>,
    /// Headings are labels, or a text is added to every document, so that nothing is known to be missing.
    is_open: bool,
    /// Labels may be those of other projects.
    has_others: bool,
}

impl<'s> Labels<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> Self {
        Self { snapshot, known: None }
    }

    /// References of a document without a label.
    pub(super) fn missing(&mut self, read: &Read, cancel: &Cancel) -> Result<Vec<Finding>, Cancelled> {
        if read.document.references.is_empty() {
            return Ok(Vec::new());
        }
        let text = self.snapshot.read_file(&read.path).map(|file| file.text).unwrap_or_default();
        // Labels of the documents that it includes are its own.
        let includes = text.contains("include::");
        if self.known.is_none() {
            self.known = Some(read_known(self.snapshot, cancel)?);
        }
        let Some(known) = self.known.as_ref().filter(|known| !known.is_open) else { return Ok(Vec::new()) };
        let headings = read.document.sections.iter().map(|section| section.heading.to_lowercase());
        let own: FxHashSet<String> = headings.chain(read.document.labels.iter().cloned()).collect();
        let missing = read.document.references.iter().filter(|used| match used.is_shared {
            true => !MADE.contains(&used.label.as_str()) && !known.declared.contains(&used.label),
            false => !includes && !own.contains(&used.label),
        });
        let rows = missing.map(|used| {
            // A project that links to others may mean a label of theirs.
            let confidence = if used.is_shared && known.has_others { 0.5 } else { 0.8 };
            let message = "the reference has no label that it could lead to".to_owned();
            Finding::new(DriftClass::AnchorBroken, used.line, &used.label, message, confidence)
        });
        Ok(rows.collect())
    }
}

fn read_known(snapshot: &Snapshot, cancel: &Cancel) -> Result<Known, Cancelled> {
    let mut known = Known::default();
    let mut bytes = 0;
    for file in snapshot.files().iter() {
        cancel.check()?;
        let Ok(text) = snapshot.read_bytes(&file.path) else {
            // What it declares is not known.
            known.is_open |= file.language.is_document();
            continue;
        };
        bytes += text.len();
        if bytes > MAX_BYTES {
            known.is_open = true;
            break;
        }
        let text = String::from_utf8_lossy(&text);
        if file.path.as_str().rsplit('/').next() == Some("conf.py") {
            known.is_open |= ["autosectionlabel", "rst_epilog", "rst_prolog"].iter().any(|word| text.contains(word));
            known.has_others |= text.contains("intersphinx_mapping");
        }
        for line in text.lines().map(str::trim) {
            known.declared.extend(parse_declared(line));
        }
    }
    Ok(known)
}

/// The label that a line declares: `.. _label:`, `(label)=`, `:name: label`.
fn parse_declared(line: &str) -> Option<String> {
    let rest = line.strip_prefix(".. _").and_then(|rest| rest.strip_suffix(':'));
    let rest = rest.or_else(|| line.strip_prefix('(')?.strip_suffix(")="));
    let label = rest.or_else(|| line.strip_prefix(":name:"))?.trim().trim_matches('`');
    Some(label.split_whitespace().collect::<Vec<&str>>().join(" ").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::parse_declared;

    #[test]
    fn labels_are_declared_in_three_ways() {
        for line in [".. _The  Pool:", ".. _`the pool`:", "(the pool)=", ":name: the pool"] {
            assert_eq!(parse_declared(line).as_deref(), Some("the pool"), "{line}");
        }
        assert_eq!(parse_declared(".. _pool: https://example.com/"), None);
    }
}
