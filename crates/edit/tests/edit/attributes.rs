//! Owner, group, mode and extended attributes of a file that is replaced.

use std::os::unix::fs::MetadataExt;

use rustix::fs::{Gid, Uid, XattrFlags, chown, getxattr, setxattr};
#[cfg(target_os = "linux")]
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};

use crate::world::{World, commit, set_mode, text};

/// Attributes of a file: owner, group, mode.
fn attributes_of(world: &World, name: &str) -> (u32, u32, u32) {
    let meta = world.project.join(name).metadata().expect("is there");
    (meta.uid(), meta.gid(), meta.mode() & 0o7777)
}

#[test]
fn a_replaced_file_keeps_its_owner_and_attributes() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    for mode in [0o640, 0o6755, 0o2755] {
        let world = World::new();
        let path = world.project.join("a.py");
        chown(&path, Some(Uid::from_raw(1234)), Some(Gid::from_raw(5678))).expect("root may");
        set_mode(&path, mode);
        commit(&world.workspace(), world.batch()).expect("commits");
        assert_eq!(attributes_of(&world, "a.py"), (1234, 5678, mode), "{mode:o}");
        assert_eq!(attributes_of(&world, "src/run.sh").2, 0o755);
    }
}

#[test]
fn extended_attributes_are_kept_where_the_file_system_has_them() {
    let world = World::new();
    let path = world.project.join("a.py");
    if setxattr(&path, "user.origin", b"here", XattrFlags::empty()).is_err() {
        return;
    }
    commit(&world.workspace(), vec![world.edit("a.py", text("x = 3\n"))]).expect("commits");
    let mut value = [0; 16];
    let len = getxattr(&path, "user.origin", &mut value).expect("is kept");
    assert_eq!(&value[..len], b"here");
}

/// Without the right to keep the owner, a program must not run as whoever wrote it.
#[cfg(target_os = "linux")]
#[test]
fn without_its_owner_a_file_loses_what_its_owner_granted() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let world = World::new();
    let path = world.project.join("a.py");
    set_mode(&path, 0o6755);
    chown(&path, Some(Uid::from_raw(1234)), Some(Gid::from_raw(5678))).expect("root may");
    set_mode(&path, 0o6755);
    let workspace = world.workspace();
    let plan = workspace.plan(vec![world.edit("a.py", text("x = 3\n"))]).expect("plans");
    // A thread that may do everything but give files away.
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut sets = capabilities(None).expect("are told");
            sets.effective.remove(CapabilitySet::CHOWN);
            set_capabilities(None, sets).expect("may be given up");
            workspace.commit(&plan, &m1nd_base::Cancel::new(), &mut |_| {}).expect("commits");
        });
        thread.join().expect("ends");
    });
    let (user, _, mode) = attributes_of(&world, "a.py");
    assert_eq!((user, mode), (0, 0o755));
}
