//! Gets the linker ready from what was stored, instead of linking all files again.

use std::collections::BTreeMap;

use m1nd_base::{Cancel, ProblemKind, Progress};
use m1nd_link::Linker;

use super::{Linked, Writer, files};
use crate::error::EngineError;
use crate::extract::{self, Counters, Extracted, Outcome, Tools};
use crate::extract_attempts::Attempts;
use crate::persist;
use crate::report::root_folders;

/// Files that are read ahead of the linker.
const AHEAD: usize = 1_024;

impl Writer {
    /// Makes the linker of the published state from the facts of its files and what the linker remembered. `false` if
    /// that is not possible: something is not stored (any more), or was of other content.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`].
    pub(super) fn restore(&mut self, cancel: &Cancel, progress: &dyn Progress) -> Result<bool, EngineError> {
        let Some(container) = self.stored.take() else { return Ok(false) };
        let Some(state) = persist::linker_state(&container) else { return Ok(false) };
        let found = self.linker_as_indexed(cancel, progress).inspect_err(|_| self.stored = Some(container));
        let Some(mut linked) = found? else { return Ok(false) };
        let (compiler, cover) = self.compiler_index();
        let current = self.shared.current();
        for entry in current.files.iter() {
            cancel.check()?;
            linked.linker.set_compiler_index(&entry.path, compiler.of_file(&entry.path, entry.hash));
        }
        if cover != current.compiler || !linked.linker.restore(state) {
            return Ok(false);
        }
        self.linked = Some(linked);
        Ok(true)
    }

    /// A linker with the facts of all files as the index has them; `None` if one of them cannot be had.
    fn linker_as_indexed(&mut self, cancel: &Cancel, progress: &dyn Progress) -> Result<Option<Linked>, EngineError> {
        let current = self.shared.current();
        let Some(jobs) = files::jobs_as_indexed(&current.roots, &current.files) else { return Ok(None) };
        // Facts that a time limit cut short may be others now.
        let is_lasting = |kind| kind != ProblemKind::ParseTimeout;
        if !current.files.iter().flat_map(|entry| &entry.problems).all(|problem| is_lasting(problem.kind)) {
            return Ok(None);
        }
        let pool = self.pool()?;
        self.open_cache();
        let limits = self.shared.config.limits.clone();
        let roots = &current.handles;
        let attempts = Attempts::below(self.home.path());
        let tools = Tools {
            roots,
            cache: self.cache.as_deref(),
            attempts: Some(&attempts),
            limits: &limits,
            pool: &pool,
            cancel,
            progress,
        };
        let mut linked = Linked { linker: Linker::new(limits.clone()), files: BTreeMap::new() };
        linked.linker.set_roots(root_folders(&current.roots));
        let linked = std::thread::scope(|scope| {
            let (sender, read) = crossbeam_channel::bounded::<Extracted>(AHEAD);
            // Names are made comparable while the next files are read.
            let setting = scope.spawn(move || {
                for file in read {
                    let (entry, file) = files::set_file(&mut linked.linker, file);
                    linked.files.insert(entry.path, file);
                }
                linked
            });
            let outcome = extract::extract_all(&jobs, tools, &Counters::default(), &mut |job, outcome| match outcome {
                Outcome::Facts(file) if Some(file.entry.hash) == job.before => _ = sender.send(*file),
                _ => {}
            });
            drop(sender);
            let linked = setting.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            outcome.map(|()| linked)
        })?;
        Ok((linked.files.len() == jobs.len()).then_some(linked))
    }
}
