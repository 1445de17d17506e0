//! `m1nd export`: the graph as rows on standard output, or as tables in a folder.

mod tables;

use std::io::{BufWriter, Write};
use std::path::Path;

use m1nd_base::{Cancel, EdgeTier, Relation};
use m1nd_engine::{Engine, EngineConfig, EngineError, IngestRequest, Mode, Snapshot};
use m1nd_query::export::{self, EdgeFilter};
use serde::Serialize;
use serde_json::json;

use crate::args::{Common, ExportArgs, ExportFormat, ExportTier, ExportWhat};
use crate::error::CliError;
use crate::output::{Out, note};
use crate::progress::Terminal;
use crate::project;

/// Runs the command.
pub(crate) fn run(args: &ExportArgs, common: &Common, out: &Out) -> Result<(), CliError> {
    let filter = filter(args)?;
    let tables = tables::Request::new(args)?;
    let root = project::root(args.path.path.as_deref())?;
    if args.path.path.is_none() && m1nd_engine::is_too_wide(&root) {
        return Err(CliError::usage(
            format!("{} is not a repository", root.display()),
            "run it in a repository, or pass the folder: m1nd export PATH",
        ));
    }
    let engine = open(common, &root, args.quiet)?;
    let snapshot = engine.snapshot();
    if snapshot.is_empty() && snapshot.roots().is_empty() {
        return Err(CliError::NoIndex(root.display().to_string()));
    }
    if let Some(tables) = tables {
        return tables.write(&snapshot, &root, args.quiet);
    }
    let format = args.format.unwrap_or(if out.json { ExportFormat::Json } else { ExportFormat::Jsonl });
    let mut to = BufWriter::new(std::io::stdout().lock());
    match args.what.unwrap_or(ExportWhat::Edges) {
        ExportWhat::Nodes => rows(&mut to, format, "nodes", export::nodes(&snapshot))?,
        ExportWhat::Edges => rows(&mut to, format, "edges", export::edges(&snapshot, &filter))?,
        ExportWhat::Meta => writeln!(to, "{}", meta(&snapshot))?,
    }
    Ok(to.flush()?)
}

fn filter(args: &ExportArgs) -> Result<EdgeFilter, CliError> {
    if args.what.is_some_and(|what| what != ExportWhat::Edges) && (args.tier.is_some() || !args.relations.is_empty()) {
        return Err(CliError::usage(
            "`--relation` and `--tier` apply only to edges",
            "pass --what edges, or omit them",
        ));
    }
    let relation = |word: &String| {
        Relation::ALL.iter().copied().find(|relation| relation.word() == word).ok_or_else(|| {
            let known: Vec<&str> = Relation::ALL.iter().map(|relation| relation.word()).collect();
            CliError::usage(format!("unknown relation `{word}`"), format!("expected one of {}", known.join(", ")))
        })
    };
    let tier = args.tier.map(|tier| match tier {
        ExportTier::Certain => EdgeTier::Certain,
        ExportTier::Possible => EdgeTier::Possible,
    });
    Ok(EdgeFilter { relations: args.relations.iter().map(relation).collect::<Result<_, _>>()?, tier })
}

/// Opens the index and brings it up to date; as it is, if the store cannot be written.
fn open(common: &Common, root: &Path, quiet: bool) -> Result<Engine, CliError> {
    let mut config = project::with_workspace(EngineConfig::new(project::home(common)?, vec![root.to_path_buf()]))?;
    config.verify_at_open = EngineConfig::VERIFIED_AT_OPEN;
    let engine = match Engine::open(config.clone()) {
        Err(EngineError::Store(why) | EngineError::NoSpace(why)) => {
            let engine = Engine::open(EngineConfig { read_only: true, ..config })?;
            note(format!("exporting the index as it is: {why}"));
            engine
        }
        opened => {
            let engine = opened?;
            bring_up_to_date(&engine, root, quiet)?;
            engine
        }
    };
    project::tell_damage(&engine);
    Ok(engine)
}

/// Brings the index up to date, unless another process does that already.
fn bring_up_to_date(engine: &Engine, root: &Path, quiet: bool) -> Result<(), CliError> {
    let known = engine.snapshot();
    let mut request = IngestRequest { incremental: true, ..IngestRequest::code(root) };
    if let Some(info) = known.roots().iter().find(|info| info.path == root) {
        // Keep the options of the index: hidden files, other roots and imported data.
        request.mode = Mode::Merge;
        request.include_hidden = info.include_hidden;
        request.hidden_patterns.clone_from(&info.hidden_patterns);
    }
    let terminal = Terminal::new(quiet);
    let outcome = match engine.federation() {
        Some(_) => engine.federate(true, &Cancel::new(), &terminal).map(|_| ()),
        None => engine.ingest(request, &Cancel::new(), &terminal).map(|_| ()),
    };
    terminal.finish();
    match outcome {
        Ok(()) => Ok(()),
        Err(EngineError::WriterElsewhere) if !known.is_empty() => {
            note("another m1nd process updates this index; exporting its newest state");
            Ok(())
        }
        Err(error) => Err(error.into()),
    }
}

/// Streams rows to `to`.
fn rows(
    to: &mut impl Write,
    format: ExportFormat,
    what: &str,
    rows: impl Iterator<Item = impl Serialize>,
) -> Result<(), CliError> {
    match format {
        ExportFormat::Jsonl => {
            for row in rows {
                row_on_a_line(to, &row)?;
                to.write_all(b"\n")?;
            }
        }
        // Tables are written before.
        ExportFormat::Json | ExportFormat::Parquet => {
            let generator = generator();
            write!(to, "{{\"format_version\":{},\"generator\":\"{generator}\",\"{what}\":[", export::FORMAT_VERSION)?;
            for (number, row) in rows.enumerate() {
                to.write_all(if number == 0 { b"\n" } else { b",\n" })?;
                row_on_a_line(to, &row)?;
            }
            to.write_all(b"\n]}\n")?;
        }
    }
    Ok(())
}

fn row_on_a_line(to: &mut impl Write, row: &impl Serialize) -> Result<(), CliError> {
    serde_json::to_writer(to, row).map_err(|error| std::io::Error::from(error).into())
}

fn generator() -> String {
    format!("m1nd {}", env!("CARGO_PKG_VERSION"))
}

/// The row of `--what meta`. It changes only if the graph does.
fn meta(snapshot: &Snapshot) -> serde_json::Value {
    let roots = snapshot.roots().iter().map(|root| json!({"path": root.path, "prefix": root.prefix}));
    let graph = snapshot.graph();
    json!({
        "format_version": export::FORMAT_VERSION, "generator": generator(), "roots": roots.collect::<Vec<_>>(),
        "files": snapshot.files().len(), "nodes": graph.node_count(), "edges": graph.edge_count(),
        "unresolved": graph.unresolved_count(), "references": snapshot.tiers(),
    })
}
