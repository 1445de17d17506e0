//! Movements of `HEAD`: the newest lines of git's reflog, which never leaves this machine.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::GitFolder;

/// Maximum bytes of the reflog that are read, from its end.
const MAX_LOG: u64 = 1 << 20;
/// Number of digits of a commit id.
const NAME_DIGITS: usize = 40;
/// Reflog messages of commits created from the local worktree. Merges, cherry-picks and applied mails bring content
/// written elsewhere, so they are not included.
const MADE_HERE: [&str; 3] = ["commit:", "commit (initial):", "commit (amend):"];
/// First reflog message of a repository created here, and of a clone.
const FIRST_COMMIT: &str = "commit (initial):";
const CLONE: &str = "clone:";
/// Files and folders that exist while git changes the worktree.
const BUSY: [&str; 7] =
    ["index.lock", "MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply", "sequencer"];

/// One movement from a commit to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Move {
    to: String,
    is_made_here: bool,
}

/// Origin of a repository on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Begin {
    /// Its first commit was created here.
    Made,
    /// It was cloned into a folder of its own.
    Cloned,
}

/// The newest movements of `HEAD`, oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    moves: Vec<Move>,
    begin: Option<Begin>,
}

impl Moves {
    /// Reads the reflog; empty if git keeps none.
    #[must_use]
    pub fn of(git: &GitFolder) -> Self {
        Self::parse(&tail(git).unwrap_or_default())
    }

    fn parse(log: &str) -> Self {
        let moves = log.lines().filter_map(|line| {
            let (head, message) = line.split_once('\t')?;
            let to = head.split(' ').nth(1).filter(|name| is_name(name))?;
            Some(Move { to: to.to_owned(), is_made_here: MADE_HERE.iter().any(|word| message.starts_with(word)) })
        });
        Self { moves: moves.collect(), begin: log.lines().next().and_then(begin) }
    }

    /// Returns the origin of the repository, if the reflog still shows it.
    #[must_use]
    pub fn begin(&self) -> Option<Begin> {
        self.begin
    }

    /// The ids of commits created on this machine from the worktree.
    #[must_use]
    pub fn made_here(&self) -> BTreeSet<&str> {
        self.moves.iter().filter(|step| step.is_made_here).map(|step| step.to.as_str()).collect()
    }

    /// Returns whether only commits created here lead from one commit to the other, according to the reflog.
    #[must_use]
    pub fn only_made_here(&self, from: &str, to: &str) -> bool {
        if from == to {
            return true;
        }
        let mut newest_first = self.moves.iter().rev();
        if newest_first.next().is_none_or(|step| step.to != to || !step.is_made_here) {
            return false;
        }
        for step in newest_first {
            if step.to == from {
                return true;
            }
            if !step.is_made_here {
                return false;
            }
        }
        false
    }
}

impl GitFolder {
    /// Returns whether git is changing the files, or waits for a merge or similar to be concluded.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        BUSY.iter().any(|name| self.own().join(name).exists())
    }
}

/// Derives the origin of the repository from the first line of its reflog.
fn begin(line: &str) -> Option<Begin> {
    let (head, message) = line.split_once('\t')?;
    let is_first = head.split(' ').next().is_some_and(|from| is_name(from) && from.bytes().all(|byte| byte == b'0'));
    match message {
        _ if !is_first => None,
        message if message.starts_with(FIRST_COMMIT) => Some(Begin::Made),
        message if message.starts_with(CLONE) => Some(Begin::Cloned),
        _ => None,
    }
}

fn is_name(text: &str) -> bool {
    text.len() == NAME_DIGITS && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The end of the reflog, starting at a whole line.
fn tail(git: &GitFolder) -> Option<String> {
    let path = git.own().join("logs/HEAD");
    // A pipe or a device would block.
    if !std::fs::metadata(&path).ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let start = length.saturating_sub(MAX_LOG);
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(MAX_LOG).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    match (start, text.find('\n')) {
        (0, _) => Some(text),
        (_, Some(end)) => Some(text[end + 1..].to_owned()),
        (_, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(digit: char) -> String {
        digit.to_string().repeat(NAME_DIGITS)
    }

    /// A reflog of movements to commits named by a digit, with git's message for each.
    fn moves(rows: &[(char, &str)]) -> Moves {
        let mut before = '0';
        let mut log = String::from("no line of a log\n");
        for (to, message) in rows {
            log += &format!("{} {} A B <a@b> 1700000000 +0000\t{message}\n", name(before), name(*to));
            before = *to;
        }
        Moves::parse(&log)
    }

    #[test]
    fn only_commits_of_the_work_tree_are_made_here() {
        let rows = [
            ('1', "clone: from https://x.test/y", false),
            ('2', "commit: a", true),
            ('3', "pull: Fast-forward", false),
            ('4', "commit (amend): b", true),
            ('5', "commit (merge): c", false),
            ('6', "cherry-pick: d", false),
            ('7', "am: e", false),
            ('8', "commit (initial): f", true),
            ('9', "rebase (finish): returning to refs/heads/x", false),
            ('a', "reset: moving to HEAD~1", false),
            ('b', "checkout: moving from commit: to b", false),
        ];
        let log: Vec<(char, &str)> = rows.iter().map(|(to, message, _)| (*to, *message)).collect();
        let moves = moves(&log);
        let made = moves.made_here();
        for (to, message, expected) in rows {
            assert_eq!(made.contains(name(to).as_str()), expected, "{message}");
        }
    }

    #[test]
    fn the_first_line_tells_where_a_repository_is_from() {
        let line = |from: char, message: &str| format!("{} {} A B <a@b> 1 +0000\t{message}\n", name(from), name('1'));
        let rows = [
            (line('0', "commit (initial): a"), Some(Begin::Made)),
            (line('0', "clone: from https://x.test/y"), Some(Begin::Cloned)),
            (line('0', "pull origin main: storing head"), None),
            (line('2', "commit (initial): the log before is gone"), None),
            (String::new(), None),
            ("clone: from x".to_owned(), None),
        ];
        for (log, expected) in rows {
            assert_eq!(Moves::parse(&(log.clone() + &line('1', "commit: b"))).begin(), expected, "{log}");
        }
    }

    #[test]
    fn a_pull_between_two_commits_is_noticed() {
        let log = [('1', "clone: x"), ('2', "commit: a"), ('3', "commit: b"), ('4', "pull: c"), ('5', "commit: d")];
        let rows = [
            (5, '5', '5', true),
            (5, '4', '5', true),
            (5, '3', '5', false),
            (4, '3', '4', false),
            (3, '1', '3', true),
            (3, '2', '3', true),
            (3, '9', '3', false),
            // The reflog does not contain the checked-out commit.
            (3, '2', '9', false),
        ];
        for (known, from, to, expected) in rows {
            let moves = moves(&log[..known]);
            assert_eq!(moves.only_made_here(&name(from), &name(to)), expected, "{known} {from} {to}");
        }
        assert!(Moves::default().only_made_here("", "") && !Moves::default().only_made_here("", &name('1')));
    }
}
