//! The client's roots (`roots/list`): another source for the project whose memories are requested. Clients of
//! protocol versions without that request, and those that do not offer it, are not asked.
#![expect(deprecated, reason = "protocol versions up to 2025-11-25 have roots, and clients of them are asked")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use m1nd_mind::Memories;
use rmcp::{Peer, RoleServer};
use tokio::sync::watch;

use crate::upkeep::Upkeep;

/// Time to wait for the answer.
const ANSWER: Duration = Duration::from_secs(5);
/// Maximum time that a call waits for it; later calls do not wait at all.
const PATIENCE: Duration = Duration::from_millis(1_000);
/// Maximum number of roots considered.
const MAX_ROOTS: usize = 16;

/// State of the client's roots.
pub(crate) struct Roots {
    /// Whether no answer is pending.
    settled: watch::Sender<bool>,
    is_offered: AtomicBool,
    /// The memories that are searched in the folders of the client.
    memories: Arc<Memories>,
}

impl Roots {
    pub(crate) fn new(memories: Arc<Memories>) -> Self {
        Self { settled: watch::Sender::new(true), is_offered: AtomicBool::new(false), memories }
    }

    /// The client supports roots: calls wait for its answer from now on.
    pub(crate) fn expect(&self) {
        self.is_offered.store(true, Ordering::Release);
        self.settled.send_replace(false);
    }

    /// Asks the client, if it can be asked.
    pub(crate) async fn ask(&self, peer: &Peer<RoleServer>, upkeep: Option<Arc<Upkeep>>) {
        if !self.is_offered.load(Ordering::Acquire) {
            return;
        }
        let asked = tokio::time::timeout(ANSWER, peer.list_roots()).await;
        let folders: Vec<PathBuf> = match asked {
            Ok(Ok(answer)) => answer.roots.iter().take(MAX_ROOTS).filter_map(|root| folder(&root.uri)).collect(),
            Ok(Err(error)) => {
                tracing::debug!(%error, "the client did not answer roots/list");
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        self.memories.set_client_places(folders.clone());
        // Opening an index reads files.
        if let Some(upkeep) = upkeep {
            let _ = tokio::task::spawn_blocking(move || upkeep.take_folders(folders)).await;
        }
        self.settled.send_replace(true);
    }

    /// Waits, with a limit, until the client has answered.
    pub(crate) async fn wait_until_settled(&self) {
        let mut settled = self.settled.subscribe();
        if tokio::time::timeout(PATIENCE, settled.wait_for(|settled| *settled)).await.is_err() {
            self.settled.send_replace(true);
        }
    }
}

/// The folder of a `file:` URI of this machine.
fn folder(uri: &str) -> Option<PathBuf> {
    m1nd_base::uri::file_path(uri).filter(|path| path.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn only_folders_of_this_machine_are_taken() {
        let home = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(home.path().join("a b")).expect("is made");
        std::fs::write(home.path().join("file"), "").expect("is written");
        let base = home.path().display();
        let cases = [
            (format!("file://{base}"), true),
            (format!("file://localhost{base}/a%20b"), true),
            (format!("file://{base}/a%2gb"), false),
            (format!("file://{base}/a%20b%00"), false),
            (format!("file://{base}/file"), false),
            (format!("file://{base}/nothing"), false),
            (format!("file://elsewhere{base}"), false),
            (format!("https://{base}"), false),
            ("file://".to_owned(), false),
            ("file://relative/path".to_owned(), false),
            (base.to_string(), false),
        ];
        for (uri, expected) in cases {
            assert_eq!(folder(&uri).is_some(), expected, "{uri}");
        }
    }
}
