//! Finds code by meaning, words or names.

use m1nd_base::{EdgeTier, Relation};
use m1nd_engine::{ModelUse, Snapshot};
use m1nd_query::changes::predict::Verdict;
use m1nd_query::retrieval::{
    LeftOut, LineFinder, Prior, SeekAnswer, SeekQuery, SeekRow, connections, seek_with, summary,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::seek_verdict::{TrustEnvelope, lower_trust, trust};
use crate::continuity::trail_prior;
use crate::first_code::first_code;
use crate::framework::{
    Answer, Command, Guidance, MAX_TARGET, Mention, ProofState, Purpose, ReadContext, ReadTool, Route, Stage, Tool,
    ToolError, ToolRef, Toolset, number, rows_schema, yes,
};
use crate::prior::{PriorNote, PriorRow};
use crate::rows::{self, CodeLine, NodeRow, code_lines, count, round_value};
use crate::test_rows::{ShortTest, first_tests};
use crate::word::{EdgeSide, Word, answer_kinds};

/// Default number of rows.
const DEFAULT_ROWS: usize = 20;
/// Rows of a text where the caller gives no number: agents read all of them.
const TEXT_ROWS: usize = 6;
/// First rows whose tests are listed.
const TESTED_ROWS: usize = 2;
/// Maximum rows of one page.
const MAX_ROWS: usize = 200;
/// Default minimum score.
const DEFAULT_MIN_SCORE: f64 = 0.1;
/// Maximum words named as not found.
const NAMED_WORDS: usize = 5;
/// The first row stands out if its score is at least this many times that of the second.
const CLEAR_LEAD: f64 = 1.25;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// What the code does, or names
    query: String,
    #[serde(default = "number::<DEFAULT_ROWS>")]
    #[schemars(range(min = 1, max = MAX_ROWS))]
    top_k: usize,
    /// Folder or file
    scope: Option<String>,
    /// function, class, struct, file …
    #[serde(default)]
    node_types: Vec<String>,
    #[serde(default = "default_min_score")]
    #[schemars(range(min = 0, max = 1))]
    min_score: f64,
    /// false: by words alone
    #[serde(default = "yes")]
    graph_rerank: bool,
    /// false: no word vectors
    #[serde(default = "yes")]
    embeddings: bool,
    /// Favour the nodes of this saved trail
    trail: Option<String>,
}

const fn default_min_score() -> f64 {
    DEFAULT_MIN_SCORE
}

#[derive(Debug, Serialize)]
pub(crate) struct ScoreBreakdown {
    /// Cosine similarity to the query; null without vectors and for parts such as fields.
    embedding_similarity: Option<f64>,
    lexical: f64,
    graph_activation: Option<f64>,
    /// How recently its file changed; null without history.
    temporal_recency: Option<f64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Link {
    node_id: String,
    label: String,
    relation: Word<Relation>,
    direction: Word<EdgeSide>,
    tier: Word<EdgeTier>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Row {
    #[serde(flatten)]
    node: NodeRow,
    score: f64,
    score_breakdown: ScoreBreakdown,
    matched_words: Vec<String>,
    best_field: &'static str,
    /// First sentence of its doc comment; the header without one.
    intent_summary: String,
    /// Its code with line numbers, whole or in parts, instead of `lines`: only of the first rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// Its header, and the lines that meet the question.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<CodeLine>,
    connections: Vec<Link>,
    #[serde(flatten)]
    prior: PriorRow,
}

answer_kinds! {
    /// Whether the rows suffice to stop searching.
    pub(super) SufficiencyState { Sufficient = "sufficient", Partial = "partial", Insufficient = "insufficient", }
}

#[derive(Debug, Serialize)]
pub(crate) struct Sufficiency {
    pub(super) state: Word<SufficiencyState>,
    unmatched_words: Vec<String>,
    pub(super) why: String,
    /// Words that the first row matches.
    #[serde(skip)]
    pub(super) met: usize,
}

#[derive(Debug, Serialize)]
pub(crate) struct Output {
    query: String,
    results: Vec<Row>,
    /// Test files that cover the first rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<ShortTest>,
    total_matches: usize,
    /// More nodes match a word than are ranked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    total_is_lower_bound: bool,
    total_candidates_scanned: usize,
    below_min_score: usize,
    scope_applied: Option<String>,
    embeddings_used: bool,
    /// The user's model that ordered the first rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<ModelNote>,
    #[serde(flatten)]
    prior: PriorNote,
    /// The part of the git history that the ranking did not use, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    history_missing: Option<String>,
    sufficiency: Sufficiency,
    trust_envelope: TrustEnvelope,
    /// What limits left out of the query or the index, if it may matter for this answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_is_missing: Option<String>,
}

/// How the user's model affected the order.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ModelNote {
    Ordered { name: String, rows: usize },
    Failed { error: String },
}

impl From<ModelUse> for ModelNote {
    fn from(used: ModelUse) -> Self {
        match used {
            ModelUse::Ordered { name, rows } => Self::Ordered { name, rows },
            ModelUse::Failed(error) => Self::Failed { error },
        }
    }
}

pub(crate) struct Seek;

impl Tool for Seek {
    const NAME: &'static str = "seek";
    const TOOLSET: Toolset = Toolset::Core;
    const DAILY: bool = true;
    const SUMMARY: &'static str = "Find code by what it does; use names or plain words";
    const ANSWERS: &'static str = "where something is, by words or names: ranked symbols with their connections";
    const HELP: &'static str = "\
Finds symbols and files by words, names, paths, whole issues, messages or stack traces. Words are matched against
names, owners, headers, comments, paths and bodies (BM25 over fields; identifiers are split, abbreviations expanded);
word vectors find the same meaning in other words. In a long text, the title, code spans, errors, listings and frames
are weighted separately. The ranking also uses files named by path, module or frame, symbols written out, callers and
callees of the matches, and commits: files of commits with a similar subject or the same prefix, files that change
together with the best matches, and how recently a file changed. A fitted model orders the files, tests and documents
lower unless the query is about tests. Each file comes with its best symbol first; of the first 20 rows, at most 8, 4
and 2 are of the first three files and one is of each further file.

Of the first rows the code is shown (`body`: whole, or its header and what stands around the lines that meet the
question, `…` where lines are left out), so that it need not be viewed again. Other rows have their header and the lines
that meet most of the question (`lines`). A text has six rows unless `top_k` is given. `tests` are test files that cover the first two rows
(`tests_for` lists all).

`score` is 0 to 1, comparable within an answer; `below_min_score` counts rows below `min_score`. `score_breakdown`
holds only what was computed: `embedding_similarity` is null without vectors (`embeddings: false`, or an index without
them: `embeddings_used`), `temporal_recency` without history; `history_missing` says which history is unavailable or
of another commit than the checkout. `best_field` is `meaning` or `context` if no word matches. `token_budget` cuts
the page to about that many tokens. Only the best 1,000 nodes are ranked: if more match, `total_is_lower_bound` is
true. Of a long query, 64 KiB are read, and the 160 words and names of most weight (32 places are kept for names), 64
compound names among those that files use and 160 paths are looked up; an entry is found by the first 400 distinct
words of its code, a file by the first 1,000 compound names that it uses. `what_is_missing` says where these limits
left something out, and `search` reads everything.

`sufficiency` describes the first row: whether it stands out, and which words it and all others do not match.
`trust_envelope` is about what its `about` names: the node of the first row if the query is exactly its name
(`Pool.acquire`, `src/pool.py`; named nodes are always the first rows, declarations after their definition), else the
file of the first row, not the function in it. It is `act` for such a name, and from the confidence whose precision was
measured on issues and commits of repositories that the ranking was not fitted to (`calibration_receipt`, with its
95 % interval); only with vectors and the complete git history, without `scope` and `node_types`, and if the first row
is in the file that the ranking puts first. It is `abstain` if the row is no better than a guess; else `reverify`. It
is never `act` if the file matches fewer than half of the words of a question, or if `learn` marked the first row as
wrong. `graph_rerank: false` ranks by words alone and is not calibrated. If the server was started with
`--model FOLDER`, that model reorders the best 50: `model` names it, or gives the error.";
    const NEEDS_FRESH: bool = true;
    const EXAMPLE: &'static str = r#"{"agent_id": "agent", "query": "code that validates user credentials"}"#;
    const STAGES: &'static [Route] = &[
        (Stage::Orient, 30, "where the code in question is"),
        (Stage::Find, 10, "by what it does, or by name"),
        (Stage::Ground, 20, "find what the documents refer to"),
    ];
    const MENTIONS: &'static [Mention] = &[(Purpose::Find, 10, "(by words and meaning)")];
    const PAGED: bool = true;
    const COMMAND: Option<Command> = Some(Command::words("seek", &["query"]));
    const TEXT_ROWS: usize = TEXT_ROWS;
    const TEXT_OMITS: &'static [&'static str] = &[
        "best_field", "matched_words", "embeddings_used", "below_min_score", "connections", "total_matches",
        "total_is_lower_bound", "total_candidates_scanned", "trust_envelope", "unmatched_words",
    ];
    const TOKEN_BUDGET: bool = true;
    const RARE: &'static [&'static str] = &["embeddings", "graph_rerank", "trail"];
    const DETAILS: &'static [&'static str] = &[
        "results.score_breakdown",
        "results.matched_words",
        "results.best_field",
        "results.connections",
        "total_candidates_scanned",
        "below_min_score",
        "embeddings_used",
        "sufficiency.unmatched_words",
        "trust_envelope.calibration_receipt",
        "trust_envelope.calibrated",
    ];
    const OUTPUT_SCHEMA: &'static str =
        rows_schema!("results": "node_id", "label", "type", "file_path", "line_start", "line_end", "score");
    type Input = Input;
    type Output = Output;
}

impl ReadTool for Seek {
    fn run(cx: &ReadContext<'_>, input: Input) -> Result<Answer<Output>, ToolError> {
        let snapshot = cx.require_indexed()?;
        rows::words("query", &input.query, "what the code does or is named")?;
        let rerank = input.graph_rerank;
        let query = SeekQuery {
            text: input.query.clone(),
            scope: rows::scope(snapshot, input.scope.as_deref())?,
            kinds: rows::kinds(&input.node_types)?,
            min_score: input.min_score,
            graph_rerank: rerank,
            without_vectors: !input.embeddings,
            model: cx.model().filter(|_| rerank && input.embeddings),
        };
        let prior = trail_prior(cx, &input.query, input.trail.as_deref())?;
        let history = if rerank { cx.loaded_history() } else { None };
        let found = seek_with(snapshot, &query, &prior, history.as_ref(), cx.cancel())?;
        if let Some(model) = &found.model {
            cx.rests_on(format!("{model:?}").as_bytes());
        }
        let sufficiency = sufficiency(&found);
        let total = found.rows.len();
        let note = PriorNote::new(snapshot, &prior, found.rows.iter().map(|row| row.node));
        let trust_envelope = lower_trust(trust(snapshot, &query, &found, &sufficiency), &found, &prior);
        let page = cx.page(input.top_k);
        // Of the first page: whoever reads on has seen them.
        let first: Vec<_> = found.rows.iter().take(TESTED_ROWS).map(|row| row.node).collect();
        let tests = match page.offset {
            0 => first_tests(cx, history.as_ref(), &first, &input.query)?,
            _ => Vec::new(),
        };
        let mut finder = LineFinder::new(snapshot, &input.query);
        let shows_code = page.offset == 0 && !is_guess(&found, &trust_envelope);
        let first: Vec<_> = found.rows.iter().filter(|_| shows_code).map(|row| (row.node, row.score)).collect();
        let mut code = first_code(snapshot, &mut finder, &first).into_iter();
        let first_is_shown = code.as_slice().first().is_some_and(Option::is_some);
        let guidance = guidance(snapshot, &found, (&sufficiency, &trust_envelope), &query, first_is_shown);
        let what_is_missing = missing(&found.left_out, &found.unmatched);
        let rows = page.cut(found.rows);
        let results = rows.into_iter().map(|found| {
            let body = code.next().flatten();
            row(snapshot, &mut finder, found, body, (rerank, &prior))
        });
        let results = results.collect();
        let output = Output {
            query: input.query,
            results,
            tests,
            total_matches: total,
            total_is_lower_bound: found.is_cut,
            total_candidates_scanned: found.scanned,
            below_min_score: found.below_min_score,
            scope_applied: Some(query.scope).filter(|scope| !scope.is_empty()),
            prior: note,
            embeddings_used: found.used_vectors,
            model: found.model.map(ModelNote::from),
            history_missing: found.no_history,
            trust_envelope,
            sufficiency,
            what_is_missing,
        };
        Ok(Answer::new(output).rows("results", total).guidance(guidance))
    }
}

fn row(
    snapshot: &Snapshot,
    finder: &mut LineFinder<'_>,
    found: SeekRow,
    body: Option<String>,
    (rerank, prior): (bool, &Prior),
) -> Row {
    let graph = snapshot.graph();
    // Without a doc comment it is the header, which the code begins with.
    let intent_summary = match body {
        Some(_) if graph.doc(found.node).is_empty() => String::new(),
        _ => summary(snapshot, found.node),
    };
    let connections = connections(snapshot, found.node).into_iter().map(|link| Link {
        node_id: graph.id(link.node).to_owned(),
        label: graph.label(link.node).to_owned(),
        relation: Word(link.relation),
        direction: Word(if link.outgoing { EdgeSide::Out } else { EdgeSide::In }),
        tier: Word(link.tier),
    });
    Row {
        node: NodeRow::new(snapshot, found.node),
        score: round_value(found.score),
        score_breakdown: ScoreBreakdown {
            embedding_similarity: found.meaning.map(round_value),
            lexical: round_value(found.lexical),
            graph_activation: rerank.then_some(round_value(found.prior)),
            temporal_recency: found.recency.map(round_value),
        },
        matched_words: found.matched.iter().map(|word| word.to_string()).collect(),
        best_field: found.best_field,
        lines: match body {
            Some(_) => Vec::new(),
            None => code_lines(snapshot, finder, found.node, &intent_summary),
        },
        body,
        intent_summary,
        connections: connections.collect(),
        prior: PriorRow::new(prior, found.node),
    }
}

/// Judges whether the answer suffices to stop searching.
fn sufficiency(found: &SeekAnswer) -> Sufficiency {
    let unmatched_words = found.unmatched.clone();
    let Some(first) = found.rows.first() else {
        let why = if found.below_min_score > 0 {
            format!("{} matched a word, all below `min_score`", count(found.below_min_score, "node"))
        } else {
            "no node matches any word of the query".to_owned()
        };
        return Sufficiency { state: Word(SufficiencyState::Insufficient), unmatched_words, why, met: 0 };
    };
    let words = found.words.len().min(SeekAnswer::TOLD_WORDS);
    let whole =
        first.matched.len() == words && found.left_out.untold + found.left_out.words + found.left_out.bytes == 0;
    // A name in full needs no other evidence than that it is of one node.
    if found.named > 0 {
        let (state, why) = match found.named {
            1 => (SufficiencyState::Sufficient, "the query is the name of the first row".to_owned()),
            several => (SufficiencyState::Partial, format!("the query is the name of the first {several} rows")),
        };
        return Sufficiency { state: Word(state), unmatched_words, why, met: first.matched.len() };
    }
    // Otherwise two questions: does the first row meet all words, and does it lead clearly.
    let stands_out = |other: Option<f64>| other.is_none_or(|other| first.score >= other * CLEAR_LEAD);
    let (clear, clear_file) = (stands_out(found.second_score), stands_out(found.other_file_score));
    let mut met = format!("the first row matches {} of {}", first.matched.len(), count(words, "word"));
    let unmet: Vec<String> = found.words.iter().filter(|word| !first.meets(word)).take(words).cloned().collect();
    if !found.is_long && !unmet.is_empty() {
        met = format!("{met}, not {}", quote_words(&unmet));
    }
    let (state, why) = match (whole, clear, clear_file) {
        (true, true, _) => (SufficiencyState::Sufficient, format!("{met} and stands out")),
        (true, false, true) => {
            (SufficiencyState::Partial, format!("{met}; only rows of its own file score about as high"))
        }
        (true, false, false) => (SufficiencyState::Partial, format!("{met}, but others score about as high")),
        (false, true, _) => (SufficiencyState::Partial, format!("{met}; it stands out")),
        (false, false, true) => {
            (SufficiencyState::Partial, format!("{met}; only rows of its own file score about as high"))
        }
        (false, false, false) => (SufficiencyState::Insufficient, format!("{met}, and others score about as high")),
    };
    Sufficiency { state: Word(state), unmatched_words, why, met: first.matched.len() }
}

/// Whether the first row is hardly better than another: its code would mislead.
fn is_guess(found: &SeekAnswer, trust: &TrustEnvelope) -> bool {
    trust.verdict.0 == Verdict::Abstain || lacks_words(found)
}

/// Whether the index has fewer than half of the words of the question.
fn lacks_words(found: &SeekAnswer) -> bool {
    2 * found.unmatched.len() > found.words.len()
}

/// What limits left out, if it may matter for this answer.
pub(super) fn missing(left: &LeftOut, unmatched: &[String]) -> Option<String> {
    let mut gaps: Vec<String> = Vec::new();
    let unsought = [(left.bytes, "byte"), (left.words, "word"), (left.names, "name"), (left.paths, "path")];
    let unsought: Vec<String> =
        unsought.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number, noun)).collect();
    if !unsought.is_empty() {
        gaps.push(format!("not looked up, since the query is long: {}", unsought.join(", ")));
    }
    if left.untold > 0 {
        let told = SeekAnswer::TOLD_WORDS;
        gaps.push(format!("`matched_words` and `unmatched_words` cover only the {told} words of most weight"));
    }
    if left.entries > 0 && !unmatched.is_empty() {
        let (entries, kept) = (count(left.entries, "long entry"), LeftOut::KEPT_WORDS);
        let words = quote_words(unmatched);
        gaps.push(format!(
            "{words} may occur in one of {entries} beyond the first {kept} words: `search` reads everything"
        ));
    }
    if left.files > 0 && !left.unknown_names.is_empty() {
        let (files, kept) = (count(left.files, "long file"), LeftOut::KEPT_NAMES);
        let names = quote_words(&left.unknown_names);
        gaps.push(format!(
            "{names} may be used in one of {files} beyond the first {kept} names: `search` reads everything"
        ));
    }
    (!gaps.is_empty()).then(|| gaps.join("; "))
}

/// The first few words, in backticks.
fn quote_words(words: &[String]) -> String {
    let shown: Vec<String> = words.iter().take(NAMED_WORDS).map(|word| format!("`{word}`")).collect();
    let more = words.len() - shown.len();
    if more > 0 { format!("{} and {more} more", shown.join(", ")) } else { shown.join(", ") }
}

/// The part of the query that a word was taken from. In a script without spaces, the words are only fragments of it.
fn as_written<'q>(query: &'q str, word: &'q str) -> &'q str {
    if word.is_ascii() {
        return word;
    }
    query.split_whitespace().find(|part| part.to_lowercase().contains(word)).unwrap_or(word)
}

fn guidance(
    snapshot: &Snapshot,
    found: &SeekAnswer,
    (sufficiency, trust): (&Sufficiency, &TrustEnvelope),
    query: &SeekQuery,
    first_is_shown: bool,
) -> Guidance {
    let Some(first) = found.rows.first() else {
        let whole = || Some(query.text.chars().take(MAX_TARGET).collect());
        if found.below_min_score > 0 {
            let least = query.min_score;
            let hint = format!("only weak matches (below {least}); repeat with a lower `min_score` or other words");
            return Guidance::next(ProofState::Blocked, ToolRef("seek"), whole(), hint);
        }
        if !query.scope.is_empty() || !query.kinds.is_empty() {
            let hint = "no match within `scope` and `node_types`; repeat without them";
            return Guidance::next(ProofState::Blocked, ToolRef("seek"), whole(), hint);
        }
        return Guidance::no_match(Some(found.words.first().map_or(&query.text, |word| as_written(&query.text, word))));
    };
    let label = snapshot.graph().label(first.node);
    let state = if trust.verdict.0 == Verdict::Act { ProofState::Proving } else { ProofState::Triaging };
    if first_is_shown {
        // The index holds only the first words of long code, so that a word may be there although no row has it.
        return match found.unmatched.first().filter(|_| found.left_out.entries > 0) {
            Some(word) => {
                let word = as_written(&query.text, word).to_owned();
                Guidance::next(state, ToolRef("search"), Some(word), "no row matches it")
            }
            None => Guidance::state(state),
        };
    }
    let target = Some(snapshot.graph().id(first.node).to_owned());
    let unmet = (!found.unmatched.is_empty()).then(|| format!("no row matches {}", quote_words(&found.unmatched)));
    let behind = unmet.as_ref().map_or_else(String::new, |unmet| format!("; {unmet}"));
    let hint = match (trust.verdict.0, sufficiency.state.0) {
        (_, SufficiencyState::Sufficient) => format!("`{label}` matches the whole query; open it"),
        (Verdict::Act, _) => {
            format!("open `{label}`: its file is most likely right, the place within it less certain{behind}")
        }
        (Verdict::Abstain, _) => format!("`{label}` is a guess{behind}; use other words, those of the code"),
        _ if lacks_words(found) => {
            format!("most words of the query are not in the index: use the words and the language of the code{behind}")
        }
        _ => match unmet {
            Some(unmet) => format!("open `{label}`, but {unmet}"),
            None => format!("open `{label}` and compare it with the next rows"),
        },
    };
    Guidance::next(state, ToolRef("view"), target, hint)
}
