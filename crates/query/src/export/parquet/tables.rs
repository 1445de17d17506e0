//! The tables: their columns, and where their rows come from.

use std::io::Write;

use m1nd_base::{Cancel, EdgeTier, NodeKind, RepoPath, node_id, secrets};
use m1nd_engine::{FileEntry, Language, Snapshot};
use rayon::prelude::*;

use super::ParquetError;
use super::column::{Column, ColumnKind, Value};
use super::writer::TableWriter;
use crate::analysis::fingerprint::{Body, list_bodies};
use crate::export::dependencies::{Ecosystem, Packages};
use crate::export::rows::{EdgeFilter, EdgeRow, NodeRow, edges, nodes};

/// Files read between two looks at whether the caller gave up; their rows are in memory together.
const CHUNK: usize = 256;

/// A table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    /// Files, definitions and packages.
    Nodes,
    /// References and containment.
    Edges,
    /// References into packages outside the roots.
    External,
    /// Files.
    Files,
    /// Packages that manifests require, with versions.
    Dependencies,
    /// Packages that other repositories can require of this one.
    Provides,
    /// Hashes of the bodies of functions.
    Bodies,
    /// Places of secrets, never the secrets.
    Secrets,
    /// Edges from one repository of a federation to another.
    Cross,
}

const fn text(name: &'static str) -> Column {
    Column { name, kind: ColumnKind::Text }
}

const fn optional(name: &'static str) -> Column {
    Column { name, kind: ColumnKind::OptionalText }
}

const fn number(name: &'static str) -> Column {
    Column { name, kind: ColumnKind::Number }
}

const fn long(name: &'static str) -> Column {
    Column { name, kind: ColumnKind::Long }
}

const fn flag(name: &'static str) -> Column {
    Column { name, kind: ColumnKind::Flag }
}

const fn numbers(name: &'static str) -> Column {
    Column { name, kind: ColumnKind::Numbers }
}

const NODES: &[Column] = &[
    text("id"),
    text("kind"),
    text("name"),
    optional("file"),
    number("line"),
    number("start_line"),
    number("end_line"),
    optional("parent"),
    flag("is_exported"),
    flag("is_test"),
    flag("is_entry"),
    text("flags"),
    text("signature"),
    text("doc"),
];

const EDGES: &[Column] = &[
    text("source"),
    text("target"),
    text("relation"),
    text("tier"),
    number("candidates"),
    flag("is_dispatch"),
    optional("provenance"),
    optional("source_file"),
    number("source_line"),
    text("source_name"),
    text("source_kind"),
    optional("target_file"),
    number("target_line"),
    text("target_name"),
    text("target_kind"),
    numbers("lines"),
    numbers("columns"),
];

const EXTERNAL: &[Column] = &[
    text("source"),
    text("source_file"),
    number("source_line"),
    text("source_name"),
    text("source_kind"),
    text("relation"),
    text("ecosystem"),
    text("package"),
    text("member"),
    optional("dependency"),
    optional("requirement"),
    optional("version"),
    numbers("lines"),
];

const FILES: &[Column] = &[
    text("path"),
    text("language"),
    number("lines"),
    long("bytes"),
    text("hash"),
    flag("is_test"),
    long("certain"),
    long("possible"),
    long("external"),
    long("unresolved"),
    number("problems"),
];

const DEPENDENCIES: &[Column] = &[
    text("ecosystem"),
    text("name"),
    text("import_name"),
    text("scope"),
    optional("requirement"),
    optional("version"),
    text("manifest"),
];

const PROVIDES: &[Column] =
    &[text("ecosystem"), text("name"), text("import_name"), optional("version"), text("manifest")];

const BODIES: &[Column] = &[
    text("id"),
    text("name"),
    text("file"),
    number("line"),
    text("language"),
    flag("is_test"),
    number("tokens"),
    text("exact"),
    text("shape"),
];

const SECRETS: &[Column] = &[text("file"), number("line"), text("kind"), flag("is_test")];

const CROSS: &[Column] = &[
    text("source_repository"),
    text("source"),
    text("source_file"),
    number("source_line"),
    text("source_name"),
    text("source_kind"),
    text("relation"),
    text("tier"),
    number("candidates"),
    flag("is_dispatch"),
    text("target_repository"),
    text("target"),
    text("target_file"),
    number("target_line"),
    text("target_name"),
    text("target_kind"),
    numbers("lines"),
];

/// Columns of the table of memories, whose rows the memory engine has.
pub const MEMORIES: &[Column] = &[
    text("kind"),
    text("title"),
    text("content"),
    optional("reasoning"),
    optional("status"),
    optional("date"),
    text("file"),
    number("line"),
];

/// Columns of the table of exports: one row, written last, so that its file shows that all others are complete.
pub const EXPORTS: &[Column] =
    &[number("format_version"), text("generator"), long("files"), long("lines"), long("nodes"), long("edges")];

impl Table {
    /// The tables of an export; [`Table::Cross`] has rows only in one of a federation.
    pub const ALL: [Self; 9] = [
        Self::Nodes,
        Self::Edges,
        Self::External,
        Self::Files,
        Self::Dependencies,
        Self::Provides,
        Self::Bodies,
        Self::Secrets,
        Self::Cross,
    ];

    /// Its name: that of its folder.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Edges => "edges",
            Self::External => "external_uses",
            Self::Files => "files",
            Self::Dependencies => "dependencies",
            Self::Provides => "provides",
            Self::Bodies => "bodies",
            Self::Secrets => "secrets",
            Self::Cross => "cross_edges",
        }
    }

    /// Its columns.
    pub const fn columns(self) -> &'static [Column] {
        match self {
            Self::Nodes => NODES,
            Self::Edges => EDGES,
            Self::External => EXTERNAL,
            Self::Files => FILES,
            Self::Dependencies => DEPENDENCIES,
            Self::Provides => PROVIDES,
            Self::Bodies => BODIES,
            Self::Secrets => SECRETS,
            Self::Cross => CROSS,
        }
    }
}

/// Writes the rows of a table.
pub(super) fn fill<W: Write + Send>(
    snapshot: &Snapshot,
    table: Table,
    to: &mut TableWriter<W>,
    cancel: &Cancel,
) -> Result<(), ParquetError> {
    match table {
        Table::Nodes => nodes(snapshot).try_for_each(|node| to.push(node_values(node))),
        Table::Edges => edges(snapshot, &EdgeFilter::default()).try_for_each(|edge| to.push(edge_values(edge))),
        Table::External => write_external(snapshot, to),
        Table::Files => snapshot.files().iter().try_for_each(|file| to.push(file_values(file))),
        Table::Dependencies => write_dependencies(snapshot, to),
        Table::Provides => write_provides(snapshot, to),
        Table::Bodies => write_bodies(snapshot, to, cancel),
        Table::Secrets => write_secrets(snapshot, to, cancel),
        Table::Cross => write_cross(snapshot, to),
    }
}

fn node_values(node: NodeRow<'_>) -> [Value<'_>; 14] {
    let has = |word: &str| node.flags.contains(&word);
    let (is_exported, is_test, is_entry) = (has("exported"), has("test"), has("entry"));
    let flags = node.flags.join(",");
    [
        node.id.into(),
        node.kind.word().into(),
        node.name.into(),
        node.file.into(),
        node.line.into(),
        node.start_line.into(),
        node.end_line.into(),
        node.parent.into(),
        is_exported.into(),
        is_test.into(),
        is_entry.into(),
        flags.into(),
        node.signature.into(),
        node.doc.into(),
    ]
}

fn lines_of(edge: &EdgeRow<'_>) -> Vec<u32> {
    edge.sites.iter().map(|(line, _)| *line).collect()
}

fn edge_values(edge: EdgeRow<'_>) -> [Value<'_>; 17] {
    let lines = lines_of(&edge);
    let columns: Vec<u32> = edge.sites.iter().map(|(_, column)| u32::from(*column)).collect();
    [
        edge.from.into(),
        edge.to.into(),
        edge.relation.word().into(),
        edge.tier.word().into(),
        u32::from(edge.of).into(),
        edge.dispatch.into(),
        edge.provenance.into(),
        edge.from_file.into(),
        edge.from_line.into(),
        edge.from_name.into(),
        edge.from_kind.word().into(),
        edge.to_file.into(),
        edge.to_line.into(),
        edge.to_name.into(),
        edge.to_kind.word().into(),
        lines.into(),
        columns.into(),
    ]
}

fn file_values(file: &FileEntry) -> [Value<'_>; 11] {
    [
        file.path.as_str().into(),
        file.language.name().into(),
        file.lines.into(),
        file.size.into(),
        file.hash.to_string().into(),
        file.is_test.into(),
        file.tiers.certain.into(),
        file.tiers.possible.into(),
        file.tiers.external.into(),
        file.tiers.unresolved.into(),
        u32::try_from(file.problems.len()).unwrap_or(u32::MAX).into(),
    ]
}

/// References into packages, with what the nearest manifest above the file says of the package.
fn write_external<W: Write + Send>(snapshot: &Snapshot, to: &mut TableWriter<W>) -> Result<(), ParquetError> {
    let packages = Packages::read(snapshot);
    for edge in edges(snapshot, &EdgeFilter::default()) {
        let (Some(file), Some(rest)) = (edge.from_file, edge.to.strip_prefix(node_id::EXTERNAL_PREFIX)) else {
            continue;
        };
        if edge.tier != EdgeTier::External || !edge.to_kind.is_outside() {
            continue;
        }
        // The package, and the requirement that brings it.
        let (package, member) = rest.split_once(node_id::SEPARATOR).unwrap_or((rest, ""));
        let ecosystem = language_of(snapshot, file).and_then(Ecosystem::of);
        let found = ecosystem.and_then(|ecosystem| packages.find_dependency(ecosystem, file, package));
        let lines = lines_of(&edge);
        to.push([
            Value::from(edge.from.clone()),
            file.into(),
            edge.from_line.into(),
            edge.from_name.into(),
            edge.from_kind.word().into(),
            edge.relation.word().into(),
            ecosystem.map_or("", Ecosystem::word).into(),
            package.into(),
            member.into(),
            found.map(|dependency| dependency.name.as_str()).into(),
            found.and_then(|dependency| dependency.requirement.as_deref()).into(),
            found.and_then(|dependency| dependency.version.as_deref()).into(),
            lines.into(),
        ])?;
    }
    Ok(())
}

fn language_of(snapshot: &Snapshot, path: &str) -> Option<Language> {
    snapshot.files().by_text(path).map(|file| file.language)
}

fn write_dependencies<W: Write + Send>(snapshot: &Snapshot, to: &mut TableWriter<W>) -> Result<(), ParquetError> {
    Packages::read(snapshot).dependencies().iter().try_for_each(|row| {
        to.push([
            Value::from(row.ecosystem.word()),
            row.name.as_str().into(),
            row.import_name.as_str().into(),
            row.scope.word().into(),
            row.requirement.as_deref().into(),
            row.version.as_deref().into(),
            row.manifest.as_str().into(),
        ])
    })
}

fn write_provides<W: Write + Send>(snapshot: &Snapshot, to: &mut TableWriter<W>) -> Result<(), ParquetError> {
    Packages::read(snapshot).provides().iter().try_for_each(|row| {
        to.push([
            Value::from(row.ecosystem.word()),
            row.name.as_str().into(),
            row.import_name.as_str().into(),
            row.version.as_deref().into(),
            row.manifest.as_str().into(),
        ])
    })
}

/// Calls `read` for the files in chunks, on all cores, and hands the results to `write` in the order of the files.
fn read_files<T: Send>(
    snapshot: &Snapshot,
    cancel: &Cancel,
    read: impl Fn(&FileEntry) -> Vec<T> + Sync,
    mut write: impl FnMut(&FileEntry, T) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let files: Vec<&FileEntry> = snapshot.files().iter().collect();
    for chunk in files.chunks(CHUNK) {
        cancel.check()?;
        let rows: Vec<Vec<T>> = chunk.par_iter().map(|file| read(file)).collect();
        for (file, rows) in chunk.iter().zip(rows) {
            rows.into_iter().try_for_each(|row| write(file, row))?;
        }
    }
    Ok(())
}

fn write_bodies<W: Write + Send>(
    snapshot: &Snapshot,
    to: &mut TableWriter<W>,
    cancel: &Cancel,
) -> Result<(), ParquetError> {
    let graph = snapshot.graph();
    let read = |file: &FileEntry| -> Vec<Body> {
        if file.language.is_prose() {
            return Vec::new();
        }
        let mut bodies = list_bodies(snapshot, &file.path, file.language);
        bodies.sort_by(|a, b| graph.compare_ids(a.node, b.node));
        bodies
    };
    read_files(snapshot, cancel, read, |file, body| {
        to.push([
            Value::from(graph.id(body.node)),
            graph.label(body.node).into(),
            file.path.as_str().into(),
            graph.name_line(body.node).into(),
            file.language.name().into(),
            graph.flags(body.node).has(m1nd_graph::NodeFlags::TEST).into(),
            u32::try_from(body.tokens).unwrap_or(u32::MAX).into(),
            format!("{:016x}", body.exact).into(),
            format!("{:016x}", body.shape).into(),
        ])
    })
}

fn write_secrets<W: Write + Send>(
    snapshot: &Snapshot,
    to: &mut TableWriter<W>,
    cancel: &Cancel,
) -> Result<(), ParquetError> {
    let read = |file: &FileEntry| match read_text(snapshot, &file.path) {
        Some(text) => secrets::find(&text),
        None => Vec::new(),
    };
    read_files(snapshot, cancel, read, |file, found| {
        to.push([Value::from(file.path.as_str()), found.line.into(), found.kind.into(), file.is_test.into()])
    })
}

fn read_text(snapshot: &Snapshot, path: &RepoPath) -> Option<String> {
    snapshot.read_file(path).ok().filter(|source| !source.binary).map(|source| source.text)
}

/// Edges whose ends are in files of different repositories. Ids and paths are those that each repository has alone.
fn write_cross<W: Write + Send>(snapshot: &Snapshot, to: &mut TableWriter<W>) -> Result<(), ParquetError> {
    for edge in edges(snapshot, &EdgeFilter::default()) {
        let (Some(from), Some(file)) = (edge.from_file, edge.to_file) else { continue };
        let (Some(source), Some(target)) = (snapshot.repository_of(from), snapshot.repository_of(file)) else {
            continue;
        };
        // Keep edges between repositories.
        if source == target || [edge.from_kind, edge.to_kind].contains(&NodeKind::Package) {
            continue;
        }
        let lines = lines_of(&edge);
        to.push([
            Value::from(source),
            without_repository(&edge.from, source).to_owned().into(),
            inner(from, source).into(),
            edge.from_line.into(),
            edge.from_name.into(),
            edge.from_kind.word().into(),
            edge.relation.word().into(),
            edge.tier.word().into(),
            u32::from(edge.of).into(),
            edge.dispatch.into(),
            target.into(),
            without_repository(&edge.to, target).to_owned().into(),
            inner(file, target).into(),
            edge.to_line.into(),
            edge.to_name.into(),
            edge.to_kind.word().into(),
            lines.into(),
        ])?;
    }
    Ok(())
}

/// The id that a node has while its repository is alone.
fn without_repository<'i>(id: &'i str, repository: &str) -> &'i str {
    id.strip_prefix(repository).and_then(|rest| rest.strip_prefix(node_id::SEPARATOR)).unwrap_or(id)
}

/// The path that a file has while its repository is alone.
fn inner<'p>(path: &'p str, repository: &str) -> &'p str {
    path.strip_prefix(repository).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}
