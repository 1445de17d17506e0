//! `m1nd map`: pictures of a repository without a browser.

mod png;

use std::io::Write;
use std::path::Path;

use m1nd_base::Cancel;
use m1nd_layout::{draw, write_dot, write_html, write_mermaid, write_svg};
use m1nd_query::Scope;
use m1nd_query::figures::{FigureAnswer, MAX_BOXES, impact_figure, layers_figure, modules_figure};

use super::check::open_indexed;
use crate::args::{Common, MapArgs, MapFormat};
use crate::error::CliError;
use crate::output::{Out, note};
use crate::project;

/// Endings of files, and their formats.
const ENDINGS: &[(&str, MapFormat)] = &[
    ("svg", MapFormat::Svg),
    ("png", MapFormat::Png),
    ("html", MapFormat::Html),
    ("htm", MapFormat::Html),
    ("dot", MapFormat::Dot),
    ("gv", MapFormat::Dot),
    ("mermaid", MapFormat::Mermaid),
    ("mmd", MapFormat::Mermaid),
];

/// Runs the command.
pub(crate) fn run(args: &MapArgs, common: &Common, out: &mut Out) -> Result<(), CliError> {
    // 1. Arguments.
    let format = choose_format(args)?;
    if !(1..=MAX_BOXES).contains(&args.limit) {
        let message = format!("`--limit {}` is out of range", args.limit);
        return Err(CliError::usage(message, format!("pass 1 to {MAX_BOXES}")));
    }
    // 2. The figure.
    let root = project::root(args.path.path.as_deref())?;
    let services = open_indexed(common, &root)?;
    let snapshot = services.engine.snapshot();
    if snapshot.is_empty() {
        return Err(CliError::NoIndex(root.display().to_string()));
    }
    let answer = build_figure(args, &snapshot)?;
    answer.gaps.iter().for_each(note);
    if answer.figure.boxes.is_empty() {
        return Err(CliError::NothingFound);
    }
    // 3. Its file.
    let bytes = write_figure(&answer, format)?;
    match &args.out {
        Some(file) if file.as_os_str() != "-" => {
            save(file, &bytes)?;
            let count = answer.figure.boxes.len();
            out.line(format!("{}: {count} boxes, {} arrows", file.display(), answer.figure.arrows.len()))
        }
        _ => {
            let mut to = std::io::stdout().lock();
            to.write_all(&bytes)?;
            Ok(to.flush()?)
        }
    }
}

fn build_figure(args: &MapArgs, snapshot: &m1nd_engine::Snapshot) -> Result<FigureAnswer, CliError> {
    let cancel = Cancel::new();
    let cancelled = |_| CliError::fail("cancelled", "run it again");
    if let Some(symbol) = &args.impact {
        let node = m1nd_tools::find_node(snapshot, "impact", symbol).map_err(CliError::Tool)?;
        return impact_figure(snapshot, (node, args.limit), &cancel).map_err(cancelled);
    }
    let scope = Scope::parse(args.scope.as_deref().unwrap_or_default())
        .map_err(|why| CliError::usage(format!("cannot read `--scope`: {why}"), "pass a folder or a glob"))?;
    let draw = if args.layers { layers_figure } else { modules_figure };
    draw(snapshot, (&scope, args.limit), &cancel).map_err(cancelled)
}

fn choose_format(args: &MapArgs) -> Result<MapFormat, CliError> {
    if let Some(format) = args.format {
        return Ok(format);
    }
    let Some(file) = args.out.as_ref().filter(|file| file.as_os_str() != "-") else { return Ok(MapFormat::Mermaid) };
    let ending = file.extension().map(|ending| ending.to_string_lossy().to_lowercase());
    let known = ENDINGS.iter().find(|(name, _)| ending.as_deref() == Some(name));
    known.map(|(_, format)| *format).ok_or_else(|| {
        let known: Vec<&str> = ENDINGS.iter().map(|(name, _)| *name).collect();
        let message = format!("the ending of `{}` names no format", file.display());
        CliError::usage(message, format!("end the name in one of {}, or pass --format", known.join(", ")))
    })
}

fn write_figure(answer: &FigureAnswer, format: MapFormat) -> Result<Vec<u8>, CliError> {
    let figure = &answer.figure;
    Ok(match format {
        MapFormat::Mermaid => write_mermaid(figure).into_bytes(),
        MapFormat::Dot => write_dot(figure).into_bytes(),
        MapFormat::Svg => write_svg(&draw(figure)).into_bytes(),
        MapFormat::Html => write_html(&draw(figure)).into_bytes(),
        MapFormat::Png => png::paint(&draw(figure)).map_err(|why| CliError::fail(why, "pass a smaller --limit"))?,
    })
}

fn save(file: &Path, bytes: &[u8]) -> Result<(), CliError> {
    std::fs::write(file, bytes).map_err(|error| {
        CliError::fail(format!("cannot write `{}`: {error}", file.display()), "pass a file in an existing folder")
    })
}
