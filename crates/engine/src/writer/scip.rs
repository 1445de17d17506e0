//! Imports a compiler index.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use m1nd_base::{Cancel, Progress, ProgressEvent, RepoPath};
use m1nd_link::{Contradiction, LinkDelta};
use m1nd_store::Home;

use super::ingest::{Done, LinkChanges, Stages, link};
use super::ingest_target::IngestTarget;
use super::{Linked, Writer};
use crate::compiler_index::{self, CompilerIndex, Ground, ScipError};
use crate::config::{Adapter, IngestRequest, Mode};
use crate::error::EngineError;
use crate::kept::cover::Cover;
use crate::report::{CompilerReport, ContradictionRow, IngestReport};
use crate::state::snapshot::{Content, open_root};

/// Largest index that is read, in bytes.
const MAX_INDEX_BYTES: u64 = 1 << 30;

impl Writer {
    /// The imported indexes, in a federation also those of its repositories, loaded when first asked for. A damaged
    /// file is set aside.
    pub(super) fn compiler_index(&mut self) -> (Arc<CompilerIndex>, Arc<Cover>) {
        if let Some((index, cover)) = &self.compiler {
            return (index.clone(), cover.clone());
        }
        let (own, cover) = self.stored_compiler_index();
        let (index, cover) = self.join_indexes(&own).unwrap_or((own, cover));
        let loaded = (Arc::new(index), Arc::new(cover));
        self.compiler = Some(loaded.clone());
        loaded
    }

    fn stored_compiler_index(&self) -> (CompilerIndex, Cover) {
        let bytes = match self.shared.project.compiler_index() {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Default::default(),
            Err(error) => {
                self.shared.notice(format!("the imported compiler index is not used: {error}"));
                return Default::default();
            }
        };
        CompilerIndex::decode(&bytes).unwrap_or_else(|why| {
            let path = self.shared.project.compiler_index_path();
            let kept = self.shared.project.quarantine(&path, why);
            let kept = kept.map_or_else(|error| error.to_string(), |kept| format!("it is now `{}`", kept.display()));
            self.shared.notice(format!("the imported compiler index is damaged ({why}): import it again; {kept}"));
            Default::default()
        })
    }

    /// The indexes that were imported into the repositories of a federation, and these over them; `None` if there are
    /// none. They are read when a federation is opened.
    fn join_indexes(&self, own: &CompilerIndex) -> Option<(CompilerIndex, Cover)> {
        let federation = self.shared.config.federation.as_ref()?;
        let workspace = (String::new(), federation.workspace());
        let members = federation.members().iter().map(|member| (member.name.clone(), member.path.as_path()));
        let members: Vec<(String, &Path)> = members
            .chain([workspace])
            .filter(|(_, folder)| Home::has_project(&self.shared.config.home, folder))
            .collect();
        let mut all = CompilerIndex::default();
        for (name, folder) in members {
            let stored = Home::to_read(&self.shared.config.home).project_to_read(folder);
            let read = stored.and_then(|stored| stored.compiler_index()).map_err(|error| error.to_string());
            let decoded = read.and_then(|bytes| match bytes {
                Some(bytes) => CompilerIndex::decode(&bytes).map(Some).map_err(|_| "it is damaged".to_owned()),
                None => Ok(None),
            });
            let index = match decoded {
                Ok(Some((index, _))) => index,
                Ok(None) => continue,
                Err(why) => {
                    let of =
                        if name.is_empty() { "the workspace".to_owned() } else { format!("the repository `{name}`") };
                    self.shared.notice(format!("the imported compiler index of {of} is not used: {why}"));
                    continue;
                }
            };
            // Paths of a workspace's own index go into the repositories that it has.
            let inside = |path: &RepoPath| {
                let full = folder.join(path.as_str());
                let of = federation.members().iter().find(|member| full.starts_with(&member.path))?;
                let inner = full.strip_prefix(&of.path).ok()?.to_str()?;
                RepoPath::new(&format!("{}/{inner}", of.name)).ok()
            };
            all = all.with_all(&index.move_paths(&name, inside));
        }
        if all == CompilerIndex::default() {
            return None;
        }
        let all = all.with_all(own);
        let (_, cover) = all.encode().ok()?;
        Some((all, cover))
    }

    /// Imports an index and links every file that it, or the one it replaces, is about.
    pub(super) fn ingest_scip(
        &mut self,
        request: &IngestRequest,
        place: &IngestTarget,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        let bad_request = |why: &str| Err(EngineError::BadRequest(why.into()));
        if request.incremental {
            return bad_request("adapter `scip` has no incremental mode; leave `incremental` out");
        }
        let (Some(inner), true) = (&place.scope, place.is_file) else {
            return bad_request("adapter `scip` takes the path of an index file, not of a folder");
        };
        if self.shared.current().is_empty() {
            return bad_request("nothing is indexed yet; ingest the code first, then the compiler's index of it");
        }
        // The index is compared with our own definitions, so these must be linked.
        if self.linked.is_none() {
            self.relink_all(cancel, progress)?;
        }
        let info = &place.roots[place.root];
        let bytes = open_root(info).map_err(EngineError::BadRequest)?.read(inner, MAX_INDEX_BYTES)?;
        stages.end_stage("reading");
        progress.report(ProgressEvent { stage: "parsing", done: 0, total: None });
        let current = self.shared.current();
        let Some(linked) = &self.linked else {
            return Err(EngineError::Internal("the linker is not there".into()));
        };
        let (source, file) = (request.path.to_string_lossy(), info.path.join(inner.as_str()));
        let ground = Ground { snapshot: &current, linker: &linked.linker, source: &source, file: &file };
        let (set, report) =
            compiler_index::import(&ground, &bytes, cancel).map_err(|error| bad_index(error, request))?;
        if set.files.is_empty() {
            return Err(covers_nothing(&report, request));
        }
        // The bytes of an index may be hundreds of megabytes; they are not needed while files are linked.
        let bytes_read = bytes.len() as u64;
        drop(bytes);
        let index = match request.mode {
            Mode::Merge => self.stored_compiler_index().0.with(set),
            Mode::Replace | Mode::Drop => CompilerIndex::default().with(set),
        };
        stages.end_stage("parsing");
        let done = Done { bytes_read, compiler: Some(report), ..Done::default() };
        self.use_index(index, done, cancel, progress, stages)
    }

    /// Drops the index that came from a file, or all if the path is that of a folder, and links the files they were
    /// about.
    pub(super) fn drop_scip(
        &mut self,
        request: &IngestRequest,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        if request.adapter != Adapter::Scip || request.incremental {
            let why = "mode `drop` is for adapter `scip`, without `incremental`: it drops an imported compiler's index";
            return Err(EngineError::BadRequest(why.into()));
        }
        let known = self.stored_compiler_index().0;
        // Sources are in the words of the caller, who may have named them from the first root on.
        let full = |path: &Path| self.shared.allowed.first().map_or(path.to_owned(), |root| root.join(path));
        let path = full(&request.path);
        let all = path.is_dir();
        let (index, gone) = known.without(|source| all || full(Path::new(source)) == path);
        if gone == 0 {
            return Err(EngineError::BadRequest(not_imported(&request.path.to_string_lossy(), &known)));
        }
        if self.linked.is_none() {
            self.relink_all(cancel, progress)?;
        }
        stages.end_stage("parsing");
        self.use_index(index, Done::default(), cancel, progress, stages)
    }

    /// Links with other indexes than before, publishes the outcome and stores the indexes.
    fn use_index(
        &mut self,
        index: CompilerIndex,
        mut done: Done,
        cancel: &Cancel,
        progress: &dyn Progress,
        stages: &mut Stages,
    ) -> Result<Done, EngineError> {
        let current = self.shared.current();
        let (stored, cover) = index.encode().map_err(|error| EngineError::Internal(error.to_string()))?;
        let (index, cover) = self.join_indexes(&index).unwrap_or((index, cover));
        let (index, cover) = (Arc::new(index), Arc::new(cover));
        let (linked, delta) = self.link_with(&index, cancel, progress)?;
        stages.end_stage("linking");
        if let Some(report) = &mut done.compiler {
            note(report, &delta);
        }
        done.linked = delta.changed.len();
        let content = Content { compiler: cover.clone(), ..current.content() };
        let changes = LinkChanges { delta, rows: BTreeMap::new(), edited: Vec::new(), removed: Vec::new() };
        self.publish_links(linked, changes, content, cancel)?;
        self.compiler = Some((index, cover));
        stages.end_stage("building");
        let store = self.shared.project.set_compiler_index(&stored);
        store.map_err(|error| EngineError::Store(error.to_string()))?;
        self.save_now().map_err(EngineError::Store)?;
        stages.end_stage("writing");
        Ok(done)
    }

    /// Links the changes caused by other indexes. The linker is only returned on success.
    fn link_with(
        &mut self,
        index: &CompilerIndex,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<(Linked, LinkDelta), EngineError> {
        let current = self.shared.current();
        let pool = self.pool()?;
        let Some(mut linked) = self.linked.take() else {
            return Err(EngineError::Internal("the linker is not there".into()));
        };
        for entry in current.files.iter() {
            linked.linker.set_compiler_index(&entry.path, index.of_file(&entry.path, entry.hash));
        }
        let delta = link(&pool, &mut linked, cancel, progress)?;
        Ok((linked, delta))
    }
}

fn not_imported(source: &str, known: &CompilerIndex) -> String {
    let sources: Vec<String> = known.sources().map(|source| format!("`{source}`")).collect();
    match sources.as_slice() {
        [] => "no compiler's index is imported: there is nothing to drop".to_owned(),
        _ => format!("no index was imported from `{source}`; imported are {}", sources.join(", ")),
    }
}

fn bad_index(error: ScipError, request: &IngestRequest) -> EngineError {
    match error {
        ScipError::Cancelled(_) => EngineError::Cancelled,
        error => EngineError::BadIndex { path: request.path.clone(), why: error.to_string() },
    }
}

fn covers_nothing(report: &CompilerReport, request: &IngestRequest) -> EngineError {
    let path = request.path.display();
    let CompilerReport { documents, files_unknown, files_stale, .. } = report;
    EngineError::BadRequest(format!(
        "`{path}` fits no file of the graph: of {documents} documents {files_unknown} name files that are not in it and \
         {files_stale} were made of other content; run the indexer on the code as it is now"
    ))
}

/// Adds how the references fared.
fn note(report: &mut CompilerReport, delta: &LinkDelta) {
    for links in &delta.changed {
        let Some(compared) = &links.compared else { continue };
        report.confirmed += compared.confirmed as usize;
        report.settled += compared.settled as usize;
        report.added += compared.added as usize;
        report.contradicted += compared.contradicted.len();
        for Contradiction { pos, name, role, ours, theirs } in &compared.contradicted {
            if report.contradictions.len() >= IngestReport::MAX_LISTED {
                break;
            }
            report.contradictions.push(ContradictionRow {
                file: links.path.to_string(),
                line: pos.line,
                col: pos.col,
                name: name.to_string(),
                role: role.map_or("import", crate::ingest::part::role_word),
                ours: ours.clone(),
                theirs: theirs.clone(),
            });
        }
    }
}
