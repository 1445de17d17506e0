//! What somebody may do who can write to a store.

use std::fs;
use std::path::Path;

use m1nd_share::SecretKey;

use crate::place::{Place, build_noise, list_files, origin};

/// Changes a store; the key of its owner is not known.
type Attack = fn(&Place);

fn change_parts(place: &Place, change: impl Fn(Vec<u8>) -> Vec<u8>) {
    for part in place.list("/parts/") {
        let bytes = fs::read(&part).expect("reads");
        fs::write(&part, change(bytes)).expect("writes");
    }
}

fn manifest(place: &Place) -> std::path::PathBuf {
    let found = list_files(&place.store()).into_iter().find(|path| !path.to_string_lossy().contains("/parts/"));
    found.expect("a manifest")
}

fn change_manifest(place: &Place, change: impl Fn(String) -> String) {
    let path = manifest(place);
    let text = fs::read_to_string(&path).expect("reads");
    fs::write(&path, change(text)).expect("writes");
}

/// Replaces the manifest by one that another key signed.
fn sign_again(place: &Place) {
    let forger =
        Place { folder: tempfile::TempDir::new().expect("a folder"), key: SecretKey::generate().expect("a key") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(forger.push(&origin(1), b"poison", b"poison")).expect("is pushed");
    fs::copy(manifest(&forger), manifest(place)).expect("is copied");
}

/// Puts the signed index of another commit in the place of this one.
fn swap_commits(place: &Place) {
    let path = manifest(place);
    fs::copy(path.with_file_name(crate::place::commit(2)), path.with_file_name(crate::place::commit(1)))
        .expect("copies");
}

const ATTACKS: [(&str, Attack, &str); 13] = [
    (
        "parts are poisoned",
        |place| {
            change_parts(place, |mut bytes| {
                let at = bytes.len() / 2;
                bytes[at] ^= 1;
                bytes
            })
        },
        "bad_part",
    ),
    ("parts are cut off", |place| change_parts(place, |bytes| bytes[..bytes.len() - 1].to_vec()), "bad_part"),
    ("parts are empty", |place| change_parts(place, |_| Vec::new()), "bad_part"),
    ("parts have a tail", |place| change_parts(place, |bytes| [bytes, vec![0; 9]].concat()), "bad_part"),
    ("parts are huge", |place| change_parts(place, |_| vec![0; 3 << 20]), "too_large"),
    (
        "parts are bombs",
        |place| change_parts(place, |_| zstd::bulk::compress(&vec![0; 64 << 20], 3).expect("is packed")),
        "bad_part",
    ),
    (
        "parts are other parts",
        |place| {
            let parts = place.list("/parts/");
            fs::copy(&parts[0], &parts[1]).expect("copies");
        },
        "bad_part",
    ),
    (
        "parts are gone",
        |place| {
            place.list("/parts/").iter().for_each(|part| fs::remove_file(part).expect("is removed"));
        },
        "missing_part",
    ),
    ("another key", sign_again, "untrusted"),
    ("another commit", swap_commits, "foreign"),
    (
        "a changed manifest",
        |place| change_manifest(place, |text| text.replace("\"size\":", "\"size\":1")),
        "bad_signature",
    ),
    ("a manifest that is cut off", |place| change_manifest(place, |text| text[..100].to_owned()), "bad_manifest"),
    ("a huge manifest", |place| change_manifest(place, |text| text + &" ".repeat(17 << 20)), "too_large"),
];

#[test]
fn attacks_are_refused_and_leave_nothing() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    for (what, attack, expected) in ATTACKS {
        let place = Place::new();
        let files = [build_noise(700_000, "a"), build_noise(700_000, "b")];
        for number in [2, 1] {
            runtime.block_on(place.push(&origin(number), &files[0], &files[1])).expect("is pushed");
        }
        attack(&place);
        let refused = runtime.block_on(place.pull(&[1])).map(|_| ()).expect_err(what);
        assert_eq!(refused.code(), expected, "{what}: {refused}");
        assert!(!refused.next().is_empty(), "{what}");
        // No bad part is kept, and its owner can make it good again.
        for part in list_files(&place.cache()) {
            let stored = fs::read(&part).expect("reads");
            let content = zstd::bulk::decompress(&stored, 1 << 20).expect("is sound");
            let name = part.file_name().and_then(|name| name.to_str()).expect("a name");
            assert_eq!(name, blake3::hash(&content).to_hex().as_str(), "{what}");
        }
        runtime.block_on(place.push_with(&origin(1), &files[0], &files[1], true)).expect("is pushed");
        let (_, contents) = runtime.block_on(place.pull(&[1])).expect(what);
        assert!(contents == files, "{what}");
    }
}

#[test]
fn a_damaged_part_of_this_machine_is_fetched_again() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let place = Place::new();
    let files = [build_noise(700_000, "a"), build_noise(10, "b")];
    runtime.block_on(place.push(&origin(1), &files[0], &files[1])).expect("is pushed");
    runtime.block_on(place.pull(&[1])).expect("is pulled");
    let kept = list_files(&place.cache());
    fs::write(&kept[0], b"cut").expect("writes");
    let (pulled, contents) = runtime.block_on(place.pull(&[1])).expect("is pulled");
    assert!(contents == files);
    assert_eq!(pulled.fetched_parts, 1);
    assert!(fs::metadata(Path::new(&kept[0])).expect("is there").len() > 3);
}
