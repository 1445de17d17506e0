//! One line about a memory, as a hook shows it to an agent. Text that came with the repository is quoted.

use m1nd_memory::{Record, RejectedSeverity, SourceKind, without_hidden};

/// Returns the row of a memory: its kind and day, its title with the reason, and its place.
pub(crate) fn row(record: &Record) -> String {
    let reason = record.reasoning.as_deref().map(|reason| format!(" - {reason}")).unwrap_or_default();
    let date = record.date.map(|date| format!(", {date}")).unwrap_or_default();
    let place = format!("{}:{}", record.source.file, record.source.line);
    let kind = record.kind.name();
    let solved = if record.status == Some(m1nd_memory::Status::Resolved) { ", solved" } else { "" };
    let text = format!("{}{reason}", record.title);
    match repository_source(record) {
        Some(from) => format!("[{kind}{solved}{date}, {from}] {} ({place})", quotation(&text)),
        None => format!("[{kind}{solved}{date}] {text} ({place})"),
    }
}

/// Returns the row of a memory that rejected an approach: how certain the match is, the rejected `alternative`, then
/// the memory.
pub(crate) fn rejected_row(record: &Record, alternative: usize, severity: RejectedSeverity) -> String {
    let what = record.alternatives.get(alternative).map(|text| &**text).unwrap_or_default();
    let what = if repository_source(record).is_some() { quotation(what) } else { what.to_owned() };
    let sure = match severity {
        RejectedSeverity::Critical => "rejected before",
        RejectedSeverity::High => "probably rejected before",
        RejectedSeverity::Moderate => "like what was rejected before",
    };
    format!("[{sure}] {what}: {}", row(record))
}

/// The origin of a memory that came with the repository; `None` for one from a memory file.
fn repository_source(record: &Record) -> Option<&'static str> {
    match record.source.kind {
        SourceKind::Comment => Some("a comment in the repository"),
        SourceKind::Commit => Some("a commit of the repository"),
        SourceKind::MemoryFile | SourceKind::Archive => None,
    }
}

/// A text in quotation marks that neither ends them nor says anything by its markup.
fn quotation(text: &str) -> String {
    // Spaces in place of the marks: what stands around one must not become another.
    let text = without_hidden(text).replace("<!--", " ").replace("-->", " ").replace('"', "'");
    format!("\"{}\"", text.trim())
}
