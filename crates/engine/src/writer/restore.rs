//! Gets the linker ready from what was stored, instead of linking all files again.

use m1nd_base::{Cancel, ProblemKind, Progress};

use super::{Writer, files};
use crate::error::EngineError;
use crate::extract::{self, Counters, Extracted, Outcome, Tools};
use crate::extract_attempts::Attempts;
use crate::persist;

impl Writer {
    /// Makes the linker of the published state from the facts of its files and what the linker remembered. `false` if
    /// that is not possible: something is not stored (any more), or was of other content.
    ///
    /// # Errors
    /// [`EngineError::Cancelled`].
    pub(super) fn restore(&mut self, cancel: &Cancel, progress: &dyn Progress) -> Result<bool, EngineError> {
        let Some(container) = self.stored.take() else { return Ok(false) };
        let Some(state) = persist::linker_state(&container) else { return Ok(false) };
        let Some(extracted) = self.facts_as_indexed(cancel, progress)? else { return Ok(false) };
        let current = self.shared.current();
        let (mut linked, _, cover) = self.with_facts(extracted, cancel)?;
        if cover != current.compiler || !linked.linker.restore(state) {
            return Ok(false);
        }
        self.linked = Some(linked);
        Ok(true)
    }

    /// The facts of all files as the index has them; `None` if one of them cannot be had.
    fn facts_as_indexed(
        &mut self,
        cancel: &Cancel,
        progress: &dyn Progress,
    ) -> Result<Option<Vec<Extracted>>, EngineError> {
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
        let mut all = Vec::with_capacity(jobs.len());
        extract::extract_all(&jobs, tools, &Counters::default(), &mut |job, outcome| match outcome {
            Outcome::Facts(file) if Some(file.entry.hash) == job.before => all.push(*file),
            _ => {}
        })?;
        Ok((all.len() == jobs.len()).then_some(all))
    }
}
