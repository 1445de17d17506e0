//! What trust, tremor and the trend say of single files, from models that are worked out once per snapshot and history.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, Cancelled};
use m1nd_engine::Snapshot;
use m1nd_engine::history::{PlacedHistory, ProjectHistory};
use m1nd_graph::NodeIx;
use m1nd_history::Moment;

use super::nodes::{Judge, TremorNode, TrustNode, TrustQuery, TrustScope, files_of, model};
use super::panorama::TREMOR_DAYS;
use super::tremor::Tremors;
use super::trust::TrustModel;
use crate::changes::velocity_of;
use crate::kept::Kept;
use crate::scope::Scope;

/// Histories whose models are kept: more than one only where the history grew under the same snapshot, or with several
/// roots.
const KEPT: usize = 8;
/// Days over which the trend of a file is computed.
const TREND_DAYS: f64 = 90.0;

/// What is measured over all files of a root.
struct Models {
    trust: TrustModel,
    tremors: Tremors,
}

/// What the history says of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileSignals {
    /// Its trust; `None` for tests, documents, and files that no commit touched.
    pub trust: Option<TrustNode>,
    /// The change of its pace; `None` for the same, and for files without a commit in the window.
    pub tremor: Option<TremorNode>,
    /// Its commits per 30 days in the older and newer half of the last 90 days; `None` without a commit in them.
    pub trend: Option<(f64, f64)>,
}

/// The signals of some files, in their order. `query` says what is recorded and what counts; its scope is not looked
/// at.
///
/// # Errors
/// [`Cancelled`].
pub fn file_signals(
    snapshot: &Snapshot,
    history: &ProjectHistory,
    files: &[NodeIx],
    query: &SignalsQuery,
    cancel: &Cancel,
) -> Result<Vec<FileSignals>, Cancelled> {
    let graph = snapshot.graph();
    let query = TrustQuery {
        scope: TrustScope::Files,
        paths: Scope::default(),
        node: None,
        half_life: query.half_life,
        least: query.least,
        outcomes: query.outcomes.clone(),
    };
    let one = |&node: &NodeIx| {
        cancel.check()?;
        let Ok(place) = history.place(graph.path(node)) else { return Ok(FileSignals::default()) };
        let Some(file) = place.file() else { return Ok(FileSignals::default()) };
        let own: Vec<usize> = file.commit_numbers(Moment::NOW).collect();
        let trend = Some(velocity_of(place.history, &own, TREND_DAYS).1).filter(|(older, newer)| older + newer > 0.0);
        if !super::nodes::is_judged(graph, node, &place.inner) {
            return Ok(FileSignals { trend, ..FileSignals::default() });
        }
        let models = models(snapshot, &place, history.state(), query.half_life);
        let judge = Judge { graph, place: &place, model: &models.trust, query: &query };
        let trust = judge.row(node, models.trust.exposure(place.history, own.iter().copied()));
        let series = models.tremors.series(place.history, own.iter().copied());
        let tremor = (series.observations() > 0).then(|| models.tremors.judge(&series)).flatten();
        Ok(FileSignals { trust: Some(trust), tremor: tremor.map(|tremor| TremorNode { node, series, tremor }), trend })
    };
    files.iter().map(one).collect()
}

/// What counts as evidence about files.
#[derive(Debug, Clone, Default)]
pub struct SignalsQuery {
    /// Recorded outcomes, by node id.
    pub outcomes: BTreeMap<String, Vec<super::Outcome>>,
    /// Days after which evidence of defects counts half.
    pub half_life: f64,
    /// Commits and outcomes below which nothing is told about defects.
    pub least: usize,
}

fn models(snapshot: &Snapshot, place: &PlacedHistory<'_>, state: u64, half_life: f64) -> std::sync::Arc<Models> {
    let graph = snapshot.graph();
    let measure = || {
        let files = files_of(graph, place);
        Ok::<_, std::convert::Infallible>(Models {
            trust: model(graph, place, half_life),
            tremors: Tremors::of(place.history, Moment::NOW, Some(TREMOR_DAYS), files.iter().map(|(_, file)| *file)),
        })
    };
    let kept = snapshot.derived_values().get_or_init(Kept::<Models, KEPT>::default);
    match kept.get_or(format!("{state} {half_life} {}", place.outer("")), measure) {
        Ok(models) => models,
        Err(never) => match never {},
    }
}
