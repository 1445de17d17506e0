//! Several repositories as one: edges between them, ids, edits, members that come and go, and what is refused.

use m1nd_tools::ALL;
use serde_json::{Value, json};

use crate::harness::{Project, column};

/// Two distributions of Python in folders named otherwise, and a program that uses both.
const PYTHON: &str = "\
//- lib/pyproject.toml
[project]
name = \"Tool-Kit\"
version = \"2.1.0\"
//- lib/src/toolkit/__init__.py
from .core import Tool, run
//- lib/src/toolkit/core.py
class Tool:
    def use(self):
        return 1


def run(tool: Tool):
    return tool.use()
//- app/pyproject.toml
[project]
name = \"app\"
dependencies = [\"tool-kit>=2\"]
//- app/app/__init__.py
//- app/app/main.py
import os
import toolkit
from toolkit.core import Tool

HOME = os.environ[\"APP_HOME\"]


class Hammer(Tool):
    pass


def main():
    return toolkit.run(Hammer())
//- web/web/__init__.py
//- web/web/pages.py
import os
from app.main import main

HOME = os.environ[\"APP_HOME\"]


def page():
    return main()
";

fn repos(names: &[&str]) -> Value {
    names.iter().map(|name| json!({"name": name, "path": name})).collect()
}

fn federate_repos(project: &Project, names: &[&str]) -> Value {
    let answer = project.call_federated("federate", json!({"repos": repos(names), "incremental": true}));
    answer.unwrap_or_else(|error| panic!("{}", error.to_json()))
}

/// The edges between repositories as `source -relation-> target tier kind`, sorted.
fn edges(answer: &Value) -> Vec<String> {
    let rows = answer["cross_repo_edges"].as_array().expect("rows");
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or("-").to_owned();
    let mut found: Vec<String> = rows
        .iter()
        .map(|row| {
            let names = ["source_node", "relation", "target_node", "tier", "edge_type"];
            names.map(|name| text(row, name)).join(" ")
        })
        .collect();
    found.sort();
    found
}

#[test]
fn references_between_repositories_are_edges_down_to_the_function() {
    let project = Project::open_unindexed(PYTHON);
    let answer = federate_repos(&project, &["lib", "app", "web"]);
    let expected = [
        "app::file::app/main.py imports lib::file::src/toolkit/__init__.py certain package_dep",
        "app::file::app/main.py imports lib::file::src/toolkit/core.py certain package_dep",
        "app::file::app/main.py imports lib::file::src/toolkit/core.py::class::Tool certain package_dep",
        "app::file::app/main.py shares_config::env::APP_HOME web::file::web/pages.py certain shared_config",
        "app::file::app/main.py::class::Hammer inherits lib::file::src/toolkit/core.py::class::Tool certain shared_type",
        "app::file::app/main.py::fn::main calls lib::file::src/toolkit/core.py::fn::run certain package_dep",
        "app::file::app/main.py::fn::main references lib::file::src/toolkit/__init__.py certain package_dep",
        "web::file::web/pages.py imports app::file::app/main.py certain package_dep",
        "web::file::web/pages.py imports app::file::app/main.py::fn::main certain package_dep",
        "web::file::web/pages.py::fn::page calls app::file::app/main.py::fn::main certain package_dep",
    ];
    assert_eq!(edges(&answer), expected);
    assert_eq!(answer["cross_repo_edge_count"], 10);
    let is_call = |row: &&Value| row["relation"] == "calls" && row["source_repo"] == "app";
    let call = answer["cross_repo_edges"].as_array().expect("rows").iter().find(is_call).expect("a call");
    assert_eq!(call["evidence"], json!({"source": "app/app/main.py:13", "target": "lib/src/toolkit/core.py:6"}));
    let rows = answer["repos_ingested"].as_array().expect("rows");
    assert!(rows.iter().all(|row| row["node_count"].as_u64() > Some(1) && row["edge_count"].as_u64() > Some(0)));
    assert_eq!(rows.iter().map(|row| row["from_cache"].clone()).collect::<Vec<_>>(), [false, false, false]);
}

#[test]
fn ids_have_the_repository_in_front_and_every_form_is_taken() {
    let project = Project::open_unindexed(PYTHON);
    federate_repos(&project, &["lib", "app"]);
    let forms = [
        "lib::file::src/toolkit/core.py::fn::run",
        "file::lib/src/toolkit/core.py::fn::run",
        "lib::src/toolkit/core.py::run",
        "lib/src/toolkit/core.py::run",
        "run",
    ];
    for form in forms {
        let answer =
            project.call_federated("impact", json!({"node_id": form})).unwrap_or_else(|error| panic!("{form}: {error}"));
        let text = answer.to_string();
        assert!(text.contains("app::file::app/main.py::fn::main") && !text.contains("file::lib/"), "{form}: {text}");
    }
    for scope in ["lib::", "lib", "lib::src", "lib/src"] {
        let asked = json!({"query": "run main tool", "scope": scope, "min_score": 0.0});
        let answer = project.call_federated("seek", asked).unwrap_or_else(|error| panic!("{scope}: {error}"));
        let found = column(&answer, "results", "node_id");
        assert!(found.contains("lib::file::") && !found.contains("app::"), "{scope}: {found}");
    }
    let unknown = project.call_federated("impact", json!({"node_id": "lib::file::none.py"})).expect_err("is not there");
    assert_eq!(unknown.code.word(), "node_not_found");
}

#[test]
fn repo_says_which_repository_the_names_of_a_call_belong_to() {
    let project = Project::open_unindexed(PYTHON);
    let alone = project.call_federated("seek", json!({"query": "run", "repo": "lib"})).expect_err("is no federation");
    assert!(alone.message.contains("of one repository"), "{alone}");
    federate_repos(&project, &["lib", "app", "web"]);
    let nodes = ["run", "core.py::run", "src/toolkit/core.py::run", "file::src/toolkit/core.py::fn::run", "lib::src/toolkit/core.py::run"];
    for node in nodes {
        // What depends on it may be in any repository.
        for tool in ["impact", "callers", "references"] {
            let answer = project.ok(tool, json!({"node_id": node, "repo": "lib"}));
            assert!(answer.to_string().contains("app::file::app/main.py::fn::main"), "{tool} {node}: {answer}");
        }
    }
    // Both have a module `main`, and only one of them this function.
    let elsewhere = project.call_federated("impact", json!({"node_id": "page", "repo": "lib"})).expect_err("is not in lib");
    assert!(elsewhere.message.contains("nothing in the repository `lib` has the name `page`"), "{elsewhere}");
    let unknown = project.call_federated("impact", json!({"node_id": "page", "repo": "li"})).expect_err("is none");
    assert!(unknown.message.contains("expected one of `app`, `lib`, `web`"), "{unknown}");
    for arguments in [json!({"repo": "lib"}), json!({"repo": "lib::", "scope": "src"}), json!({"scope": "lib::src", "repo": "lib"})] {
        let mut asked = json!({"query": "run main tool", "min_score": 0.0});
        asked.as_object_mut().expect("an object").extend(arguments.as_object().expect("an object").clone());
        let found = column(&project.ok("seek", asked), "results", "node_id");
        assert!(found.contains("lib::file::") && !found.contains("app::"), "{arguments}: {found}");
    }
    let viewed = project.ok("view", json!({"file_path": "app/main.py", "repo": "app"}));
    assert!(viewed.to_string().contains("Hammer"), "{viewed}");
    let globbed = project.ok("glob", json!({"pattern": "src/**/*.py", "repo": "lib"}));
    assert!(globbed.to_string().contains("lib::file::src/toolkit/core.py"), "{globbed}");
    let edited = project.ok("edit_preview", json!({"file_path": "new.py", "new_content": "x = 1\n", "repo": "web"}));
    assert!(edited.to_string().contains("web/new.py"), "{edited}");
}

#[test]
fn an_edit_in_one_repository_changes_the_edges_of_another() {
    let project = Project::open_unindexed(PYTHON);
    federate_repos(&project, &["lib", "app"]);
    let core = "class Tool:\n    pass\n\n\ndef launch(tool: Tool):\n    return 1\n";
    project.tree.write("lib/src/toolkit/core.py", core);
    project.tree.write("lib/src/toolkit/__init__.py", "from .core import Tool, launch\n");
    let after = federate_repos(&project, &["lib", "app"]);
    assert_eq!(after["skipped_repos"], json!(["app"]));
    assert!(!edges(&after).iter().any(|edge| edge.contains("calls")), "{:?}", edges(&after));
    project.tree.write("app/app/main.py", "import toolkit\n\n\ndef main():\n    return toolkit.launch(1)\n");
    let after = federate_repos(&project, &["lib", "app"]);
    let call = "app::file::app/main.py::fn::main calls lib::file::src/toolkit/core.py::fn::launch certain package_dep";
    assert!(edges(&after).iter().any(|edge| edge == call), "{:?}", edges(&after));
}

#[test]
fn repositories_come_and_go_and_nothing_is_parsed_twice() {
    let project = Project::open_unindexed(PYTHON);
    let two = federate_repos(&project, &["lib", "app"]);
    let three = federate_repos(&project, &["lib", "app", "web"]);
    let cached = |answer: &Value| -> Vec<bool> {
        let rows = answer["repos_ingested"].as_array().expect("rows").iter();
        rows.map(|row| row["from_cache"] == true).collect()
    };
    assert_eq!(cached(&three), [true, true, false]);
    assert_eq!(edges(&federate_repos(&project, &["lib", "app"])), edges(&two));
    let again = federate_repos(&project, &["lib", "app"]);
    assert_eq!((again["skipped_repos"].clone(), cached(&again)), (json!(["app", "lib"]), vec![true, true]));
    // The single repository is as it was.
    assert!(project.services.engine.snapshot().is_empty());
}

#[test]
fn only_named_and_allowed_folders_beside_each_other_are_read() {
    let project = Project::open_unindexed(PYTHON);
    let outside = tempfile::tempdir().expect("a folder");
    std::fs::write(outside.path().join("secret.py"), "def secret(): pass\n").expect("is written");
    let far = outside.path().to_str().expect("UTF-8").to_owned();
    #[cfg(unix)]
    std::os::unix::fs::symlink(outside.path(), project.tree.path().join("link")).expect("is made");
    let member = |name: &str, path: &str| json!({"name": name, "path": path});
    let mut rows = vec![
        (json!([member("a", "lib"), member("a", "app")]), "invalid_params", "two repositories are named `a`"),
        (json!([member("a", "lib"), member("b", "lib/src")]), "invalid_params", "is inside repository"),
        (json!([member("a", "lib"), member("b", "app/../lib")]), "invalid_params", "are the same folder"),
        (json!([member("file", "lib")]), "invalid_params", "cannot be the name"),
        (json!([member("a/b", "lib")]), "invalid_params", "cannot be the name"),
        (json!([member("a", "none")]), "file_not_found", "nothing is at"),
        (json!([member("a", "lib/pyproject.toml")]), "file_not_found", "nothing is at"),
        (json!([]), "invalid_params", "repos"),
        (json!([member("a", &far)]), "outside_workspace", "outside the allowed roots"),
        (json!([member("a", "../..")]), "outside_workspace", "outside the allowed roots"),
    ];
    #[cfg(unix)]
    rows.push((json!([member("a", "link")]), "outside_workspace", "outside the allowed roots"));
    for (repos, code, message) in rows {
        let shown = repos.to_string();
        let error = project.call_federated("federate", json!({"repos": repos})).expect_err(&shown);
        assert_eq!(error.code.word(), code, "{shown}: {error}");
        assert!(error.message.contains(message), "{shown}: {error}");
    }
    m1nd_engine::allow_reading(project.home(), outside.path()).expect("is allowed");
    let answer = project.call_federated("federate", json!({"repos": [member("a", &far), member("app", "app")]}));
    assert!(answer.expect("is read")["total_nodes"].as_u64() > Some(3));
}

#[test]
fn a_repository_that_is_gone_comes_back_with_its_files() {
    let project = Project::open_unindexed(PYTHON);
    let before = federate_repos(&project, &["lib", "app"]);
    let (lib, away) = (project.tree.path().join("lib"), project.tree.path().join("away"));
    std::fs::rename(&lib, &away).expect("is moved");
    let engine = project.services.current().engine;
    let cancel = m1nd_base::Cancel::new();
    engine.federate(true, &cancel, &m1nd_base::NoProgress).expect("the others are read");
    std::fs::rename(&away, &lib).expect("is moved back");
    assert_eq!(edges(&federate_repos(&project, &["lib", "app"])), edges(&before));
}

#[test]
fn every_tool_answers_over_a_federation() {
    let project = Project::open_unindexed(PYTHON);
    federate_repos(&project, &["lib", "app", "web"]);
    let calls = [
        ("seek", json!({"query": "run a tool"})),
        ("search", json!({"query": "toolkit"})),
        ("glob", json!({"pattern": "**/*.py"})),
        ("view", json!({"file_path": "lib::file::src/toolkit/core.py"})),
        ("outline", json!({"file_path": "lib::src/toolkit/core.py"})),
        ("definition", json!({"target": "toolkit.core.run"})),
        ("callers", json!({"node_id": "lib::file::src/toolkit/core.py::fn::run"})),
        ("references", json!({"node_id": "lib::file::src/toolkit/core.py::class::Tool"})),
        ("why", json!({"source": "page", "target": "lib::file::src/toolkit/core.py::fn::run"})),
        ("predict", json!({"changed_node": "lib::file::src/toolkit/core.py"})),
        ("timeline", json!({"node": "lib::file::src/toolkit/core.py"})),
        ("counterfactual", json!({"node_ids": ["lib::file::src/toolkit/core.py::fn::run"]})),
        ("lock_create", json!({"scope": "node", "root_nodes": ["lib::file::src/toolkit/core.py"]})),
        ("learn", json!({"query": "run", "feedback": "correct", "node_ids": ["lib::file::src/toolkit/core.py"]})),
    ];
    for (tool, arguments) in &calls {
        if let Err(error) = project.call_federated(tool, arguments.clone()) {
            assert!(error.code.word().contains("history"), "{tool} {arguments}: {}", error.to_json());
        }
    }
    // With the arguments of their examples, whose nodes are not here: no bug, and no id of the inside.
    for tool in ALL.iter().filter(|tool| tool.name != "federate") {
        let text = match project.call_federated(tool.name, tool.example_arguments()) {
            Ok(answer) => answer.to_string(),
            Err(error) => {
                assert_ne!(error.code.word(), "internal", "{}: {error}", tool.name);
                error.to_json().to_string()
            }
        };
        assert!(
            !["lib", "app", "web"].iter().any(|name| text.contains(&format!("\"file::{name}/"))),
            "{}: {text}",
            tool.name
        );
    }
}

/// One program in a folder for each language: a library, a user of it that knows it by its manifest, and the call that
/// has to be linked.
const LANGUAGES: &[(&str, &str)] = &[
    (
        "//- lib/Cargo.toml\n[package]\nname = \"tool-kit\"\nversion = \"2.0.0\"\n\
         //- lib/src/lib.rs\npub mod core;\npub use core::run;\n//- lib/src/core.rs\npub fn run() {}\n\
         //- app/Cargo.toml\n[package]\nname = \"app\"\n[dependencies]\ntool-kit = \"1\"\n\
         //- app/src/main.rs\nuse tool_kit::run;\nfn main() { run(); }\n",
        "app::file::src/main.rs::fn::main calls lib::file::src/core.rs::fn::run certain package_dep",
    ),
    (
        "//- lib/go.mod\nmodule example.com/kit/v2\n//- lib/core/core.go\npackage core\nfunc Run() {}\n\
         //- app/go.mod\nmodule example.com/app\nrequire example.com/kit/v2 v2.1.0\n\
         //- app/main.go\npackage main\nimport \"example.com/kit/v2/core\"\nfunc main() { core.Run() }\n",
        "app::file::main.go::fn::main calls lib::file::core/core.go::fn::Run certain package_dep",
    ),
    (
        "//- lib/package.json\n{\"name\": \"@x/kit\", \"main\": \"./dist/index.js\"}\n\
         //- lib/src/index.ts\nexport function run() {}\n\
         //- app/package.json\n{\"name\": \"app\", \"dependencies\": {\"@x/kit\": \"^1.0.0\"}}\n\
         //- app/main.ts\nimport { run } from '@x/kit';\nexport function main() { run(); }\n",
        "app::file::main.ts::fn::main calls lib::file::src/index.ts::fn::run certain package_dep",
    ),
    (
        "//- lib/src/main/java/org/kit/Kit.java\npackage org.kit;\npublic class Kit { public static void run() {} }\n\
         //- app/src/main/java/org/app/App.java\npackage org.app;\nimport org.kit.Kit;\n\
         public class App { void main() { Kit.run(); } }\n",
        "app::file::src/main/java/org/app/App.java::class::App::fn::main calls \
         lib::file::src/main/java/org/kit/Kit.java::class::Kit::fn::run certain package_dep",
    ),
    (
        "//- lib/include/kit/kit.h\nvoid run(void);\n//- lib/src/kit.c\n#include <kit/kit.h>\nvoid run(void) {}\n\
         //- app/main.c\n#include <kit/kit.h>\nint main(void) { run(); return 0; }\n",
        "app::file::main.c::fn::main calls lib::file::",
    ),
    // A workspace on both sides, a renamed dependency, a path of another machine.
    (
        "//- lib/Cargo.toml\n[workspace]\nmembers = [\"crates/*\"]\n\
         //- lib/crates/kit/Cargo.toml\n[package]\nname = \"tool-kit\"\nversion = \"2.0.0\"\n\
         //- lib/crates/kit/src/lib.rs\npub fn run() {}\n\
         //- app/Cargo.toml\n[workspace]\nmembers = [\"one\"]\n[workspace.dependencies]\n\
         tools = { package = \"tool-kit\", path = \"../../elsewhere/kit\" }\n\
         //- app/one/Cargo.toml\n[package]\nname = \"one\"\n[dependencies]\ntools = { workspace = true }\n\
         //- app/one/src/lib.rs\npub fn main() { tools::run(); }\n",
        "app::file::one/src/lib.rs::fn::main calls lib::file::crates/kit/src/lib.rs::fn::run certain package_dep",
    ),
    // A package of a workspace whose entry is built, under another name.
    (
        "//- lib/pnpm-workspace.yaml\npackages:\n  - 'packages/*'\n//- lib/package.json\n{\"private\": true}\n\
         //- lib/packages/kit/package.json\n{\"name\": \"@x/kit\", \"exports\": {\".\": {\"types\": \"./dist/kit.d.ts\", \
         \"import\": \"./dist/kit.mjs\"}}}\n//- lib/packages/kit/src/index.ts\nexport { run } from './run';\n\
         //- lib/packages/kit/src/run.ts\nexport const run = () => 1;\n\
         //- app/package.json\n{\"name\": \"app\", \"workspaces\": [\"web\"], \"devDependencies\": {\"tools\": \"npm:@x/kit@^1\"}}\n\
         //- app/web/package.json\n{\"name\": \"web\"}\n\
         //- app/web/main.js\nimport { run } from 'tools';\nexport function main() { run(); }\n",
        "app::file::web/main.js::fn::main calls lib::file::packages/kit/src/run.ts::fn::run certain package_dep",
    ),
    (
        "//- lib/go.work\ngo 1.22\nuse ./core\n//- lib/core/go.mod\nmodule example.com/kit\n\
         //- lib/core/run.go\npackage kit\ntype Tool struct{}\nfunc (t *Tool) Run() {}\nfunc New() *Tool { return &Tool{} }\n\
         //- app/go.mod\nmodule example.com/app\nrequire example.com/kit v1.0.0\nreplace example.com/kit => ../elsewhere\n\
         //- app/main.go\npackage main\nimport \"example.com/kit\"\nfunc main() { t := kit.New(); t.Run() }\n",
        "app::file::main.go::fn::main calls lib::file::core/run.go::impl::Tool::fn::Run certain package_dep",
    ),
    // Modules of Maven and Gradle.
    (
        "//- lib/pom.xml\n<project><artifactId>kit</artifactId><modules><module>core</module></modules></project>\n\
         //- lib/core/src/main/java/org/kit/Kit.java\npackage org.kit;\npublic class Kit {\n  public Kit run() { return this; }\n}\n\
         //- app/settings.gradle\ninclude 'web'\n//- app/web/src/main/java/org/app/App.java\npackage org.app;\n\
         import org.kit.*;\nclass App {\n  void main() { new Kit().run().run(); }\n}\n",
        "app::file::web/src/main/java/org/app/App.java::class::App::fn::main calls \
         lib::file::core/src/main/java/org/kit/Kit.java::class::Kit::fn::run certain package_dep",
    ),
    // The distribution is named otherwise than its package, and required by `setup.py`.
    (
        "//- lib/setup.cfg\n[metadata]\nname = Tool.Kit\n[options]\npackage_dir =\n    = source\n\
         //- lib/source/kit/__init__.py\nfrom .core import run\n//- lib/source/kit/core.py\ndef run():\n    return 1\n\
         //- app/setup.py\nfrom setuptools import setup\nsetup(name='app', install_requires=['tool-kit>=2'])\n\
         //- app/app/main.py\nimport kit\n\ndef main():\n    return kit.run()\n",
        "app::file::app/main.py::fn::main calls lib::file::source/kit/core.py::fn::run certain package_dep",
    ),
];

/// Names that coincide: code of `app` that means something else.
const COINCIDENCES: &[&str] = &[
    // Of the distributions that it requires, none has this package.
    "//- lib/pyproject.toml\n[project]\nname = \"inner\"\n//- lib/yaml/__init__.py\ndef load(text):\n    return text\n\
     //- app/requirements.txt\npyyaml==6.0\n//- app/main.py\nimport yaml\n\ndef main():\n    return yaml.load('')\n",
    // The folder of a repository, and its scripts, are no packages.
    "//- lib/tests/helpers.py\ndef load():\n    return 1\n//- lib/utils/__init__.py\ndef load():\n    return 1\n\
     //- app/main.py\nimport lib\nimport tests.helpers\nimport utils\n\ndef main():\n    return utils.load() + tests.helpers.load()\n",
    "//- lib/package.json\n{\"name\": \"kit\"}\n//- lib/index.ts\nexport function run() {}\n\
     //- app/package.json\n{\"name\": \"app\"}\n//- app/main.ts\nimport { run } from 'kit';\nexport function main() { run(); }\n",
    "//- lib/Cargo.toml\n[package]\nname = \"kit\"\n//- lib/src/lib.rs\npub fn run() {}\n\
     //- app/Cargo.toml\n[package]\nname = \"app\"\n//- app/src/main.rs\nfn main() { kit::run(); }\n",
    "//- lib/go.mod\nmodule example.com/kit\n//- lib/a.go\npackage kit\nfunc Run() {}\n\
     //- app/go.mod\nmodule example.com/app\nrequire example.com/kit2 v1.0.0\n\
     //- app/main.go\npackage main\nimport \"example.com/kit2\"\nfunc main() { kit2.Run() }\n",
    // A header that the build makes.
    "//- lib/include/config.h\nint run(void);\n//- app/main.c\n#include \"config.h\"\nint main(void) { return run(); }\n",
];

#[test]
fn names_that_coincide_make_no_certain_edge() {
    for fixture in COINCIDENCES {
        let project = Project::open_unindexed(fixture);
        let answer = federate_repos(&project, &["lib", "app"]);
        assert_eq!(answer["cross_repo_edges"], json!([]), "{fixture}\n{answer}");
    }
}

#[test]
fn packages_of_other_repositories_are_found_by_their_manifests() {
    let mut wrong = Vec::new();
    for (fixture, expected) in LANGUAGES {
        let project = Project::open_unindexed(fixture);
        let found = edges(&federate_repos(&project, &["lib", "app"]));
        if !found.iter().any(|edge| edge.starts_with(expected)) {
            wrong.push(format!("{expected}\n  in {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Programs that are linked by where their top is, and not by manifests.
const ALONE: &str = "\
//- main/run.py
from tasks.build import make
import helpers

def start():
    return make(helpers.load())
//- main/helpers.py
def load():
    return 1
//- main/tasks/build.py
import helpers

def make(x):
    return helpers.load()
//- main/src/pack/__init__.py
//- main/src/pack/one.py
def one():
    return 1
//- main/scripts/use.py
from pack.one import one
import helpers

def use():
    return one() + helpers.load()
//- main/web/a.ts
import { b } from './b';
export function a() { b(); }
//- main/web/b.ts
export function b() {}
";

#[test]
fn a_repository_has_the_same_edges_in_a_federation_as_alone() {
    let all = |snapshot: &m1nd_engine::Snapshot, prefix: &str| -> Vec<String> {
        let graph = snapshot.graph();
        let name = |node| graph.id(node).replace(prefix, "");
        let mut rows: Vec<String> = graph
            .nodes()
            .flat_map(|node| graph.out_edges(node).collect::<Vec<_>>())
            .map(|edge| format!("{} {} {} {}", name(edge.from), edge.relation, name(edge.to), edge.tier))
            .collect();
        rows.sort();
        rows
    };
    let project = Project::open_unindexed(ALONE);
    federate_repos(&project, &["main"]);
    let federated = all(&project.services.current().engine.snapshot(), "main/");
    let alone = Project::new(&ALONE.replace("//- main/", "//- "));
    assert_eq!(federated, all(&alone.services.engine.snapshot(), "main/"));
    assert!(federated.iter().filter(|row| row.contains(" calls ")).count() >= 5, "{federated:#?}");
}

/// A server and a client of its route.
const WEB: &str = "\
//- /shop/app.py
from flask import Flask

app = Flask(__name__)


@app.get('/orders/<int:number>')
def order(number):
    return str(number)
//- /front/client.py
import requests


def load(number):
    return requests.get(f'http://shop/orders/{number}')
//- /other/alone.py
def alone():
    return 1
";

#[test]
fn a_request_of_another_repository_leads_to_its_route() {
    let project = Project::open_unindexed(WEB);
    let found = edges(&federate_repos(&project, &["shop", "front"]));
    let is_contract = |edge: &&String| edge.contains(" requests shop::") && edge.ends_with("api_contract");
    assert!(found.iter().any(|edge| is_contract(&edge)), "{found:?}");
}

#[test]
fn no_edge_found_is_not_said_to_be_none() {
    let project = Project::open_unindexed(WEB);
    let found = federate_repos(&project, &["shop", "other"]);
    assert_eq!(found["cross_repo_edge_count"], 0);
    assert!(found["next_step_hint"].as_str().is_some_and(|hint| hint.contains("may hide")), "{found}");
    let asked = json!({"repos": repos(&["shop", "front"]), "detect_cross_repo_edges": false});
    let unasked = project.call_federated("federate", asked).unwrap_or_else(|error| panic!("{}", error.to_json()));
    assert_eq!(unasked["cross_repo_edge_count"], Value::Null, "{unasked}");
}

#[test]
fn names_alone_make_no_edge_between_repositories() {
    let project = Project::open_unindexed(
        "//- /one/a.py\ndef run(thing):\n    return thing.duplicate()\n//- /two/b.py\nclass Sheet:\n    def duplicate(self):\n        return self\n",
    );
    let answer = federate_repos(&project, &["one", "two"]);
    assert_eq!(answer["cross_repo_edges"], json!([]), "{answer}");
    let pair = json!([{"source_repo": "one", "target_repo": "two", "certain": 0, "possible": 1}]);
    assert_eq!(answer["cross_repo_pairs"], pair, "{answer}");
}

#[test]
fn headers_are_those_of_the_repository_that_cmake_links() {
    let header = "#pragma once\nnamespace store { int put(int key); }\n";
    let fixture = format!(
        "//- kv/CMakeLists.txt\nproject(KeyValue)\nadd_library(kv put.cc)\n\
         target_include_directories(kv PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}}/api)\n\
         //- kv/api/store/put.h\n{header}//- kv/put.cc\n#include \"store/put.h\"\nint store::put(int key) {{ return key; }}\n\
         //- copy/include/store/put.h\n{header}\
         //- app/CMakeLists.txt\nproject(app)\nfind_package(KeyValue REQUIRED)\ntarget_link_libraries(app KeyValue::kv)\n\
         //- app/main.cc\n#include <store/put.h>\nint main() {{ return store::put(1); }}\n\
         //- other/main.cc\n#include <store/put.h>\nint main() {{ return store::put(2); }}\n"
    );
    let project = Project::open_unindexed(&fixture);
    let answer = federate_repos(&project, &["kv", "copy", "app", "other"]);
    let found = edges(&answer);
    let includes = "app::file::main.cc imports kv::file::api/store/put.h certain package_dep";
    assert!(found.iter().any(|edge| edge == includes), "{found:#?}");
    let call = "app::file::main.cc::fn::main calls kv::file::";
    assert!(found.iter().any(|edge| edge.starts_with(call) && edge.contains(" certain ")), "{found:#?}");
    // Who does not say what it links, and could mean both, means neither for certain.
    let is_sure = |edge: &&String| edge.starts_with("other::") && edge.contains(" certain ");
    assert_eq!(found.iter().find(is_sure), None, "{found:#?}");
}
