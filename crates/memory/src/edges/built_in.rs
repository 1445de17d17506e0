use std::sync::LazyLock;

use jiff::Timestamp;
use serde::Deserialize;

use super::{Detection, Edge};
use crate::Severity;

/// Prefix of the ids of built-in gotchas.
pub const BUILT_IN_PREFIX: &str = "builtin_";

/// A gotcha that comes with the program.
#[derive(Clone, Debug, PartialEq)]
pub struct BuiltIn {
    /// The gotcha.
    pub edge: Edge,
    /// Whether it is nothing but noise outside of its context, whatever the code looks like unless that is enough.
    pub requires_context: bool,
    /// Whether its patterns are found in no other context: they say which it is.
    pub code_is_enough: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pack {
    edge: Vec<BuiltInGotcha>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuiltInGotcha {
    id: String,
    title: Box<str>,
    description: Box<str>,
    workaround: Box<str>,
    #[serde(flatten)]
    detection: DetectionRow,
}

/// Flat, so that a row of the file reads as one.
#[derive(Deserialize)]
struct DetectionRow {
    context: Vec<Box<str>>,
    intent: Vec<Box<str>>,
    code: Vec<Box<str>>,
    tags: Vec<Box<str>>,
    severity: Severity,
    #[serde(default)]
    requires_context: bool,
    #[serde(default)]
    code_is_enough: bool,
}

/// The gotchas that come with the program, in the order of their ids. They cannot be changed, and do not count as
/// global ones.
#[must_use]
pub fn built_in() -> &'static [BuiltIn] {
    static PACK: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| {
        let pack: Pack = toml::from_str(include_str!("../../assets/gotchas.toml")).expect("the pack is tested");
        let mut all: Vec<BuiltIn> = pack.edge.into_iter().map(edge_of).collect();
        all.sort_by(|a, b| a.edge.id.cmp(&b.edge.id));
        all
    });
    &PACK
}

fn edge_of(row: BuiltInGotcha) -> BuiltIn {
    let DetectionRow { context, intent, code, tags, severity, requires_context, code_is_enough } = row.detection;
    let edge = Edge {
        id: format!("{BUILT_IN_PREFIX}{}", row.id).into(),
        title: row.title,
        description: row.description,
        workaround: row.workaround,
        detection: Detection { context, intent, code },
        stack_tags: tags,
        severity,
        created_at: Timestamp::UNIX_EPOCH,
        verified_count: 0,
    };
    BuiltIn { edge, requires_context, code_is_enough }
}
