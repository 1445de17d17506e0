//! Code that settings and texts name by its address.

use std::sync::Arc;

use m1nd_base::{EdgeTier, Relation};
use m1nd_link::{FileLinks, Linker};

use crate::{Files, edges_of};

/// Registrations as `from > to (line)`, with `?` behind what is not certain.
fn list_registered(linker: &Linker, links: &[Arc<FileLinks>]) -> Vec<String> {
    let mut rows = Vec::new();
    for links in links {
        for edge in links.edges.iter().filter(|edge| edge.relation == Relation::Registers) {
            let short = |id: &str| id.trim_start_matches("file::").replace("::fn::", "::").replace("::class::", "::");
            let mark = if edge.tier == EdgeTier::Certain { "" } else { "?" };
            let line = links.sites(edge)[0].line;
            rows.push(format!("{} > {} ({line}){mark}", short(linker.text(edge.from)), short(linker.text(edge.to))));
        }
    }
    rows.sort();
    rows
}

const PACKAGE: (&str, &str) = (
    "src/pkg/cli.py",
    "def main():\n    pass\nclass Group:\n    def run(self):\n        pass\ndef create_app():\n    pass\n",
);

const CASES: &[(&str, Files<'_>, &[&str])] = &[
    (
        "entry points of Python",
        &[
            PACKAGE,
            (
                "pyproject.toml",
                "[project.scripts]\nx = \"pkg.cli:main\"\ny = \"pkg.cli:Group.run\"\nz = \"other.cli:main\"\n",
            ),
            ("setup.cfg", "[options.entry_points]\nconsole_scripts =\n    x = pkg.cli:main [extra]\n"),
            ("setup.py", "setup(entry_points={'console_scripts': ['x = pkg.cli:main']})\n"),
        ],
        &[
            "pyproject.toml > src/pkg/cli.py::Group::run (3)",
            "pyproject.toml > src/pkg/cli.py::main (2)",
            "setup.cfg > src/pkg/cli.py::main (3)",
            "setup.py > src/pkg/cli.py::main (1)",
        ],
    ),
    (
        "routes of Play",
        &[
            (
                "app/controllers/HomeController.scala",
                "package controllers\nclass HomeController { def index() = 1\n def show(id: Long) = 2 }\n",
            ),
            (
                "conf/routes",
                "GET  /       controllers.HomeController.index()\nGET /:id controllers.HomeController.show(id: Long)\n",
            ),
        ],
        &[
            "conf/routes > app/controllers/HomeController.scala::HomeController::index (1)?",
            "conf/routes > app/controllers/HomeController.scala::HomeController::show (2)?",
        ],
    ),
    (
        "commands of containers, processes and workflows",
        &[
            PACKAGE,
            ("Dockerfile", "FROM python\nCMD [\"uvicorn\", \"pkg.cli:create_app\", \"--factory\"]\n"),
            ("Procfile", "web: gunicorn 'pkg.cli:create_app()'\n"),
            ("ci/flow.yml", "steps:\n  - run: python -m pkg.cli --fast\n"),
        ],
        &[
            "Dockerfile > src/pkg/cli.py::create_app (2)",
            "Procfile > src/pkg/cli.py::create_app (1)",
            "ci/flow.yml > src/pkg/cli.py (2)",
        ],
    ),
    (
        "handlers of functions in the cloud",
        &[
            ("src/users.js", "export function create() {}\n"),
            ("app.py", "def lambda_handler(event, context):\n    pass\n"),
            ("serverless.yml", "functions:\n  create:\n    handler: src/users.create\n"),
            ("main.tf", "resource \"x\" \"y\" {\n  handler = \"app.lambda_handler\"\n}\n"),
        ],
        &["main.tf > app.py::lambda_handler (2)?", "serverless.yml > src/users.js::create (3)?"],
    ),
    (
        "classes that a framework of Java loads",
        &[
            ("src/main/java/com/acme/Foo.java", "package com.acme;\npublic class Foo { public void start() {} }\n"),
            (
                "src/main/java/com/acme/Main.java",
                "package com.acme;\nclass Main { Object x() throws Exception { return Class.forName(\"com.acme.Foo\"); } }\n",
            ),
            ("beans.xml", "<beans>\n<bean class=\"com.acme.Foo\" init-method=\"start\"/>\n</beans>\n"),
            ("META-INF/services/com.acme.Spi", "com.acme.Foo\n"),
            ("AndroidManifest.xml", "<activity android:name=\".Foo\"/>\n"),
        ],
        &[
            "AndroidManifest.xml > src/main/java/com/acme/Foo.java::Foo (1)?",
            "META-INF/services/com.acme.Spi > src/main/java/com/acme/Foo.java::Foo (1)?",
            "beans.xml > src/main/java/com/acme/Foo.java::Foo (2)?",
            "beans.xml > src/main/java/com/acme/Foo.java::Foo::start (2)?",
            "src/main/java/com/acme/Main.java::Main::x > src/main/java/com/acme/Foo.java::Foo (2)?",
        ],
    ),
    (
        "files that manifests name",
        &[
            ("web/bin/cli.js", "run();\n"),
            ("web/package.json", "{\n\"bin\": {\"x\": \"./bin/cli.js\"},\n\"main\": \"lib/none.js\"\n}\n"),
        ],
        &["web/package.json > web/bin/cli.js (2)"],
    ),
    (
        "names in strings of Python",
        &[
            ("pkg/__init__.py", ""),
            ("pkg/mw.py", "class AuthMw:\n    pass\ndef send():\n    pass\n"),
            ("settings.py", "MIDDLEWARE = ['pkg.mw.AuthMw', 'django.x.Y']\nAPPS = ['pkg']\n"),
            ("test_a.py", "def test_a():\n    # 'pkg.mw.send'\n    with patch(\"pkg.mw.send\"):\n        pass\n"),
        ],
        &["settings.py::const::MIDDLEWARE > pkg/mw.py::AuthMw (1)?", "test_a.py::test_a > pkg/mw.py::send (3)?"],
    ),
];

#[test]
fn what_settings_name_is_registered() {
    let wrong = CASES.iter().filter_map(|(title, files, expected)| {
        let found = edges_of(files, list_registered);
        (found != *expected).then(|| format!("{title}: {found:#?}"))
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
