//! Nothing outside the root is ever read, whatever the path and whatever changes concurrently.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use m1nd_base::RepoPath;
use m1nd_testkit::TempTree;
use m1nd_vfs::{Root, VfsError};

const CANARY: &[u8] = b"canary: this must never be read";
const MAX: u64 = 1 << 20;

/// A root with links to a file beside it.
fn hostile() -> TempTree {
    let tree = TempTree::new("//- root/a/b.txt\ninside\n//- root/plain.txt\ninside\n");
    for outside in ["secret.txt", "root-evil/secret.txt", "etc/passwd"] {
        tree.write(outside, CANARY);
    }
    let link = |to: &str, at: &str| symlink(to, tree.join("root").join(at)).expect("a link can be made");
    link(tree.join("secret.txt").to_str().expect("UTF-8"), "absolute");
    link("../secret.txt", "relative");
    link("../root-evil", "folder");
    link("a/../../secret.txt", "winding");
    link("relative", "chain");
    link("../../secret.txt", "a/deeper");
    link("/", "slash");
    link("/proc/self/root", "proc");
    link("/proc/self/cwd", "cwd");
    link("/dev/zero", "zero");
    link("loop", "loop");
    link("..", "up");
    link("plain.txt", "harmless");
    tree
}

fn read(root: &Root, text: &str) -> Result<Vec<u8>, String> {
    let path = RepoPath::new(text).map_err(|error| error.to_string())?;
    root.read(&path, MAX).map_err(|error| error.to_string())
}

/// Spellings of "parent folder", valid and invalid.
const UPS: &[&str] = &[
    "..", "./..", ".././.", "a/../..", "a/b.txt/../../..", "....", "...", "..;", "%2e%2e", "%2e.", "..%2f", "..%5c",
    "%c0%ae%c0%ae", "..%c0%af", "．．", "‥", "․․", "..\u{200b}", "\u{feff}..", "..\\", "..\\..", ".. ", " ..", "..\n",
    "..\u{0}", "\u{202e}..", "up", "folder/..", "slash", "proc", "cwd", "~", "~root", "$HOME", "${PWD}/..", "//..",
    "\\\\?\\", "C:", "c:\\", "file://",
];
/// Paths requested above the root.
const TARGETS: &[&str] = &["secret.txt", "root-evil/secret.txt", "etc/passwd", "proc/self/environ"];
/// Special paths.
const SINGLE: &[&str] = &[
    "", ".", "..", "/", "//", "/etc/passwd", "//etc/passwd", "///etc/passwd", "/./etc/passwd", "\\etc\\passwd", "~",
    "~/.ssh/id_rsa", "absolute", "relative", "winding", "chain", "a/deeper", "zero", "loop", "loop/loop", "folder",
    "folder/secret.txt", "proc/etc/passwd", "slash/etc/passwd", "up/secret.txt", "up/root/plain.txt",
    "/proc/self/root/etc/passwd", "/dev/fd/0", "/dev/stdin", "a", "a/", "plain.txt/", "plain.txt/.", "plain.txt/..",
    "a/b.txt/c", "COM1", "NUL", "plain.txt:$DATA", "plain.txt\0.png", "\0", "a\0/../../secret.txt", "CON:",
    "Z:\\secret.txt", "z:/secret.txt", "\\\\server\\share", "file:///etc/passwd", "../root-evil/secret.txt",
    "../root/plain.txt", "../root/../secret.txt",
];

#[test]
fn no_path_leads_out() {
    let tree = hostile();
    let root = Root::open(&tree.join("root")).expect("the root opens");
    let absolute = tree.join("secret.txt").to_str().expect("UTF-8").to_owned();
    let mut attacks: Vec<String> = SINGLE.iter().map(|&text| text.to_owned()).collect();
    attacks.extend([absolute.clone(), format!("/{absolute}"), format!("proc{absolute}"), format!("slash{absolute}")]);
    for up in UPS {
        for target in TARGETS {
            attacks.extend([format!("{up}/{target}"), format!("a/{up}/{up}/{up}/{target}")]);
        }
    }
    assert!(attacks.len() >= 200, "only {} attacks", attacks.len());
    for attack in attacks {
        let answer = read(&root, &attack);
        let inside = answer.as_deref() == Ok(b"inside\n");
        assert!(
            answer.is_err() || inside,
            "{attack:?} was answered with {} bytes",
            answer.map_or(0, |bytes| bytes.len())
        );
        if let Ok(path) = RepoPath::new(&attack) {
            assert!(inside || root.metadata(&path).is_err(), "{attack:?} has metadata");
        }
    }
}

#[test]
fn what_is_inside_can_be_read() {
    let tree = hostile();
    let root = Root::open(&tree.join("root")).expect("the root opens");
    for path in ["plain.txt", "a/b.txt", "./a//b.txt", "harmless"] {
        assert_eq!(read(&root, path).as_deref(), Ok(b"inside\n".as_slice()), "{path}");
    }
}

#[test]
fn errors_name_the_cause() {
    let tree = hostile();
    let root = Root::open(&tree.join("root")).expect("the root opens");
    let error = |text: &str| root.read(&RepoPath::new(text).expect("well-formed"), 3).expect_err("not readable");
    assert!(matches!(error("absolute"), VfsError::OutsideRoot { .. }));
    assert!(matches!(error("none"), VfsError::NotFound { .. }));
    assert!(matches!(error("plain.txt/x"), VfsError::NotFound { .. }));
    assert!(matches!(error("a"), VfsError::NotRegular { what: "a folder", .. }));
    assert!(matches!(error("plain.txt"), VfsError::TooLarge { size: 7, limit: 3, .. }));
    assert!(matches!(Root::open(&tree.join("root/plain.txt")), Err(VfsError::NotAFolder { .. })));
    assert!(matches!(Root::open(&tree.join("nothing")), Err(VfsError::NotFound { .. })));
}

#[test]
fn a_pipe_is_neither_opened_nor_waited_for() {
    let tree = TempTree::new("//- a.txt\nx\n");
    let root = Root::open(tree.path()).expect("the root opens");
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, tree.join("pipe"), mode).expect("a pipe can be made");
    let error = root.read(&RepoPath::new("pipe").expect("well-formed"), MAX).expect_err("it is a pipe");
    assert!(matches!(error, VfsError::NotRegular { what: "a pipe", .. }), "{error}");
    let _listener = std::os::unix::net::UnixListener::bind(tree.join("socket")).expect("a socket can be made");
    let error = root.read(&RepoPath::new("socket").expect("well-formed"), MAX).expect_err("it is a socket");
    assert!(matches!(error, VfsError::NotRegular { what: "a socket", .. }), "{error}");
}

/// A name is swapped rapidly between a file inside, links to outside and a pipe.
#[test]
fn no_race_leads_out() {
    const ROUNDS: usize = 100_000;
    let tree = TempTree::new("//- root/inside/file\ninside\n//- outside/file\n");
    tree.write("outside/file", CANARY);
    let root = Root::open(&tree.join("root")).expect("the root opens");
    let stop = AtomicBool::new(false);
    let swap = |folder: &Path| {
        let (name, real, link) = (folder.join("swapped"), folder.join("inside"), folder.join("link"));
        symlink("../outside", &link).expect("a link can be made");
        while !stop.load(Ordering::Relaxed) {
            fs::rename(&real, &name).expect("the folder takes the name");
            fs::rename(&name, &real).expect("and gives it back");
            fs::rename(&link, &name).expect("the link takes the name");
            fs::rename(&name, &link).expect("and gives it back");
        }
    };
    let path = RepoPath::new("swapped/file").expect("well-formed");
    let mut seen = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| swap(root.path()));
        for _ in 0..ROUNDS {
            if let Ok(bytes) = root.read(&path, MAX) {
                assert_eq!(bytes, b"inside\n", "read outside the root");
                seen += 1;
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(seen > 0, "the test never read the file at all");
}

#[cfg(unix)]
#[test]
fn own_metadata_sees_what_a_walk_sees() {
    let tree = TempTree::new("//- real/a.py\nx\n");
    std::os::unix::fs::symlink("real", tree.join("linked")).expect("links");
    std::os::unix::fs::symlink("real/a.py", tree.join("b.py")).expect("links");
    let root = Root::open(tree.path()).expect("the root opens");
    let own = |path: &str| root.own_metadata(&RepoPath::new(path).expect("well-formed"));
    assert_eq!(own("real/a.py").expect("a file").size, 2);
    assert!(matches!(own("b.py"), Err(VfsError::NotRegular { what: "a link", .. })));
    assert!(matches!(own("linked/a.py"), Err(VfsError::NotFound { .. })));
    assert!(matches!(own("real"), Err(VfsError::NotRegular { what: "a folder", .. })));
    assert!(matches!(own("none"), Err(VfsError::NotFound { .. })));
}

#[cfg(unix)]
#[test]
fn a_root_knows_whether_it_is_still_at_its_path() {
    let tree = TempTree::new("//- repo/a.py\nx\n");
    let root = Root::open(&tree.join("repo")).expect("the root opens");
    assert!(root.is_at_path());
    std::fs::rename(tree.join("repo"), tree.join("moved")).expect("it can be renamed");
    assert!(!root.is_at_path(), "it is gone");
    tree.write("repo/a.py", "y");
    assert!(!root.is_at_path(), "another folder took its place");
}

#[test]
fn folders_of_version_control_are_neither_roots_nor_read() {
    let tree = TempTree::new("//- root/a.txt\ninside\n");
    let files = [".git/config", ".GIT/config", "sub/.git", ".hg/hgrc", ".svn/entries", ".jj/x", ".bzr/x"];
    for file in files {
        tree.write(format!("root/{file}"), CANARY);
    }
    for (to, at) in [(".git/config", "link"), (".git", "folder"), ("folder", "chain")] {
        symlink(to, tree.join("root").join(at)).expect("a link can be made");
    }
    let root = Root::open(&tree.join("root")).expect("a root");
    let refused = |result: Result<(), VfsError>| matches!(result, Err(VfsError::VersionControl { .. }));
    for path in files.into_iter().chain(["link", "folder/config", "chain/config"]) {
        let inner = RepoPath::new(path).expect("valid");
        assert!(refused(root.read(&inner, MAX).map(drop)), "{path}");
        assert!(refused(root.metadata(&inner).map(drop)), "{path}");
    }
    for path in files {
        let inner = RepoPath::new(path).expect("valid");
        assert!(refused(root.read_listed(&inner, MAX).map(drop)) && refused(root.own_metadata(&inner).map(drop)));
    }
    for folder in [".git", ".hg", "folder"] {
        assert!(refused(Root::open(&tree.join("root").join(folder)).map(drop)), "{folder}");
    }
    let options = m1nd_vfs::WalkOptions {
        include_hidden: true,
        hidden_patterns: vec![".GIT/**".into(), ".git".into()],
        tracked: None,
    };
    let walk = root.walk(&options, &Default::default(), &m1nd_base::Cancel::new(), &m1nd_base::NoProgress);
    let listed: Vec<String> = walk.expect("not cancelled").files.iter().map(|(path, _)| path.to_string()).collect();
    assert_eq!(listed, ["a.txt"]);
}
