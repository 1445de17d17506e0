//! The verdict of `seek` on its first row: what it is about, and how often such a verdict was right.

use m1nd_base::NodeKind;
use m1nd_engine::Snapshot;
use m1nd_query::changes::predict::Verdict;
use m1nd_query::retrieval::{Calibration, Prior, SeekAnswer, SeekQuery, SeekRow};
use serde::Serialize;

use super::seek::{Sufficiency, SufficiencyState};
use crate::rows::{count, round_value};
use crate::word::Word;

/// How often the first file was right from the confidence of `act` on, in repositories that took no part in the fit.
#[derive(Debug, Serialize)]
pub(crate) struct Receipt {
    /// Number of texts with known answers.
    rows: u32,
    /// Minimum confidence for the verdict `act`.
    act_at: f64,
    /// Number of the texts at `act_at` or above.
    acted: u32,
    /// Share of these whose first file was right.
    measured_precision: f64,
    /// Ends of the 95 % interval (Wilson) of that share.
    precision_interval: [f64; 2],
    /// Share of all texts that were at `act_at` or above.
    coverage: f64,
}

#[derive(Debug, Serialize)]
pub(crate) struct TrustEnvelope {
    pub(super) verdict: Word<Verdict>,
    /// Kind of what the verdict is about: `file`, or `function`, `class` … if the query is exactly its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    about: Option<Word<NodeKind>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    about_node_id: Option<String>,
    /// Confidence in the file of the first row, 0 to 1; null if the ranking puts another file first, and without
    /// `graph_rerank`.
    score: Option<f64>,
    calibrated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    calibration_receipt: Option<Receipt>,
    reasons: Vec<String>,
}

/// The verdict on the first row.
pub(super) fn trust(
    snapshot: &Snapshot,
    query: &SeekQuery,
    found: &SeekAnswer,
    sufficiency: &Sufficiency,
) -> TrustEnvelope {
    let graph = snapshot.graph();
    let mut reasons = vec![sufficiency.why.clone()];
    let Some(first) = found.rows.first() else {
        return TrustEnvelope {
            verdict: Word(Verdict::Abstain),
            about: None,
            about_node_id: None,
            score: None,
            calibrated: false,
            calibration_receipt: None,
            reasons,
        };
    };
    if found.named == 1 {
        return TrustEnvelope {
            verdict: Word(Verdict::Act),
            about: Some(Word(graph.kind(first.node))),
            about_node_id: Some(graph.id(first.node).to_owned()),
            score: None,
            calibrated: false,
            calibration_receipt: None,
            reasons,
        };
    }
    let measured = Calibration::load_measured();
    let confidence = confidence(snapshot, first, found, &mut reasons);
    let differs = not_measured(query, found);
    let is_as_measured = differs.is_empty();
    if !is_as_measured && found.confidence.is_some() {
        let how = differs.join(" and ");
        reasons.push(format!("`act` is not given {how}, where its precision was not measured"));
    }
    let calibrated = confidence.is_some() && is_as_measured && measured.rows > 0 && measured.act_at <= 1.0;
    // The confidence was measured on texts about the indexed code. A question with few matching words may be about
    // other code.
    let words = found.words.len().min(SeekAnswer::TOLD_WORDS);
    let is_elsewhere = !found.is_long && 2 * found.met_in_file < words;
    if is_elsewhere {
        reasons.push(format!("its file matches {} of {}, fewer than half", found.met_in_file, count(words, "word")));
    }
    let verdict = match confidence {
        _ if sufficiency.state.0 == SufficiencyState::Insufficient && sufficiency.met == 0 => Verdict::Abstain,
        Some(confidence) if calibrated && !is_elsewhere && confidence >= measured.act_at => Verdict::Act,
        Some(confidence) if confidence < measured.reverify_at => Verdict::Abstain,
        _ => Verdict::Reverify,
    };
    match verdict {
        Verdict::Act => reasons.push(precision(&measured, graph.kind(first.node))),
        _ => reasons.push("open the row before acting on it".to_owned()),
    }
    let file = graph.file(first.node);
    TrustEnvelope {
        verdict: Word(verdict),
        about: file.map(|_| Word(NodeKind::File)),
        about_node_id: file.map(|file| graph.id(file).to_owned()),
        score: confidence.map(round_value),
        calibrated,
        calibration_receipt: calibrated.then(|| receipt(&measured)),
        reasons,
    }
}

/// The model's confidence, if it is about the file of the first row. Adds why not, and what it was not measured for.
fn confidence(snapshot: &Snapshot, first: &SeekRow, found: &SeekAnswer, reasons: &mut Vec<String>) -> Option<f64> {
    let all = found.confidence?;
    if found.best_file.is_none() || snapshot.graph().file(first.node) != found.best_file {
        reasons.push("the first row is not in the file that the ranking puts first".to_owned());
        return None;
    }
    Some(all)
}

/// What differs from how the precision was measured: with all signals, over all files and kinds.
fn not_measured(query: &SeekQuery, found: &SeekAnswer) -> Vec<&'static str> {
    let differs = [
        (found.no_history.is_some(), "without the complete git history"),
        (!found.used_vectors, "without word vectors"),
        (!query.scope.is_empty(), "with `scope`"),
        (!query.kinds.is_empty(), "with `node_types`"),
    ];
    differs.into_iter().filter(|(differs, _)| *differs).map(|(_, how)| how).collect()
}

/// The measured precision in words, and what it does not say if the first row is a part of the file.
fn precision(measured: &Calibration, kind: NodeKind) -> String {
    let hundred = |share: f64| format!("{:.0}", 100.0 * share);
    let [low, high] = measured.interval;
    let (right, low, high) = (hundred(measured.precision), hundred(low), hundred(high));
    let file = format!("the file of the first row was right in {right} of 100 such cases ({low} to {high})");
    match kind {
        NodeKind::Function if measured.function_precision > 0.0 => {
            format!("{file}, the best function in it in {}", hundred(measured.function_precision))
        }
        _ => file,
    }
}

fn receipt(measured: &Calibration) -> Receipt {
    Receipt {
        rows: measured.rows,
        act_at: measured.act_at,
        acted: measured.acted,
        measured_precision: measured.precision,
        precision_interval: measured.interval,
        coverage: measured.coverage,
    }
}

/// Lowers the trust if agents marked the first row as wrong for the question.
pub(super) fn lower_trust(trust: TrustEnvelope, found: &SeekAnswer, prior: &Prior) -> TrustEnvelope {
    let told = found.rows.first().and_then(|row| prior.feedback_on(row.node)).filter(|told| told.weight < 0.0);
    let Some(told) = told else { return trust };
    let entries: Vec<String> = told.entries.iter().map(i64::to_string).collect();
    let told = format!("the first row was marked wrong for a similar question (ledger_id {})", entries.join(", "));
    let verdict = if trust.verdict.0 == Verdict::Act { Word(Verdict::Reverify) } else { trust.verdict };
    // The precision was not measured for such rows.
    TrustEnvelope { verdict, calibrated: false, calibration_receipt: None, reasons: vec![told], ..trust }
}
