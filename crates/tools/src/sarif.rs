//! Findings of a check as SARIF 2.1.0, the format that code hosts and editors read.

use std::collections::BTreeSet;

use serde_json::{Value, json};

/// The version of the format.
const VERSION: &str = "2.1.0";
/// Its schema.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The folder that paths are relative to: consumers map it to their checkout.
const ROOT: &str = "SRCROOT";

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// For information.
    Note,
    /// Should be looked at.
    Warning,
    /// Should be mended.
    Error,
}

impl Level {
    /// The word of the format.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule that findings refer to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Stable name, such as `layer-violation`.
    pub id: String,
    /// One sentence that says what is wrong where it applies.
    pub summary: String,
    /// The level of its findings, unless they say otherwise.
    pub level: Level,
}

/// A place in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Path from the top of the repository, with `/`.
    pub path: String,
    /// 1-based line; `None` for the whole file.
    pub line: Option<u32>,
}

impl Location {
    fn value(&self) -> Value {
        let mut physical = json!({"artifactLocation": {"uri": uri(&self.path), "uriBaseId": ROOT}});
        if let Some(line) = self.line.filter(|line| *line > 0) {
            physical["region"] = json!({"startLine": line});
        }
        json!({"physicalLocation": physical})
    }
}

/// Something that a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The [`Rule::id`].
    pub rule: String,
    /// How much it matters.
    pub level: Level,
    /// What is wrong, in plain text.
    pub message: String,
    /// Where it is.
    pub place: Location,
    /// Other places that belong to it.
    pub related: Vec<Location>,
    /// A text that stays the same when lines are added above, by which consumers know the finding again.
    pub identity: String,
    /// Whether it was there before the change that is checked; `None` if that is not known.
    pub is_new: Option<bool>,
}

/// The log of one run of a check called `tool`, such as `m1nd check`. The result follows from the arguments alone: it
/// has no time and no path of the machine.
pub fn log(tool: &str, rules: &[Rule], findings: &[Finding]) -> Value {
    let rule = |rule: &Rule| {
        json!({
            "id": rule.id,
            "shortDescription": {"text": rule.summary},
            "defaultConfiguration": {"level": rule.level.word()},
        })
    };
    let result = |finding: &Finding| {
        let mut result = json!({
            "ruleId": finding.rule,
            "level": finding.level.word(),
            "message": {"text": finding.message},
            "locations": [finding.place.value()],
            "partialFingerprints": {"m1nd/v1": finding.identity},
        });
        if let Some(index) = rules.iter().position(|rule| rule.id == finding.rule) {
            result["ruleIndex"] = index.into();
        }
        // The format forbids equal locations.
        let related: BTreeSet<(&str, Option<u32>)> =
            finding.related.iter().map(|place| (place.path.as_str(), place.line)).collect();
        if !related.is_empty() {
            let places = related.into_iter().map(|(path, line)| Location { path: path.to_owned(), line }.value());
            result["relatedLocations"] = places.collect();
        }
        if let Some(is_new) = finding.is_new {
            result["baselineState"] = if is_new { "new" } else { "unchanged" }.into();
        }
        result
    };
    json!({
        "$schema": SCHEMA,
        "version": VERSION,
        "runs": [{
            "tool": {"driver": {
                "name": tool,
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(rule).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

/// A path as a relative URI reference: all bytes but those that need no escape are written as `%XX`.
fn uri(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b'~' => text.push(char::from(byte)),
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str) -> Finding {
        Finding {
            rule: rule.to_owned(),
            level: Level::Error,
            message: "`a` uses `b`".to_owned(),
            place: Location { path: "src/ü b.rs".to_owned(), line: Some(3) },
            related: vec![Location { path: "b.rs".to_owned(), line: None }; 2],
            identity: "a b".to_owned(),
            is_new: Some(true),
        }
    }

    #[test]
    fn members_are_those_of_the_format() {
        let rules = [Rule { id: "layer".to_owned(), summary: "Against the order.".to_owned(), level: Level::Error }];
        let found = log("m1nd check", &rules, &[finding("layer"), finding("other")]);
        let results = &found["runs"][0]["results"];
        assert_eq!(results[0]["ruleIndex"], 0);
        assert_eq!(results[1].get("ruleIndex"), None);
        let place = &results[0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/%C3%BC%20b.rs");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(results[0]["relatedLocations"].as_array().map(Vec::len), Some(1));
        assert_eq!(results[0]["baselineState"], "new");
    }

    #[test]
    fn a_run_without_findings_has_results() {
        let found = log("m1nd check", &[], &[]);
        assert_eq!(found["runs"][0]["results"], json!([]));
        assert_eq!(found["version"], VERSION);
    }
}
