//! Bounded output of a process.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes kept of the beginning.
const MAX_HEAD: usize = 4 << 20;
/// Bytes kept of the end, after the beginning.
const MAX_TAIL: usize = 256 << 10;
/// Bytes read at once.
const CHUNK: usize = 32 << 10;

/// The beginning and the end of an output.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// Bytes between them that are lost.
    lost: u64,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        let room = MAX_HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend(&bytes[room..]);
        let over = self.tail.len().saturating_sub(MAX_TAIL);
        self.tail.drain(..over);
        self.lost += over as u64;
    }

    /// Whether bytes were lost.
    pub(crate) fn is_cut(&self) -> bool {
        self.lost > 0
    }

    /// What is kept, as text. A lost part leaves a line break.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        if self.is_cut() {
            text.push('\n');
        }
        text + &String::from_utf8_lossy(&self.tail.iter().copied().collect::<Vec<u8>>())
    }
}

/// Reads a pipe to its end in a thread, so that the process never waits for its reader.
#[derive(Debug)]
pub(crate) struct Drain {
    kept: Arc<Mutex<Kept>>,
    stop: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Drain {
    pub(crate) fn start(mut pipe: impl Read + Send + 'static) -> Self {
        let kept = Arc::new(Mutex::new(Kept::default()));
        let stop = Arc::new(AtomicBool::new(false));
        let (to, stopped) = (kept.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            let mut chunk = vec![0; CHUNK];
            while !stopped.load(Ordering::Relaxed) {
                match pipe.read(&mut chunk) {
                    Ok(0) => break,
                    Ok(count) => to.lock().unwrap_or_else(PoisonError::into_inner).push(&chunk[..count]),
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Err(_) => break,
                }
            }
        });
        Self { kept, stop, thread }
    }

    /// Whether the pipe is closed.
    pub(crate) fn is_done(&self) -> bool {
        self.thread.is_finished()
    }

    /// What was read until now. A reader that still waits stops with the next bytes.
    pub(crate) fn take(self) -> Kept {
        self.stop.store(true, Ordering::Relaxed);
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginning_and_the_end_are_kept() {
        let mut kept = Kept::default();
        kept.push(b"first\n");
        assert_eq!((kept.text().as_str(), kept.is_cut()), ("first\n", false));
        for _ in 0..200 {
            kept.push(&vec![b'x'; CHUNK]);
        }
        kept.push(b"last");
        let text = kept.text();
        assert!(text.starts_with("first\n") && text.ends_with("last") && kept.is_cut());
        assert_eq!(text.len(), MAX_HEAD + 1 + MAX_TAIL);
    }
}
