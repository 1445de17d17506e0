//! The commits that changed two files together.

use m1nd_engine::history::ProjectHistory;

/// Commits named.
const NAMED_COMMITS: usize = 3;

/// Two files of one repository that changed together.
#[derive(Debug, Clone, PartialEq)]
pub struct Together {
    /// Common commits, without merges and bulk changes.
    pub support: u32,
    /// Such commits of either file.
    pub commits_of: (usize, usize),
    /// Ratio of observed to expected common commits if the files were independent.
    pub lift: f64,
    /// Probability of at least as many common commits if the files were independent.
    pub p_value: f64,
    /// The newest common commits: full name and subject (text of the repository).
    pub commits: Vec<(String, String)>,
}

/// The common history of two files, by their paths in the index; `None` if they have no common commit that counts.
pub fn together(history: &ProjectHistory, one: &str, other: &str) -> Option<Together> {
    let (place, beside) = (history.place(one).ok()?, history.place(other).ok()?);
    if place.outer("") != beside.outer("") {
        return None;
    }
    let (file, second) = (place.file()?, beside.file()?);
    let partner = file.partners(usize::MAX).into_iter().find(|partner| partner.file.path() == second.path())?;
    let commits = place.history.commits();
    let counting = |file: &m1nd_history::FileHistory<'_>| -> Vec<usize> {
        file.commit_indices().filter(|&number| commits[number].counts_together()).collect()
    };
    let (own, theirs) = (counting(&file), counting(&second));
    let common = own.iter().filter(|number| theirs.binary_search(number).is_ok());
    let named = common.take(NAMED_COMMITS).map(|&number| &commits[number]);
    Some(Together {
        support: partner.support,
        commits_of: (own.len(), theirs.len()),
        lift: partner.lift,
        p_value: partner.p_value,
        commits: named.map(|commit| (commit.name(), commit.subject.to_string())).collect(),
    })
}
