//! A project with its state, and the batch that most tests write.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use m1nd_base::{ContentHash, RepoPath};
use m1nd_edit::{Change, Edit, EditError, Expected, Gate, Plan, Replacement, Target, Workspace};
use m1nd_store::SharedFolder;
use m1nd_testkit::TempTree;
use m1nd_vfs::Root;

/// Bytes and mode of every file by path; folders with no bytes.
pub(crate) type Tree = BTreeMap<String, (Vec<u8>, u32)>;

pub(crate) fn tree_of(folder: &Path) -> Tree {
    let mut tree = Tree::new();
    let mut open: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).expect("is a folder") {
            let path = entry.expect("is listed").path();
            let meta = path.symlink_metadata().expect("is there");
            let name = path.strip_prefix(folder).expect("is below").to_string_lossy().into_owned();
            let bytes = if meta.is_file() { std::fs::read(&path).expect("is read") } else { Vec::new() };
            tree.insert(name, (bytes, meta.permissions().mode()));
            if meta.is_dir() {
                open.push(path);
            }
        }
    }
    tree
}

pub(crate) struct World {
    pub(crate) project: TempTree,
    pub(crate) home: TempTree,
}

impl World {
    /// Files of many kinds.
    pub(crate) fn new() -> Self {
        let project = TempTree::new("//- a.py\nx = 1\ny = 2\n//- src/run.sh\necho a\n//- src/gone.py\nz = 1\n");
        project.write("latin.py", b"# caf\xe9\nx = 1\n");
        project.write("crlf.c", b"int a;\r\nint b;\r\n");
        project.write("mark.cs", b"\xef\xbb\xbfclass A {}\n");
        project.write("wide.txt", b"\xff\xfea\0\n\0");
        project.write("empty.py", b"");
        project.write("held.txt", b"one\n");
        std::fs::hard_link(project.join("held.txt"), project.join("held-too.txt")).expect("is made");
        set_mode(&project.join("src/run.sh"), 0o755);
        set_mode(&project.join("latin.py"), 0o600);
        Self { project, home: TempTree::new("") }
    }

    pub(crate) fn journals(&self) -> PathBuf {
        self.home.join("projects/p/edits")
    }

    pub(crate) fn workspace(&self) -> Workspace {
        Workspace::new(self.journals(), self.home.path())
    }

    pub(crate) fn open_gated<G: Gate + m1nd_base::System + Clone + 'static>(&self, gate: &G) -> Workspace {
        let state = SharedFolder::with_system(self.journals(), Arc::new(gate.clone()));
        Workspace::with(state, self.home.path(), Arc::new(gate.clone()))
    }

    pub(crate) fn edit(&self, path: &str, change: Change) -> Edit {
        edit_in(self.project.path(), path, change)
    }

    /// A batch over all kinds of files: replaced, created in new folders, removed.
    pub(crate) fn batch(&self) -> Vec<Edit> {
        let text = |text: &str| Change::Text(text.to_owned());
        let one = |old: &str, new: &str| Change::Replace(vec![Replacement { old: old.into(), new: new.into() }]);
        let rows = [
            ("a.py", one("x = 1", "x = 100")),
            ("latin.py", one("x = 1", "ä = 2")),
            ("crlf.c", text("int a;\nint c;\n")),
            ("mark.cs", text("class B {}\n")),
            ("wide.txt", text("é\n")),
            ("empty.py", text("full = 1\n")),
            ("held.txt", text("two\n")),
            ("src/run.sh", text("echo b\n")),
            ("src/gone.py", Change::Remove),
            ("new/deep/b.py", text("b = 1\n")),
            ("new/c.py", text("c = 1\n")),
        ];
        rows.into_iter().map(|(path, change)| self.edit(path, change)).collect()
    }

    pub(crate) fn tree(&self) -> Tree {
        tree_of(self.project.path())
    }

    /// Nothing of a commit is left in the state but the lock.
    pub(crate) fn assert_clean(&self, what: &str) {
        let left: Vec<String> = std::fs::read_dir(self.journals())
            .map(|entries| {
                entries.map(|entry| entry.expect("listed").file_name().to_string_lossy().into_owned()).collect()
            })
            .unwrap_or_default();
        let left: Vec<_> = left.into_iter().filter(|name| name != "write.lock" && !name.starts_with(".tmp-")).collect();
        assert!(left.is_empty(), "{what}: {left:?}");
    }
}

pub(crate) fn edit_in(root: &Path, path: &str, change: Change) -> Edit {
    let path = RepoPath::new(path).expect("valid");
    let root = Root::open(root).expect("opens");
    Edit { target: Target { root, inner: path.clone(), path }, change, expected: Expected::Anything }
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("is set");
}

pub(crate) fn text(text: &str) -> Change {
    Change::Text(text.to_owned())
}

pub(crate) fn commit(workspace: &Workspace, edits: Vec<Edit>) -> Result<Plan, EditError> {
    let plan = workspace.plan(edits)?;
    workspace.commit(&plan, &m1nd_base::Cancel::new(), &mut |_| {})?;
    Ok(plan)
}

pub(crate) fn hash(bytes: &[u8]) -> ContentHash {
    ContentHash::of(bytes)
}
