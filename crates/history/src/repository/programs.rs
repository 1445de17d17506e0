//! Files that git runs because the configuration of the repository names them.

use std::path::{Component, Path, PathBuf};

use crate::locate::{GitFolder, MAX_CONFIG, text_of};
use crate::settings::{Setting, parse_settings};

/// Maximum number of files that settings are read from, with those that they include.
const MAX_FILES: usize = 16;

/// Settings whose value is a path that git runs, or takes programs from: section and key, in small letters. `*` stands
/// for any key.
const PATHS: &[(&str, &str)] = &[
    ("core", "hookspath"),
    ("core", "attributesfile"),
    ("include", "path"),
    ("includeif", "path"),
    ("init", "templatedir"),
    ("difftool", "path"),
    ("mergetool", "path"),
    ("browser", "path"),
    ("man", "path"),
];
/// Settings that name another file of settings.
const INCLUDES: &[(&str, &str)] = &[("include", "path"), ("includeif", "path")];
/// The setting that names the folder of hooks.
const HOOKS_FOLDER: &[(&str, &str)] = &[("core", "hookspath")];
/// Settings whose value is a command.
const COMMANDS: &[(&str, &str)] = &[
    ("alias", "*"),
    ("browser", "cmd"),
    ("core", "alternaterefscommand"),
    ("core", "askpass"),
    ("core", "editor"),
    ("core", "fsmonitor"),
    ("core", "gitproxy"),
    ("core", "pager"),
    ("core", "sshcommand"),
    ("credential", "helper"),
    ("diff", "command"),
    ("diff", "external"),
    ("diff", "textconv"),
    ("difftool", "cmd"),
    ("filter", "clean"),
    ("filter", "process"),
    ("filter", "smudge"),
    ("gpg", "defaultkeycommand"),
    ("gpg", "program"),
    ("guitool", "cmd"),
    ("hook", "command"),
    ("interactive", "difffilter"),
    ("man", "cmd"),
    ("merge", "driver"),
    ("mergetool", "cmd"),
    ("pager", "*"),
    ("remote", "receivepack"),
    ("remote", "uploadpack"),
    ("sendemail", "*"),
    ("sequence", "editor"),
    ("submodule", "update"),
    ("tar", "command"),
    ("trailer", "cmd"),
    ("trailer", "command"),
    ("uploadpack", "packobjectshook"),
];
/// Names of the files of a hooks folder that git runs. They matter alone where the folder is the whole work tree.
const HOOKS: &[&str] = &[
    "applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout", "post-commit",
    "post-index-change", "post-merge", "post-receive", "post-rewrite", "post-update", "pre-applypatch", "pre-auto-gc",
    "pre-commit", "pre-merge-commit", "pre-push", "pre-rebase", "pre-receive", "prepare-commit-msg", "proc-receive",
    "push-to-checkout", "reference-transaction", "sendemail-validate", "update",
];

impl GitFolder {
    /// Files and folders below the work tree that git runs, or takes settings from, because the configuration of the
    /// repository names them. Absolute: as they are named, and where links lead.
    pub fn named_programs(&self, work_tree: &Path) -> Vec<PathBuf> {
        let mut waiting = vec![self.common().join("config"), self.own().join("config.worktree")];
        let (mut read, mut found) = (0, Vec::new());
        while let Some(file) = waiting.pop().filter(|_| read < MAX_FILES) {
            read += 1;
            let folder = file.parent().unwrap_or(work_tree);
            for setting in parse_settings(&text_of(&file, MAX_CONFIG).unwrap_or_default()) {
                let is_include = is_one_of(&setting, INCLUDES);
                let named = list_named(&setting, if is_include { folder } else { work_tree });
                if is_include {
                    waiting.extend(named.iter().cloned());
                }
                if is_one_of(&setting, HOOKS_FOLDER) && named.iter().any(|path| work_tree.starts_with(path)) {
                    found.extend(named.iter().flat_map(|path| HOOKS.iter().map(|hook| path.join(hook))));
                } else {
                    found.extend(named);
                }
            }
        }
        let real: Vec<PathBuf> = found.iter().filter_map(|path| std::fs::canonicalize(path).ok()).collect();
        found.extend(real);
        found.retain(|path| path.starts_with(work_tree) && path != work_tree);
        found.sort_unstable();
        found.dedup();
        found
    }
}

fn is_one_of(setting: &Setting, rows: &[(&str, &str)]) -> bool {
    rows.iter().any(|(section, key)| *section == setting.section && (*key == "*" || *key == setting.key))
}

/// The paths that the value of a setting names, if git runs them or reads settings from them. Relative ones start at
/// `from`.
fn list_named(setting: &Setting, from: &Path) -> Vec<PathBuf> {
    if is_one_of(setting, PATHS) {
        return vec![normalize(&from.join(&setting.value))];
    }
    if !is_one_of(setting, COMMANDS) {
        return Vec::new();
    }
    let words = setting.value.split(|c: char| c.is_whitespace() || "\"'!;|&()$=`<>".contains(c));
    // A bare word is a program of the system, or a file in the work tree that an interpreter is given.
    let is_path = |word: &&str| !word.is_empty() && (word.contains('/') || from.join(word).is_file());
    words.filter(is_path).map(|word| normalize(&from.join(word))).collect()
}

/// Takes `.` and `..` out of an absolute path.
fn normalize(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            _ => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use m1nd_testkit::TempTree;

    use super::*;

    /// The paths below the work tree that a configuration names.
    fn list_files(config: &str, files: &[&str]) -> Vec<String> {
        let files: String = files.iter().map(|file| format!("//- /{file}\n")).collect();
        let tree = TempTree::new(&format!("//- /.git/HEAD\nref: refs/heads/main\n{files}"));
        let root = std::fs::canonicalize(tree.path()).expect("it is there");
        let config = config.replace("ROOT", root.to_str().expect("UTF-8"));
        std::fs::write(root.join(".git/config"), config).expect("written");
        let git = GitFolder::find(&root).expect("a repository");
        let inner = |path: &PathBuf| path.strip_prefix(&root).expect("below the root").display().to_string();
        git.named_programs(&root).iter().map(inner).collect()
    }

    #[test]
    fn what_the_configuration_names() {
        let rows: &[(&str, &[&str], &[&str])] = &[
            ("[core]\nhooksPath = build/hooks", &[], &["build/hooks"]),
            ("[CORE] HooksPath = \"ROOT/tools/git hooks\"", &[], &["tools/git hooks"]),
            ("[core]\nhooksPath = ./a/../b/", &[], &["b"]),
            ("[core]\nhooksPath = ../elsewhere", &[], &[]),
            ("[core]\nhooksPath = /dev/null", &[], &[]),
            (
                "[include]\npath = ../shared.gitconfig",
                &["shared.gitconfig\n[core]\nhooksPath=h"],
                &["h", "shared.gitconfig"],
            ),
            ("[includeIf \"gitdir:x/\"]\npath = ../a", &[], &["a"]),
            ("[filter \"lfs\"]\nclean = git-lfs clean -- %f", &[], &[]),
            ("[filter \"x\"]\nsmudge = sh -c './tools/smudge.sh %f'", &[], &["tools/smudge.sh"]),
            ("[alias]\nci = !node build.js --all", &["build.js"], &["build.js"]),
            ("[alias]\nci = commit --all", &[], &[]),
            ("[core]\nfsmonitor = .tools/watch\neditor = vim", &[], &[".tools/watch"]),
            ("[remote \"origin\"]\nurl = ./other\nfetch = +refs/heads/*:refs/remotes/origin/*", &["other"], &[]),
        ];
        for (config, files, expected) in rows {
            assert_eq!(list_files(config, files), *expected, "{config}");
        }
        let all = list_files("[core]\nhooksPath = .", &[]);
        assert!(
            all.contains(&"pre-commit".to_owned()) && all.len() == HOOKS.len(),
            "only hooks, not everything: {all:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_behind_a_link() {
        let tree = TempTree::new(
            "//- /.git/HEAD\nref: refs/heads/main\n//- /.git/config\n[core]\nhooksPath = hooks-here\n//- /scripts/a\nx\n",
        );
        let root = std::fs::canonicalize(tree.path()).expect("it is there");
        std::os::unix::fs::symlink("scripts", root.join("hooks-here")).expect("a link");
        let git = GitFolder::find(&root).expect("a repository");
        assert_eq!(git.named_programs(&root), [root.join("hooks-here"), root.join("scripts")]);
    }
}
