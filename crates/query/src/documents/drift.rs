//! Where one document and the code no longer agree.

use m1nd_base::{Cancel, Cancelled};
use m1nd_documents::{Form, MentionKind};
use m1nd_engine::Snapshot;
use m1nd_engine::history::ProjectHistory;

use super::check::{CheckScope, findings};
use super::kept::changed_since;
use super::{DriftClass, Finding, Read, in_order};

/// The findings of a document.
#[derive(Debug, Default)]
pub struct Drift {
    /// By line.
    pub findings: Vec<Finding>,
    /// What could not be looked at, in words.
    pub gaps: Vec<String>,
}

/// Compares a document with the code, and with the commits that changed both.
///
/// # Errors
/// [`Cancelled`].
pub fn drift(snapshot: &Snapshot, history: &ProjectHistory, read: &Read, cancel: &Cancel) -> Result<Drift, Cancelled> {
    let mut gaps = history.gaps();
    let scope = CheckScope { changed_code: true };
    let mut found = findings(snapshot, history, &[read], scope, &mut gaps, cancel)?.pop().unwrap_or_default();
    let since = changed_since(snapshot, read, cancel)?;
    // What the index knew says more than the commits: it has the code as it was.
    found.retain(|row| !since.iter().any(|other| is_about_same(row, other)));
    let has_known = !since.is_empty();
    found.extend(since);
    found.extend(ambiguous(read));
    if !has_known {
        found.extend(find_unbacked(read));
    }
    in_order(&mut found);
    Ok(Drift { findings: found, gaps })
}

/// Returns whether two findings say of the same name in the same line that its code is gone or changed.
fn is_about_same(row: &Finding, other: &Finding) -> bool {
    let kinds = [DriftClass::BindingMissing, DriftClass::BindingMoved];
    let is_kind = row.class == other.class && row.confidence <= other.confidence
        || kinds.contains(&row.class) && kinds.contains(&other.class);
    row.line == other.line && row.name == other.name && is_kind
}

/// Names that several nodes have.
fn ambiguous(read: &Read) -> Vec<Finding> {
    let rows = read.bindings.iter().filter(|row| row.of > 1);
    let rows = rows.map(|row| {
        let message = format!("{} nodes have this name; write it with its owner or file", row.of);
        Finding::new(DriftClass::BindingAmbiguous, row.line, &row.mention, message, 1.0 - row.confidence())
    });
    rows.collect()
}

/// A document that marks names as code of a project, of which nothing is bound.
fn find_unbacked(read: &Read) -> Option<Finding> {
    let is_marked = |kind| matches!(kind, MentionKind::Role | MentionKind::Code);
    let marked = read.document.mentions.iter().filter(|mention| {
        let name = &mention.name;
        is_marked(mention.kind)
            && matches!(mention.form, Form::Symbol | Form::Call)
            && (mention.kind == MentionKind::Role || name.contains(['.', ':', '_', '#']))
    });
    let count = marked.count();
    (read.bindings.is_empty() && count > 0).then(|| {
        let message = format!("{count} names of code, none of them in the index");
        Finding::new(DriftClass::ClaimUnbacked, 0, read.path.as_str(), message, 0.5)
    })
}
