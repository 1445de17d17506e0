//! `m1nd export --format parquet`: tables in folders that Spark, DuckDB and DataFusion read as partitions.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_mind::{ProjectMemory, SharedFolder, SourceKind};
use m1nd_query::export::parquet::{
    EXPORTS, FORMAT_VERSION, MEMORIES, ParquetError, Table, TableWriter, Value, write_table,
};

use super::generator;
use crate::args::{ExportArgs, ExportFormat};
use crate::error::CliError;
use crate::output::note;
use crate::project::mind_home;

/// Name of the table of memories.
const MEMORIES_TABLE: &str = "memories";
/// Name of the table that is written last.
const EXPORTS_TABLE: &str = "exports";
/// Name of a table's file in its partition.
const FILE: &str = "part-0.parquet";
/// Name of the state of a folder without a commit.
const NO_COMMIT: &str = "none";

/// What is written, and where.
#[derive(Debug)]
pub(super) struct Request {
    output: PathBuf,
    tables: Vec<Table>,
    with_memories: bool,
    repository: Option<String>,
    commit: Option<String>,
}

impl Request {
    /// The request of a command line; `None` if it wants rows instead.
    pub(super) fn new(args: &ExportArgs) -> Result<Option<Self>, CliError> {
        // 1. Options of rows and of tables exclude each other.
        if args.format != Some(ExportFormat::Parquet) {
            let is_for_tables =
                args.output.is_some() || !args.tables.is_empty() || args.repository.is_some() || args.commit.is_some();
            return match is_for_tables {
                true => Err(CliError::usage(
                    "`--output`, `--tables`, `--repository` and `--commit` apply only to tables",
                    "pass --format parquet, or omit them",
                )),
                false => Ok(None),
            };
        }
        if args.what.is_some() || args.tier.is_some() || !args.relations.is_empty() {
            return Err(CliError::usage(
                "`--what`, `--relation` and `--tier` apply only to rows",
                "choose tables with --tables",
            ));
        }
        let Some(output) = args.output.clone() else {
            return Err(CliError::usage("tables need a folder", "pass --output DIR"));
        };
        // 2. All tables, unless some are named.
        let mut request = Self {
            output,
            tables: Table::ALL.to_vec(),
            with_memories: true,
            repository: args.repository.clone(),
            commit: args.commit.clone(),
        };
        if !args.tables.is_empty() {
            request.with_memories = args.tables.iter().any(|name| name == MEMORIES_TABLE);
            let wanted = args.tables.iter().filter(|name| *name != MEMORIES_TABLE);
            request.tables = wanted.map(|name| find_table(name)).collect::<Result<_, _>>()?;
        }
        Ok(Some(request))
    }

    /// Writes the tables, and last the row of the export.
    pub(super) fn write(&self, snapshot: &Snapshot, root: &Path, quiet: bool) -> Result<(), CliError> {
        let folder_name = || root.file_name().map_or_else(|| "root".into(), |name| name.to_string_lossy().into_owned());
        let head = || snapshot.heads().first().cloned().flatten().unwrap_or_else(|| NO_COMMIT.into());
        let place = Place {
            output: &self.output,
            repository: escape(&self.repository.clone().unwrap_or_else(folder_name)),
            commit: escape(&self.commit.clone().unwrap_or_else(head)),
        };
        let (program, cancel) = (generator(), Cancel::new());
        place.remove(EXPORTS_TABLE)?;
        let mut rows = 0;
        for table in &self.tables {
            rows += place.write(table.name(), |file| write_table(snapshot, *table, &program, file, &cancel))?;
        }
        if self.with_memories {
            rows += place.write(MEMORIES_TABLE, |file| write_memories(root, &program, file))?;
        }
        let export = export_row(snapshot);
        place.write(EXPORTS_TABLE, |file| {
            let mut writer = TableWriter::new(EXPORTS_TABLE, EXPORTS, &program, file)?;
            writer.push(export)?;
            writer.finish()
        })?;
        if !quiet {
            note(format!("wrote {rows} rows as repository={}, commit={}", place.repository, place.commit));
        }
        Ok(())
    }
}

fn find_table(name: &str) -> Result<Table, CliError> {
    Table::ALL.into_iter().find(|table| table.name() == name).ok_or_else(|| {
        let known: Vec<&str> = Table::ALL.iter().map(|table| table.name()).chain([MEMORIES_TABLE]).collect();
        CliError::usage(format!("unknown table `{name}`"), format!("expected some of {}", known.join(", ")))
    })
}

fn export_row(snapshot: &Snapshot) -> [Value<'static>; 6] {
    let graph = snapshot.graph();
    let lines: u64 = snapshot.files().iter().map(|file| u64::from(file.lines)).sum();
    [
        FORMAT_VERSION.into(),
        generator().into(),
        (snapshot.files().len() as u64).into(),
        lines.into(),
        (graph.node_count() as u64).into(),
        (graph.edge_count() as u64).into(),
    ]
}

/// The memories that a project's own files hold. Those of comments and commits are left out: they are known only where
/// the memory engine has read them.
fn write_memories(root: &Path, program: &str, file: BufWriter<File>) -> Result<u64, ParquetError> {
    let mut writer = TableWriter::new(MEMORIES_TABLE, MEMORIES, program, file)?;
    let memory = mind_home().and_then(|home| Ok(ProjectMemory::read(root, &SharedFolder::new(home))?));
    // A project without memories, or a user without a home folder, has no rows.
    let records = memory.map(|memory| memory.records).unwrap_or_default();
    let is_written = |kind| matches!(kind, SourceKind::MemoryFile | SourceKind::Archive);
    for record in records.iter().filter(|record| is_written(record.source.kind)) {
        writer.push([
            Value::from(record.kind.name()),
            (&*record.title).into(),
            (&*record.content).into(),
            record.reasoning.as_deref().into(),
            record.status.map(|status| format!("{status:?}").to_lowercase()).into(),
            record.date.map(|date| date.to_string()).into(),
            (&*record.source.file).into(),
            record.source.line.into(),
        ])?;
    }
    writer.finish()
}

/// The partition of a state of a repository.
struct Place<'o> {
    output: &'o Path,
    repository: String,
    commit: String,
}

impl Place<'_> {
    fn folder(&self, table: &str) -> PathBuf {
        let partition = format!("repository={}", self.repository);
        self.output.join(table).join(partition).join(format!("commit={}", self.commit))
    }

    /// Replaces the file of a table as a whole: a reader sees the old or the new one.
    fn write(
        &self,
        table: &str,
        write: impl FnOnce(BufWriter<File>) -> Result<u64, ParquetError>,
    ) -> Result<u64, CliError> {
        let folder = self.folder(table);
        fs::create_dir_all(&folder)?;
        // Readers of partitions skip names that begin with a dot.
        let part = folder.join(format!(".{FILE}.{}", std::process::id()));
        let written = File::create(&part).map_err(CliError::from).and_then(|file| {
            let rows = write(BufWriter::new(file)).map_err(|error| CliError::from(std::io::Error::other(error)))?;
            fs::rename(&part, folder.join(FILE))?;
            Ok(rows)
        });
        if written.is_err() {
            let _ = fs::remove_file(&part);
        }
        written
    }

    /// Removes the file of a table, if there is one.
    fn remove(&self, table: &str) -> Result<(), CliError> {
        match fs::remove_file(self.folder(table).join(FILE)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// A value in the name of a folder, as Hive escapes it: `owner/name` is `owner%2Fname`.
fn escape(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}
