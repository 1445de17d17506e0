//! Tables of a graph: columns, rows, row groups, equal bytes; what manifests require and offer.

use std::fs::File;
use std::io::Read;

use m1nd_base::Cancel;
use m1nd_engine::Snapshot;
use m1nd_query::export::dependencies::Packages;
use m1nd_query::export::parquet::{Column, ColumnKind, ParquetError, Table, TableWriter, Value, write_table};
use parquet::file::reader::{FileReader, SerializedFileReader};

use crate::project::Project;

const PROGRAM: &str = "m1nd test";

fn write(snapshot: &Snapshot, table: Table) -> File {
    let file = tempfile::tempfile().expect("a file");
    write_table(snapshot, table, PROGRAM, &file, &Cancel::new()).expect("a table");
    file
}

/// The rows of a table as text.
fn read_rows(file: File) -> Vec<String> {
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    reader.get_row_iter(None).expect("rows").map(|row| row.expect("a row").to_string()).collect()
}

fn read_bytes(file: &File) -> Vec<u8> {
    use std::io::Seek;
    let (mut file, mut bytes) = (file, Vec::new());
    file.rewind().expect("the start");
    file.read_to_end(&mut bytes).expect("bytes");
    bytes
}

const SHOP: &str = "\
//- pyproject.toml
[project]
name = \"shop\"
version = \"2.1\"
dependencies = [\"Requests >= 2\"]
//- uv.lock
[[package]]
name = \"requests\"
version = \"2.32.3\"
//- shop/__init__.py
import requests


def fetch(address):
    first = requests.get(address)
    second = requests.get(address)
    print(first.status_code, second.status_code, address, address, address)
    return first.json() if first.ok else second.json()


def same(address):
    # The same but for its name.
    first = requests.get(address)
    second = requests.get(address)
    print(first.status_code, second.status_code, address, address, address)
    return first.json() if first.ok else second.json()
//- config.py
password = \"hV7kQ2x9LpR4tZ8w\"
";

#[test]
fn rows_of_the_tables() {
    let project = Project::new(SHOP);
    let snapshot = project.open_indexed().snapshot();
    let rows = |table| read_rows(write(&snapshot, table));
    let nodes = rows(Table::Nodes);
    let fetch = nodes.iter().find(|row| row.contains("::fn::fetch")).expect("the function");
    for part in
        ["kind: \"function\"", "line: 4", "is_exported: true", "is_test: false", "signature: \"def fetch(address)\""]
    {
        assert!(fetch.contains(part), "{part}: {fetch}");
    }
    // Uses of packages, with the version of the lock file.
    let external = rows(Table::External);
    let get = external.iter().find(|row| row.contains("member: \"get\"") && row.contains("fn::fetch"));
    let get = get.unwrap_or_else(|| panic!("{external:#?}"));
    for part in [
        "ecosystem: \"pypi\"", "package: \"requests\"", "requirement: \">= 2\"", "version: \"2.32.3\"", "lines: [5, 6]",
    ] {
        assert!(get.contains(part), "{part}: {get}");
    }
    // Copies and secrets.
    let hashes: Vec<String> = rows(Table::Bodies)
        .iter()
        .map(|row| row.split("exact: ").nth(1).expect("a hash").split(',').next().unwrap_or_default().to_owned())
        .collect();
    assert!(hashes.len() == 2 && hashes[0] == hashes[1], "copies have equal hashes: {hashes:?}");
    let secrets = rows(Table::Secrets);
    assert!(secrets.len() == 1 && secrets[0].contains("config.py") && !secrets[0].contains("hV7"), "{secrets:?}");
    assert!(rows(Table::Cross).is_empty(), "one repository alone has no edges into others");
    // All rows of the graph.
    let edges = snapshot.graph().nodes().map(|node| snapshot.graph().out_edges(node).count()).sum::<usize>();
    assert_eq!(rows(Table::Edges).len(), edges);
    assert_eq!(rows(Table::Files).len(), snapshot.files().len());
}

#[test]
fn equal_graphs_give_equal_bytes_with_the_version() {
    let projects = [Project::new(SHOP), Project::new(SHOP)];
    let [one, other] = projects.each_ref().map(|project| project.open_indexed().snapshot());
    for table in Table::ALL {
        let file = write(&one, table);
        assert_eq!(read_bytes(&file), read_bytes(&write(&other, table)), "{table:?}");
        let reader = SerializedFileReader::new(file).expect("a Parquet file");
        let metadata = reader.metadata().file_metadata();
        let pairs = metadata.key_value_metadata().expect("metadata");
        let said: Vec<String> =
            pairs.iter().map(|pair| format!("{}={}", pair.key, pair.value.clone().unwrap_or_default())).collect();
        let table_name = format!("m1nd.table={}", table.name());
        assert_eq!(said, ["m1nd.format_version=1", "m1nd.generator=m1nd test", &table_name]);
        let columns: Vec<&str> = metadata.schema().get_fields().iter().map(|field| field.name()).collect();
        assert_eq!(columns, table.columns().iter().map(|column| column.name).collect::<Vec<_>>());
    }
}

#[test]
fn edges_between_repositories_of_a_federation() {
    let files = "//- one/pyproject.toml\n[project]\nname = \"one\"\ndependencies = [\"two\"]\n\
                 //- one/a.py\nfrom two import help\n\ndef use():\n    return help() + own()\n\ndef own():\n    return 1\n\
                 //- two/pyproject.toml\n[project]\nname = \"two\"\n//- two/two.py\ndef help():\n    return 1\n";
    let project = Project::new(files);
    let rows = read_rows(write(&project.open_federated(&["one", "two"]).snapshot(), Table::Cross));
    let calls: Vec<&String> = rows.iter().filter(|row| row.contains("relation: \"calls\"")).collect();
    assert_eq!(calls.len(), 1, "{rows:#?}");
    for part in [
        "source_repository: \"one\"",
        "source: \"file::a.py::fn::use\"",
        "source_file: \"a.py\"",
        "tier: \"certain\"",
        "target_repository: \"two\"",
        "target: \"file::two.py::fn::help\"",
        "lines: [4]",
    ] {
        assert!(calls[0].contains(part), "{part}: {}", calls[0]);
    }
}

const WIDE: &[Column] = &[
    Column { name: "name", kind: ColumnKind::OptionalText },
    Column { name: "count", kind: ColumnKind::Long },
    Column { name: "lines", kind: ColumnKind::Numbers },
];

#[test]
fn long_tables_have_several_row_groups() {
    let file = tempfile::tempfile().expect("a file");
    let mut writer = TableWriter::new("wide", WIDE, PROGRAM, &file).expect("a writer");
    for number in 0..70_000u32 {
        let name = (number % 2 == 0).then(|| format!("n{number}"));
        writer
            .push([name.into(), u64::from(number).into(), vec![number; (number % 3) as usize].into()])
            .expect("a row");
    }
    assert_eq!(writer.finish().expect("a table"), 70_000);
    assert_eq!(SerializedFileReader::new(file.try_clone().expect("a file")).expect("a table").num_row_groups(), 2);
    let rows = read_rows(file);
    for (number, expected) in [
        (0, "{name: \"n0\", count: 0, lines: []}"),
        (1, "{name: null, count: 1, lines: [1]}"),
        (69_998, "{name: \"n69998\", count: 69998, lines: [69998, 69998]}"),
    ] {
        assert_eq!(rows[number], expected);
    }
}

#[test]
fn rows_that_do_not_fit_are_refused() {
    for row in [vec![], vec![Value::Flag(true)], vec!["a".into(), 1u32.into()]] {
        let mut writer = TableWriter::new("wide", WIDE, PROGRAM, Vec::new()).expect("a writer");
        assert!(matches!(writer.push(row.clone()), Err(ParquetError::Mismatch { table: "wide", .. })), "{row:?}");
    }
}

/// What manifests require and offer, a row a line.
fn show_packages(files: &str) -> Vec<String> {
    let project = Project::new(files);
    let packages = Packages::read(&project.open_indexed().snapshot());
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".into());
    let required = packages.dependencies().iter().map(|row| {
        let (range, version) = (or_dash(&row.requirement), or_dash(&row.version));
        format!("{} {} as {} {} {range} {version}", row.ecosystem.word(), row.name, row.import_name, row.scope.word())
    });
    let offered = packages.provides().iter().map(|row| {
        format!("offers {} {} as {} {}", row.ecosystem.word(), row.name, row.import_name, or_dash(&row.version))
    });
    required.chain(offered).collect()
}

/// Manifests, and what they require and offer.
const PACKAGES: &[(&str, &str, &[&str])] = &[
    (
        "Cargo: inherited, renamed, by target, one version of several",
        "//- Cargo.toml\n[workspace]\nmembers = [\"a\"]\n[workspace.package]\nversion = \"0.3.0\"\n\
             [workspace.dependencies]\nserde-json = { version = \"1\", features = [] }\n\
             //- Cargo.lock\n[[package]]\nname = \"a-b\"\nversion = \"0.3.0\"\ndependencies = [\"rand 0.9.1\", \"serde-json\"]\n\
             [[package]]\nname = \"rand\"\nversion = \"0.8.5\"\n[[package]]\nname = \"rand\"\nversion = \"0.9.1\"\n\
             [[package]]\nname = \"serde-json\"\nversion = \"1.0.9\"\n\
             //- a/Cargo.toml\n[package]\nname = \"a-b\"\nversion.workspace = true\n[dependencies]\n\
             serde-json.workspace = true\ndice = { package = \"rand\", version = \"0.9\" }\n\
             [target.'cfg(unix)'.dev-dependencies]\nlibc = \"0.2\"\n//- a/src/lib.rs\n",
        &[
            "cargo libc as libc dev 0.2 -",
            "cargo rand as dice normal 0.9 0.9.1",
            "cargo serde-json as serde_json normal 1 1.0.9",
            "offers cargo a-b as a_b 0.3.0",
        ],
    ),
    (
        "npm: aliases and the lock",
        "//- package.json\n{\"name\": \"@shop/web\", \"version\": \"1.0.0\", \"dependencies\": {\"zod\": \"^3\", \
             \"old\": \"npm:zod@^2\"}, \"devDependencies\": {\"vite\": \"5.x\"}}\n\
             //- package-lock.json\n{\"packages\": {\"node_modules/zod\": {\"version\": \"3.22.4\"}}}\n//- a.js\n",
        &[
            "npm vite as vite dev 5.x -",
            "npm zod as old normal ^2 -",
            "npm zod as zod normal ^3 3.22.4",
            "offers npm @shop/web as @shop/web 1.0.0",
        ],
    ),
    (
        "Go: packages are folders",
        "//- go.mod\nmodule example.com/shop\n\nrequire example.com/one v1.2.0\nrequire (\n\texample.com/two/v2 v2.0.1 // indirect\n)\n\
             //- shop.go\npackage shop\n//- cart/cart.go\npackage cart\n//- internal/x.go\npackage internal\n\
             //- only/x_test.go\npackage only\n",
        &[
            "go example.com/one as example.com/one normal v1.2.0 v1.2.0",
            "go example.com/two/v2 as example.com/two/v2 indirect v2.0.1 v2.0.1",
            "offers go example.com/shop as example.com/shop -",
            "offers go example.com/shop as example.com/shop/cart -",
        ],
    ),
    (
        "Maven: properties, managed versions, the parent's group; plugins are not required",
        "//- pom.xml\n<project><!-- <a> --><parent><groupId>org.shop</groupId><version>4.0</version></parent>\
             <artifactId>cart</artifactId><properties><json.version>2.10</json.version></properties>\
             <dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>m</artifactId>\
             <version>7</version></dependency></dependencies></dependencyManagement><dependencies>\
             <dependency><groupId>com.x</groupId><artifactId>json</artifactId><version>${json.version}</version></dependency>\
             <dependency><groupId>g</groupId><artifactId>m</artifactId><scope>test</scope></dependency>\
             <dependency><groupId>h</groupId><artifactId>u</artifactId><version>${gone}</version></dependency></dependencies>\
             <build><plugins><plugin><dependencies><dependency><groupId>p</groupId><artifactId>p</artifactId></dependency>\
             </dependencies></plugin></plugins></build></project>\n//- src/main/java/org/shop/cart/A.java\npackage org.shop.cart;\nclass A {}\n",
        &[
            "maven com.x:json as com.x:json normal 2.10 2.10",
            "maven g:m as g:m dev 7 7",
            "maven h:u as h:u normal - -",
            "offers maven org.shop:cart as org.shop.cart 4.0",
        ],
    ),
    (
        "Gradle: texts, not variables",
        "//- core/build.gradle.kts\ndependencies {\n    implementation(\"a.b:c:1.5\")\n    testImplementation(libs.junit)\n    \
             api('d:e:$version')\n}\n//- core/src/main/kotlin/x/y/A.kt\npackage x.y\nclass A\n",
        &["maven a.b:c as a.b:c normal 1.5 1.5", "maven d:e as d:e normal - -", "offers maven core as x.y -"],
    ),
    (
        "Python: groups, Poetry, lists; a module's name differs from the distribution's",
        "//- pyproject.toml\n[project]\nname = \"Py-Shop\"\ndependencies = [\"Tool-Kit[x] >= 2; python_version > '3'\", \"exact==1.4\"]\n\
             [project.optional-dependencies]\nweb = [\"flask\"]\n[dependency-groups]\ndev = [\"pytest\", {include-group = \"web\"}]\n\
             //- requirements-dev.txt\n# tools\n-r other.txt\nruff==0.17.6  # pinned\n./local\n\
             //- src/shop/__init__.py\n//- tests/__init__.py\n",
        &[
            "pypi Tool-Kit as tool_kit normal >= 2 -",
            "pypi exact as exact normal ==1.4 1.4",
            "pypi pytest as pytest dev - -",
            "pypi flask as flask optional - -",
            "pypi ruff as ruff dev ==0.17.6 0.17.6",
            "offers pypi Py-Shop as shop -",
        ],
    ),
    (
        "manifests that cannot be parsed give nothing",
        "//- Cargo.toml\n[package\n//- package.json\n{\n//- pom.xml\n<project><artifactId>\n//- a.js\n",
        &[],
    ),
];

#[test]
fn packages_of_manifests_and_lock_files() {
    for (case, files, expected) in PACKAGES {
        let mut expected: Vec<String> = expected.iter().map(|row| (*row).to_owned()).collect();
        let mut found = show_packages(files);
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "{case}");
    }
}
