//! Indexes from other machines.

use std::fs;
use std::path::{Path, PathBuf};

use m1nd_base::Cancel;
use m1nd_engine::{EngineError, IngestRequest, SharedFiles, Snapshot, adopt_index, find_local_index, find_share_place};
use m1nd_store::Home;
use tempfile::TempDir;

use crate::history::repository::{Put, Repository};
use crate::project::{PYTHON, Project, ingest};

/// What stands for a commit.
const COMMIT: &str = "0123456789012345678901234567890123456789";

fn files_in(folder: &TempDir) -> SharedFiles {
    SharedFiles { snapshot: folder.path().join("snapshot"), facts: folder.path().join("facts") }
}

/// The index of a project as other machines get it.
fn export(project: &Project, request: IngestRequest) -> (TempDir, Result<SharedFiles, EngineError>) {
    let engine = project.open();
    ingest(&engine, request).expect("ingests");
    engine.save(&Cancel::new()).expect("is saved");
    let folder = TempDir::new().expect("a folder");
    let files = files_in(&folder);
    let exported = engine.export_shared(&files, COMMIT, &Cancel::new());
    (folder, exported.map(|_| files))
}

fn export_all(project: &Project) -> (TempDir, SharedFiles) {
    let (folder, files) = export(project, IngestRequest::code(project.tree.path()));
    (folder, files.expect("can be shared"))
}

/// Everything of an index that does not depend on when and where it was made.
fn describe(snapshot: &Snapshot) -> String {
    let files: Vec<_> = snapshot.files().iter().map(|file| (&file.path, file.hash, &file.tiers)).collect();
    format!("{}\n{files:?}\n{} entries", snapshot.graph().dump(), snapshot.index().len())
}

#[test]
fn an_index_from_elsewhere_and_an_ingest_are_a_cold_ingest() {
    let (_folder, files) = export_all(&Project::new(PYTHON));
    type Change = fn(&Project);
    let rows: [(&str, Change); 4] = [
        ("nothing", |_| ()),
        ("an edit", |here| here.tree.write("app/pool.py", "class Pool:\n    def release(self):\n        return 1\n")),
        ("a new file", |here| here.tree.write("app/extra.py", "from app.main import run\n\ndef more():\n    run()\n")),
        ("a removed file", |here| fs::remove_file(here.tree.join("app/pool.py")).expect("is removed")),
    ];
    for (what, change) in rows {
        let here = Project::new(PYTHON);
        change(&here);
        let adopted = adopt_index(here.home.path(), here.tree.path(), &files, &Cancel::new()).expect("is sound");
        assert_eq!(adopted.files, adopted.facts, "{what}");
        let cache = Home::open(here.home.path()).and_then(|home| home.facts_cache()).expect("opens");
        assert_eq!(cache.stored_bytes().expect("reads"), 0, "{what}: other projects would use them");
        let local = find_local_index(here.home.path(), here.tree.path()).expect("is there");
        assert_eq!(local.commit.as_deref(), Some(COMMIT), "{what}");
        let engine = here.open();
        let report = ingest(&engine, IngestRequest::code(here.tree.path())).expect("ingests");
        assert!(
            report.files_unchanged >= 4 && report.files_scanned - report.files_unchanged <= 1,
            "{what}: {report:?}"
        );
        let cold = Project { tree: here.tree, home: TempDir::new().expect("a folder") };
        assert_eq!(describe(&engine.snapshot()), describe(&cold.open_indexed().snapshot()), "{what}");
    }
}

/// The files of adopted facts of a project.
fn list_adopted(here: &Project) -> Vec<PathBuf> {
    let projects = fs::read_dir(here.home.path().join("projects")).expect("lists");
    let files = projects.flat_map(|project| fs::read_dir(project.expect("lists").path()).expect("lists"));
    let paths = files.map(|file| file.expect("lists").path());
    paths.filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("adopted-"))).collect()
}

#[test]
fn damaged_adopted_facts_cost_time_only() {
    let (_folder, files) = export_all(&Project::new(PYTHON));
    for (what, cut) in [("sound", false), ("changed", false), ("cut off", true)] {
        let here = Project::new(PYTHON);
        adopt_index(here.home.path(), here.tree.path(), &files, &Cancel::new()).expect("is sound");
        let adopted = list_adopted(&here);
        let mut bytes = fs::read(&adopted[0]).expect("reads");
        match what {
            "sound" => {}
            _ if cut => bytes.truncate(bytes.len() / 3),
            _ => bytes.iter_mut().skip(100).step_by(50).for_each(|byte| *byte ^= 1),
        }
        fs::write(&adopted[0], bytes).expect("writes");
        here.tree.write("app/pool.py", "class Pool:\n    def release(self):\n        return 1\n");
        let engine = here.open();
        let report = ingest(&engine, IngestRequest::code(here.tree.path())).expect("ingests");
        assert_eq!(report.files_unchanged == 0, what != "sound", "{what}: {report:?}");
        // Once all files are linked again, the cache has their facts.
        assert_eq!(list_adopted(&here).is_empty(), what != "sound", "{what}");
        let cold = Project { tree: here.tree, home: TempDir::new().expect("a folder") };
        assert_eq!(describe(&engine.snapshot()), describe(&cold.open_indexed().snapshot()), "{what}");
    }
}

#[test]
fn who_took_in_an_index_can_share_the_next() {
    let (_folder, files) = export_all(&Project::new(PYTHON));
    let here = Project::new(PYTHON);
    adopt_index(here.home.path(), here.tree.path(), &files, &Cancel::new()).expect("is sound");
    let (_other, again) = export_all(&here);
    for (own, others) in [(&again.snapshot, &files.snapshot), (&again.facts, &files.facts)] {
        assert!(fs::read(own).expect("reads") == fs::read(others).expect("reads"), "{}", own.display());
    }
}

#[test]
fn nothing_of_the_machine_is_in_a_shared_index() {
    let one = Project::new(PYTHON);
    one.tree.write(".gitignore", "secret.py\n");
    one.tree.write("secret.py", "def hidden_function_of_ann():\n    pass\n");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", one.tree.join("app/link_of_ann.py")).expect("is made");
    let (_folder, files) = export_all(&one);
    let other = Project::new(PYTHON);
    other.tree.write(".gitignore", "secret.py\n");
    let (_other_folder, other_files) = export_all(&other);
    for (own, others) in [(&files.snapshot, &other_files.snapshot), (&files.facts, &other_files.facts)] {
        let bytes = fs::read(own).expect("is there");
        assert!(bytes == fs::read(others).expect("is there"), "another machine gives other bytes of {}", own.display());
        for private in [one.tree.path(), one.home.path(), Path::new("of_ann")] {
            let private = private.as_os_str().as_encoded_bytes();
            assert!(!bytes.windows(private.len()).any(|window| window == private), "{private:?}");
        }
    }
}

#[test]
fn damaged_indexes_change_nothing() {
    let (folder, files) = export_all(&Project::new(PYTHON));
    let (snapshot, facts) = (fs::read(&files.snapshot).expect("reads"), fs::read(&files.facts).expect("reads"));
    let huge = [&facts[..32], &u32::MAX.to_le_bytes()].concat();
    let foreign = [&[7; 32][..], &1u32.to_le_bytes(), b"x"].concat();
    let mut rows: Vec<(String, Vec<u8>, Vec<u8>)> = vec![
        ("no snapshot".into(), Vec::new(), facts.clone()),
        ("facts that are cut off".into(), snapshot.clone(), facts[..facts.len() - 1].to_vec()),
        ("a row without an end".into(), snapshot.clone(), huge),
        ("a row of another file".into(), snapshot.clone(), [facts.clone(), foreign].concat()),
        ("a row twice".into(), snapshot.clone(), facts.repeat(2)),
        ("a snapshot that is cut off".into(), snapshot[..snapshot.len() / 2].to_vec(), facts.clone()),
    ];
    for at in (0..snapshot.len()).step_by(snapshot.len() / 40) {
        let mut changed = snapshot.clone();
        changed[at] ^= 0x55;
        rows.push((format!("byte {at}"), changed, facts.clone()));
    }
    let mut refused = 0;
    for (what, snapshot, facts) in rows {
        fs::write(&files.snapshot, snapshot).expect("writes");
        fs::write(&files.facts, facts).expect("writes");
        let here = Project::new(PYTHON);
        match adopt_index(here.home.path(), here.tree.path(), &files, &Cancel::new()) {
            Err(EngineError::BadShare(_)) => refused += 1,
            // Padding between sections is not content.
            Ok(_) => continue,
            Err(error) => panic!("{what}: {error}"),
        }
        assert_eq!(find_local_index(here.home.path(), here.tree.path()), None, "{what}");
    }
    assert!(refused >= 40, "{refused} rows of {}", folder.path().display());
}

#[test]
fn what_is_not_of_the_repository_alone_is_not_shared() {
    let project = Project::new(PYTHON);
    let hidden = IngestRequest { include_hidden: true, ..IngestRequest::code(project.tree.path()) };
    let (_folder, refused) = export(&project, hidden);
    assert!(matches!(refused, Err(EngineError::NotShareable(_))), "{refused:?}");
    let engine = project.open_indexed();
    let folder = TempDir::new().expect("a folder");
    let (_other, files) = export_all(&Project::new(PYTHON));
    let refused = adopt_index(project.home.path(), project.tree.path(), &files, &Cancel::new());
    assert!(matches!(refused, Err(EngineError::WriterElsewhere)), "{refused:?}");
    drop((engine, folder));
    adopt_index(project.home.path(), project.tree.path(), &files, &Cancel::new()).expect("nobody writes");
}

#[test]
fn ancestors_are_listed_from_the_newest() {
    let mut repository = Repository::new();
    let commits: Vec<String> =
        (0..4).map(|n| repository.commit("ann", "more", &[Put("a.py", &n.to_string())]).to_string()).collect();
    let place = find_share_place(repository.tree.path()).expect("is a repository");
    let expected: Vec<String> = commits.into_iter().rev().collect();
    assert_eq!((place.repository, place.commits), (None, expected));
    assert!(find_share_place(Project::new(PYTHON).tree.path()).is_err());
}
