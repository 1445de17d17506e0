//! Progress on standard error: a bar on a terminal, a line for each stage elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use m1nd_base::{Progress, ProgressEvent};

use crate::output::note;

/// Interval at which a bar of unknown length moves.
const TICK: Duration = Duration::from_millis(120);

/// Shows progress until [`finish`](Self::finish).
pub(crate) struct Terminal {
    quiet: bool,
    bar: Option<ProgressBar>,
    stage: Mutex<&'static str>,
}

impl Terminal {
    /// Creates a progress display on standard error. `quiet` shows nothing.
    pub(crate) fn new(quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::no_length().with_style(counting());
            bar.enable_steady_tick(TICK);
            bar
        });
        Self { quiet, bar, stage: Mutex::new("") }
    }

    /// Removes the bar.
    pub(crate) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn counting() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg} {human_pos}  {elapsed}")
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn build_bar_style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg:10} [{bar:32}] {human_pos}/{human_len}  {elapsed}")
        .map(|style| style.progress_chars("=> "))
        .unwrap_or_else(|_| ProgressStyle::default_bar())
}

impl Progress for Terminal {
    fn report(&self, event: ProgressEvent) {
        if self.quiet {
            return;
        }
        let mut stage = self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = *stage != event.stage;
        *stage = event.stage;
        match &self.bar {
            None if changed => match event.total {
                Some(total) if total > 0 => note(format!("{} ({total})", event.stage)),
                _ => note(event.stage),
            },
            None => {}
            Some(bar) => {
                if changed {
                    bar.set_message(event.stage);
                    bar.set_position(0);
                    bar.set_style(if event.total.is_some() { build_bar_style() } else { counting() });
                }
                match event.total {
                    Some(total) => bar.set_length(total),
                    None => bar.unset_length(),
                }
                bar.set_position(bar.position().max(event.done));
            }
        }
    }
}
