//! Memories as JSON rows, with the names of `mind_search`. Ids are strings, since they exceed the integers of
//! JavaScript.

use m1nd_mind::{GotchaBullet, ParseStats, Record, Relation, SourceKind};
use serde_json::{Value, json};

/// A share, rounded to two decimals.
fn share(value: f32) -> Value {
    json!((f64::from(value) * 100.0).round() / 100.0)
}

/// A memory, with the rule that matched it.
pub(super) fn entity(record: &Record) -> Value {
    let kind = match record.source.kind {
        SourceKind::MemoryFile => "memory",
        SourceKind::Archive => "archive",
        SourceKind::Comment => "comment",
        SourceKind::Commit => "commit",
    };
    json!({
        "id": record.id.to_string(), "type": record.kind.name(), "title": record.title, "content": record.content,
        "reasoning": record.reasoning, "alternatives": record.alternatives, "status": record.status,
        "source_file": record.source.file, "source_line": record.source.line, "source_kind": kind, "date": record.date,
        "confidence": share(record.confidence), "matched_pattern": record.rule, "is_key": record.is_key,
        "markers": record.markers, "resolved_by_line": record.resolved_by_line, "resolved_by": record.resolved_by,
        "superseded_by": record.superseded_by.map(|id| id.to_string()), "earlier": record.earlier,
    })
}

/// A bullet of the Gotchas section.
pub(super) fn gotcha(gotcha: &GotchaBullet) -> Value {
    json!({
        "id": gotcha.id.to_string(), "title": gotcha.title, "description": gotcha.description,
        "workaround": gotcha.workaround, "severity": gotcha.severity, "line": gotcha.line,
    })
}

/// A relation of one memory to another.
pub(super) fn relation(relation: &Relation) -> Value {
    json!({
        "from": relation.from.to_string(), "to": relation.to.to_string(), "kind": relation.kind,
        "confidence": share(relation.confidence), "evidence": relation.evidence,
    })
}

/// Statistics of the file.
pub(super) fn stats(stats: &ParseStats) -> Value {
    json!({
        "lines_processed": stats.lines, "entities_found": stats.found, "high_confidence": stats.high,
        "medium_confidence": stats.medium, "low_confidence": stats.low,
    })
}
