use m1nd_base::{Cancel, NoProgress, ProblemKind, ProgressEvent};
use m1nd_engine::{Adapter, EngineError, IngestRequest, Mode, ReadError};
use std::sync::Mutex;

use crate::project::{PYTHON, Project, edges, incremental, ingest, path};

#[test]
fn files_become_a_graph() {
    let project = Project::new(PYTHON);
    let engine = project.open();
    assert!(engine.snapshot().is_empty() && engine.snapshot().generation() == 0);
    let report = ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!((report.files_scanned, report.files_parsed), (5, 5), "{report:?}");
    let snapshot = engine.snapshot();
    assert_eq!(snapshot.generation(), report.generation);
    assert_eq!((snapshot.graph().node_count(), snapshot.graph().edge_count()), (report.node_count, report.edge_count));
    let run = edges(&snapshot, "file::app/main.py::fn::run");
    assert!(run.contains(&"calls file::app/pool.py::class::Pool::fn::acquire".to_owned()), "{run:?}");
    let test = snapshot.graph().find("file::tests/test_main.py::fn::test_run").expect("node");
    assert!(snapshot.graph().flags(test).has(m1nd_engine::graph::NodeFlags::TEST));
    assert_eq!(snapshot.files().get(&path("app/pool.py")).expect("file").lines, 6);
    assert!(snapshot.tiers().certain > 0);
}

#[test]
fn a_header_is_one_of_cpp_below_a_long_licence_too() {
    let licence = "// All rights reserved, and much more to say about it.\n".repeat(100);
    let project = Project::new(&format!("//- slice.h\n{licence}namespace db {{\nclass Slice {{}};\n}}\n"));
    let snapshot = project.open_indexed().snapshot();
    let languages: Vec<&str> = snapshot.files().iter().map(|file| file.language.name()).collect();
    assert_eq!(languages, ["cpp"]);
    assert_eq!(snapshot.nodes_named("db::Slice").len(), 1);
}

#[test]
fn lines_have_nodes_and_texts_know_their_age() {
    let project = Project::new(PYTHON);
    let snapshot = project.open_indexed().snapshot();
    let at = |line| snapshot.node_at(&path("app/pool.py"), line).map(|node| snapshot.graph().id(node).to_owned());
    assert_eq!(at(1).as_deref(), Some("file::app/pool.py::class::Pool"));
    assert_eq!(at(3).as_deref(), Some("file::app/pool.py::class::Pool::fn::acquire"));
    assert_eq!(at(4).as_deref(), Some("file::app/pool.py"));
    assert_eq!(snapshot.node_at(&path("nowhere.py"), 1), None);
    let text = snapshot.read_file(&path("README.md")).expect("reads");
    assert!(text.text.starts_with("# Pool") && text.indexed && !text.stale);
    project.tree.write("README.md", "# Other\n");
    assert!(snapshot.read_file(&path("README.md")).expect("reads").stale);
    assert!(matches!(snapshot.read_file(&path("none.md")), Err(ReadError::Files(_))));
}

#[test]
fn only_allowed_roots_are_read() {
    let project = Project::new(PYTHON);
    let other = Project::new("//- x.py\nx = 1\n");
    let engine = project.open_indexed();
    let before = engine.snapshot().generation();
    for outside in [other.tree.path().to_owned(), other.tree.join("x.py"), "/etc".into(), project.tree.join("../..")] {
        let error = ingest(&engine, IngestRequest::code(outside)).expect_err("refused");
        assert!(matches!(error, EngineError::OutsideRoots { .. }), "{error}");
        assert!(error.to_string().contains("allow"), "{error}");
    }
    let missing = ingest(&engine, IngestRequest::code(project.tree.join("nothing"))).expect_err("refused");
    assert!(matches!(missing, EngineError::PathNotFound(_)), "{missing}");
    assert_eq!(engine.snapshot().generation(), before);
}

#[test]
fn a_path_inside_a_root_keeps_ids() {
    let project = Project::new(PYTHON);
    let engine = project.open_indexed();
    project.tree.write("app/pool.py", "class Pool:\n    def release(self):\n        pass\n");
    project.tree.write("app/other.py", "x = 1\n");
    let report = ingest(&engine, IngestRequest::code(project.tree.join("app/pool.py"))).expect("ingests");
    assert_eq!(report.files_scanned, 1);
    let snapshot = engine.snapshot();
    assert!(snapshot.graph().find("file::app/pool.py::class::Pool::fn::release").is_some());
    assert!(snapshot.graph().find("file::app/other.py").is_none(), "only the file was asked for");
    ingest(&engine, IngestRequest::code(project.tree.join("app"))).expect("ingests");
    let snapshot = engine.snapshot();
    assert!(snapshot.graph().find("file::app/other.py").is_some());
    assert!(snapshot.graph().find("file::README.md").is_some(), "the rest of the root stays");
    assert_eq!(snapshot.roots().len(), 1);
}

#[test]
fn merged_roots_get_a_prefix_and_replace_takes_them_away() {
    let first = Project::new("//- a.py\ndef f(): pass\n");
    let second = Project::new("//- a.py\ndef g(): pass\n");
    let mut config = first.config();
    config.roots.push(second.tree.path().into());
    let engine = m1nd_engine::Engine::open(config).expect("opens");
    ingest(&engine, IngestRequest::code(first.tree.path())).expect("ingests");
    let merge = IngestRequest { mode: Mode::Merge, ..IngestRequest::code(second.tree.path()) };
    ingest(&engine, merge).expect("ingests");
    let snapshot = engine.snapshot();
    let name = second.tree.path().file_name().expect("named").to_str().expect("UTF-8").to_owned();
    assert!(snapshot.graph().find("file::a.py::fn::f").is_some());
    assert!(snapshot.graph().find(&format!("file::{name}/a.py::fn::g")).is_some(), "{}", snapshot.graph().dump());
    assert!(snapshot.read_file(&path(&format!("{name}/a.py"))).expect("reads").text.contains("def g"));
    second.tree.write("a.py", "def h(): pass\n");
    ingest(&engine, IngestRequest { mode: Mode::Merge, ..IngestRequest::code(second.tree.path()) }).expect("ingests");
    assert!(engine.snapshot().graph().find(&format!("file::{name}/a.py::fn::h")).is_some());
    ingest(&engine, IngestRequest::code(first.tree.path())).expect("ingests");
    let snapshot = engine.snapshot();
    assert_eq!((snapshot.roots().len(), snapshot.files().len()), (1, 1));
}

#[test]
fn imported_graphs_live_beside_the_code() {
    let project = Project::new(PYTHON);
    project.tree.write(
        "services.json",
        r#"{"nodes":[{"id":"svc::billing","label":"billing","type":"concept"},{"id":"svc::mail"}],
            "edges":[{"source":"svc::billing","target":"file::app/pool.py","relation":"calls"},
                     {"source":"file::app/main.py","target":"svc::mail"},
                     {"source":"svc::billing","target":"svc::gone"}]}"#,
    );
    let engine = project.open_indexed();
    let json = IngestRequest {
        adapter: Adapter::Json,
        mode: Mode::Merge,
        ..IngestRequest::code(project.tree.join("services.json"))
    };
    let report = ingest(&engine, json).expect("ingests");
    assert_eq!((report.nodes_created, report.bad_edges), (2, 1));
    assert_eq!(report.bad_edge_examples, ["svc::billing → svc::gone"]);
    assert_eq!(edges(&engine.snapshot(), "svc::billing"), ["calls file::app/pool.py"]);
    // They stay when code changes, incrementally or again, and when the engine is opened again.
    project.tree.write("app/main.py", "def other(): pass\n");
    incremental(&engine, project.tree.path());
    let with_code = edges(&engine.snapshot(), "file::app/main.py");
    assert_eq!(with_code, ["relates_to svc::mail"]);
    let dump = engine.snapshot().graph().dump();
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!(engine.snapshot().graph().dump(), dump);
    drop(engine);
    assert_eq!(project.open().snapshot().graph().dump(), dump);
}

#[test]
fn bad_input_is_reported_and_the_rest_indexed() {
    let project = Project::new("//- ok.py\ndef f(): pass\n");
    project.tree.write("latin.py", b"def g(): return '\xe9'\n");
    project.tree.write("binary.py", b"\0\0\0");
    project.tree.write("nested.py", "(".repeat(40_000));
    project.tree.write("broken.py", "def (:\n");
    std::os::unix::fs::symlink("..", project.tree.join("loop")).expect("links");
    std::os::unix::fs::symlink("/etc/passwd", project.tree.join("passwd.py")).expect("links");
    let engine = project.open();
    let report = ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    let kinds: Vec<ProblemKind> = report.problems.iter().map(|(kind, _)| *kind).collect();
    for kind in [ProblemKind::InvalidUtf8, ProblemKind::Binary, ProblemKind::SymbolicLink, ProblemKind::SyntaxErrors] {
        assert!(kinds.contains(&kind), "{kind:?} in {report:?}");
    }
    let snapshot = engine.snapshot();
    for file in ["ok.py::fn::f", "latin.py::fn::g", "binary.py", "nested.py", "broken.py"] {
        assert!(snapshot.graph().find(&format!("file::{file}")).is_some(), "{file}");
    }
    assert!(snapshot.graph().find("file::passwd.py").is_none());
    assert!(engine.status().problems.iter().any(|problem| problem.kind == ProblemKind::Binary));
}

#[test]
fn an_empty_folder_is_an_empty_index() {
    let project = Project::new("");
    let engine = project.open();
    let report = ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!((report.files_scanned, report.node_count), (0, 0));
    assert!(engine.snapshot().generation() > 0);
    assert!(engine.snapshot().nodes_named("x").is_empty());
}

#[test]
fn cancelling_leaves_the_index_as_it_was() {
    let project = Project::new(PYTHON);
    let engine = project.open_indexed();
    let before = engine.snapshot();
    project.tree.write("app/pool.py", "x = 1\n");
    let cancel = Cancel::new();
    cancel.cancel();
    let result = engine.ingest(IngestRequest::code(project.tree.path()), &cancel, &NoProgress);
    assert!(matches!(result, Err(EngineError::Cancelled)));
    assert_eq!(engine.snapshot().generation(), before.generation());
    assert_eq!(engine.snapshot().graph().dump(), before.graph().dump());
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert!(engine.snapshot().graph().find("file::app/pool.py::class::Pool").is_none());
}

#[test]
fn progress_names_every_stage() {
    struct Seen(Mutex<Vec<&'static str>>);
    impl m1nd_base::Progress for Seen {
        fn report(&self, event: ProgressEvent) {
            self.0.lock().expect("not poisoned").push(event.stage);
        }
    }
    let project = Project::new(PYTHON);
    let seen = Seen(Mutex::default());
    project.open().ingest(IngestRequest::code(project.tree.path()), &Cancel::new(), &seen).expect("ingests");
    let mut stages = seen.0.into_inner().expect("not poisoned");
    stages.dedup();
    assert_eq!(stages[0], "reading");
    for stage in ["parsing", "linking", "building"] {
        assert!(stages.contains(&stage), "{stages:?}");
    }
}

#[test]
fn facts_are_shared_between_worktrees() {
    let project = Project::new(PYTHON);
    drop(project.open_indexed());
    let copy = m1nd_testkit::TempTree::new(PYTHON);
    let config = m1nd_engine::EngineConfig::new(project.home.path().into(), vec![copy.path().into()]);
    let engine = m1nd_engine::Engine::open(config).expect("opens");
    let report = ingest(&engine, IngestRequest::code(copy.path())).expect("ingests");
    assert_eq!((report.files_parsed, report.files_from_cache), (0, 5));
}

#[test]
fn files_past_the_limit_of_nodes_are_reported() {
    let project = Project::new(PYTHON);
    let mut config = project.config();
    config.limits.graph_nodes = 4;
    let engine = m1nd_engine::Engine::open(config).expect("opens");
    let report = ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    let over: Vec<&str> = report
        .skipped
        .iter()
        .filter(|(_, problem)| problem.kind == ProblemKind::GraphLimit)
        .map(|(path, _)| path.as_str())
        .collect();
    assert!(!over.is_empty() && over.len() == report.files_skipped, "{report:?}");
    assert!(report.files_scanned + over.len() == 5, "every file is in the index or in the report: {report:?}");
    let snapshot = engine.snapshot();
    assert!(over.iter().all(|path| snapshot.graph().find_file(path).is_none()));
}

#[test]
fn a_failed_request_costs_the_next_ingest_nothing() {
    let project = Project::new("//- a.py\ndef f(): pass\n//- b.py\ndef g(): pass\n");
    let engine = project.open_indexed();
    let absent = project.tree.path().join("absent");
    assert!(ingest(&engine, IngestRequest::code(&absent)).is_err());
    project.tree.write("a.py", "def h(): pass\n");
    let report = incremental(&engine, &project.tree.path().join("a.py"));
    assert_eq!((report.files_scanned, report.changed), (1, true), "only the named file was looked at: {report:?}");
}

#[test]
fn folders_of_version_control_are_neither_roots_nor_indexed() {
    let project =
        Project::new("//- a.py\nx = 1\n//- .git/config\n[url]\n//- .GIT/x.py\nx = 1\n//- sub/.git\ngitdir: x\n");
    let engine = project.open_indexed();
    let dump = engine.snapshot().graph().dump();
    for inside in [".git", ".git/config", ".GIT/x.py", "sub/.git"] {
        for include_hidden in [false, true] {
            let request = IngestRequest { include_hidden, ..IngestRequest::code(project.tree.join(inside)) };
            let error = ingest(&engine, request).expect_err("refused");
            assert!(error.to_string().contains("version control"), "{inside}: {error}");
        }
        let withheld = engine.snapshot().check_withheld(&path(inside));
        assert_eq!(withheld, Some(m1nd_engine::Withheld::VersionControl), "{inside}");
        assert!(engine.snapshot().read_bytes(&path(inside)).is_err(), "{inside}");
    }
    ingest(&engine, IngestRequest { include_hidden: true, ..IngestRequest::code(project.tree.path()) })
        .expect("ingests");
    assert_eq!(engine.snapshot().graph().dump(), dump);
    let config = m1nd_engine::EngineConfig { roots: vec![project.tree.join(".git")], ..project.config() };
    assert!(matches!(m1nd_engine::Engine::open(config), Err(EngineError::Files(_))));
}

#[test]
fn a_file_that_costs_too_much_says_what_was_left_out() {
    let project = Project::new(PYTHON);
    project.tree.write("Open.java", "a<".repeat(20_000));
    project.tree.write("deep.cpp", format!("{}{}", "namespace n { int b(); ".repeat(100), "}".repeat(100)));
    let kinds = |snapshot: &m1nd_engine::Snapshot, name: &str| -> Vec<ProblemKind> {
        let file = snapshot.files().get(&path(name)).expect("the file is in the index");
        file.problems.iter().map(|problem| problem.kind).collect()
    };
    let snapshot = project.open_indexed().snapshot();
    assert_eq!(kinds(&snapshot, "Open.java"), [ProblemKind::ParseDepth]);
    assert_eq!(kinds(&snapshot, "deep.cpp"), [ProblemKind::NamesLimit]);
    assert_eq!(kinds(&snapshot, "app/main.py"), []);
    assert!((64..80).contains(&snapshot.nodes_named("n").len()), "{}", snapshot.nodes_named("n").len());

    let mut config = project.config();
    config.home = project.tree.path().join("other-home");
    config.limits.link_work = 3;
    let engine = m1nd_engine::Engine::open(config).expect("opens");
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!(kinds(&engine.snapshot(), "app/main.py"), [ProblemKind::LinkLimit]);
}

#[test]
fn a_file_that_ended_two_processes_is_left_out_until_it_changes() {
    let project = Project::new("//- a.py\nx = 1\n");
    let large = format!("def f():\n    pass\n{}", "x = 1\n".repeat(3_000));
    project.tree.write("large.py", &large);
    let notes = project.config().home.join("extracting");
    std::fs::create_dir_all(&notes).expect("a folder");
    std::fs::write(notes.join(m1nd_base::ContentHash::of(large.as_bytes()).to_string()), "..").expect("is written");
    let engine = project.open_indexed();
    let kinds = |engine: &m1nd_engine::Engine| -> Vec<ProblemKind> {
        let snapshot = engine.snapshot();
        let file = snapshot.files().get(&path("large.py")).expect("the file is in the index");
        file.problems.iter().map(|problem| problem.kind).collect()
    };
    assert_eq!(kinds(&engine), [ProblemKind::ProcessEnded]);
    project.tree.write("large.py", format!("{large}# changed\n"));
    ingest(&engine, IngestRequest::code(project.tree.path())).expect("ingests");
    assert_eq!(kinds(&engine), []);
}

#[test]
fn documents_live_beside_the_code_that_they_name() {
    let project = Project::new("//- app/pool.py\nclass Pool:\n    def acquire(self): pass\n");
    project.tree.write(
        "docs/guide.md",
        "# Guide\nA `Pool` has `Pool.acquire()`, see `app/pool.py` and `size`.\n\nCallers must return it, see 10.1000/XYZ.9.\n",
    );
    project.tree.write("docs/a.bib", "@article{x, title={Pools}, doi={10.1000/xyz.9}, author={Doe, Jane}}\n");
    project
        .tree
        .write("docs/work.json", r#"{"DOI":"10.1000/XYZ.9","type":"article","publisher":"P","title":["Pools"]}"#);
    project.tree.write("docs/broken.docx", "no archive");
    project.tree.write(
        "docs/m.light.md",
        "---\nProtocol: L1GHT/1.0\nNode: m\n---\n\n## A\n\nText.\n[⍂ entity: Pool]\n[⟁ binds_to: Pool]\n[𝔻 evidence: app/pool.py:1]\n[𝔻 evidence: gone.py]\n",
    );
    let engine = project.open_indexed();
    let request =
        |mode| IngestRequest { adapter: Adapter::Auto, mode, ..IngestRequest::code(project.tree.join("docs")) };
    let report = ingest(&engine, request(Mode::Merge)).expect("ingests");
    let documents = report.documents.expect("a report of documents");
    assert_eq!(
        documents.formats.into_iter().collect::<Vec<_>>(),
        [("bibtex", 1), ("crossref", 1), ("light", 1), ("markdown", 1)]
    );
    assert_eq!((documents.light_evidence_resolved, documents.light_evidence_unresolved), (1, 1));
    assert!(report.skipped.iter().any(|(path, _)| path == "docs/broken.docx"), "{:?}", report.skipped);
    let snapshot = engine.snapshot();
    assert_eq!(
        edges(&snapshot, "universal::document::section::docs-guide-md::guide-1"),
        [
            "declares universal::document::claim::docs-guide-md::callers-must-return-it-see-10-1000-xyz-9-1",
            "documents file::app/pool.py",
            "documents file::app/pool.py::class::Pool",
            "documents file::app/pool.py::class::Pool::fn::acquire",
        ]
    );
    // Three files name the work: it is one node, described by the file that says most.
    let graph = snapshot.graph();
    let work = graph.find("doi::10.1000/xyz.9").expect("the work");
    assert_eq!(
        (graph.label(work), edges(&snapshot, "doi::10.1000/xyz.9")),
        ("Pools", vec!["authored_by author::doe, jane".to_owned()])
    );
    let claims = graph.nodes().filter(|&node| graph.id(node).starts_with("light::light::claim::m::"));
    let claim = graph.id(claims.into_iter().next().expect("a claim")).to_owned();
    assert_eq!(
        edges(&snapshot, &claim),
        [
            "documents file::app/pool.py",
            "documents file::app/pool.py::class::Pool",
            "relates_to light::light::dep::docs-m-light-md::gone-py"
        ]
    );
    let dump = graph.dump();
    ingest(&engine, request(Mode::Merge)).expect("ingests");
    assert_eq!(engine.snapshot().graph().dump(), dump, "a second ingest changes nothing");
    // A deleted document takes its nodes along.
    std::fs::remove_file(project.tree.join("docs/guide.md")).expect("deletes");
    ingest(&engine, request(Mode::Merge)).expect("ingests");
    assert!(engine.snapshot().graph().find("universal::document::doc::docs-guide-md").is_none());
    assert!(engine.snapshot().graph().find("doi::10.1000/xyz.9").is_some());
}
