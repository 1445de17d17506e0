//! The argument `lens`.

use m1nd_base::{EdgeTier, Relation};
use m1nd_query::navigation::{Family, Lens};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::framework::{ErrorCode, ToolError};
use crate::rows;

/// Longest list of a filter.
const MAX_WORDS: usize = 50;

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LensInput {
    #[serde(default)]
    dimensions: Weights,
    #[serde(default)]
    #[schemars(length(max = MAX_WORDS))]
    node_types: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = MAX_WORDS))]
    relations: Vec<String>,
    /// Folders or globs
    #[serde(default)]
    #[schemars(length(max = MAX_WORDS))]
    paths: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = MAX_WORDS))]
    tiers: Vec<String>,
    #[serde(default)]
    #[schemars(length(max = MAX_WORDS))]
    families: Vec<String>,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Weights {
    #[schemars(range(min = 0, max = 1))]
    structural: Option<f64>,
    #[schemars(range(min = 0, max = 1))]
    semantic: Option<f64>,
    #[schemars(range(min = 0, max = 1))]
    temporal: Option<f64>,
    #[schemars(range(min = 0, max = 1))]
    causal: Option<f64>,
}

impl LensInput {
    pub(super) fn read(&self) -> Result<Lens, ToolError> {
        let Weights { structural, semantic, temporal, causal } = self.dimensions;
        let lens = Lens {
            weights: [structural, semantic, temporal, causal],
            node_types: rows::kinds(&self.node_types)?,
            relations: parse_words("relations", &self.relations, Relation::parse, Relation::ALL, Relation::word)?,
            paths: self.paths.clone(),
            tiers: parse_words("tiers", &self.tiers, tier, EdgeTier::ALL, EdgeTier::word)?,
            families: parse_words("families", &self.families, Family::parse, &Family::ALL, Family::word)?,
        };
        match lens.check() {
            Ok(()) => Ok(lens),
            Err(why) => Err(ToolError::new(ErrorCode::InvalidPattern, format!("argument `lens.paths`: {why}"))
                .next_step("pass folders such as `src/core`, or globs such as `src/**/*.py`")),
        }
    }
}

fn tier(word: &str) -> Option<EdgeTier> {
    EdgeTier::ALL.iter().copied().find(|tier| tier.word() == word)
}

/// The values that words name.
fn parse_words<T: Copy>(
    member: &str,
    words: &[String],
    parse: impl Fn(&str) -> Option<T>,
    all: &[T],
    word: impl Fn(T) -> &'static str,
) -> Result<Vec<T>, ToolError> {
    let one = |text: &String| {
        parse(&text.trim().to_lowercase()).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            let allowed: Vec<String> = all.iter().map(|one| format!("`{}`", word(*one))).collect();
            ToolError::invalid(format!("argument `lens.{member}` contains `{shown}`, expected {}", allowed.join(", ")))
        })
    };
    words.iter().map(one).collect()
}
