//! Encodings, line endings, modes and forms of changes.

use std::os::unix::fs::PermissionsExt;

use m1nd_edit::{Change, EditError, Expected, LineCounts};

use crate::world::{World, commit, hash, set_mode, text};

#[test]
fn bytes_are_kept_but_for_the_edit() {
    let world = World::new();
    let plan = commit(&world.workspace(), world.batch()).expect("commits");
    let read = |path: &str| std::fs::read(world.project.join(path)).expect("is read");
    assert_eq!(read("latin.py"), b"# caf\xe9\n\xe4 = 2\n");
    assert_eq!(read("crlf.c"), b"int a;\r\nint c;\r\n");
    assert_eq!(read("mark.cs"), b"\xef\xbb\xbfclass B {}\n");
    assert_eq!(read("wide.txt"), b"\xff\xfe\xe9\0\n\0");
    assert_eq!(read("new/deep/b.py"), b"b = 1\n");
    assert!(!world.project.join("src/gone.py").exists());
    let mode = |path: &str| world.project.join(path).metadata().expect("is there").permissions().mode() & 0o777;
    assert_eq!((mode("src/run.sh"), mode("latin.py")), (0o755, 0o600));
    assert_eq!(plan.edits()[0].diff().1, LineCounts { added: 1, removed: 1 });
    world.assert_clean("done");
    let left: Vec<String> = world.tree().into_keys().filter(|name| name.contains(".m1nd")).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Modes that a diff of git names: of new files and of those that are there.
#[test]
fn modes_of_a_diff() {
    let world = World::new();
    let new = |path: &str, mode: &str| {
        Change::Patch(format!(
            "diff --git a/{path} b/{path}\nnew file mode {mode}\n--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+a\n"
        ))
    };
    let changed = |mode: &str, path: &str, old: &str| {
        Change::Patch(format!(
            "diff --git a/{path} b/{path}\nold mode 100644\nnew mode {mode}\n--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-{old}\n+b\n"
        ))
    };
    let mode = |path: &str| world.project.join(path).metadata().expect("is there").permissions().mode() & 0o777;
    world.project.write("plain.sh", "a\n");
    let usual = mode("plain.sh");
    let plan = commit(
        &world.workspace(),
        vec![
            world.edit("run.sh", new("run.sh", "100755")),
            world.edit("text.txt", new("text.txt", "100644")),
            world.edit("plain.sh", changed("100755", "plain.sh", "a")),
            world.edit("src/run.sh", changed("100644", "src/run.sh", "echo a")),
            world.edit("empty.txt", Change::Patch("diff --git a/empty.txt b/empty.txt\nnew file mode 100755\n".into())),
        ],
    )
    .expect("commits");
    let program = usual | (usual & 0o444) >> 2;
    let found = ["run.sh", "text.txt", "plain.sh", "src/run.sh", "empty.txt"].map(mode);
    assert_eq!(found, [program, usual, program, 0o644, program], "{found:?}");
    let workspace = world.workspace();
    workspace.commit(&plan.inverse(), &m1nd_base::Cancel::new(), &mut |_| {}).expect("undoes");
    assert_eq!((mode("plain.sh"), mode("src/run.sh")), (usual, 0o755));
}

/// A path that is a file and a folder in one batch.
#[test]
fn a_file_is_not_a_folder_as_well() {
    let world = World::new();
    for paths in [["n", "n/x.py"], ["n/x.py", "n"], ["n/m/x.py", "n"]] {
        let edits = paths.map(|path| world.edit(path, text("x = 1\n"))).into_iter().collect();
        let error = commit(&world.workspace(), edits).expect_err("is refused").to_string();
        assert!(error.contains("`n` is refused") && error.contains("below it"), "{paths:?}: {error}");
    }
}

#[test]
fn refused_with_a_reason() {
    let world = World::new();
    world.project.write("bin", b"a\0b");
    world.project.write("locked.py", b"x = 1\n");
    set_mode(&world.project.join("locked.py"), 0o444);
    std::os::unix::fs::symlink("a.py", world.project.join("link.py")).expect("is made");
    let rows = [
        ("bin", text("x"), "not a text file"),
        ("locked.py", text("x"), "write-protected"),
        ("link.py", text("x"), "it is a link"),
        ("src", text("x"), "not a regular file"),
        ("a.py", text("a\0b"), "NUL character at byte 1"),
        ("latin.py", text("a\n€"), "has no `€` (line 2"),
        ("none.py", Change::Remove, "there is no such file"),
        ("none.py", Change::Patch("@@ -1 +1 @@\n-a\n+b\n".into()), "there is no such file"),
        ("a.py", Change::Patch("@@ -1 +1 @@\n-a\n+b\n".into()), "does not fit"),
        ("a.py", Change::Patch("diff --git a/a.py b/a.py\nold mode 100644\nnew mode 100755\n".into()), "only its mode"),
        (
            "l",
            Change::Patch(
                "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+a\n".into(),
            ),
            "a link (mode 120000)",
        ),
        (".m1nd-edit-x", text("x"), "m1nd gives such names"),
    ];
    let before = world.tree();
    for (path, change, expected) in rows {
        let error = commit(&world.workspace(), vec![world.edit(path, change)]).expect_err(path).to_string();
        assert!(error.contains(expected), "{path}: {error}");
    }
    assert_eq!(world.tree(), before);
}

#[test]
fn expected_content() {
    let world = World::new();
    let run = |expected: Expected| {
        let mut edit = world.edit("a.py", text("x = 1\ny = 2\n"));
        edit.expected = expected;
        commit(&world.workspace(), vec![edit])
    };
    assert!(run(Expected::Content(hash(b"x = 1\ny = 2\n"))).is_ok());
    let error = run(Expected::Content(hash(b"x"))).expect_err("differs").to_string();
    assert!(error.contains(&hash(b"x = 1\ny = 2\n").to_string()), "{error}");
    assert!(matches!(run(Expected::Nothing), Err(EditError::SourceModified { .. })));
}

#[test]
fn one_file_under_two_names_is_a_duplicate() {
    let world = World::new();
    let pairs = [("a.py", "a.py"), ("held.txt", "held-too.txt"), ("n/b.py", "n/B.py"), ("n/b.py", "./n//b.py")];
    for (one, other) in pairs {
        let edits = vec![world.edit(one, text("1")), world.edit(other, text("2"))];
        assert!(matches!(world.workspace().plan(edits), Err(EditError::Duplicate { .. })), "{one} {other}");
    }
}

#[test]
fn our_diffs_are_taken_by_patch() {
    let world = World::new();
    let plan = world.workspace().plan(world.batch()).expect("plans");
    let mut diffs = String::new();
    // Encodings other than UTF-8 are shown as text, which is not what the file has.
    let utf8 = |path: &str| !matches!(path, "latin.py" | "wide.txt" | "mark.cs" | "crlf.c");
    for edit in plan.changes().filter(|edit| utf8(edit.path().as_str())) {
        diffs.push_str(&edit.diff().0);
    }
    let copy = World::new();
    copy.project.write("the.diff", &diffs);
    let run = std::process::Command::new("patch")
        .args(["-p1", "-E", "-i", "the.diff"])
        .current_dir(copy.project.path())
        .output();
    let Ok(run) = run else { return };
    assert!(run.status.success(), "{}\n{diffs}", String::from_utf8_lossy(&run.stdout));
    commit(&world.workspace(), world.batch()).expect("commits");
    let (ours, theirs) = (world.tree(), copy.tree());
    for path in ["a.py", "empty.py", "src/run.sh", "new/deep/b.py", "new/c.py"] {
        assert_eq!(ours.get(path).map(|file| &file.0), theirs.get(path).map(|file| &file.0), "{path}");
    }
    assert!(!theirs.contains_key("src/gone.py"), "{diffs}");
}

#[test]
fn without_a_change_nothing_is_written() {
    let world = World::new();
    let modified = |path: &str| world.project.join(path).metadata().and_then(|meta| meta.modified()).expect("is there");
    let before = modified("a.py");
    let plan = commit(&world.workspace(), vec![world.edit("a.py", text("x = 1\ny = 2\n"))]).expect("commits");
    assert_eq!((plan.changes().count(), modified("a.py")), (0, before));
    assert!(!world.journals().exists(), "no state is created");
}

#[test]
fn the_inverse_of_a_batch_restores_it() {
    let world = World::new();
    let before = world.tree();
    let workspace = world.workspace();
    let plan = commit(&workspace, world.batch()).expect("commits");
    workspace.commit(&plan.inverse(), &m1nd_base::Cancel::new(), &mut |_| {}).expect("commits");
    let mut after = world.tree();
    // New folders stay.
    after.retain(|path, _| !path.starts_with("new"));
    assert_eq!(after, before);
}

/// `M1ND_SEED` repeats one sequence.
#[test]
fn the_inverses_of_a_sequence_of_batches_restore_it() {
    let seeds = match std::env::var("M1ND_SEED").ok().and_then(|seed| seed.parse().ok()) {
        Some(seed) => seed..=seed,
        None => 1..=200,
    };
    let world = World::new();
    let workspace = world.workspace();
    let files = |world: &World| {
        let mut tree = world.tree();
        tree.retain(|path, _| !world.project.join(path).is_dir());
        tree
    };
    let before = files(&world);
    for seed in seeds {
        let mut random = m1nd_testkit::Random::new(seed);
        let mut done = Vec::new();
        for step in 0..1 + random.below(6) {
            let mut paths: Vec<&str> =
                vec!["a.py", "latin.py", "crlf.c", "src/run.sh", "n/b.py", "n/m/c.py", "wide.txt"];
            let mut edits = Vec::new();
            for _ in 0..1 + random.below(4) {
                let path = paths.swap_remove(random.below(paths.len()));
                let is_there = world.project.join(path).exists();
                let change = match random.below(3) {
                    0 if is_there => Change::Remove,
                    1 => text(""),
                    _ => text(&format!("step {step}\n").repeat(1 + random.below(5))),
                };
                edits.push(world.edit(path, change));
            }
            done.push(commit(&workspace, edits).unwrap_or_else(|error| panic!("seed {seed}, step {step}: {error}")));
        }
        for plan in done.iter().rev() {
            let undone = workspace.commit(&plan.inverse(), &m1nd_base::Cancel::new(), &mut |_| {});
            undone.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        assert_eq!(files(&world), before, "seed {seed}");
    }
}
