//! Shows long answers on a terminal through the pager that the user chose.

use std::ffi::OsString;
use std::io::Write;
use std::process::{Command, Stdio};

/// Variables that name the pager, in order. An empty one, and `cat`, mean none.
const VARIABLES: &[&str] = &["M1ND_PAGER", "PAGER"];
/// Options of `less` if the user has set none: colours, no paging of what fits, and the text stays on the screen.
const LESS: &str = "FRX";

/// The command of the pager; `None` if the user has chosen none.
pub(crate) fn choose_pager(variable: impl Fn(&str) -> Option<OsString>) -> Option<OsString> {
    let named = VARIABLES.iter().find_map(|name| variable(name))?;
    let is_none = named.to_str().is_some_and(|text| text.trim().is_empty() || text.trim() == "cat");
    (!is_none).then_some(named)
}

/// Returns whether a text takes more lines than a screen of this size, the line of the prompt included.
pub(crate) fn is_longer(text: &str, columns: usize, rows: usize) -> bool {
    let lines = text.lines().map(|line| line.chars().count().div_ceil(columns.max(1)).max(1));
    lines.sum::<usize>() >= rows
}

/// Runs the pager on a text and waits until the user leaves it. Returns `false` if it cannot be started.
pub(crate) fn show(pager: &OsString, text: &str) -> bool {
    let mut command = shell(pager);
    if std::env::var_os("LESS").is_none() {
        command.env("LESS", LESS);
    }
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A user who leaves early closes it.
        let _ = input.write_all(text.as_bytes());
    }
    // The shell's answer for a command that it cannot find or start.
    !child.wait().is_ok_and(|status| matches!(status.code(), Some(126 | 127)))
}

/// The user's command may have arguments and pipes, as that of git and man.
#[cfg(unix)]
fn shell(pager: &OsString) -> Command {
    let mut command = Command::new("/bin/sh");
    command.arg("-c").arg(pager);
    command
}

#[cfg(not(unix))]
fn shell(pager: &OsString) -> Command {
    Command::new(pager)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pager_of_m1nd_comes_first_and_may_be_none() {
        for (own, common, expected) in [
            (None, None, None),
            (None, Some("less"), Some("less")),
            (Some("bat -p"), Some("less"), Some("bat -p")),
            (Some(""), Some("less"), None),
            (Some("cat"), Some("less"), None),
            (None, Some(" "), None),
        ] {
            let variable = |name: &str| if name == "PAGER" { common } else { own }.map(OsString::from);
            assert_eq!(choose_pager(variable), expected.map(OsString::from), "{own:?} {common:?}");
        }
    }

    #[test]
    fn long_lines_count_as_the_lines_they_take() {
        assert!(!is_longer("a\nb\n", 80, 4));
        assert!(is_longer("a\nb\nc\nd", 80, 4));
        assert!(is_longer(&"x".repeat(161), 80, 3));
        assert!(!is_longer(&"x".repeat(160), 80, 3));
        assert!(is_longer("\n\n\n", 0, 3));
    }
}
