//! What is to be sent, on disk: one line of JSON an operation, appended and synchronised before anything is sent,
//! removed once the database has committed it. If the commit's answer is lost, the operation is sent again, which
//! changes nothing.

use std::time::Duration;

use m1nd_store::{HeldLock, RealSystem, SharedFolder, append_to_user_file, durable_write};

use crate::{Operation, Refused, TeamError};

/// Maximum size of a queue, in bytes. More is not accepted until the database was reached.
pub const MAX_QUEUE_BYTES: u64 = 64 << 20;
/// Maximum number of refused operations that are kept, the newest.
const MAX_REFUSED: usize = 1_000;
/// File of the operations.
const QUEUE: &str = "queue.jsonl";
/// File of operations that the database refused.
const REFUSED: &str = "refused.jsonl";
/// Lock file held while the queue's file is changed.
const FILE_LOCK: &str = ".queue.lock";
/// Lock file held while operations are sent.
const SEND_LOCK: &str = ".send.lock";
/// Maximum wait for another process that changes the file.
const WAIT_FOR_FILE: Duration = Duration::from_secs(10);
/// Maximum wait for another process that sends.
const WAIT_FOR_SENDER: Duration = Duration::from_secs(120);

/// The queue of one login and team, which all its processes on this machine share.
#[derive(Clone, Debug)]
pub struct Queue {
    folder: SharedFolder,
}

impl Queue {
    /// The queue in a folder, which need not exist.
    pub fn new(folder: SharedFolder) -> Self {
        Self { folder }
    }

    /// Appends operations, so that they are on disk when this returns.
    ///
    /// # Errors
    /// [`TeamError::Invalid`] if the queue is full; [`TeamError::Store`].
    pub fn append(&self, operations: &[Operation]) -> Result<(), TeamError> {
        if operations.is_empty() {
            return Ok(());
        }
        let mut lines = String::new();
        for operation in operations {
            lines.push_str(&to_line(operation)?);
        }
        let _lock = self.folder.hold(FILE_LOCK, WAIT_FOR_FILE)?;
        let held = self.folder.read(QUEUE, MAX_QUEUE_BYTES)?;
        let size = held.as_ref().map_or(0, Vec::len) + lines.len();
        if size as u64 > MAX_QUEUE_BYTES {
            let why = format!(
                "the queue would have {size} bytes, at most {MAX_QUEUE_BYTES} are kept; reach the database first"
            );
            return Err(TeamError::Invalid(why));
        }
        let path = self.folder.path().join(QUEUE);
        match held {
            // Private to its owner, unlike a file that an append creates.
            None => durable_write(&RealSystem, &path, lines.as_bytes())?,
            Some(_) => append_to_user_file(&path, lines.as_bytes())?,
        }
        Ok(())
    }

    /// Number of operations to be sent.
    ///
    /// # Errors
    /// [`TeamError::Store`].
    pub fn len(&self) -> Result<usize, TeamError> {
        Ok(self.lines()?.len())
    }

    /// Returns whether nothing is to be sent.
    ///
    /// # Errors
    /// [`TeamError::Store`].
    pub fn is_empty(&self) -> Result<bool, TeamError> {
        Ok(self.len()? == 0)
    }

    /// Excludes other senders as long as the lock lives.
    ///
    /// # Errors
    /// [`TeamError::Store`] if another process sends for too long.
    pub(crate) fn hold_to_send(&self) -> Result<HeldLock, TeamError> {
        Ok(self.folder.hold(SEND_LOCK, WAIT_FOR_SENDER)?)
    }

    /// The first operations, at most `most`. What cannot be read is put aside, which its number says.
    ///
    /// # Errors
    /// [`TeamError::Store`].
    pub(crate) fn first(&self, most: usize) -> Result<Vec<Operation>, TeamError> {
        let lines = self.lines()?;
        let mut operations = Vec::new();
        let mut damaged = 0;
        for line in lines.iter().take(most) {
            match serde_json::from_str(line) {
                Ok(operation) => operations.push(operation),
                // A crash ends a line early. Its memory still stands in the text, from which it is sent again.
                Err(_) => damaged += 1,
            }
        }
        if damaged > 0 {
            let readable = |line: &&String| serde_json::from_str::<Operation>(line).is_ok();
            let _lock = self.folder.hold(FILE_LOCK, WAIT_FOR_FILE)?;
            let kept: String = self.lines()?.iter().filter(readable).map(|line| format!("{line}\n")).collect();
            durable_write(&RealSystem, &self.folder.path().join(QUEUE), kept.as_bytes())?;
        }
        Ok(operations)
    }

    /// Removes the first operations, which the database has.
    ///
    /// # Errors
    /// [`TeamError::Store`]; they are then sent again.
    pub(crate) fn remove_first(&self, count: usize) -> Result<(), TeamError> {
        let _lock = self.folder.hold(FILE_LOCK, WAIT_FOR_FILE)?;
        let rest: String = self.lines()?.into_iter().skip(count).map(|line| line + "\n").collect();
        Ok(durable_write(&RealSystem, &self.folder.path().join(QUEUE), rest.as_bytes())?)
    }

    /// Keeps an operation that the database refused.
    ///
    /// # Errors
    /// [`TeamError::Store`].
    pub(crate) fn keep_refused(&self, refused: &Refused) -> Result<(), TeamError> {
        let _lock = self.folder.hold(FILE_LOCK, WAIT_FOR_FILE)?;
        let line = to_line(refused)?;
        let mut lines = self.lines_of(REFUSED)?;
        lines.retain(|other| other.trim_end() != line.trim_end());
        lines.push(line.trim_end().to_owned());
        let text: String = lines.iter().rev().take(MAX_REFUSED).rev().map(|line| format!("{line}\n")).collect();
        Ok(durable_write(&RealSystem, &self.folder.path().join(REFUSED), text.as_bytes())?)
    }

    fn lines(&self) -> Result<Vec<String>, TeamError> {
        self.lines_of(QUEUE)
    }

    fn lines_of(&self, name: &str) -> Result<Vec<String>, TeamError> {
        let bytes = self.folder.read(name, MAX_QUEUE_BYTES)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
    }
}

fn to_line(value: &impl serde::Serialize) -> Result<String, TeamError> {
    let line = serde_json::to_string(value);
    line.map(|line| line + "\n").map_err(|error| TeamError::Invalid(format!("cannot be queued: {error}")))
}
