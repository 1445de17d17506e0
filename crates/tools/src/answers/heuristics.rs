//! What trust and tremor say of a file, and the factor that they multiply to: shared by the tools that show them.

use m1nd_engine::graph::NodeIx;
use m1nd_engine::history::ProjectHistory;
use m1nd_query::risk::{FileSignals, SignalsQuery, Tier, TremorLevel, TremorNode, TrustNode, file_signals};
pub(crate) use m1nd_query::risk::{HALF_LIFE, LEAST};
use serde::Serialize;

use crate::framework::{ReadContext, ToolError};
use crate::rows::round_value;
use crate::word::{Band, Word};

/// Cap of the multiplier.
const CAP: f64 = 3.0;
/// Commits of the window from which tremor counts.
const LEAST_OBSERVATIONS: usize = 3;

/// The chance of a fix over the mean of the project, 1 to 3; `None` without enough evidence.
pub(crate) fn multiplier(trust: Option<&TrustNode>) -> Option<f64> {
    let known = trust.filter(|trust| trust.verdict.tier != Tier::Unknown);
    known.map(|trust| trust.verdict.ratio.clamp(1.0, CAP))
}

/// 1 + .2 (multiplier - 1), times 1 + .1 tremor from three commits in the window on: 1 to 1.54.
pub(crate) fn factor(trust: Option<&TrustNode>, tremor: Option<&TremorNode>) -> f64 {
    let above = multiplier(trust).unwrap_or(1.0) - 1.0;
    let counts = tremor.filter(|tremor| tremor.series.observations() >= LEAST_OBSERVATIONS);
    let magnitude = counts.map_or(0.0, |tremor| tremor.tremor.magnitude.min(1.0));
    (1.0 + above * 0.2) * (1.0 + magnitude * 0.1)
}

/// Ratio from which a chance is said to be above another.
const CLEARLY: f64 = 1.5;

/// What stands out about a file, in words.
pub(crate) fn reasons(trust: Option<&TrustNode>, tremor: Option<&TremorNode>) -> Vec<String> {
    let of_trust = match trust {
        Some(trust) if trust.verdict.ratio >= CLEARLY && !trust.exposure.fixes.is_empty() => {
            Some("more fixes than the mean of the project")
        }
        Some(trust) if trust.verdict.ratio <= 1.0 / CLEARLY => Some("fewer fixes than the mean of the project"),
        _ => None,
    };
    let is_faster = tremor.is_some_and(|tremor| tremor.tremor.level > TremorLevel::Low);
    let of_tremor = is_faster.then_some("changes faster than the others");
    of_trust.into_iter().chain(of_tremor).map(str::to_owned).collect()
}

/// Trust, tremor and trend of a file, as parts of a row. What is not known is left out.
#[derive(Debug, Serialize)]
pub(crate) struct RowSignals {
    #[serde(skip_serializing_if = "Option::is_none")]
    heuristic_factor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_risk_multiplier: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_tier: Option<Word<Tier>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trust_band: Option<Word<Band>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tremor_magnitude: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tremor_observation_count: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tremor_risk_level: Option<Word<TremorLevel>>,
    /// Commits per 30 days, newer half of the last 90 days minus older half.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) velocity: Option<f64>,
    #[serde(skip)]
    pub(crate) reasons: Vec<String>,
}

impl RowSignals {
    /// The signals of some files, in their order.
    pub(crate) fn of(cx: &ReadContext<'_>, history: &ProjectHistory, files: &[NodeIx]) -> Result<Vec<Self>, ToolError> {
        let query = SignalsQuery { outcomes: cx.outcomes().0, half_life: HALF_LIFE, least: LEAST };
        let found = file_signals(cx.snapshot(), history, files, &query, cx.cancel())?;
        Ok(found.iter().map(Self::new).collect())
    }

    fn new(found: &FileSignals) -> Self {
        let trust = found.trust.as_ref().filter(|trust| trust.verdict.tier != Tier::Unknown);
        let tremor = found.tremor.as_ref();
        Self {
            heuristic_factor: (trust.is_some() || tremor.is_some()).then(|| round_value(factor(trust, tremor))),
            trust_score: trust.map(|trust| round_value(trust.verdict.trust)),
            trust_risk_multiplier: multiplier(trust).map(round_value),
            trust_tier: trust.map(|trust| Word(trust.verdict.tier)),
            trust_band: found.trust.as_ref().map(|trust| Word(Band(trust.verdict.tier))),
            tremor_magnitude: tremor.map(|tremor| round_value(tremor.tremor.magnitude)),
            tremor_observation_count: tremor.map(|tremor| tremor.series.observations()),
            tremor_risk_level: tremor.map(|tremor| Word(tremor.tremor.level)),
            velocity: found.trend.map(|(older, newer)| round_value(newer - older)),
            reasons: reasons(trust, tremor),
        }
    }
}
