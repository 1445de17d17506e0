//! Standing of a project with the user of this machine: whether it is approved, and which of its texts are.

use std::path::Path;

use m1nd_store::SharedFolder;

use crate::files::approval::{Approvals, Approved, is_known};
use crate::files::registry::Registry;
use crate::files::worktree;

/// The approvals of a project at the time its memories are read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Standing {
    pub(crate) approved: Approved,
    /// The project is registered, or taken over without that.
    pub(crate) is_own: bool,
    /// Another repository lies in its folder than the one that was taken over: so it is not the user's own.
    pub(crate) is_replaced: bool,
}

impl Standing {
    /// Reads the standing of a project. Adds to `problems` the files that cannot be read.
    pub(crate) fn of(project: &Path, home: &SharedFolder, problems: &mut Vec<String>) -> Self {
        let approved = Approvals::new(home).get(project).unwrap_or_else(|error| {
            problems.push(error.to_string());
            None
        });
        let registry = Registry::new(home.clone());
        // What cannot be read of the list is no reason to doubt: no repository can write there.
        let is_registered = registry.get(project).map_or(true, |known| known.is_some());
        let mut approved = approved.unwrap_or_default();
        let is_unknown = |approved: &Approved| approved.since.is_none() || approved.is_linked;
        if !is_registered
            && is_unknown(&approved)
            && !worktree::is_approved(project, &approved)
            && !approved.is_declined
        {
            if let Some(of) = worktree::find_inherited(project, home) {
                let forgotten = std::mem::take(&mut approved.forgotten);
                approved = of;
                approved.forgotten.extend(forgotten);
                return Self { is_own: true, is_replaced: false, approved };
            }
            return Self { is_own: false, is_replaced: false, approved };
        }
        let is_replaced = approved.since.is_some() && !is_known(project, &approved);
        Self { is_own: (is_registered || approved.since.is_some()) && !is_replaced, is_replaced, approved }
    }

    /// The part on which the memories depend, as text.
    pub(crate) fn key(&self) -> String {
        let mut kept = self.approved.clone();
        kept.head.clear();
        kept.oldest.clear();
        kept.texts.clear();
        format!("{}{}{}", self.is_own, self.is_replaced, serde_json::to_string(&kept).unwrap_or_default())
    }
}
