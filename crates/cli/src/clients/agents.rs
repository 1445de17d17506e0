//! The block in `AGENTS.md` and similar files that makes agents and their subagents ask m1nd.

use std::path::{Path, PathBuf};

use super::json_edit::EditError;

/// Files that agents read at the start. The first is created if it does not exist; the others are only changed.
const FILES: &[&str] = &["AGENTS.md", "CLAUDE.md", "GEMINI.md"];
/// A line with this text includes the first file, so the block is not repeated.
const INCLUDE: &str = "@AGENTS.md";
/// First and last line of the block.
const START: &str = "<!-- m1nd:start, written by `m1nd init --agents`, removed by `m1nd init --remove` -->";
const END: &str = "<!-- m1nd:end -->";
/// The lines between.
const TEXT: &str = "\
## Questions about code

Ask the MCP server `m1nd` before you search by text. It has a graph of this repository, and its first line says whether a
list is complete.

- begin a task: `north`; find code by words: `seek`; by name: `definition`
- who calls or uses it: `callers`, `references`
- before a change: `impact`, `tests_for`; after it: `predict` names files that were forgotten
- in a shell: `m1nd callers NAME`, `m1nd seek 'WORDS'`, `m1nd call TOOL --json '{...}'`

Subagents have the same tools. Copy these lines into their task.";

/// The files of a project to write the block into.
pub(crate) fn agents_files(project: &Path) -> Vec<PathBuf> {
    let [first, others @ ..] = FILES else { return Vec::new() };
    let first = project.join(first);
    let is_same =
        |file: &Path| std::fs::canonicalize(file).ok().is_some_and(|at| std::fs::canonicalize(&first).ok() == Some(at));
    let includes =
        |file: &Path| std::fs::read_to_string(file).is_ok_and(|text| text.lines().any(|line| line.trim() == INCLUDE));
    let others = others.iter().map(|name| project.join(name));
    let others = others.filter(|file| file.is_file() && !is_same(file) && !includes(file));
    std::iter::once(first.clone()).chain(others).collect()
}

/// All files of a project that can have a block.
pub(crate) fn list_agents_files(project: &Path) -> impl Iterator<Item = PathBuf> {
    FILES.iter().map(move |name| project.join(name))
}

/// Returns the text with the block; `None` if it is there already. A block of another version is replaced.
///
/// # Errors
/// The first line of a block is there without its last.
pub(crate) fn set_block(text: &str) -> Result<Option<String>, EditError> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = format!("{START}\n\n{TEXT}\n\n{END}").replace('\n', line_end);
    if let Some((before, after)) = split_block(text)? {
        let new = format!("{before}{block}{after}");
        return Ok((new != text).then_some(new));
    }
    // Without a line end at the end of the file there is none after the block, which says so when it is removed.
    Ok(Some(match text {
        "" => format!("{block}{line_end}"),
        _ if text.ends_with('\n') => format!("{text}{line_end}{block}{line_end}"),
        _ => format!("{text}{line_end}{line_end}{block}"),
    }))
}

/// Returns the text without the block; `None` if there is none. Empty if the file held nothing else.
///
/// # Errors
/// The first line of a block is there without its last.
pub(crate) fn remove_block(text: &str) -> Result<Option<String>, EditError> {
    let Some((before, after)) = split_block(text)? else { return Ok(None) };
    let without_end =
        |text: &str| text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).to_owned());
    let mut before = before.to_owned();
    let lines_before = if after.is_empty() { 2 } else { 1 };
    for _ in 0..lines_before {
        before = without_end(&before).unwrap_or(before);
    }
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    Ok(Some(before + after))
}

/// What stands before and after the block.
fn split_block(text: &str) -> Result<Option<(&str, &str)>, EditError> {
    let Some((before, rest)) = text.split_once(START) else { return Ok(None) };
    let (_, after) = rest.split_once(END).ok_or(EditError::OpenBlock(END))?;
    Ok(Some((before, after)))
}

#[cfg(test)]
mod tests {
    use m1nd_tools::ALL;

    use super::*;

    #[test]
    fn a_block_is_set_once_and_removed_to_equal_bytes() {
        for before in ["", "# Ours\n", "# Ours", "# Ours\n\n", "a\r\nb\r\n", "a\r\nb", "\n", "é"] {
            let once = set_block(before).expect("is understood").expect("changes");
            assert!(once.starts_with(before) && once.contains("`callers`"), "{before:?}: {once}");
            assert_eq!(once.contains("\r\n"), before.contains("\r\n"), "{before:?}");
            assert_eq!(set_block(&once), Ok(None), "{before:?}");
            assert_eq!(remove_block(&once).expect("is understood").as_deref(), Some(before), "{once:?}");
            assert_eq!(remove_block(before), Ok(None));
            // What was written below stays.
            let later = format!("{once}\nLater\n");
            let left = remove_block(&later).expect("is understood").expect("changes");
            assert!(left.starts_with(before) && left.ends_with("Later\n") && !left.contains("m1nd"), "{left:?}");
        }
        let older = format!("a\n{START}\nold words\n{END}\nb\n");
        let now = set_block(&older).expect("is understood").expect("changes");
        assert!(now.starts_with("a\n") && now.ends_with("\nb\n") && !now.contains("old words"), "{now}");
        assert!(set_block(&format!("{START}\ncut")).is_err() && remove_block(&format!("{START}\ncut")).is_err());
    }

    #[test]
    fn the_block_names_tools_and_commands_that_exist() {
        let spans = TEXT.split('`').skip(1).step_by(2).filter(|span| *span != "m1nd");
        for span in spans {
            let name = span.strip_prefix("m1nd ").unwrap_or(span).split(' ').next().unwrap_or_default();
            assert!(name == "call" || ALL.iter().any(|tool| tool.name == name), "{span}");
        }
        assert!(TEXT.len() < 800, "agents read it in every session: {} bytes", TEXT.len());
    }
}
