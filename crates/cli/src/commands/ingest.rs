//! `m1nd ingest`: indexes a repository and shows a summary.

use std::collections::BTreeMap;
use std::path::Path;

use m1nd_base::{Cancel, NodeKind, ProblemKind, Progress, ProgressEvent};
use m1nd_engine::graph::NodeFlags;
use m1nd_engine::{
    Adapter, CompilerReport, Engine, EngineConfig, EngineError, IngestReport, IngestRequest, Mode, ProblemStatus,
    Snapshot, Tiers,
};
use serde_json::{Value, json};

use crate::args::{Common, IngestArgs};
use crate::error::CliError;
use crate::json::with_member;
use crate::output::{Out, Tone, bytes, duration, group_digits, percent_of};
use crate::progress::Terminal;
use crate::{project, resident};

/// Maximum central symbols shown.
const CENTRAL: usize = 10;
/// Maximum languages shown; the rest is counted.
const LANGUAGES: usize = 8;
/// Maximum readings of a history, each of which goes on for some seconds from where the one before ended.
const MAX_READINGS: usize = 24;
/// Maximum examples shown for each problem.
const EXAMPLES: usize = 2;

/// Runs the command.
pub(crate) fn run(args: &IngestArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    let root = project::root(args.path.path.as_deref())?;
    if args.path.path.is_none() && m1nd_engine::is_too_wide(&root) {
        return Err(CliError::usage(
            format!("{} is not a repository", root.display()),
            "run it in a repository, or pass the folder: m1nd ingest PATH",
        ));
    }
    let mut roots = vec![root.clone()];
    let index = args.scip.as_deref().map(index_file).transpose()?;
    // An index named on the command line may be read.
    roots.extend(index.clone().filter(|index| !index.starts_with(&root)));
    let mut config = project::with_workspace(EngineConfig::new(project::home(common)?, roots))?;
    config.threads = args.threads.map(usize::from);
    config.verify_at_open = EngineConfig::VERIFIED_AT_OPEN;
    let (asked, settings) = project::load_config(common, vec![root.clone()], false)?;
    let answers = resident::is_allowed(common.no_daemon, settings.daemon);
    config.answers_unlinked = answers;
    let engine = Engine::open(config)?;
    project::tell_damage(&engine);
    let terminal = Terminal::new(args.quiet || out.json);
    let request = IngestRequest {
        incremental: args.incremental,
        include_hidden: args.include_hidden,
        ..IngestRequest::code(&root)
    };
    let cancel = Cancel::new();
    let answering = answers.then(|| resident::answer_while_indexing(&engine, &asked)).flatten();
    let mut outcome = match engine.federation() {
        Some(_) => federate(&engine, args.incremental, &cancel, &terminal),
        None => engine.ingest(request, &cancel, &terminal),
    };
    if let (Ok(_), Some(index)) = (&outcome, index) {
        let request = IngestRequest { adapter: Adapter::Scip, ..IngestRequest::code(index) };
        outcome = outcome.and_then(|code| Ok(with_index(code, engine.ingest(request, &cancel, &terminal)?)));
    }
    if outcome.is_ok() && args.scip_drop {
        let request = IngestRequest { adapter: Adapter::Scip, mode: Mode::Drop, ..IngestRequest::code(&root) };
        outcome = outcome.and_then(|code| Ok(with_index(code, engine.ingest(request, &cancel, &terminal)?)));
    }
    drop(answering);
    terminal.finish();
    let report = outcome?;
    let recovered = engine.files().take_recovered();
    if out.json {
        let answer = as_json(&report, &engine);
        match recovered.is_empty() {
            true => out.value(&answer)?,
            false => out.value(&with_member(answer, "recovered_writes", json!(recovered.batches)))?,
        }
    } else {
        summary(&root, &report, &engine, out)?;
    }
    read_history(&engine, &cancel, args.quiet || out.json);
    Ok(())
}

/// Reads the commits, which the answer does not need, so that no question has to read them.
fn read_history(engine: &Engine, cancel: &Cancel, quiet: bool) {
    let terminal = Terminal::new(quiet);
    terminal.report(ProgressEvent { stage: "reading history", done: 0, total: None });
    for _ in 0..MAX_READINGS {
        if !engine.snapshot().history(cancel).is_being_read() {
            break;
        }
    }
    terminal.finish();
}

/// Indexes all repositories of a workspace; one report for all.
fn federate(
    engine: &Engine,
    incremental: bool,
    cancel: &Cancel,
    progress: &dyn Progress,
) -> Result<IngestReport, EngineError> {
    let mut reports = engine.federate(incremental, cancel, progress)?;
    let last = reports.pop().ok_or(EngineError::NoRoot)?;
    Ok(reports.into_iter().fold(last, |sum, one| IngestReport {
        files_scanned: sum.files_scanned + one.files_scanned,
        files_parsed: sum.files_parsed + one.files_parsed,
        files_from_cache: sum.files_from_cache + one.files_from_cache,
        files_unchanged: sum.files_unchanged + one.files_unchanged,
        files_removed: sum.files_removed + one.files_removed,
        files_linked: sum.files_linked + one.files_linked,
        bytes_read: sum.bytes_read + one.bytes_read,
        files_skipped: sum.files_skipped + one.files_skipped,
        changed: sum.changed | one.changed,
        elapsed_ms: sum.elapsed_ms + one.elapsed_ms,
        ..sum
    }))
}

/// The canonical path of a compiler index.
fn index_file(path: &Path) -> Result<std::path::PathBuf, CliError> {
    let found = std::fs::canonicalize(path).ok().filter(|path| path.is_file());
    found.ok_or_else(|| {
        CliError::usage(
            format!("file {} does not exist", path.display()),
            "pass the file that the indexer wrote, such as index.scip",
        )
    })
}

/// Merges the report of the code with that of its compiler index.
fn with_index(code: IngestReport, index: IngestReport) -> IngestReport {
    IngestReport {
        compiler: index.compiler,
        tiers: index.tiers,
        node_count: index.node_count,
        edge_count: index.edge_count,
        generation: index.generation,
        changed: code.changed || index.changed,
        elapsed_ms: code.elapsed_ms + index.elapsed_ms,
        ..code
    }
}

/// Prints the result of importing a compiler index.
fn compiler(report: &CompilerReport, out: &mut Out) -> Result<(), CliError> {
    let number = |count: usize| group_digits(count as u64);
    let tool = if report.tool.is_empty() { "a compiler" } else { &report.tool };
    out.line(format!("\n{}", out.paint(Tone::Strong, &format!("Index of {tool}"))))?;
    out.line(format!(
        "  {} of {} documents imported ({} with other content, {} not in the graph)",
        number(report.files),
        number(report.documents),
        number(report.files_stale),
        number(report.files_unknown),
    ))?;
    out.line(format!(
        "  {} references confirmed, {} settled, {} contradicted, {} added",
        number(report.confirmed),
        number(report.settled),
        number(report.contradicted),
        number(report.added),
    ))?;
    if report.implementations > 0 {
        out.line(format!("  {} definitions implement or override others", number(report.implementations)))?;
    }
    for path in report.stale_examples.iter().take(EXAMPLES) {
        out.line(out.paint(Tone::Warn, &format!("  content differs from the indexed file: {path}")))?;
    }
    Ok(())
}

/// The symbols with the highest PageRank, without tests, files and packages.
pub(crate) fn central(snapshot: &Snapshot, count: usize) -> Vec<(String, String, f32)> {
    let graph = snapshot.graph();
    let wanted = |kind: NodeKind| {
        use NodeKind as K;
        matches!(kind, K::Function | K::Class | K::Struct | K::Enum | K::Trait | K::Interface | K::Type | K::Macro)
    };
    let mut ranked: Vec<_> = graph
        .nodes()
        .filter(|&node| wanted(graph.kind(node)) && !graph.flags(node).has(NodeFlags::TEST))
        .map(|node| (graph.pagerank(node), node))
        .collect();
    let order = |a: &(f32, _), b: &(f32, _)| b.0.total_cmp(&a.0);
    if ranked.len() > count {
        ranked.select_nth_unstable_by(count, order);
        ranked.truncate(count);
    }
    let mut rows: Vec<_> = ranked
        .into_iter()
        .map(|(rank, node)| {
            let place = format!("{}:{}", graph.path(node), graph.lines(node).0);
            (format!("{} {}", graph.kind(node).word(), graph.label(node)), place, rank)
        })
        .collect();
    rows.sort_by(|a, b| b.2.total_cmp(&a.2).then_with(|| a.1.cmp(&b.1)));
    rows
}

fn as_json(report: &IngestReport, engine: &Engine) -> Value {
    let status = engine.status();
    let languages = status.languages.iter().map(
        |row| json!({"language": row.language.name(), "files": row.files, "lines": row.lines, "references": row.tiers}),
    );
    let central = central(&engine.snapshot(), CENTRAL);
    let central =
        central.iter().map(|(symbol, place, rank)| json!({"symbol": symbol, "place": place, "pagerank": rank}));
    let skipped = report.skipped.iter().map(|(path, problem)| json!({"path": path, "problem": problem}));
    json!({
        "roots": report.roots, "generation": report.generation, "changed": report.changed,
        "elapsed_ms": report.elapsed_ms, "files_scanned": report.files_scanned, "files_parsed": report.files_parsed,
        "files_from_cache": report.files_from_cache, "files_unchanged": report.files_unchanged,
        "files_linked": report.files_linked,
        "files_skipped": report.files_skipped, "bytes_read": report.bytes_read, "lines": status.lines,
        "node_count": report.node_count, "edge_count": report.edge_count, "references": report.tiers,
        "languages": languages.collect::<Vec<_>>(), "central": central.collect::<Vec<_>>(),
        "compiler_index": report.compiler, "problems": report.problems, "skipped": skipped.collect::<Vec<_>>(),
        "stages_ms": report.stages.iter().map(|(stage, ms)| json!({"stage": stage, "ms": ms})).collect::<Vec<_>>(),
    })
}

fn summary(root: &Path, report: &IngestReport, engine: &Engine, out: &mut Out) -> Result<(), CliError> {
    let status = engine.status();
    let title = out.paint(Tone::Strong, &root.display().to_string());
    let state = if report.changed { "" } else { "  no changes" };
    out.line(format!("{title}  generation {}  in {}{state}", report.generation, duration(report.elapsed_ms)))?;
    out.line(format!(
        "  {} files ({} parsed, {} from cache, {} unchanged), {} lines, {} read",
        group_digits(report.files_scanned as u64),
        group_digits(report.files_parsed as u64),
        group_digits(report.files_from_cache as u64),
        group_digits(report.files_unchanged as u64),
        group_digits(status.lines),
        bytes(report.bytes_read),
    ))?;
    out.line(format!(
        "  {} nodes, {} edges",
        group_digits(report.node_count as u64),
        group_digits(report.edge_count as u64)
    ))?;
    if report.files_scanned == 0 {
        out.line(out.paint(Tone::Warn, "  nothing to index here: there are no files, or all are ignored or hidden"))?;
    }
    tiers(&status.languages, report.tiers, out)?;
    if let Some(report) = &report.compiler {
        compiler(report, out)?;
    }
    let central = central(&engine.snapshot(), CENTRAL);
    if !central.is_empty() {
        out.line(format!("\n{}", out.paint(Tone::Strong, "Most central")))?;
        let width = central.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).min(48);
        for (symbol, place, _) in &central {
            out.line(format!("  {symbol:width$}  {}", out.paint(Tone::Dim, place)))?;
        }
    }
    problems(&status.problems, report, out)?;
    out.line(format!(
        "\n{}",
        out.paint(Tone::Dim, "next: m1nd call seek --query '…'   ·   m1nd init   ·   m1nd status")
    ))
}

/// Prints files, lines and the share of references by tier, for each language.
pub(crate) fn tiers(languages: &[m1nd_engine::LanguageStatus], all: Tiers, out: &mut Out) -> Result<(), CliError> {
    if languages.is_empty() {
        return Ok(());
    }
    let head = format!(
        "\n{:14} {:>8} {:>11} {:>12} {:>9} {:>9} {:>9} {:>10}",
        "Language", "files", "lines", "references", "certain", "possible", "external", "unresolved"
    );
    out.line(out.paint(Tone::Strong, &head))?;
    let row = |name: &str, files: String, lines: String, tiers: &Tiers| {
        let share = |part| percent_of(part, tiers.total());
        let (certain, possible) = (share(tiers.certain), share(tiers.possible));
        let (external, unresolved) = (share(tiers.external), share(tiers.unresolved));
        let total = group_digits(tiers.total());
        format!(
            "{name:14} {files:>8} {lines:>11} {total:>12} {certain:>9} {possible:>9} {external:>9} {unresolved:>10}"
        )
    };
    for language in languages.iter().take(LANGUAGES) {
        let (files, lines) = (group_digits(language.files as u64), group_digits(language.lines));
        out.line(row(language.language.name(), files, lines, &language.tiers))?;
    }
    if languages.len() > LANGUAGES {
        out.line(out.paint(Tone::Dim, &format!("and {} more: m1nd status --json", languages.len() - LANGUAGES)))?;
    }
    if languages.iter().filter(|language| language.tiers.total() > 0).count() > 1 {
        out.line(row("all", String::new(), String::new(), &all))?;
    }
    Ok(())
}

/// Prints which files are missing from the graph or incomplete in it, by reason.
fn problems(of_files: &[ProblemStatus], report: &IngestReport, out: &mut Out) -> Result<(), CliError> {
    let mut counts: BTreeMap<ProblemKind, usize> = report.problems.iter().copied().collect();
    let mut examples: BTreeMap<ProblemKind, Vec<&str>> = BTreeMap::new();
    for status in of_files {
        counts.entry(status.kind).or_insert(status.count);
        examples.entry(status.kind).or_default().extend(status.examples.iter().map(|(path, _)| path.as_str()));
    }
    for (path, problem) in &report.skipped {
        let paths = examples.entry(problem.kind).or_default();
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
        counts.entry(problem.kind).or_insert(0);
    }
    if counts.is_empty() {
        return Ok(());
    }
    let title = format!("\nProblems  ({} entries are not in the graph)", group_digits(report.files_skipped as u64));
    out.line(out.paint(Tone::Strong, &title))?;
    for (kind, count) in counts {
        let paths = examples.remove(&kind).unwrap_or_default();
        let count = count.max(paths.len());
        let word =
            serde_json::to_value(kind).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default();
        let word = format!("{word:18} {:>6}", group_digits(count as u64));
        let shown: Vec<&str> = paths.into_iter().take(EXAMPLES).collect();
        out.line(format!("  {}  {}", out.paint(Tone::Warn, &word), out.paint(Tone::Dim, &shown.join(", "))))?;
    }
    Ok(())
}
