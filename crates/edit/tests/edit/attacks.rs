//! Paths that lead out of the project, or to what nobody writes.

use m1nd_base::RepoPath;
use m1nd_edit::{Change, Edit, Expected, Target};
use m1nd_testkit::TempTree;
use m1nd_vfs::Root;

use crate::world::{World, commit, text, tree_of};

/// Two hundred paths, of which none may change anything outside of the project, in `.git` or in the state.
fn paths(outside: &str) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let targets = ["etc/passwd", "out.txt", ".git/config", "home/x", "a.py"];
    let ups =
        ["..", "../..", "a/..", "src/../..", "./..", "..//", "src/./../..", "../../../../../../..", "%2e%2e", "..\\"];
    for up in ups {
        paths.extend(targets.iter().map(|target| format!("{up}/{target}")));
    }
    for absolute in ["/", "//", "/./", "\\", "\\\\?\\", "C:/", "C:\\", "c:", "file:///", "~/", "~root/"] {
        paths.extend(targets.iter().map(|target| format!("{absolute}{target}")));
    }
    paths.push(outside.to_owned());
    paths.push(format!("{outside}/out.txt"));
    let git =
        [".git", ".GIT", ".Git", ".gIt", ".git.", ".git ", ".git::$DATA", "git~1", ".g\u{200c}it", "\u{feff}.git"];
    for name in git
        .into_iter()
        .chain([".hg", ".svn", ".jj", ".bzr", ".SVN", "src/.git", "deep/er/.git", ".git .", ".gi\u{200d}t"])
    {
        paths.extend(["config", "hooks/pre-commit", "HEAD"].map(|file| format!("{name}/{file}")));
        paths.push(name.to_owned());
    }
    let links =
        ["out-link/x", "out-link", "file-link", "up-link/x", "git-link/config", "abs-link/x", "dangling", "src-link/a"];
    paths.extend(links.map(str::to_owned));
    let odd = [
        "pipe", "a.py/x", "src", "", ".", "./", "a\0b", "a\nb", "a\rb", "a\u{7f}", "a\\b", "src/a\\..\\..\\b",
        "home/projects/x",
    ];
    paths.extend(odd.map(str::to_owned));
    paths.push(format!("{}x", "a/".repeat(3_000)));
    paths.push("n".repeat(5_000));
    paths
}

#[test]
fn nothing_else_changes() {
    let world = World::new();
    let outside = TempTree::new("//- x\nsafe\n//- out.txt\nsafe\n");
    world.project.write(".git/config", "safe\n");
    world.project.write(".git/hooks/pre-commit", "safe\n");
    world.project.write("home/projects/x", "safe\n");
    let link = |to: &std::path::Path, name: &str| {
        std::os::unix::fs::symlink(to, world.project.join(name)).expect("is made");
    };
    link(outside.path(), "out-link");
    link(&outside.join("x"), "file-link");
    link("..".as_ref(), "up-link");
    link(".git".as_ref(), "git-link");
    link("/".as_ref(), "abs-link");
    link("nowhere".as_ref(), "dangling");
    link("src".as_ref(), "src-link");
    let pipe = std::process::Command::new("mkfifo").arg(world.project.join("pipe")).status();
    assert!(pipe.is_ok_and(|status| status.success()));
    // The state of m1nd may lie inside the project.
    let home = world.project.join("home");
    let workspace = m1nd_edit::Workspace::new(world.home.join("edits"), &home);
    let (before, others) = (world.tree(), tree_of(outside.path()));
    let all = paths(&outside.path().to_string_lossy());
    assert!(all.len() >= 200, "{}", all.len());
    let (mut made, mut refused) = (Vec::new(), 0);
    for path in &all {
        for change in [text("evil\n"), Change::Remove] {
            let Ok(inner) = RepoPath::new(path) else {
                refused += 1;
                continue;
            };
            let root = Root::open(world.project.path()).expect("opens");
            let target = Target { root, inner: inner.clone(), path: inner };
            let edit = Edit { target, change, expected: Expected::Anything };
            match commit(&workspace, vec![edit]) {
                Ok(_) => made.push(path.clone()),
                Err(_) => refused += 1,
            }
        }
    }
    assert_eq!(tree_of(outside.path()), others);
    // New files below the project, with odd names, are all that may come, and they are removed again by the second try.
    assert_eq!(world.tree().into_iter().filter(|(path, _)| before.contains_key(path)).collect::<Vec<_>>(), {
        before.clone().into_iter().collect::<Vec<_>>()
    });
    for path in &made {
        let inner = RepoPath::new(path).expect("was valid");
        let is_safe = inner.as_str().split('/').all(|part| part != ".." && !m1nd_vfs::is_version_control(part));
        assert!(is_safe && !path.starts_with("home/") && !path.contains("link"), "{path}");
    }
    assert!(refused > 300 && made.len() < 100, "{refused} refused, made: {made:?}");
}

#[test]
fn a_root_inside_of_the_state_is_refused() {
    let world = World::new();
    world.home.write("projects/q/a.py", "x\n");
    let edit = crate::world::edit_in(&world.home.join("projects/q"), "a.py", text("y\n"));
    let error = commit(&world.workspace(), vec![edit]).expect_err("is refused").to_string();
    assert!(error.contains("state of m1nd"), "{error}");
}
