//! JSON schemas of the answers of the memory tools: the members that clients may rely on. Others may be added.
//!
//! No top-level member is required: clients also validate errors against these schemas, and would reject
//! `{code, message, details}`. Members of every row are required in the row.

/// Schema of `mind_search`.
pub(super) const SEARCH: &str = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string"},
    "total": {"type": "integer", "minimum": 0},
    "notice": {"type": "string"},
    "results": {"type": "array", "items": {
      "type": "object",
      "required": ["type", "title", "content", "project", "source_file", "source_line", "confidence", "relevance", "date"],
      "properties": {
        "type": {"enum": ["decision", "issue", "learning", "edge"]},
        "title": {"type": "string"},
        "content": {"type": "string"},
        "reasoning": {"type": ["string", "null"]},
        "project": {"type": "string"},
        "source_file": {"type": "string"},
        "source_line": {"type": "integer", "minimum": 1},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1},
        "relevance": {"type": "number", "minimum": 0, "maximum": 1},
        "date": {"type": "string", "format": "date-time"},
        "status": {"enum": ["open", "blocked", "resolved"]},
        "trust": {"enum": ["approved", "unapproved"]}
      }
    }}
  }
}"#;

/// Schema of `mind_edges`.
pub(super) const EDGES: &str = r#"{
  "type": "object",
  "properties": {
    "notice": {"type": "string"},
    "result": {"type": "array", "items": {
      "type": "object",
      "required": ["id", "title", "description", "workaround", "severity", "source", "matched_on", "confidence"],
      "properties": {
        "id": {"type": "string"},
        "title": {"type": "string"},
        "description": {"type": "string"},
        "workaround": {"type": "string"},
        "severity": {"enum": ["info", "warning", "critical"]},
        "source": {"enum": ["global", "project", "stack"]},
        "matched_on": {"type": "string"},
        "confidence": {"type": "number", "minimum": 0, "maximum": 1}
      }
    }}
  }
}"#;

/// Schema of `mind_add_global_edge`.
pub(super) const EDGE: &str = r#"{
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "title": {"type": "string"},
    "description": {"type": "string"},
    "workaround": {"type": "string"},
    "detection": {
      "type": "object",
      "required": ["context", "intent", "code"],
      "properties": {
        "context": {"type": "array", "items": {"type": "string"}},
        "intent": {"type": "array", "items": {"type": "string"}},
        "code": {"type": "array", "items": {"type": "string"}}
      }
    },
    "stack_tags": {"type": "array", "items": {"type": "string"}},
    "severity": {"enum": ["info", "warning", "critical"]},
    "created_at": {"type": "string", "format": "date-time"},
    "verified_count": {"type": "integer", "minimum": 0}
  }
}"#;

/// Schema of `mind_status`.
pub(super) const STATUS: &str = r#"{
  "type": "object",
  "properties": {
    "daemon": {
      "type": "object",
      "required": ["running", "projects_watching"],
      "properties": {
        "running": {"type": "boolean"},
        "pid": {"type": ["integer", "null"]},
        "uptime_seconds": {"type": ["integer", "null"]},
        "projects_watching": {"type": "integer"},
        "last_index": {"type": ["string", "null"]}
      }
    },
    "current_project": {
      "type": ["object", "null"],
      "required": ["path", "name", "stack", "memory_health", "last_activity", "stats"],
      "properties": {
        "path": {"type": "string"},
        "name": {"type": "string"},
        "stack": {"type": "array", "items": {"type": "string"}},
        "memory_health": {"enum": ["good", "stale", "empty"]},
        "last_activity": {"type": "string", "format": "date-time"},
        "stats": {
          "type": "object",
          "required": ["decisions", "issues_open", "issues_resolved", "learnings", "edges", "sessions_inferred"],
          "additionalProperties": {"type": "integer"}
        }
      }
    },
    "global_stats": {
      "type": "object",
      "required": ["projects_registered", "global_edges", "total_memories"],
      "additionalProperties": {"type": "integer"}
    }
  }
}"#;
