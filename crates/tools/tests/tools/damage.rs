//! Damaged files of the store: reading goes on with the same answers or names the repair, and the repair works.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use m1nd_base::{Cancel, NoProgress};
use m1nd_engine::{EngineConfig, IngestRequest};
use m1nd_testkit::Random;
use m1nd_tools::{Context, ErrorCode, Services, TOOLS, ToolError, find};
use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column, files_below};

/// Images of each file whose damage is drawn at random.
const DRAWN: usize = 60;

/// An indexed project with a stored history, whose store can be put back.
struct Stored {
    project: Project,
    /// What is in the store.
    files: BTreeMap<PathBuf, Vec<u8>>,
    answers: String,
}

impl Stored {
    /// A store with two snapshots, feedback and a history.
    fn new() -> Self {
        let project = Project::in_git(PROGRAM, &[("first", &["a.txt"]), ("second", &["b.txt"])]);
        project.tree.write("later.py", "def later():\n    pass\n");
        project.ok("ingest", json!({"path": "."}));
        project.ok("learn", json!({"query": "unrelated", "feedback": "correct", "node_ids": ["auth.py"]}));
        drop(project.services.engine.snapshot().history(&Cancel::new()));
        let project = project.reopen(|config| config.read_only = true);
        let files = files_below(&[project.home()]);
        let mut stored = Self { project, files, answers: String::new() };
        stored.answers = stored.ask().expect("an intact store answers");
        stored
    }

    fn config(&self) -> EngineConfig {
        let (home, root) = (self.project.home().to_owned(), self.project.tree.path().to_owned());
        EngineConfig { threads: Some(1), verify_at_open: u64::MAX, ..EngineConfig::new(home, vec![root]) }
    }

    /// The files of the store whose name has this part.
    fn list_named(&self, part: &str) -> Vec<PathBuf> {
        let is_meant = |(path, bytes): &(&PathBuf, &Vec<u8>)| {
            !bytes.is_empty() && path.file_name().is_some_and(|name| name.to_string_lossy().contains(part))
        };
        self.files.iter().filter(is_meant).map(|(path, _)| path.clone()).collect()
    }

    /// Puts the store back as it was, but for these files.
    fn restore(&self, but: &[(&Path, &[u8])]) {
        for path in files_below(&[self.project.home()]).into_keys() {
            if !self.files.contains_key(&path) {
                fs::remove_file(path).expect("removable");
            }
        }
        for (path, bytes) in &self.files {
            let image = but.iter().find(|(other, _)| other == path).map_or(bytes.as_slice(), |(_, image)| image);
            // A snapshot may be mapped: it is replaced, not written over.
            let _ = fs::remove_file(path);
            fs::write(path, image).expect("writable");
        }
    }

    /// The answers of several tools, from a process that only reads.
    fn ask(&self) -> Result<String, ToolError> {
        let config = EngineConfig { read_only: true, ..self.config() };
        let services = Services::self_contained(config).expect("a damaged store opens for reading");
        let (cancel, progress) = (Cancel::new(), NoProgress);
        let context = Context { reads_history: true, ..Context::new(&services, TOOLS, &cancel, &progress) };
        let call = |tool: &str, mut arguments: Value| {
            arguments["agent_id"] = json!("tester");
            find(tool).expect("a tool").invoke(&context, arguments)
        };
        call("health", json!({}))?;
        Ok([
            column(&call("search", json!({"query": "needle"}))?, "matches", "file_path"),
            column(&call("glob", json!({"pattern": "*.py", "scope": "src"}))?, "files", "file_path"),
            column(&call("callers", json!({"node_id": "load_user"}))?, "callers", "file_path"),
            column(&call("seek", json!({"query": "validate credentials", "top_k": 3}))?, "results", "node_id"),
            call("view", json!({"file_path": "auth.py"}))?["content"].to_string(),
        ]
        .join("\n"))
    }

    /// Brings the store back to work as `m1nd ingest` does; `false` if it is of a newer version, which is left alone.
    fn repair(&self) -> bool {
        let services = match Services::self_contained(self.config()) {
            Ok(services) => services,
            Err(error) => {
                assert!(error.to_string().contains("install the newer m1nd"), "{error}");
                return false;
            }
        };
        let request = IngestRequest::code(self.project.tree.path());
        services.engine.ingest(request, &Cancel::new(), &NoProgress).expect("the repair works");
        true
    }
}

/// Damaged images of a file: flipped bits, cut, empty, of another program, zeros, the next version.
fn images(good: &[u8], version_at: usize, random: &mut Random) -> Vec<Vec<u8>> {
    let flip = |at: usize, bit: usize| {
        let mut bytes = good.to_vec();
        bytes[at] ^= 1 << bit;
        bytes
    };
    let mut images: Vec<Vec<u8>> = Vec::new();
    for round in 0..DRAWN {
        // The header of a file is where most can go wrong.
        let end = if round < DRAWN / 3 { good.len().min(128) } else { good.len() };
        images.push(flip(random.below(end), random.below(8)));
    }
    images.extend((0..20).map(|part| good[..good.len() * part / 20].to_vec()));
    images.extend([b"something else".to_vec(), vec![0; good.len()], [good, good].concat()]);
    if let Some(byte) = good.get(version_at) {
        let mut newer = good.to_vec();
        newer[version_at] = byte.wrapping_add(1);
        images.push(newer);
    }
    images
}

/// Damages every file of that name in every way; returns the number of images.
fn survives(part: &str, version_at: usize, seed: u64) -> usize {
    let stored = Stored::new();
    let files = stored.list_named(part);
    assert!(!files.is_empty(), "no file `{part}` in {:?}", stored.files.keys());
    let mut random = Random::new(seed);
    let mut count = 0;
    for file in files {
        for image in images(&stored.files[&file], version_at, &mut random) {
            let which = format!("image {count} of {}", file.display());
            stored.restore(&[(&file, &image)]);
            let answers = stored.ask().unwrap_or_else(|error| panic!("{which}: {}", error.to_json()));
            assert_eq!(answers, stored.answers, "{which}");
            // Repairing costs an ingest: each kind of damage is repaired, though not each flipped bit.
            if (count % 4 == 0 || count % 84 > DRAWN) && stored.repair() {
                assert_eq!(stored.ask().expect("answers"), stored.answers, "{which}, repaired");
            }
            count += 1;
        }
    }
    count
}

#[test]
fn damaged_databases() {
    let count = survives("project.db", 63, 1);
    assert!(count >= 80, "{count} images");
}

#[test]
fn damaged_caches() {
    let count = survives("facts.db", 63, 2);
    assert!(count >= 80, "{count} images");
}

#[test]
fn damaged_snapshots() {
    let count = survives("snapshot-", 8, 3);
    assert!(count >= 160, "{count} images of two files");
}

#[test]
fn damaged_pointers_to_the_snapshot() {
    let count = survives("current", 0, 4);
    assert!(count >= 80, "{count} images");
}

#[test]
fn damaged_histories() {
    let count = survives("history", 8, 5);
    assert!(count >= 80, "{count} images");
}

#[test]
fn without_any_usable_snapshot_the_repair_is_named() {
    let stored = Stored::new();
    let files = stored.list_named("snapshot-");
    let damaged: Vec<Vec<Vec<u8>>> =
        files.iter().enumerate().map(|(seed, file)| images(&stored.files[file], 8, &mut Random::new(seed as u64))).collect();
    let count = damaged.iter().map(Vec::len).min().expect("two files");
    for number in 0..count {
        let both: Vec<(&Path, &[u8])> =
            files.iter().zip(&damaged).map(|(file, images)| (file.as_path(), images[number].as_slice())).collect();
        stored.restore(&both);
        match stored.ask() {
            // A bit between two sections belongs to no data.
            Ok(answers) => assert_eq!(answers, stored.answers, "images {number}"),
            Err(error) => {
                assert_ne!(error.code, ErrorCode::Internal, "images {number}: {}", error.to_json());
                assert!(error.to_json().to_string().contains("ingest"), "images {number}: {}", error.to_json());
            }
        }
        if number % 8 == 0 {
            assert!(stored.repair(), "images {number}");
            assert_eq!(stored.ask().expect("answers"), stored.answers, "images {number}, repaired");
        }
    }
    assert!(count >= 80);
}
