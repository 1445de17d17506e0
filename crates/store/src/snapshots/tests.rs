//! Every operation fails in turn, in every way; and the power fails after every operation.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use m1nd_base::System;
use m1nd_testkit::{Fault, FaultSystem, TempTree};

use super::{current, publish};
use crate::{RealSystem, StoreError, durable};

fn put(system: &dyn System, folder: &Path, text: &str) -> Result<(), StoreError> {
    publish(system, folder, &mut |out: &mut dyn Write| out.write_all(text.as_bytes())).map(drop)
}

/// The content that a newly started process would map.
fn read_seen(folder: &Path) -> Option<String> {
    let path = current(&RealSystem, folder);
    path.exists().then(|| fs::read_to_string(path).expect("readable"))
}

/// Longer than one write.
fn text(number: usize) -> String {
    format!("{number};").repeat(140_000)
}

#[test]
fn every_operation_fails_in_every_way() {
    let mut failures = 0;
    for fault in [Fault::Device, Fault::Full, Fault::ShortWrite, Fault::Dead] {
        for nth in 0.. {
            let tree = TempTree::new("");
            let folder = tree.join("snapshots");
            let system = FaultSystem::new(Arc::new(RealSystem));
            for number in 0..3 {
                put(&system, &folder, &text(number)).expect("nothing fails yet");
            }
            let before = system.count();
            system.fail(nth, fault);
            let result = put(&system, &folder, &text(3));
            if system.count() - before <= nth {
                break;
            }
            failures += 1;
            let (old, new) = (read_seen(&folder) == Some(text(2)), read_seen(&folder) == Some(text(3)));
            assert!(old || new, "{fault:?} at {nth}: neither the old nor the new content");
            match result {
                Ok(()) => assert!(new, "{fault:?} at {nth}: reported success for the old content"),
                Err(error) => assert!(matches!(error, StoreError::Io { .. }), "{fault:?} at {nth}: {error:?}"),
            }
            system.heal();
            durable::sweep(&system, &folder).expect("nothing fails any more");
            put(&system, &folder, &text(4)).expect("nothing fails any more");
            assert_eq!(read_seen(&folder), Some(text(4)), "{fault:?} at {nth}: no recovery");
            let left = fs::read_dir(&folder).expect("listable").count();
            assert!(left <= 4, "{fault:?} at {nth}: {left} files are left over");
        }
    }
    assert!(failures > 40, "only {failures} operations were failed");
}

#[test]
fn the_power_fails_after_every_operation() {
    const SEEDS: u64 = 50;
    let mut images = 0;
    for last in 0.. {
        let tree = TempTree::new("");
        let folder = tree.join("snapshots");
        let system = FaultSystem::new(Arc::new(RealSystem));
        system.fail(last, Fault::Dead);
        let published = (0..5).take_while(|&number| put(&system, &folder, &short(number)).is_ok()).count();
        for seed in 0..SEEDS {
            let image = tree.join(format!("image{seed}"));
            fs::create_dir(&image).expect("it can be made");
            system.power_loss(&folder, seed, &image);
            let found = read_seen(&image);
            let acknowledged = published.checked_sub(1).map(short);
            let in_flight = Some(short(published));
            assert!(
                found == acknowledged || found == in_flight,
                "power lost after {last} operations, seed {seed}: found {found:?} after {published} publications"
            );
            images += 1;
        }
        if published == 5 {
            break;
        }
    }
    assert!(images >= 2_000, "only {images} images");
}

fn short(number: usize) -> String {
    format!("snapshot number {number}, complete")
}

#[test]
fn setting_aside_fails_or_is_done() {
    for fault in [Fault::Device, Fault::Full, Fault::Dead] {
        for nth in 0..3 {
            let tree = TempTree::new("//- damaged\nprecious\n");
            let system = FaultSystem::new(Arc::new(RealSystem));
            system.fail(nth, fault);
            let result = durable::quarantine(&system, &tree.join("damaged"));
            let mut names = RealSystem.list(tree.path()).expect("listable");
            let name = names.pop().expect("the file is never lost");
            assert!(names.is_empty(), "{names:?}");
            assert_eq!(fs::read_to_string(tree.join(&name)).expect("readable"), "precious\n");
            match result {
                Ok(path) => assert_eq!(path, tree.join(name)),
                Err(error) => assert!(matches!(error, StoreError::Io { .. }), "{error:?}"),
            }
        }
    }
}
