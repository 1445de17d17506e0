//! The Project State section.

use serde::{Deserialize, Serialize};

use super::draft::{is_placeholder, trim_title};
use super::words::state;

/// Most entries of a `Stack:` line that are read.
const MAX_STACK: usize = 64;

/// What the Project State section says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectState {
    /// What is being built.
    pub goal: Option<Box<str>>,
    /// What it is built with, as written.
    pub stack: Vec<Box<str>>,
    /// What it waits for; `None` where it says that nothing blocks.
    pub blocked: Option<Box<str>>,
}

impl ProjectState {
    /// Takes a line of the section in, if it is one of its three.
    pub(crate) fn read(&mut self, text: &str) -> bool {
        let Some((name, value)) = text.split_once(':') else { return false };
        let value = value.trim();
        let value = if is_placeholder(value) { "" } else { value };
        match name.trim().to_ascii_lowercase().as_str() {
            "goal" => self.goal = (!value.is_empty()).then(|| value.into()),
            "stack" => {
                let parts = value.split([',', ';', '·']).map(str::trim);
                self.stack = parts.filter(|part| !is_placeholder(part)).take(MAX_STACK).map(Into::into).collect();
            }
            "blocked" | "blockers" | "blocker" => self.blocked = (!is_nothing(value)).then(|| value.into()),
            _ => return false,
        }
        true
    }
}

fn is_nothing(value: &str) -> bool {
    let value = trim_title(value).to_ascii_lowercase();
    state::NOTHING.contains(&&*value)
}
