//! A document of the project: what it says, the code that it names, and where both no longer agree.

pub use m1nd_documents::Document;
pub use m1nd_documents::light::{LightClaim, LightQualifier, LightRelation};

use m1nd_base::RepoPath;
use m1nd_documents::{DocumentLimits, Unreadable, parse};
use m1nd_engine::{Binding, ReadError, Snapshot};

/// Schemes and forms of links that lead out of the project.
const OUTSIDE: &[&str] = &["http:", "https:", "mailto:", "ftp:", "tel:", "data:", "//", "#", "{", "<"];

/// A document with its bindings.
pub struct Read {
    /// Its path in the index.
    pub path: RepoPath,
    /// What was read.
    pub document: Document,
    /// The names of code that are bound, in the order of the text.
    pub bindings: Vec<Binding>,
}

/// Why a document cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] ReadError),
    /// Its content cannot.
    #[error(transparent)]
    Content(#[from] Unreadable),
}

/// Reads a document below an indexed root as it is on disk.
///
/// # Errors
/// [`DocumentError`] with the reason.
pub fn read(snapshot: &Snapshot, path: &RepoPath) -> Result<Read, DocumentError> {
    let bytes = snapshot.read_bytes(path)?;
    let document = parse(path.as_str(), &bytes, &DocumentLimits::default())?;
    let bindings = snapshot.bindings(&document, path.as_str());
    Ok(Read { path: path.clone(), document, bindings })
}

/// Kind of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriftClass {
    /// The text marks a name as code of the project, and nothing has it.
    BindingMissing,
    /// Several nodes have the name.
    BindingAmbiguous,
    /// A link leads to a file that is not there.
    LinkBroken,
    /// The document names code, and nothing of it is bound.
    ClaimUnbacked,
}

impl DriftClass {
    /// The word on the wire.
    pub const fn word(self) -> &'static str {
        match self {
            Self::BindingMissing => "binding_missing",
            Self::BindingAmbiguous => "binding_ambiguous",
            Self::LinkBroken => "link_broken",
            Self::ClaimUnbacked => "doc_claim_unbacked",
        }
    }
}

/// A place where a document and the project do not agree.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// Its kind.
    pub class: DriftClass,
    /// Line in the document, 0 if its format has none.
    pub line: u32,
    /// The name or link, as written.
    pub name: String,
    /// What is wrong.
    pub message: String,
    /// Probability that it is.
    pub confidence: f64,
}

/// Findings in a document, by line.
pub fn drift(snapshot: &Snapshot, read: &Read) -> Vec<Finding> {
    let mut found = Vec::new();
    let bound: Vec<usize> = read.bindings.iter().map(|binding| binding.mention).collect();
    for (index, mention) in read.document.mentions.iter().enumerate() {
        if bound.binary_search(&index).is_err()
            && snapshot.is_expected(mention)
            && !is_there(snapshot, read, &mention.name)
        {
            let what = if mention.name.contains('/') { "no such file" } else { "no symbol of this name" };
            let confidence = if mention.name.contains('/') { 0.7 } else { 0.6 };
            found.push(Finding {
                class: DriftClass::BindingMissing,
                line: mention.line,
                name: mention.name.clone(),
                message: format!("{what} is in the index"),
                confidence,
            });
        }
    }
    for binding in read.bindings.iter().filter(|binding| binding.of > 1) {
        let mention = &read.document.mentions[binding.mention];
        found.push(Finding {
            class: DriftClass::BindingAmbiguous,
            line: mention.line,
            name: mention.name.clone(),
            message: format!("{} nodes have this name; write it with its owner or file", binding.of),
            confidence: 1.0 - binding.confidence(),
        });
    }
    found.extend(broken_links(snapshot, read));
    let candidates = read.document.mentions.iter().filter(|mention| snapshot.is_expected(mention)).count();
    if read.bindings.is_empty() && candidates > 0 {
        found.push(Finding {
            class: DriftClass::ClaimUnbacked,
            line: 0,
            name: read.path.to_string(),
            message: format!("{candidates} names of code, none of them in the index"),
            confidence: 0.5,
        });
    }
    found.sort_by(|a, b| (a.line, a.class, &a.name).cmp(&(b.line, b.class, &b.name)));
    found.dedup_by(|a, b| (a.line, a.class, &a.name) == (b.line, b.class, &b.name));
    found
}

/// Links to files of the project that are not there.
pub fn broken_links(snapshot: &Snapshot, read: &Read) -> Vec<Finding> {
    let links = read.document.links.iter();
    let inside =
        links.filter(|link| !OUTSIDE.iter().any(|start| link.target.starts_with(start)) && !link.target.contains(':'));
    let broken = inside.filter_map(|link| {
        let path = link.target.split(['#', '?']).next().unwrap_or(&link.target);
        let file = path.rsplit('/').next().unwrap_or(path);
        // A page of a site may be made from a file of another ending.
        let named = file.contains('.') && !file.ends_with(".html");
        let is_broken = named && !path.starts_with('/') && !is_there(snapshot, read, path);
        is_broken.then(|| Finding {
            class: DriftClass::LinkBroken,
            line: link.line,
            name: link.target.clone(),
            message: "the link leads to a file that does not exist".to_owned(),
            confidence: 0.9,
        })
    });
    broken.collect()
}

/// Whether a file or folder is on disk, beside the document or below the root.
fn is_there(snapshot: &Snapshot, read: &Read, path: &str) -> bool {
    let path = path.replace("%20", " ");
    [read.path.parent(), ""].iter().any(|folder| {
        let Some(path) = RepoPath::resolved(folder, &path) else { return false };
        snapshot.files().within(path.as_str()).next().is_some() || snapshot.read_bytes(&path).is_ok()
    })
}
