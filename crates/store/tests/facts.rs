//! The facts cache is shared and bounded, and losing it breaks nothing.

use std::fs;
use std::path::PathBuf;

use m1nd_base::ContentHash;
use m1nd_store::{FactsCache, Home};
use m1nd_testkit::{Random, TempTree};

fn open(tree: &TempTree) -> FactsCache {
    Home::open(tree.path()).and_then(|home| home.facts_cache()).expect("the cache opens")
}

fn file(tree: &TempTree) -> PathBuf {
    tree.join("cache/facts/facts.db")
}

fn key(number: usize) -> ContentHash {
    ContentHash::of(&number.to_le_bytes())
}

fn rows(range: std::ops::Range<usize>, size: usize) -> Vec<(ContentHash, Vec<u8>)> {
    let bytes = |number: usize| {
        let mut random = Random::new(number as u64);
        (0..size).map(|_| random.number() as u8).collect()
    };
    range.map(|number| (key(number), bytes(number))).collect()
}

fn corrupt_files(tree: &TempTree) -> usize {
    let listed = fs::read_dir(tree.join("cache/facts")).expect("listable");
    let names = listed.map(|entry| entry.expect("listable").file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with("facts.db.corrupt-")).count()
}

#[test]
fn what_was_put_is_got_in_the_order_asked_for() {
    let tree = TempTree::new("");
    let cache = open(&tree);
    let rows = rows(0..50, 3_000);
    cache.put_many(&rows, 1).expect("writable");
    cache.put_many(&[(key(1), b"other version".to_vec()), (key(2), Vec::new())], 2).expect("writable");
    let keys: Vec<ContentHash> = [3, 99, 1, 1, 49].map(key).to_vec();
    let one = |number: usize| Some(rows[number].1.clone());
    let expected = vec![one(3), None, one(1), one(1), one(49)];
    assert_eq!(cache.get_many(&keys, 1).expect("readable"), expected);
    assert_eq!(open(&tree).get_many(&keys, 1).expect("readable"), expected);
    let expected = vec![Some(b"other version".to_vec()), Some(Vec::new()), None];
    assert_eq!(cache.get_many(&[key(1), key(2), key(3)], 2).expect("readable"), expected);
    assert_eq!(cache.get_many(&[], 1).expect("readable"), Vec::<Option<Vec<u8>>>::new());
    cache.put_many(&[(key(3), b"again".to_vec())], 1).expect("writable");
    assert_eq!(cache.get_many(&[key(3)], 1).expect("readable"), [Some(b"again".to_vec())]);
}

#[test]
fn trimming_drops_the_oldest_and_gives_space_back() {
    let tree = TempTree::new("");
    let cache = open(&tree);
    cache.put_many(&rows(0..200, 10_000), 1).expect("writable");
    // Random bytes do not compress; each row adds some bytes of its own.
    let stored = cache.stored_bytes().expect("readable");
    assert!((2_000_000..2_100_000).contains(&stored), "{stored}");
    assert_eq!(cache.trim(stored).expect("writable"), 0);
    assert_eq!(cache.trim(stored / 4).expect("writable"), 150);
    assert_eq!(cache.stored_bytes().expect("readable"), stored / 4);
    let kept = cache.get_many(&[key(0), key(149), key(150), key(199)], 1).expect("readable");
    assert_eq!(kept.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true, true]);
    drop(cache);
    let size = fs::metadata(file(&tree)).expect("it is there").len();
    assert!(size < stored / 2, "{size} bytes on disk for a quarter of {stored}");
    assert_eq!(open(&tree).trim(0).expect("writable"), 50);
}

#[test]
fn what_repeats_takes_less_space() {
    let tree = TempTree::new("");
    let cache = open(&tree);
    let text = "def name(self): return self.name\n".repeat(1_000).into_bytes();
    cache.put_many(&[(key(1), text.clone())], 1).expect("writable");
    assert!(cache.stored_bytes().expect("readable") < text.len() as u64 / 10);
    assert_eq!(cache.get_many(&[key(1)], 1).expect("readable"), [Some(text)]);
}

#[test]
fn several_writers_share_it() {
    let tree = TempTree::new("");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let tree = &tree;
            scope.spawn(move || {
                let cache = open(tree);
                for batch in 0..10 {
                    let start = (writer % 2) * 100 + batch * 10;
                    cache.put_many(&rows(start..start + 10, 500), 1).expect("writable");
                    let keys: Vec<ContentHash> = (start..start + 10).map(key).collect();
                    assert!(cache.get_many(&keys, 1).expect("readable").iter().all(Option::is_some));
                }
            });
        }
    });
    let keys: Vec<ContentHash> = (0..200).map(key).collect();
    let found: Vec<_> = open(&tree).get_many(&keys, 1).expect("readable").into_iter().flatten().collect();
    assert_eq!(found, rows(0..200, 500).into_iter().map(|(_, bytes)| bytes).collect::<Vec<_>>());
}

/// Never a wrong answer, a panic or an error: a damaged row counts as never stored.
#[test]
fn any_damage_costs_rows_only() {
    let tree = TempTree::new("");
    let rows = rows(0..20, 2_000);
    let keys: Vec<ContentHash> = rows.iter().map(|(key, _)| *key).collect();
    {
        let cache = open(&tree);
        cache.put_many(&rows, 1).expect("writable");
    }
    let good = fs::read(file(&tree)).expect("readable");
    let mut random = Random::new(11);
    let flips = (0..300).map(|round| {
        // Every byte of the header once, then random positions.
        let at = if round < 100 { round } else { random.below(good.len()) };
        let mut bytes = good.clone();
        bytes[at] ^= 1 << random.below(8);
        bytes
    });
    let cuts = (0..good.len()).step_by(4096).map(|end| good[..end].to_vec());
    let mut rebuilt = 0;
    for (number, bytes) in flips.chain(cuts).chain([b"not a database".to_vec(), vec![0; 1 << 16]]).enumerate() {
        for leftover in fs::read_dir(tree.join("cache/facts")).expect("listable") {
            fs::remove_file(leftover.expect("listable").path()).expect("removable");
        }
        fs::write(file(&tree), &bytes).expect("writable");
        // A version that is too new is refused, not repaired.
        let Ok(cache) = Home::open(tree.path()).and_then(|home| home.facts_cache()) else {
            assert_eq!(fs::read(file(&tree)).expect("readable"), bytes, "image {number}: changed although refused");
            continue;
        };
        let answers = cache.get_many(&keys, 1).expect("damage is no error");
        for (answer, (_, bytes)) in answers.iter().zip(&rows) {
            assert!(answer.as_ref().is_none_or(|answer| answer == bytes), "image {number}: wrong bytes");
        }
        cache.put_many(&rows, 1).unwrap_or_else(|error| panic!("image {number}: not writable after damage: {error}"));
        rebuilt += corrupt_files(&tree);
    }
    assert!(rebuilt > 50, "only {rebuilt} files were found damaged");
}
