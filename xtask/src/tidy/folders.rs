//! Limits the number of Rust files directly in a folder, so that it can be read at a glance.

use std::collections::BTreeMap;

use super::Source;

/// Maximum number of files in a folder.
pub(super) const FOLDER_FILES: usize = 15;
/// Folders that may have more, with the reason. Most are lists: one file a row, found by its name.
const LISTS: &[(&str, &str)] = &[
    ("crates/cli/src/commands", "one file a command"),
    ("crates/cli/tests/command_line", "one file a command or topic"),
    ("crates/documents/src/formats", "one file a format"),
    ("crates/link/src/eval/members", "one construct that has members a file"),
    ("crates/link/src/languages", "one file a language"),
    ("crates/lang/src/local_code", "one topic of two operations a file, which share what they know of a function"),
    ("crates/tools/src/analysis", "one file a tool"),
    ("crates/tools/src/edit", "one file a tool"),
    ("crates/tools/src/exploration", "one file a tool"),
    ("crates/tools/src/framework", "the definition of a tool, its call and its answer name each other"),
    ("crates/tools/src/perspective", "one file a tool"),
    ("crates/tools/tests/tools", "one file a tool"),
    ("xtask/src/dist", "one file a format"),
];

/// Complains about folders that are too large, and about exceptions that are no longer needed.
pub(super) fn check(sources: &[Source]) -> Vec<String> {
    let counts = count_files(sources.iter().filter(|source| source.is_rust() && !source.is_data()));
    let is_list = |folder: &str| LISTS.iter().any(|(list, _)| *list == folder);
    let mut complaints: Vec<String> = counts
        .iter()
        .filter(|(folder, count)| **count > FOLDER_FILES && !is_list(folder))
        .map(|(folder, count)| {
            format!("{folder}: {count} files, at most {FOLDER_FILES}; group them by topic, or add the folder to LISTS")
        })
        .collect();
    let is_small = |folder: &str| counts.get(folder).is_none_or(|count| *count <= FOLDER_FILES);
    let settled = LISTS.iter().filter(|(folder, _)| is_small(folder));
    complaints.extend(settled.map(|(folder, _)| format!("{folder}: is in LISTS without need; remove it there")));
    complaints
}

/// Number of files directly in each folder.
fn count_files<'s>(sources: impl Iterator<Item = &'s Source>) -> BTreeMap<&'s str, usize> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for source in sources {
        let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        *counts.entry(folder).or_default() += 1;
    }
    counts
}

/// Folders of these files that have more than the limit: those that are lists, and others.
pub(super) fn describe_large_folders(code: &[&Source]) -> String {
    let large: Vec<(&str, usize)> =
        count_files(code.iter().copied()).into_iter().filter(|(_, count)| *count > FOLDER_FILES).collect();
    let list: Vec<String> =
        large.iter().map(|(folder, files)| format!("{} {files}", folder.trim_start_matches("crates/"))).collect();
    if list.is_empty() { large.len().to_string() } else { format!("{} ({})", large.len(), list.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(folder: &str, count: usize) -> Vec<Source> {
        let file = |number: usize| Source { path: format!("{folder}/file_{number}.rs"), text: String::new() };
        (0..count).map(file).collect()
    }

    /// All lists as large as they are allowed for.
    fn lists() -> Vec<Source> {
        LISTS.iter().flat_map(|(folder, _)| sources(folder, FOLDER_FILES + 1)).collect()
    }

    #[test]
    fn large_folders_are_lists() {
        let with = |folder: &str, count: usize| [lists(), sources(folder, count)].concat();
        assert_eq!(check(&lists()), Vec::<String>::new());
        assert_eq!(check(&with("crates/x/src", FOLDER_FILES)), Vec::<String>::new());
        assert_eq!(check(&with("crates/x/src", FOLDER_FILES + 1)).len(), 1);
        assert_eq!(check(&with("crates/x/tests/fixtures/a", FOLDER_FILES + 1)), Vec::<String>::new());
        assert_eq!(check(&[]).len(), LISTS.len());
    }

    #[test]
    fn a_folder_counts_only_its_own_files() {
        let files = [sources("crates/x/src", FOLDER_FILES), sources("crates/x/src/y", FOLDER_FILES + 2)].concat();
        assert_eq!(describe_large_folders(&files.iter().collect::<Vec<_>>()), "1 (x/src/y 17)");
    }
}
