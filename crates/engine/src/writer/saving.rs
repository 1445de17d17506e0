//! Writes the published state to disk.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use m1nd_base::Cancel;

use super::{Event, GENERATION, Writer, build};
use crate::error::EngineError;
use crate::state::persist;
use crate::state::shared::{Shared, raise};
use crate::state::snapshot::Snapshot;

/// Generations reserved on disk at once, so that an edit costs no synchronised write.
const RESERVED: u64 = 64;

impl Writer {
    /// The next generation; reserved on disk before it is used.
    pub(super) fn next_generation(&mut self) -> u64 {
        let current = self.shared.current().generation;
        let next = current.max(self.shared.high_water.load(Ordering::Acquire)) + 1;
        if next > self.saved.reserved && self.lock.is_some() {
            self.saved.reserved = next + RESERVED;
            self.store_generation(self.saved.reserved);
        }
        raise(&self.shared.high_water, next);
        next
    }

    pub(super) fn store_generation(&self, generation: u64) {
        if let Err(error) = self.shared.project.set_setting(GENERATION, Some(&generation.to_string())) {
            self.shared.notice(format!("the generation could not be stored: {error}"));
        }
    }

    /// Packs changed files and writes the snapshot while the writer goes on.
    pub(super) fn pack_in_background(&mut self) {
        if !self.saved.is_behind || self.threads.packing.is_some() {
            return;
        }
        let Some(packer) = self.packer() else { return };
        let (shared, events) = (self.shared.clone(), self.queue.events.clone());
        let work = move || {
            let result = packer.pack(&Cancel::new()).and_then(|packed| save(&shared, packed));
            let _ = events.send(Event::Packed);
            result
        };
        match std::thread::Builder::new().name("m1nd-pack".into()).spawn(work) {
            Ok(thread) => self.threads.packing = Some(thread),
            Err(error) => tracing::warn!(%error, "changes are not packed"),
        }
    }

    /// Adopts the result of the packing thread, waiting for it if needed.
    pub(super) fn adopt_packed(&mut self) {
        let Some(thread) = self.threads.packing.take() else { return };
        let result = thread.join().unwrap_or_else(|_| Err("packing it panicked".into()));
        match result {
            Ok(saved) if saved.snapshot.generation == self.shared.current().generation => self.adopt(saved),
            // Something changed meanwhile: the file is a valid older state, and the next pause packs again.
            Ok(_) => {}
            Err(why) => {
                self.saved.is_behind = false;
                self.shared.notice(format!("the index could not be written to disk: {why}"));
            }
        }
    }

    /// Packs and writes at once.
    pub(super) fn save_now(&mut self) -> Result<(), String> {
        self.adopt_packed();
        let Some(packer) = self.packer() else { return Ok(()) };
        // Also at shutdown: acknowledged edits must be there next time.
        let saved = packer.pack(&Cancel::new()).and_then(|packed| save(&self.shared, packed))?;
        self.adopt(saved);
        Ok(())
    }

    /// Goes on with the state that was written, as it is mapped.
    pub(super) fn adopt(&mut self, saved: Saved) {
        self.saved.is_behind = false;
        self.shared.note_saved(saved.snapshot.generation);
        self.shared.publish(saved.snapshot);
        self.unload(Some(saved.container));
    }

    /// Writes what is not on disk yet. Returns whether there was something.
    pub(super) fn save_for_caller(&mut self) -> Result<bool, EngineError> {
        if self.lock.is_none() {
            return Err(EngineError::WriterElsewhere);
        }
        self.adopt_packed();
        let is_due = self.saved.is_behind;
        if is_due {
            self.save_now().map_err(EngineError::Store)?;
        }
        Ok(is_due)
    }
}

/// A written state, as it is mapped, and the file that it is mapped from.
pub(super) struct Saved {
    snapshot: Arc<Snapshot>,
    container: m1nd_graph::Container,
}

/// Writes a packed snapshot and maps the written file, so that the memory used for building is released.
fn save(shared: &Shared, packed: build::Packed) -> Result<Saved, String> {
    let build::Packed { snapshot, linker } = packed;
    let written = shared.project.publish_snapshot(&mut |out| persist::write(&snapshot, linker.as_deref(), out));
    drop(linker);
    let path = written.map_err(|error| error.to_string())?;
    let stored = persist::open(&path).map_err(|error| error.to_string())?;
    let container = stored.container.clone();
    let mut mapped = shared.snapshot_of(stored);
    mapped.handles = snapshot.handles.clone();
    Ok(Saved { snapshot: Arc::new(mapped), container })
}
