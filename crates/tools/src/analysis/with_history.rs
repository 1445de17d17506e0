//! What the history says about the reach of a change: probabilities for files, and files that only it connects.

use std::collections::{HashMap, HashSet};

use m1nd_engine::graph::NodeIx;
use m1nd_engine::history::ProjectHistory;
use m1nd_query::changes::predict::{PredictAnswer, PredictQuery, PredictRow, Source, predict};

use crate::framework::{ReadContext, ToolError};
use crate::past::STILL_MEASURED;

/// Fewest common commits of a file that only the history connects.
const LEAST_SUPPORT: u32 = 2;
/// Maximum files that only the history connects.
const MAX_UNREACHED: usize = 20;

/// The files that change with a file, by path.
#[derive(Default)]
pub(super) struct WithHistory {
    rows: HashMap<String, PredictRow>,
    /// Paths, most probable first.
    order: Vec<String>,
    is_calibrated: bool,
    /// Why there are no probabilities, in words.
    pub(super) missing: Option<String>,
}

impl WithHistory {
    /// What the history says about the file of a node, as far as it is at hand.
    pub(super) fn of(cx: &ReadContext<'_>, history: &ProjectHistory, node: NodeIx) -> Result<Self, ToolError> {
        let snapshot = cx.snapshot();
        let missing = |why: &str| Ok(Self::missing(why));
        let Some(file) = snapshot.graph().file(node) else { return missing("the node is not part of a file") };
        let query = PredictQuery {
            changed: vec![file],
            also_changed: Vec::new(),
            min_support: 0,
            with_symbols: false,
            waits: cx.answers_once(),
        };
        let PredictAnswer { rows, calibration, untold, is_being_measured, .. } =
            predict(snapshot, history, &query, cx.cancel())?;
        if let Some((_, reason)) = untold.first() {
            return missing(&reason.to_string());
        }
        let is_calibrated = calibration.is_known();
        let order = rows.iter().map(|row| row.path.clone()).collect();
        let rows = rows.into_iter().map(|row| (row.path.clone(), row)).collect();
        let why = match is_being_measured {
            true => STILL_MEASURED,
            false => "the repository has too few commits to measure probabilities",
        };
        let missing = (!is_calibrated).then(|| why.to_owned());
        Ok(Self { rows, order, is_calibrated, missing })
    }

    /// Nothing, for this reason.
    pub(super) fn missing(why: &str) -> Self {
        Self { missing: Some(why.to_owned()), ..Self::default() }
    }

    /// Probability that a file changes when the changed node's file does, measured on the commits of the repository.
    pub(super) fn probability(&self, path: &str) -> Option<f64> {
        self.rows.get(path).filter(|_| self.is_calibrated).map(|row| row.probability)
    }

    /// Existing files that changed together with the node's file, without those in `reached`.
    pub(super) fn list_unreached(&self, reached: &HashSet<&str>) -> Vec<&PredictRow> {
        let rows = self.order.iter().filter_map(|path| self.rows.get(path));
        let is_one = |row: &&PredictRow| {
            row.source == Source::CoChange
                && row.support >= LEAST_SUPPORT
                && row.node.is_some()
                && !reached.contains(row.path.as_str())
        };
        rows.filter(is_one).take(MAX_UNREACHED).collect()
    }
}
