//! Stored data across runs, and handling of damaged files.

use std::fs;
use std::path::PathBuf;

use m1nd_engine::{Engine, EngineConfig, EngineError, IngestRequest, ProcessRole};
use m1nd_testkit::Random;

use crate::project::{Project, incremental, ingest};

const FIXTURE: &str = "\
//- a.py
from b import g
def f():
    g()
//- b.py
def g():
    unknown()
";

/// The current snapshot file.
fn snapshot_file(project: &Project) -> PathBuf {
    let projects = fs::read_dir(project.home.path().join("projects")).expect("lists");
    let folder = projects.map(|entry| entry.expect("entry").path()).next().expect("one project");
    let files = fs::read_dir(folder.join("snapshots")).expect("lists").map(|entry| entry.expect("entry").path());
    let snapshots = files.filter(|path| {
        fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"m1ndsnap")) && !path.to_string_lossy().contains("corrupt")
    });
    snapshots.max().expect("a snapshot file")
}

/// A link that leads to itself stands for a disk that fails: opening it is an error, and says nothing about the file.
#[cfg(unix)]
#[test]
fn a_snapshot_that_cannot_be_read_for_now_keeps_its_name() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let dump = engine.snapshot().graph().dump();
    drop(engine);
    let path = snapshot_file(&project);
    let kept = path.with_extension("elsewhere");
    fs::rename(&path, &kept).expect("moves");
    std::os::unix::fs::symlink(&path, &path).expect("is made");
    let engine = project.open();
    assert!(engine.snapshot().is_empty(), "it cannot be read");
    assert!(engine.damage().iter().any(|text| text.contains("is not used")), "{:?}", engine.damage());
    drop(engine);
    assert!(path.symlink_metadata().is_ok_and(|meta| meta.is_symlink()), "it keeps its name");
    let names = fs::read_dir(path.parent().expect("a folder")).expect("lists");
    let names: Vec<_> = names.map(|entry| entry.expect("entry").file_name()).collect();
    assert!(!names.iter().any(|name| name.to_string_lossy().contains("corrupt")), "{names:?}");
    fs::remove_file(&path).expect("is removed");
    fs::rename(&kept, &path).expect("moves back");
    assert_eq!(project.open().snapshot().graph().dump(), dump);
}

#[test]
fn an_index_is_there_at_once_when_it_is_opened_again() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let (dump, generation) = (engine.snapshot().graph().dump(), engine.snapshot().generation());
    drop(engine);
    let engine = project.open();
    let snapshot = engine.snapshot();
    assert_eq!((snapshot.graph().dump(), snapshot.generation()), (dump, generation));
    let found = snapshot.index().len();
    assert!(found >= 4, "{found} entries can be searched");
    assert_eq!(engine.status().unresolved_reasons.len(), 1);
}

/// Linking goes on where another process ended: only what an edit concerns is linked again.
#[test]
fn an_edit_between_two_processes_links_what_it_concerns() {
    const MORE: &str = "//- c.py\nfrom b import h\nh()\n//- d.py\nimport b\n//- README.md\n# Text\n";
    let project = Project::new(&format!("{FIXTURE}{MORE}"));
    drop(project.open_indexed());
    for (text, linked) in [
        ("def g():\n    unknown()\ndef other(): ...\n", 1),
        ("def g():\n    unknown()\ndef h(): ...\n", 2),
        ("def g(x):\n    unknown()\ndef h(): ...\n", 2),
    ] {
        project.tree.write("b.py", text);
        let engine = project.open();
        let report = incremental(&engine, project.tree.path());
        assert_eq!((report.files_scanned, report.files_linked), (5, linked), "{text}");
        assert_eq!(report.files_from_cache + report.files_parsed, 1, "{text}");
        let changed = engine.snapshot().graph().dump();
        drop(engine);
        let fresh = Project { home: tempfile::TempDir::new().expect("folder"), tree: m1nd_testkit::TempTree::new("") };
        let config = m1nd_engine::EngineConfig::new(fresh.home.path().into(), vec![project.tree.path().into()]);
        let clean = m1nd_engine::Engine::open(config).expect("opens");
        ingest(&clean, IngestRequest::code(project.tree.path())).expect("ingests");
        assert_eq!(changed, clean.snapshot().graph().dump(), "{text}");
    }
    // Without the facts of the files everything is linked again.
    std::fs::remove_dir_all(project.home.path().join("cache")).expect("removes the cache");
    project.tree.write("b.py", "def g(): ...\n");
    let engine = project.open();
    assert_eq!(incremental(&engine, project.tree.path()).files_linked, 5);
}

/// The facts that a manifest had are in the cache, though its text on disk is another by now.
#[test]
fn an_edit_of_a_manifest_between_two_processes_links_what_it_concerns() {
    let project = Project::new(&format!("{FIXTURE}//- setup.py\nfrom setuptools import setup\nsetup(name='p')\n"));
    drop(project.open_indexed());
    project.tree.write("setup.py", "from setuptools import setup\nsetup(name='p')\ndef more(): ...\n");
    let engine = project.open();
    assert_eq!(incremental(&engine, project.tree.path()).files_linked, 1);
}

/// After a checkout of another branch, comparing file by file would cost more than it saves.
#[test]
fn all_files_are_linked_when_most_have_changed() {
    let text: String = (0..450).map(|number| format!("//- m{number}.py\ndef f{number}(): ...\n")).collect();
    let project = Project::new(&text);
    let engine = project.open_indexed();
    for number in 0..420 {
        project.tree.write(format!("m{number}.py"), format!("from m449 import f449\ndef g{number}(): f449()\n"));
    }
    let report = incremental(&engine, project.tree.path());
    assert_eq!((report.files_parsed, report.files_linked), (420, 450));
    let fresh = Project { home: tempfile::TempDir::new().expect("folder"), tree: m1nd_testkit::TempTree::new("") };
    let clean = Engine::open(EngineConfig::new(fresh.home.path().into(), vec![project.tree.path().into()]));
    let clean = clean.expect("opens");
    ingest(&clean, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!(engine.snapshot().graph().dump(), clean.snapshot().graph().dump());
    project.tree.write("m449.py", "def other(): ...\n");
    assert_eq!(incremental(&engine, project.tree.path()).files_linked, 421, "the linker knows all files again");
}

/// Also an ingest that trusts no times links only what differs from the stored index.
#[test]
fn a_whole_ingest_in_another_process_links_what_changed() {
    let project = Project::new(FIXTURE);
    drop(project.open_indexed());
    let again = |text: Option<&str>| {
        text.into_iter().for_each(|text| project.tree.write("b.py", text));
        // Otherwise a thread would find the damage, too, perhaps earlier.
        let unverified = EngineConfig { verify: false, ..project.config() };
        let engine = Engine::open(unverified).expect("opens");
        let report = ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
        (report.files_scanned, report.files_linked, report.changed)
    };
    assert_eq!(again(None), (2, 0, false));
    assert_eq!(again(Some("def g():\n    other()\n")), (2, 1, true));
    assert_eq!(again(Some("def g(x):\n    other()\n")), (2, 2, true));
    // Bytes that do not match their checksum are no ground to build on.
    damage(&project, |bytes| flip_content(bytes));
    assert_eq!(again(None).1, 2);
}

/// What is imported beside the code does not make the next process link all of it.
#[test]
fn an_imported_graph_keeps_what_the_linker_remembered() {
    let project = Project::new(FIXTURE);
    project.tree.write("extra.json", r#"{"nodes": [{"id": "x", "label": "X"}], "edges": []}"#);
    drop(project.open_indexed());
    let json = IngestRequest {
        adapter: m1nd_engine::Adapter::Json,
        ..IngestRequest::code(project.tree.path().join("extra.json"))
    };
    ingest(&project.open(), json).expect("imports");
    project.tree.write("a.py", "from b import g\ng()\n");
    assert_eq!(incremental(&project.open(), project.tree.path()).files_linked, 1);
}

#[cfg(unix)]
#[test]
fn what_was_skipped_stays_known_until_it_is_looked_at_again() {
    use m1nd_base::ProblemKind;
    let project = Project::new(FIXTURE);
    fs::create_dir(project.tree.path().join("sub")).expect("makes a folder");
    let link = project.tree.path().join("sub/link.py");
    std::os::unix::fs::symlink("../a.py", &link).expect("links");
    let engine = project.open_indexed();
    let known = |engine: &m1nd_engine::Engine| {
        let snapshot = engine.snapshot();
        let listed: Vec<_> = snapshot.list_skipped().iter().map(|(path, why)| (path.clone(), why.kind)).collect();
        let status = engine.status();
        let counted = status.problems.iter().map(|row| (row.kind, row.count)).collect::<Vec<_>>();
        (listed, snapshot.skipped_total(), counted)
    };
    let one = (vec![("sub/link.py".to_owned(), ProblemKind::SymbolicLink)], 1, vec![(ProblemKind::SymbolicLink, 1)]);
    assert_eq!(known(&engine), one);
    project.tree.write("b.py", "def h(): pass\n");
    incremental(&engine, &project.tree.path().join("b.py"));
    assert_eq!(known(&engine), one, "another file was looked at");
    drop(engine);
    let engine = project.open();
    assert_eq!(known(&engine), one, "it is stored");
    fs::remove_file(&link).expect("removes the link");
    let report = incremental(&engine, project.tree.path());
    assert!(!report.changed, "{report:?}");
    assert_eq!(known(&engine), (Vec::new(), 0, Vec::new()));
}

#[test]
fn a_file_that_is_too_large_to_read_keeps_its_language() {
    let project = Project::new(FIXTURE);
    let mut config = project.config();
    config.limits.read_bytes = 20;
    let engine = Engine::open(config).expect("opens");
    incremental(&engine, project.tree.path());
    let snapshot = engine.snapshot();
    let entry = snapshot.files().by_text("a.py").expect("a file node");
    let kinds: Vec<_> = entry.problems.iter().map(|problem| problem.kind).collect();
    assert_eq!((entry.language.name(), kinds), ("python", vec![m1nd_base::ProblemKind::TooLarge]));
}

#[test]
fn what_changed_while_nobody_looked_is_found() {
    let project = Project::new(FIXTURE);
    drop(project.open_indexed());
    project.tree.write("b.py", "def h(): pass\n");
    project.tree.remove("a.py");
    let engine = project.open();
    let before = engine.snapshot().generation();
    let report = incremental(&engine, project.tree.path());
    assert!(report.changed && report.generation > before);
    let clean = Project::new("//- b.py\ndef h(): pass\n").open_indexed();
    assert_eq!(engine.snapshot().graph().dump(), clean.snapshot().graph().dump());
    let again = incremental(&engine, project.tree.path());
    assert!(!again.changed, "{again:?}");
}

#[test]
fn generations_never_go_back() {
    let project = Project::new(FIXTURE);
    let mut last = 0;
    for round in 0..4 {
        let engine = project.open();
        assert!(engine.snapshot().generation() >= last);
        for edit in 0..3 {
            project.tree.write("c.py", format!("def f{round}_{edit}(): pass\n"));
            let report = incremental(&engine, project.tree.path());
            assert!(report.generation > last, "{} after {last}", report.generation);
            last = report.generation;
        }
    }
}

#[test]
fn damaged_and_foreign_files_are_set_aside_newer_ones_left_and_all_rebuilt() {
    type Damage = fn(&mut Vec<u8>);
    let damages: [(&str, Damage); 5] = [
        ("damaged", |bytes| bytes[70] ^= 1),
        ("cut off", |bytes| bytes.truncate(bytes.len() / 2)),
        ("format", |bytes| bytes[8] = 99),
        ("not a snapshot", |bytes| bytes[0] = b'x'),
        ("cut off", Vec::clear),
    ];
    for (word, damage) in damages {
        let project = Project::new(FIXTURE);
        let engine = project.open_indexed();
        let (dump, generation) = (engine.snapshot().graph().dump(), engine.snapshot().generation());
        drop(engine);
        let file = snapshot_file(&project);
        let mut bytes = fs::read(&file).expect("reads");
        damage(&mut bytes);
        fs::write(&file, bytes).expect("writes");
        let engine = project.open();
        let notices = engine.status().notices.join("\n");
        // The file of a newer version is sound.
        assert!(notices.contains(word) && notices.contains("corrupt") == (word != "format"), "{word}: {notices}");
        assert!(engine.snapshot().graph().node_count() == 0);
        ingest(&engine, IngestRequest::code(project.tree.path())).expect("rebuilds");
        assert!(engine.status().notices.is_empty(), "rebuilt: {:?}", engine.status().notices);
        assert_eq!(engine.snapshot().graph().dump(), dump);
        assert!(engine.snapshot().generation() > generation, "generations go on where they were");
    }
}

#[test]
fn a_flipped_byte_is_noticed_and_never_a_panic() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let dump = engine.snapshot().graph().dump();
    drop(engine);
    let file = snapshot_file(&project);
    let intact = fs::read(&file).expect("reads");
    let mut random = Random::new(7);
    for _ in 0..40 {
        let mut bytes = intact.clone();
        // After header and table: the content, whose checksums are verified in the background.
        let at = 1_200 + random.below(bytes.len() - 1_200);
        bytes[at] ^= 1 << random.below(8);
        let target = snapshot_file(&project);
        fs::remove_file(&target).expect("removes");
        fs::write(&target, &bytes).expect("writes");
        let engine = project.open();
        let snapshot = engine.snapshot();
        let _ = (snapshot.graph().dump(), snapshot.nodes_named("g").len(), engine.status());
        ingest(&engine, IngestRequest::code(project.tree.path())).expect("rebuilds");
        assert_eq!(engine.snapshot().graph().dump(), dump, "byte {at}");
    }
}

#[test]
fn one_process_writes_and_the_others_follow() {
    let project = Project::new(FIXTURE);
    let writer = project.open_indexed();
    let reader = project.open();
    assert_eq!(writer.status().role, ProcessRole::Writer);
    assert_eq!(reader.status().role, ProcessRole::Reader);
    assert_eq!(reader.snapshot().generation(), writer.snapshot().generation());
    let refused = ingest(&reader, IngestRequest::code(project.tree.path()));
    assert!(matches!(refused, Err(EngineError::WriterElsewhere)), "{refused:?}");
    project.tree.write("c.py", "def added(): pass\n");
    incremental(&writer, project.tree.path());
    drop(writer);
    // The writer wrote its state when it ended; whether the reader has become the writer by now or not, it sees it.
    while reader.snapshot().graph().find("file::c.py::fn::added").is_none() {
        std::thread::yield_now();
    }
    while reader.status().role != ProcessRole::Writer {
        std::thread::yield_now();
    }
    ingest(&reader, IngestRequest::code(project.tree.path())).expect("writes now");
}

#[test]
fn read_only_never_writes() {
    let project = Project::new(FIXTURE);
    drop(project.open_indexed());
    let config = EngineConfig { read_only: true, ..project.config() };
    let engine = Engine::open(config).expect("opens");
    assert!(engine.snapshot().graph().node_count() > 0);
    let refused = ingest(&engine, IngestRequest::code(project.tree.path()));
    assert!(matches!(refused, Err(EngineError::ReadOnly)), "{refused:?}");
    assert_eq!(engine.status().role, ProcessRole::ReadOnly);
}

#[test]
fn what_is_opened_for_reading_makes_nothing_and_hides_no_index_around_it() {
    let project = Project::new("//- a.py\ndef f():\n    pass\n//- inner/b.py\ndef g():\n    pass\n");
    let inner = project.tree.join("inner");
    let store = project.home.path().join("store");
    let config = EngineConfig { read_only: true, ..EngineConfig::new(store.clone(), vec![inner.clone()]) };
    let reads = |config: &EngineConfig| {
        let engine = Engine::open(config.clone()).expect("opens");
        assert_eq!(engine.status().role, ProcessRole::ReadOnly);
        engine.snapshot().graph().node_count()
    };
    assert_eq!(reads(&config), 0);
    assert!(!store.exists(), "nothing is made");
    let writes = EngineConfig::new(store.clone(), vec![project.tree.path().to_owned()]);
    let engine = Engine::open(writes).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    drop(engine);
    assert_eq!(reads(&config), 0);
    // A project that was only opened, as by an older version, has no snapshot.
    drop(Engine::open(EngineConfig { read_only: false, ..config }).expect("opens"));
}

#[test]
fn of_many_that_start_at_once_exactly_one_writes() {
    let project = Project::new(FIXTURE);
    drop(project.open_indexed());
    for _ in 0..3 {
        let engines: Vec<Engine> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..20).map(|_| scope.spawn(|| project.open())).collect();
            starts.into_iter().map(|start| start.join().expect("opens")).collect()
        });
        let writers = engines.iter().filter(|engine| engine.status().role == ProcessRole::Writer).count();
        assert_eq!(writers, 1);
        assert!(engines.iter().all(|engine| engine.snapshot().graph().find("file::b.py::fn::g").is_some()));
    }
}

/// Damages the current snapshot file.
fn damage(project: &Project, at: impl Fn(&mut Vec<u8>)) {
    let file = snapshot_file(project);
    let mut bytes = fs::read(&file).expect("reads");
    at(&mut bytes);
    fs::remove_file(&file).expect("removes");
    fs::write(&file, bytes).expect("writes");
}

/// Changes the content of the first section, which only its checksum tells.
fn flip_content(bytes: &mut [u8]) {
    let row: [u8; 8] = bytes[72..80].try_into().expect("the place of the first section");
    bytes[u64::from_le_bytes(row) as usize] ^= 1;
}

#[test]
fn an_older_snapshot_takes_the_place_of_a_damaged_one() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let older = engine.snapshot().graph().dump();
    project.tree.write("c.py", "def added(): pass\n");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    let generation = engine.snapshot().generation();
    drop(engine);
    damage(&project, |bytes| flip_content(bytes));
    let sound = EngineConfig { verify_at_open: u64::MAX, ..project.config() };
    let reader = Engine::open(EngineConfig { read_only: true, ..sound.clone() }).expect("opens");
    assert_eq!(reader.snapshot().graph().dump(), older);
    assert!(reader.damage().iter().any(|text| text.contains("older state")) && !reader.has_lost_index());
    drop(reader);
    let writer = Engine::open(sound).expect("opens");
    assert_eq!(writer.snapshot().graph().dump(), older);
    assert!(writer.damage().iter().any(|text| text.contains("corrupt")), "{:?}", writer.damage());
    let report = incremental(&writer, project.tree.path());
    assert!(report.changed && report.generation > generation, "{report:?}");
    assert!(writer.snapshot().graph().find("file::c.py::fn::added").is_some());
}

#[test]
fn a_server_that_finds_its_snapshot_damaged_goes_on_with_an_older_one() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    project.tree.write("c.py", "def added(): pass\n");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    drop(engine);
    damage(&project, |bytes| flip_content(bytes));
    let reader = Engine::open(EngineConfig { read_only: true, ..project.config() }).expect("opens");
    while reader.damage().is_empty() {
        std::thread::yield_now();
    }
    while reader.snapshot().graph().find("file::c.py::fn::added").is_some() {
        std::thread::yield_now();
    }
    assert!(reader.snapshot().graph().find("file::b.py::fn::g").is_some(), "the older state is served");
}

#[test]
fn without_a_usable_snapshot_the_index_is_lost_and_says_so() {
    let project = Project::new(FIXTURE);
    assert!(!project.open().has_lost_index(), "there never was one");
    drop(project.open_indexed());
    damage(&project, Vec::clear);
    let reader = Engine::open(EngineConfig { read_only: true, ..project.config() }).expect("opens");
    assert!(reader.has_lost_index() && reader.snapshot().is_empty());
}

#[test]
fn a_damaged_database_does_not_keep_an_index_from_being_read() {
    let project = Project::new(FIXTURE);
    let dump = project.open_indexed().snapshot().graph().dump();
    let file = snapshot_file(&project).ancestors().nth(2).expect("a folder").join("project.db");
    fs::write(&file, b"something else").expect("writes");
    let reader = Engine::open(EngineConfig { read_only: true, ..project.config() }).expect("opens");
    assert_eq!(reader.snapshot().graph().dump(), dump);
    assert!(reader.status().notices.join("\n").contains("project.db"), "{:?}", reader.status().notices);
    drop(reader);
    assert_eq!(fs::read(&file).expect("reads"), b"something else", "a reader leaves it alone");
    let writer = project.open();
    assert_eq!(writer.snapshot().graph().dump(), dump);
    ingest(&writer, IngestRequest::code(project.tree.path())).expect("ingests");
    assert!(writer.status().notices.join("\n").contains(".corrupt-"), "it is still said after an ingest");
    drop(writer);
    assert!(project.open().status().notices.is_empty());
}
