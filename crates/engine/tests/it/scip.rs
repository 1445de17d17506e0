//! Compilers' indexes: what they say replaces what was found, as long as a file is as it was.

use m1nd_base::EdgeTier;
use m1nd_engine::{
    Adapter, CompilerReport, Engine, EngineConfig, EngineError, IngestReport, IngestRequest, Mode, Snapshot,
};
use protobuf::Message;
use scip::types::{Document, Index, Metadata, Occurrence, PositionEncoding, Relationship, SymbolInformation, ToolInfo};

use crate::project::{Project, incremental, ingest};

const FIXTURE: &str = "\
//- /app/shapes.py
class Circle:
    def area(self): return 1

class Square:
    def area(self): return 2
    def side(self): return 3

def unit(): return Circle()
//- /app/use.py
from app.shapes import Circle, unit
import json

def either(shape):
    return shape.area()

def outside(shape):
    return shape.side()

def wrong():
    return unit()

def unseen(shape):
    return getattr(shape, 'side')
//- /other.py
def alone(): return 1
";

const AREA: &str = "scip-python python app 1 `app.shapes`/Square#area().";
const SIDE: &str = "scip-python python app 1 `app.shapes`/Square#side().";
const UNIT: &str = "scip-python python app 1 `app.shapes`/unit().";
const CIRCLE: &str = "scip-python python app 1 `app.shapes`/Circle#";
const DUMPS: &str = "scip-python python python-stdlib 3.11 json/dumps().";
const USE: &str = "app/use.py";

/// A use (or a definition) of a symbol: 0-based line, columns from and to.
type Row<'a> = (i32, i32, i32, &'a str, bool);

fn document(path: &str, rows: &[Row<'_>]) -> Document {
    let occurrences = rows.iter().map(|&(line, from, to, symbol, defines)| Occurrence {
        range: vec![line, from, to],
        symbol: symbol.into(),
        symbol_roles: i32::from(defines),
        ..Default::default()
    });
    Document { relative_path: path.into(), occurrences: occurrences.collect(), ..Default::default() }
}

fn bytes(documents: Vec<Document>) -> Vec<u8> {
    let tool = ToolInfo { name: "scip-python".into(), ..Default::default() };
    let metadata = Metadata { tool_info: Some(tool).into(), ..Default::default() };
    let index = Index { metadata: Some(metadata).into(), documents, ..Default::default() };
    index.write_to_bytes().expect("encodes")
}

/// Definitions of `shapes.py`.
fn shapes() -> Document {
    let rows: &[Row<'_>] =
        &[(0, 6, 12, CIRCLE, true), (4, 8, 12, AREA, true), (5, 8, 12, SIDE, true), (7, 4, 8, UNIT, true)];
    document("app/shapes.py", rows)
}

/// What the index says of `use.py`: `either` and `outside` call other things than can be found out, `wrong` calls
/// another one than it does.
fn uses() -> Document {
    let rows: &[Row<'_>] = &[
        (4, 17, 21, AREA, false),
        (7, 17, 21, DUMPS, false),
        (10, 11, 15, CIRCLE, false),
        (13, 26, 32, SIDE, false),
        (3, 11, 16, "local 0", true),
    ];
    document(USE, rows)
}

fn import(project: &Project, engine: &Engine, mode: Mode, bytes: &[u8]) -> Result<IngestReport, EngineError> {
    project.tree.write("index.scip", bytes);
    let request = IngestRequest { adapter: Adapter::Scip, mode, ..IngestRequest::code("index.scip") };
    ingest(engine, request)
}

fn import_both(project: &Project, engine: &Engine) -> CompilerReport {
    let report = import(project, engine, Mode::Replace, &bytes(vec![shapes(), uses()])).expect("imports");
    report.compiler.expect("reports")
}

/// Out-edges of a function of `use.py`: relation, tier, target; `!` if the index says so.
fn show_edges(snapshot: &Snapshot, name: &str) -> Vec<String> {
    let graph = snapshot.graph();
    let id = format!("file::{USE}::fn::{name}");
    let node = graph.find(&id).unwrap_or_else(|| panic!("no node {id} in\n{}", graph.dump()));
    let short = |id: &str| id.rsplit("::").next().unwrap_or(id).to_owned();
    let mut rows: Vec<String> = graph
        .out_edges(node)
        .map(|edge| {
            let mark = if edge.compiler { "!" } else { "" };
            let owner = graph.parent(edge.to).map(|parent| short(graph.id(parent))).unwrap_or_default();
            format!("{} {} {owner}.{}{mark}", edge.relation, edge.tier, short(graph.id(edge.to)))
        })
        .collect();
    rows.sort();
    rows
}

fn read(project: &Project, path: &str) -> String {
    std::fs::read_to_string(project.tree.join(path)).expect("reads")
}

fn status(engine: &Engine) -> Option<(usize, usize)> {
    engine.status().compiler.map(|row| (row.files, row.stale))
}

const BEFORE: &[(&str, &[&str])] = &[
    ("either", &["calls possible Circle.area", "calls possible Square.area"]),
    ("outside", &["calls possible Square.side"]),
    ("wrong", &["calls certain app/shapes.py.unit"]),
    ("unseen", &["calls external .builtins"]),
];

const AFTER: &[(&str, &[&str])] = &[
    ("either", &["calls certain Square.area!"]),
    ("outside", &["calls external .json!"]),
    ("wrong", &["calls certain app/shapes.py.Circle!"]),
    ("unseen", &["calls external .builtins", "references certain Square.side!"]),
];

#[track_caller]
fn check(snapshot: &Snapshot, expected: &[(&str, &[&str])]) {
    for (name, rows) in expected {
        assert_eq!(show_edges(snapshot, name), *rows, "{name}");
    }
}

#[test]
fn an_index_replaces_what_was_found() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    check(&engine.snapshot(), BEFORE);
    let report = import_both(&project, &engine);
    check(&engine.snapshot(), AFTER);
    assert_eq!((report.documents, report.files, report.files_stale, report.files_unknown), (2, 2, 0, 0));
    assert_eq!((report.definitions, report.definitions_without_node), (4, 1));
    assert_eq!((report.confirmed, report.settled, report.contradicted, report.added), (0, 2, 1, 1));
    let row = &report.contradictions[0];
    assert_eq!((row.file.as_str(), row.line, row.col, row.name.as_str(), row.role), (USE, 11, 12, "unit", "call"));
    assert_eq!(row.ours, ["file::app/shapes.py::fn::unit"]);
    assert_eq!(row.theirs, ["file::app/shapes.py::class::Circle"]);
    assert_eq!(status(&engine), Some((2, 0)));
}

#[test]
fn what_it_says_is_kept_over_a_restart_and_a_lost_snapshot() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    import_both(&project, &engine);
    drop(engine);
    let engine = project.open();
    check(&engine.snapshot(), AFTER);
    assert_eq!(status(&engine), Some((2, 0)));
    incremental(&engine, project.tree.path());
    check(&engine.snapshot(), AFTER);
    drop(engine);
    let projects = project.home.path().join("projects");
    let folder = std::fs::read_dir(projects).expect("lists").next().expect("one project").expect("reads").path();
    std::fs::remove_dir_all(folder.join("snapshots")).expect("removes");
    let engine = project.open_indexed();
    check(&engine.snapshot(), AFTER);
    assert_eq!(status(&engine), Some((2, 0)));
}

#[test]
fn a_damaged_store_is_set_aside_and_said() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    import_both(&project, &engine);
    drop(engine);
    let projects = project.home.path().join("projects");
    let folder = std::fs::read_dir(projects).expect("lists").next().expect("one project").expect("reads").path();
    let file = folder.join("compiler-index.m1nd");
    let mut stored = std::fs::read(&file).expect("reads");
    let last = stored.len() - 1;
    stored[last] ^= 1;
    std::fs::write(&file, stored).expect("writes");
    let engine = project.open_indexed();
    check(&engine.snapshot(), BEFORE);
    assert_eq!(status(&engine), None);
    assert!(!file.exists());
}

#[test]
fn an_edited_file_is_stale_until_it_is_as_it_was() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    import_both(&project, &engine);
    let before = read(&project, USE);
    project.tree.write(USE, format!("{before}\n# edited\n"));
    incremental(&engine, project.tree.path());
    check(&engine.snapshot(), BEFORE);
    assert_eq!(status(&engine), Some((2, 1)));
    project.tree.write(USE, &before);
    incremental(&engine, project.tree.path());
    check(&engine.snapshot(), AFTER);
    assert_eq!(status(&engine), Some((2, 0)));
}

#[test]
fn an_edit_of_the_target_keeps_what_is_said_of_nodes_that_are_still_there() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    import_both(&project, &engine);
    let text = read(&project, "app/shapes.py");
    let moved = text.replace("class Square", "# moved\nclass Square").replace("def side", "def edge");
    project.tree.write("app/shapes.py", &moved);
    incremental(&engine, project.tree.path());
    let snapshot = engine.snapshot();
    check(&snapshot, &[AFTER[0], AFTER[1], AFTER[2], BEFORE[3]]);
    assert_eq!(status(&engine), Some((2, 1)));
    project.tree.write("app/shapes.py", &text);
    incremental(&engine, project.tree.path());
    check(&engine.snapshot(), AFTER);
}

#[test]
fn another_import_replaces_or_adds() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    import_both(&project, &engine);
    // Another source: both are kept, the newer one for the files that it is about.
    project.tree.write("more.scip", bytes(vec![document("other.py", &[]), document(USE, &[])]));
    let request = |mode| IngestRequest { adapter: Adapter::Scip, mode, ..IngestRequest::code("more.scip") };
    ingest(&engine, request(Mode::Merge)).expect("imports");
    assert_eq!(status(&engine), Some((3, 0)));
    check(&engine.snapshot(), BEFORE);
    import_both(&project, &engine);
    assert_eq!(status(&engine), Some((2, 0)));
    check(&engine.snapshot(), AFTER);
    ingest(&engine, request(Mode::Replace)).expect("imports");
    assert_eq!(status(&engine), Some((2, 0)));
    check(&engine.snapshot(), BEFORE);
}

#[test]
fn documents_that_do_not_fit_are_left_out() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let report = |documents: Vec<Document>| {
        import(&project, &engine, Mode::Replace, &bytes(documents)).map(|report| report.compiler.expect("reports"))
    };
    // A definition that does not stand where the index says.
    let shifted = document(USE, &[(4, 4, 10, UNIT, true)]);
    let found = report(vec![shapes(), shifted]).expect("imports");
    assert_eq!((found.files, found.files_stale, found.stale_examples.as_slice()), (1, 1, &[USE.to_owned()][..]));
    // A place past the end of a line, and of the file.
    for row in [(4, 90, 99, AREA, false), (400, 0, 1, AREA, false)] {
        assert_eq!(report(vec![shapes(), document(USE, &[row])]).expect("imports").files_stale, 1);
    }
    let other = Document { text: "other text".into(), ..uses() };
    assert_eq!(report(vec![shapes(), other]).expect("imports").files_stale, 1);
    let same = Document { text: read(&project, USE), ..uses() };
    assert_eq!(report(vec![shapes(), same]).expect("imports").files_stale, 0);
    // Numbers that are no place are left out alone.
    let odd = document(USE, &[(-1, 0, 1, AREA, false), (4, 21, 17, AREA, false), (4, 17, 21, AREA, false)]);
    assert_eq!(report(vec![shapes(), odd]).expect("imports").references, 1);
    for path in ["/app/use.py", "../app/use.py", "app/../../use.py", "C:\\use.py", "", "none.py"] {
        let found = report(vec![shapes(), Document { relative_path: path.into(), ..uses() }]).expect("imports");
        assert_eq!((found.files, found.files_unknown), (1, 1), "{path}");
    }
    assert!(matches!(report(vec![document("none.py", &[])]), Err(EngineError::BadRequest(_))));
}

#[test]
fn what_is_no_index_is_refused() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    import_both(&project, &engine);
    let whole = bytes(vec![shapes(), uses()]);
    let cut = &whole[..whole.len() - 3];
    let deep = [0x12u8, 0xff, 0xff, 0xff, 0xff, 0x0f];
    for bad in [b"" as &[u8], b"not an index", &[0xff; 64], cut, &deep] {
        let error = import(&project, &engine, Mode::Replace, bad).expect_err("is no index");
        assert!(matches!(error, EngineError::BadIndex { .. }), "{error}");
    }
    // What was there before is as it was.
    check(&engine.snapshot(), AFTER);
    let request = IngestRequest { adapter: Adapter::Scip, ..IngestRequest::code(project.tree.path()) };
    assert!(matches!(ingest(&engine, request), Err(EngineError::BadRequest(_))));
    let empty = Project::new("//- /index.scip\nx\n");
    let error = import(&empty, &empty.open(), Mode::Replace, &whole).expect_err("nothing is indexed");
    assert!(matches!(error, EngineError::BadRequest(_)), "{error}");
}

#[test]
fn columns_of_any_unit_are_understood() {
    let text = "def f(): return 1\n\ndef g(): return 'é𝒳', f()\n";
    let project = Project::new(&format!("//- /a.py\n{text}"));
    let engine = project.open_indexed();
    let symbol = "scip-python python a 1 a/f().";
    use PositionEncoding as P;
    for (encoding, col) in [
        (P::UTF8CodeUnitOffsetFromLineStart, 26),
        (P::UTF16CodeUnitOffsetFromLineStart, 23),
        (P::UTF32CodeUnitOffsetFromLineStart, 22),
        (P::UnspecifiedPositionEncoding, 23),
    ] {
        let rows: &[Row<'_>] = &[(0, 4, 5, symbol, true), (2, col, col + 1, symbol, false)];
        let document = Document { position_encoding: encoding.into(), ..document("a.py", rows) };
        let report = import(&project, &engine, Mode::Replace, &bytes(vec![document])).expect("imports");
        assert_eq!(report.compiler.expect("reports").confirmed, 1, "{encoding:?}");
    }
    let snapshot = engine.snapshot();
    let graph = snapshot.graph();
    let edge = graph.out_edges(graph.find("file::a.py::fn::g").expect("a node")).next().expect("an edge");
    assert_eq!((edge.tier, edge.compiler), (EdgeTier::Certain, true));
}

#[test]
fn a_local_variable_is_not_the_type_of_its_name() {
    let text = "export function f() {\n  const a = 1;\n  type a = number;\n  return g(a);\n}\nfunction g(x: number) { return x; }\n";
    let project = Project::new(&format!("//- /a.ts\n{text}"));
    let engine = project.open_indexed();
    let rows: &[Row<'_>] = &[
        (1, 8, 9, "local 1", true),
        (2, 7, 8, "local 2", true),
        (3, 11, 12, "local 1", false),
        (3, 11, 12, "local 2", false),
    ];
    let before = engine.snapshot().graph().dump();
    let report = import(&project, &engine, Mode::Replace, &bytes(vec![document("a.ts", rows)])).expect("imports");
    assert_eq!(report.compiler.expect("reports").added, 0);
    assert_eq!(engine.snapshot().graph().dump(), before);
}

/// Out-edges of a node of `shapes.py` but those to what it contains, as `said` has them.
fn said_of_shapes(snapshot: &Snapshot, id: &str) -> Vec<String> {
    let graph = snapshot.graph();
    let node = graph.find(&format!("file::app/shapes.py::{id}")).expect("a node");
    let edges = graph.out_edges(node).filter(|edge| edge.relation != m1nd_base::Relation::Contains);
    let row = |edge: m1nd_engine::graph::EdgeRef<'_>| {
        let mark = if edge.compiler { "!" } else { "" };
        let to = graph.id(edge.to).strip_prefix("file::app/shapes.py::").unwrap_or("elsewhere");
        format!("{} {} {to}{mark}", edge.relation, edge.tier)
    };
    edges.map(row).collect()
}

#[test]
fn what_implements_what_becomes_edges_to_the_next_one_above() {
    const CIRCLE_AREA: &str = "scip-python python app 1 `app.shapes`/Circle#area().";
    const SQUARE: &str = "scip-python python app 1 `app.shapes`/Square#";
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let implements = |symbol: &str, above: &[&str]| SymbolInformation {
        symbol: symbol.into(),
        relationships: above
            .iter()
            .map(|above| Relationship { symbol: (*above).into(), is_implementation: true, ..Default::default() })
            .collect(),
        ..Default::default()
    };
    let mut document = shapes();
    document
        .occurrences
        .extend(self::document("", &[(1, 8, 12, CIRCLE_AREA, true), (3, 6, 12, SQUARE, true)]).occurrences);
    // `side` names all that stands above it; what leads out of the project is no edge.
    document.symbols = vec![
        implements(SQUARE, &[CIRCLE, DUMPS]),
        implements(AREA, &[CIRCLE_AREA]),
        implements(SIDE, &[AREA, CIRCLE_AREA]),
    ];
    let report = import(&project, &engine, Mode::Replace, &bytes(vec![document])).expect("imports");
    assert_eq!(report.compiler.expect("reports").implementations, 3);
    let check = |wanted: [&[&str]; 3]| {
        let snapshot = engine.snapshot();
        for (id, wanted) in ["class::Square", "class::Square::fn::area", "class::Square::fn::side"].iter().zip(wanted) {
            assert_eq!(said_of_shapes(&snapshot, id), wanted, "{id}");
        }
    };
    let told: [&[&str]; 3] = [
        &["inherits certain class::Circle!"],
        &["overrides certain class::Circle::fn::area!"],
        &["overrides certain class::Square::fn::area!"],
    ];
    check(told);
    let text = read(&project, "app/shapes.py");
    project.tree.write("app/shapes.py", format!("{text}\n# edited\n"));
    incremental(&engine, project.tree.path());
    check([&[], &[], &[]]);
    project.tree.write("app/shapes.py", text);
    incremental(&engine, project.tree.path());
    check(told);
}

#[test]
fn an_imported_index_can_be_dropped() {
    let project = Project::new(FIXTURE);
    let engine = project.open_indexed();
    let drop_from = |path: &str| {
        ingest(&engine, IngestRequest { adapter: Adapter::Scip, mode: Mode::Drop, ..IngestRequest::code(path) })
    };
    let refused = |path: &str| match drop_from(path) {
        Err(EngineError::BadRequest(why)) => why,
        other => panic!("{other:?}"),
    };
    assert!(refused("index.scip").contains("no compiler's index is imported"));
    import_both(&project, &engine);
    project.tree.write("more.scip", bytes(vec![document("other.py", &[])]));
    let more = IngestRequest { adapter: Adapter::Scip, mode: Mode::Merge, ..IngestRequest::code("more.scip") };
    ingest(&engine, more).expect("imports");
    assert_eq!(status(&engine), Some((3, 0)));
    assert!(refused("none.scip").contains("imported are `index.scip`, `more.scip`"));
    // The file it came from need not be there.
    project.tree.remove("index.scip");
    assert!(drop_from("index.scip").expect("drops").changed);
    assert_eq!(status(&engine), Some((1, 0)));
    check(&engine.snapshot(), BEFORE);
    import_both(&project, &engine);
    ingest(&engine, IngestRequest { mode: Mode::Merge, adapter: Adapter::Scip, ..IngestRequest::code("more.scip") })
        .expect("imports");
    check(&engine.snapshot(), AFTER);
    let root = project.tree.path().to_string_lossy().into_owned();
    drop_from(&root).expect("drops all");
    assert_eq!(status(&engine), None);
    check(&engine.snapshot(), BEFORE);
    drop(engine);
    let engine = project.open_indexed();
    check(&engine.snapshot(), BEFORE);
    assert_eq!(status(&engine), None);
    let code = IngestRequest { mode: Mode::Drop, ..IngestRequest::code(project.tree.path()) };
    assert!(matches!(ingest(&engine, code), Err(EngineError::BadRequest(_))));
}

#[test]
fn the_index_of_a_repository_counts_in_a_federation_but_not_for_what_another_one_has() {
    let fixture = FIXTURE.replace("//- /", "//- /own/")
        + "//- /own/pyproject.toml\n[project]\nname = \"own\"\ndependencies = [\"tool-kit\"]\n\
           //- /own/app/far.py\nfrom toolkit import run\n\ndef far():\n    return run()\n\
           //- /kit/pyproject.toml\n[project]\nname = \"tool-kit\"\n//- /kit/toolkit.py\ndef run(): return 1\n";
    let project = Project::new(&fixture);
    let run = "scip-python python tool-kit 1 toolkit/run().";
    let far = document("app/far.py", &[(3, 11, 14, run, false)]);
    project.tree.write("own/index.scip", bytes(vec![shapes(), uses(), far]));
    let own = project.tree.join("own");
    let config = || EngineConfig { roots: vec![own.clone()], ..project.config() };
    let engine = Engine::open(config()).expect("opens");
    ingest(&engine, IngestRequest::code(&own)).expect("ingests");
    let request = IngestRequest { adapter: Adapter::Scip, ..IngestRequest::code("index.scip") };
    ingest(&engine, request).expect("imports");
    drop(engine);

    let engine = project.open_federated(&["own", "kit"]);
    let check = |engine: &Engine| {
        let snapshot = engine.snapshot();
        let out = |id: &str| crate::project::edges(&snapshot, id);
        assert_eq!(
            out("file::own/app/use.py::fn::either"),
            ["calls file::own/app/shapes.py::class::Square::fn::area"],
            "what the compiler says is kept"
        );
        assert_eq!(out("file::own/app/far.py::fn::far"), ["calls file::kit/toolkit.py::fn::run"]);
        assert_eq!(status(engine), Some((3, 0)));
    };
    check(&engine);
    drop(engine);
    check(&project.open_federated(&["own", "kit"]));
    // Dropped where it was imported, it is gone when the federation is opened again.
    let engine = Engine::open(config()).expect("opens");
    ingest(&engine, IngestRequest { adapter: Adapter::Scip, mode: Mode::Drop, ..IngestRequest::code("index.scip") })
        .expect("drops");
    drop(engine);
    assert_eq!(status(&project.open_federated(&["own", "kit"])), None);
}
