//! Listed, excluded and reported entries of a walk.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use m1nd_base::{Cancel, Limits, NoProgress, ProblemKind, Progress, ProgressEvent, Tracked, TrackedKind};
use m1nd_testkit::TempTree;
use m1nd_vfs::{Root, TrackedSource, Walk, WalkOptions};

fn walk_with(tree: &TempTree, folder: &str, options: &WalkOptions, limits: &Limits) -> Walk {
    let root = Root::open(&tree.join(folder)).expect("the root opens");
    root.walk(options, limits, &Cancel::new(), &NoProgress).expect("nobody cancels")
}

fn names(walk: &Walk) -> Vec<&str> {
    walk.files.iter().map(|(path, _)| path.as_str()).collect()
}

#[track_caller]
fn check(fixture: &str, options: &WalkOptions, expected: &[&str]) {
    let tree = TempTree::new(fixture);
    let walk = walk_with(&tree, "", options, &Limits::default());
    assert_eq!(names(&walk), expected);
    assert_eq!(walk.skipped, [], "nothing is to be reported");
}

fn show_patterns(patterns: &[&str]) -> WalkOptions {
    WalkOptions {
        include_hidden: false,
        hidden_patterns: patterns.iter().map(|&text| text.to_owned()).collect(),
        tracked: None,
    }
}

fn all_hidden() -> WalkOptions {
    WalkOptions { include_hidden: true, hidden_patterns: Vec::new(), tracked: None }
}

#[test]
fn files_are_sorted_by_path() {
    check("//- b/x\n//- b.x\n//- a\n//- b/a/c\n", &WalkOptions::default(), &["a", "b.x", "b/a/c", "b/x"]);
}

#[test]
fn ignore_files_hold_without_a_repository() {
    check(
        "//- .gitignore\n*.log\n/top\nsub/*.txt\n!keep.log\n//- a.log\n//- keep.log\n//- top/x\n//- sub/top/x\n//- sub/a.txt\n//- sub/d/a.txt\n",
        &WalkOptions::default(),
        &["keep.log", "sub/d/a.txt", "sub/top/x"],
    );
}

#[test]
fn inner_rules_and_own_rules_win() {
    check(
        "//- .gitignore\n*.a\n*.b\n//- .ignore\n!x.b\n*.c\n//- in/.gitignore\n!*.a\n!*.c\n//- in/x.a\n//- in/x.b\n//- in/x.c\n//- x.a\n//- x.b\n",
        &WalkOptions::default(),
        &["in/x.a", "in/x.b", "x.b"],
    );
}

#[test]
fn manifests_count_wherever_their_folder_does() {
    check(
        "//- .gitignore\n**/package.json\n*.js\ngen/\n//- p/package.json\n//- p/a.js\n//- p/a.ts\n//- gen/package.json\n",
        &WalkOptions::default(),
        &["p/a.ts", "p/package.json"],
    );
}

#[test]
fn an_ignored_folder_is_not_entered() {
    check("//- .gitignore\ngen/\n!gen/keep.py\n//- gen/keep.py\n//- a.py\n", &WalkOptions::default(), &["a.py"]);
}

#[test]
fn excludes_of_the_clone_hold_and_nested_repositories_start_afresh() {
    check(
        "//- .git/info/exclude\nmine\n//- .gitignore\n*.gen\n//- mine\n//- a.gen\n//- a\n//- inner/.git/HEAD\n//- inner/b.gen\n//- inner/mine\n",
        &WalkOptions::default(),
        &["a", "inner/b.gen", "inner/mine"],
    );
}

#[test]
fn rules_above_the_root_hold_up_to_the_repository() {
    let tree = TempTree::new(
        "//- .gitignore\n*.far\n//- repo/.git/HEAD\n//- repo/.gitignore\n*.gen\n/pkg/only\n//- repo/pkg/a.gen\n//- repo/pkg/a.far\n//- repo/pkg/only\n//- repo/pkg/in/only\n",
    );
    let walk = walk_with(&tree, "repo/pkg", &WalkOptions::default(), &Limits::default());
    assert_eq!(names(&walk), ["a.far", "in/only"]);
}

#[test]
fn a_root_that_is_ignored_from_above_is_walked_all_the_same() {
    for rule in ["generated/", "/generated", "generated/**", "gen*", "*"] {
        let tree = TempTree::new(
            "//- .git/HEAD\n//- generated/in/a.py\n//- generated/in/.gitignore\nb.py\n//- generated/in/b.py\n",
        );
        tree.write(".gitignore", rule);
        let walk = walk_with(&tree, "generated/in", &WalkOptions::default(), &Limits::default());
        assert_eq!(names(&walk), ["a.py"], "{rule}");
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_rule() {
    check("//- .gitignore\n\u{feff}x\n[\n//- x\n//- y\n", &WalkOptions::default(), &["y"]);
}

#[test]
fn defaults_can_be_taken_back_by_the_project() {
    let fixture =
        "//- node_modules/a.js\n//- dist/b.js\n//- Cargo.lock\n//- __pycache__/x.pyc\n//- src/venv/y.py\n//- c.py\n";
    check(fixture, &WalkOptions::default(), &["c.py"]);
    let fixture = format!("{fixture}//- .ignore\n!dist/\n!Cargo.lock\n");
    check(&fixture, &WalkOptions::default(), &["Cargo.lock", "c.py", "dist/b.js"]);
}

#[test]
fn folders_named_like_output_that_hold_sources_are_sources() {
    check(
        "//- build/out.o\n//- src/build/__init__.py\n//- src/build/env.py\n//- web/build/index.ts\n//- lib/dist/index.d.ts\n//- x/target/mod.rs\n//- target/debug/a.rs\n",
        &WalkOptions::default(),
        &["src/build/__init__.py", "src/build/env.py", "web/build/index.ts", "x/target/mod.rs"],
    );
}

#[test]
fn hidden_files_only_when_asked() {
    let fixture = "//- .github/ci.yml\n//- .github/a/b.yml\n//- .eslintrc\n//- a/.x/y\n//- a/z\n//- .git/config\n//- .venv/lib.py\n";
    check(fixture, &WalkOptions::default(), &["a/z"]);
    check(fixture, &show_patterns(&[".github/*"]), &[".github/ci.yml", "a/z"]);
    check(fixture, &show_patterns(&[".github/**", "a/.x/y"]), &[".github/a/b.yml", ".github/ci.yml", "a/.x/y", "a/z"]);
    check(fixture, &show_patterns(&[".git/**", ".eslintrc"]), &[".eslintrc", "a/z"]);
    check(fixture, &all_hidden(), &[".eslintrc", ".github/a/b.yml", ".github/ci.yml", "a/.x/y", "a/z"]);
}

#[test]
fn secrets_only_when_named() {
    let fixture = "//- .env\n//- .env.example\n//- key.pem\n//- .gitignore\n!.env\n!key.pem\n//- a\n";
    check(fixture, &all_hidden(), &[".env.example", ".gitignore", "a"]);
    check(fixture, &show_patterns(&[".env"]), &[".env", "a"]);
    check(fixture, &show_patterns(&["*/**", ".*"]), &["a"]);
    check(fixture, &show_patterns(&["key.pem"]), &["a", "key.pem"]);
}

#[test]
fn limits_cut_and_say_so() {
    let tree = TempTree::new("//- a\n//- b/c\n//- b/d/e\n//- b/d/f/g\n");
    let limits = Limits { folder_depth: 1, ..Limits::default() };
    let walk = walk_with(&tree, "", &WalkOptions::default(), &limits);
    assert_eq!(names(&walk), ["a", "b/c"]);
    assert_eq!(walk.skipped.len(), 1);
    assert_eq!((walk.skipped[0].0.as_str(), walk.skipped[0].1.kind), ("b/d", ProblemKind::FolderDepth));

    let limits = Limits { files: 2, ..Limits::default() };
    let walk = walk_with(&tree, "", &WalkOptions::default(), &limits);
    assert_eq!(walk.files.len(), 2);
    assert_eq!(walk.skipped.last().map(|(_, problem)| problem.kind), Some(ProblemKind::FilesLimit));
}

#[test]
fn an_endless_ignore_file_is_cut() {
    let tree = TempTree::new("//- a\n//- b/x\n");
    tree.write(".gitignore", vec![b'x'; 1 << 20]);
    tree.write("b/.gitignore", "x\n".repeat(20_000));
    let walk = walk_with(&tree, "", &WalkOptions::default(), &Limits::default());
    assert_eq!(names(&walk), ["a"]);
    let reported: Vec<&str> = walk.skipped.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(reported, [".gitignore", "b/.gitignore"]);
}

/// Counts reports, and cancels at the first one of a given kind.
struct Watching<'a> {
    cancel: &'a Cancel,
    cancel_at: u64,
    reports: AtomicU64,
    last: Mutex<u64>,
}

impl Progress for Watching<'_> {
    fn report(&self, event: ProgressEvent) {
        self.reports.fetch_add(1, Ordering::Relaxed);
        *self.last.lock().expect("not poisoned") = event.done;
        if event.done >= self.cancel_at {
            self.cancel.cancel();
        }
    }
}

#[test]
fn progress_and_cancellation() {
    let tree = TempTree::new("");
    for folder in 0..30 {
        for file in 0..100 {
            tree.write(format!("{folder}/{file}"), "");
        }
    }
    let root = Root::open(tree.path()).expect("the root opens");
    let run = |cancel_at| {
        let cancel = Cancel::new();
        let watching = Watching { cancel: &cancel, cancel_at, reports: AtomicU64::new(0), last: Mutex::new(0) };
        let walk = root.walk(&WalkOptions::default(), &Limits::default(), &cancel, &watching);
        let last = *watching.last.lock().expect("not poisoned");
        (walk.map(|walk| walk.files.len()), watching.reports.into_inner(), last)
    };
    let (files, reports, last) = run(u64::MAX);
    assert_eq!((files, last), (Ok(3_000), 3_000));
    assert!(reports >= 4, "{reports} reports");
    let (files, ..) = run(1_000);
    assert!(files.is_err(), "a cancelled walk must not look complete");
}

#[cfg(unix)]
mod odd {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::os::unix::net::UnixListener;

    use m1nd_base::{Problem, RepoPath};

    use super::*;

    fn kinds(walk: &Walk) -> Vec<(&str, ProblemKind)> {
        walk.skipped.iter().map(|(path, problem): &(String, Problem)| (path.as_str(), problem.kind)).collect()
    }

    fn pipe(tree: &TempTree, path: &str) {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mkfifoat(rustix::fs::CWD, tree.join(path), mode).expect("a pipe can be made");
    }

    #[test]
    fn irregular_things_are_reported_and_not_opened() {
        let tree = TempTree::new("//- a.py\n//- sub/b.py\n");
        symlink("a.py", tree.join("link.py")).expect("a link can be made");
        symlink("..", tree.join("sub/loop")).expect("a link can be made");
        symlink("/", tree.join("sub/out")).expect("a link can be made");
        pipe(&tree, "pipe.py");
        let _listener = UnixListener::bind(tree.join("socket.py")).expect("a socket can be made");
        let walk = walk_with(&tree, "", &WalkOptions::default(), &Limits::default());
        assert_eq!(names(&walk), ["a.py", "sub/b.py"]);
        let expected = [
            ("link.py", ProblemKind::SymbolicLink),
            ("pipe.py", ProblemKind::NotRegular),
            ("socket.py", ProblemKind::NotRegular),
            ("sub/loop", ProblemKind::SymbolicLink),
            ("sub/out", ProblemKind::SymbolicLink),
        ];
        assert_eq!(kinds(&walk), expected);
    }

    /// Opening a pipe waits for a writer that never comes; reading a device never ends.
    #[test]
    fn ignore_files_that_are_no_files_do_not_hang() {
        let tree = TempTree::new("//- a.py\n//- sub/b.py\n//- other/c.py\n");
        pipe(&tree, ".gitignore");
        pipe(&tree, ".ignore");
        symlink("/dev/zero", tree.join("sub/.gitignore")).expect("a link can be made");
        symlink("../a.py", tree.join("other/.gitignore")).expect("a link can be made");
        let walk = walk_with(&tree, "", &WalkOptions::default(), &Limits::default());
        assert_eq!(names(&walk), ["a.py", "other/c.py", "sub/b.py"]);
    }

    #[test]
    fn names_that_cannot_be_addressed_are_reported() {
        let tree = TempTree::new("//- ok.py\n");
        let odd =
            ["new\nline.py", "\u{202e}bidi.py", "back\\slash.py", "-dash.py", "sp ace.py", "x".repeat(255).as_str()]
                .map(str::to_owned);
        for name in &odd {
            tree.write(name, name);
        }
        std::fs::write(tree.join(OsStr::from_bytes(b"bad\xff.py")), "").expect("it can be written");
        std::fs::create_dir(tree.join(OsStr::from_bytes(b"dir\xff"))).expect("it can be made");
        tree.write("c:drive.py", "");
        tree.write("\\share", "");
        let walk = walk_with(&tree, "", &WalkOptions::default(), &Limits::default());
        let root = Root::open(tree.path()).expect("the root opens");
        for name in &odd {
            let path = RepoPath::new(name).expect("a path of ours");
            assert!(names(&walk).contains(&name.as_str()), "{name:?}");
            assert_eq!(root.read(&path, 1 << 10).expect("readable"), name.as_bytes());
        }
        assert_eq!(walk.files.len(), odd.len() + 1);
        let unsupported = |name| (name, ProblemKind::UnsupportedPath);
        let expected = ["\\share", "bad\u{fffd}.py", "c:drive.py", "dir\u{fffd}"].map(unsupported);
        assert_eq!(kinds(&walk), expected);
    }

    #[test]
    fn folders_that_cannot_be_read_are_reported() {
        let tree = TempTree::new("//- a.py\n//- locked/b.py\n");
        let locked = tree.join("locked");
        let mode = |bits| std::fs::set_permissions(&locked, PermissionsExt::from_mode(bits)).expect("ours to change");
        mode(0o000);
        let readable_anyway = std::fs::read_dir(&locked).is_ok();
        let walk = walk_with(&tree, "", &WalkOptions::default(), &Limits::default());
        mode(0o700);
        // The superuser may read everything, so there is nothing to report.
        if !readable_anyway {
            assert_eq!(names(&walk), ["a.py"]);
            assert_eq!(kinds(&walk), [("locked", ProblemKind::Unreadable)]);
        }
    }

    #[test]
    fn endless_depth_ends() {
        let tree = TempTree::new("//- a.py\n");
        // Deeper than the longest path that the system accepts, so created step by step.
        let mut at =
            rustix::fs::open(tree.path(), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).expect("opens");
        let name = "d".repeat(100);
        for _ in 0..300 {
            rustix::fs::mkdirat(&at, &name, rustix::fs::Mode::RWXU).expect("can be made");
            at = rustix::fs::openat(&at, &name, rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty())
                .expect("opens");
        }
        let strict = Limits { folder_depth: 30, ..Limits::default() };
        let walk = walk_with(&tree, "", &WalkOptions::default(), &strict);
        assert_eq!(names(&walk), ["a.py"]);
        assert_eq!(walk.skipped.len(), 1);
        assert_eq!(walk.skipped[0].1.kind, ProblemKind::FolderDepth);
        let generous = Limits { folder_depth: usize::MAX, ..Limits::default() };
        let walk = walk_with(&tree, "", &WalkOptions::default(), &generous);
        assert_eq!(names(&walk), ["a.py"]);
        assert_eq!(walk.skipped.len(), 1);
        assert_eq!(walk.skipped[0].1.kind, ProblemKind::Unreadable, "longer than the system takes");
        // Too deep to be removed at once: the innermost folder is moved up repeatedly.
        let (outer, aside) = (tree.join(&name), tree.join("aside"));
        while std::fs::rename(outer.join(&name), &aside).is_ok() {
            std::fs::remove_dir(&outer).expect("empty now");
            std::fs::rename(&aside, &outer).expect("the name is free");
        }
    }
}

/// Tracks the same paths in every repository.
#[derive(Debug)]
struct Tracks(Vec<Tracked>);

impl TrackedSource for Tracks {
    fn list_tracked(&self, _: &Path) -> Option<Arc<[Tracked]>> {
        Some(self.0.clone().into())
    }
}

fn tracking(rows: &[(&str, TrackedKind, bool)]) -> WalkOptions {
    let row = |&(path, kind, is_sparse): &(&str, TrackedKind, bool)| Tracked {
        path: path.to_owned(),
        kind,
        is_sparse,
        id: [0; 20],
    };
    let mut rows: Vec<Tracked> = rows.iter().map(row).collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    WalkOptions { tracked: Some(Arc::new(Tracks(rows))), ..WalkOptions::default() }
}

#[test]
fn what_git_tracks_is_listed_although_git_ignores_it() {
    let tree = TempTree::new(
        "//- .git/HEAD\n//- .gitignore\nbuild\n*.gen.py\n//- .ignore\nquiet\n//- build/tool.py\n//- build/other.py\n\
         //- a.gen.py\n//- b.gen.py\n//- quiet/x.py\n//- node_modules/p/x.js\n//- .hidden/x.py\n//- dist/x.js\n//- .env\n//- c.py\n",
    );
    let file = |path| (path, TrackedKind::File, false);
    let options = tracking(&[
        file("a.gen.py"),
        file("build/tool.py"),
        file("build/gone.py"),
        file("c.py"),
        file("quiet/x.py"),
        file("node_modules/p/x.js"),
        file(".hidden/x.py"),
        file("dist/x.js"),
        file(".env"),
    ]);
    let walk = walk_with(&tree, "", &options, &Limits::default());
    let paths: Vec<&str> = walk.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a.gen.py", "build/tool.py", "c.py"]);
    assert!(walk.skipped.is_empty(), "{:?}", walk.skipped);
}

#[test]
fn what_is_tracked_and_not_on_disk_is_reported() {
    let tree = TempTree::new(
        "//- .git/HEAD\n//- a.py\n//- vendor/lib/.git\ngitdir: x\n//- vendor/lib/x.py\n//- ext/in/.git/HEAD\n//- ext/in/y.py\n",
    );
    let options = tracking(&[
        ("a.py", TrackedKind::File, false),
        ("removed.py", TrackedKind::File, false),
        ("api/b.py", TrackedKind::File, true),
        ("web", TrackedKind::Folder, true),
        (".hidden/x.py", TrackedKind::File, true),
        ("vendor/lib", TrackedKind::Submodule, false),
        ("ext/in", TrackedKind::Submodule, false),
        ("ext/out", TrackedKind::Submodule, false),
    ]);
    let walk = walk_with(&tree, "", &options, &Limits::default());
    let rows: Vec<_> = walk.skipped.iter().map(|(path, problem)| (path.as_str(), problem.kind)).collect();
    let (sparse, submodule) = (ProblemKind::NotCheckedOut, ProblemKind::Submodule);
    let inner: Vec<_> = rows.iter().filter(|(path, _)| !path.starts_with("ext/in/")).copied().collect();
    assert_eq!(inner, [("api/b.py", sparse), ("ext/out", submodule), ("vendor/lib", submodule), ("web", sparse)]);
    let detail = |wanted: &str| {
        let row = walk.skipped.iter().find(|(path, _)| path == wanted).expect("listed");
        row.1.detail.clone()
    };
    assert!(detail("ext/out").contains("git submodule update --init ext/out"));
    assert!(detail("vendor/lib").contains("`!vendor/` in `.ignore`"));
    assert!(detail("api/b.py").contains("git sparse-checkout add api"));
}

#[test]
fn a_second_checkout_in_the_root_is_not_listed_again() {
    let tree = TempTree::new(
        "//- .git/HEAD\n//- .git/index\n//- .git/worktrees/f3/HEAD\n//- .git/modules/lib/HEAD\n//- a.py\n//- wt/f3/a.py\n//- lib/b.py\n",
    );
    let at = |inner: &str| format!("gitdir: {}\n", tree.join(inner).display());
    tree.write("wt/f3/.git", at(".git/worktrees/f3"));
    tree.write("lib/.git", at(".git/modules/lib"));
    let walk = walk_with(&tree, "", &WalkOptions::default(), &Limits::default());
    let paths: Vec<&str> = walk.files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["a.py", "lib/b.py"]);
    let rows: Vec<_> = walk.skipped.iter().map(|(path, problem)| (path.as_str(), problem.kind)).collect();
    assert_eq!(rows, [("wt/f3", ProblemKind::LinkedWorktree)]);
}
