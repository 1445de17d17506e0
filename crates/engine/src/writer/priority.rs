//! The part of the processor that indexing gets while readers ask.

/// How far the threads of a watching writer stand back behind those of readers, in the system's steps of niceness: with
/// 5, a reader that competes with one of them gets three quarters of the processor.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Has the current thread, and all that it starts from now on, stand back behind the threads that answer. Does nothing
/// where the priority of a single thread cannot be set.
pub(super) fn stand_back() {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{getpriority_process, setpriority_process};
        // On Linux, no process means the current thread.
        let lowered = getpriority_process(None).and_then(|now| setpriority_process(None, now + NICENESS));
        if let Err(error) = lowered {
            tracing::debug!(%error, "the priority of a thread stays as it is");
        }
    }
}
