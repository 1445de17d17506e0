//! Another attempt after a broken connection, later each time.

use std::time::{Duration, Instant};

use crate::TeamError;
use crate::connection::Settings;
use crate::error::Failure;
use crate::remote::Remote;

/// Wait before the second attempt; doubled each time.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Longest wait between two attempts.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// Maximum time of one attempt, for networks that lose everything without a word.
const MAX_ATTEMPT: Duration = Duration::from_secs(120);

/// How long to try again.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// Maximum number of attempts.
    pub max_attempts: u32,
    /// Maximum time from the first attempt to the start of the last.
    pub max_time: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { max_attempts: 6, max_time: Duration::from_secs(15) }
    }
}

/// A connection that is opened when it is needed, and again when it broke.
pub(crate) struct Link {
    settings: Settings,
    team: String,
    patience: Patience,
    remote: Option<Remote>,
}

impl Link {
    pub(crate) fn new(settings: Settings, team: &str, patience: Patience) -> Self {
        Self { settings, team: team.to_owned(), patience, remote: None }
    }

    /// Runs `work`, again if the connection broke. It must not matter whether it took effect before.
    ///
    /// # Errors
    /// [`Failure::Final`] or [`Failure::Content`]; after too many attempts [`TeamError::Offline`].
    pub(crate) async fn run<T>(&mut self, work: impl AsyncFn(&mut Remote) -> Result<T, Failure>) -> Result<T, Failure> {
        let begin = Instant::now();
        let mut wait = FIRST_WAIT;
        let mut attempts = 0;
        loop {
            attempts += 1;
            let detail = match tokio::time::timeout(MAX_ATTEMPT, self.attempt(&work)).await {
                Ok(Err(Failure::Transient(detail))) => detail,
                Ok(done) => return done,
                Err(_) => format!("no answer within {} s", MAX_ATTEMPT.as_secs()),
            };
            self.remote = None;
            if attempts >= self.patience.max_attempts || begin.elapsed() + wait > self.patience.max_time {
                return Err(TeamError::Offline { attempts, detail }.into());
            }
            tokio::time::sleep(spread(wait)).await;
            wait = (wait * 2).min(MAX_WAIT);
        }
    }

    async fn attempt<T>(&mut self, work: &impl AsyncFn(&mut Remote) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut remote = match self.remote.take() {
            Some(remote) => remote,
            None => Remote::open(&self.settings, &self.team).await?,
        };
        let done = work(&mut remote).await;
        // After a failed statement a transaction may be open.
        if done.is_ok() {
            self.remote = Some(remote);
        }
        done
    }
}

/// A wait of half to all of this time, so that clients do not all come back at once.
fn spread(wait: Duration) -> Duration {
    let mut byte = [0];
    // Without randomness they do.
    let _ = getrandom::fill(&mut byte);
    wait.mul_f64(0.5 + f64::from(byte[0]) / 512.0)
}
