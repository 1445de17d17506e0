//! What documents say, the code that they name, and links that lead nowhere.

use serde_json::{Value, json};

use crate::harness::{Project, column};

fn project() -> Project {
    let project = Project::new(
        "//- shop.py\ndef total_price(items):\n    return 1\n//- docs/guide.md\n# Guide\n\n## Prices\n\n\
         Call `total_price()` for the sum. See [rules](missing.md).\n",
    );
    project.ok("ingest", json!({"path": "docs", "adapter": "universal", "mode": "merge"}));
    project
}

#[test]
fn a_document_has_sections_bindings_and_broken_links() {
    let project = project();
    let arguments = json!({"path": "docs/guide.md"});
    let resolved = project.ok("document_resolve", arguments.clone());
    assert!(column(&resolved, "sections", "heading").contains("Prices"), "{resolved}");
    let bound = project.ok("document_bindings", arguments.clone()).to_string();
    assert!(bound.contains("total_price"), "{bound}");
    let drift = project.ok("document_drift", arguments).to_string();
    assert!(drift.contains("missing.md"), "{drift}");
    assert!(!drift.contains("total_price"), "{drift}");
}

#[test]
fn sections_of_any_document_lead_to_the_code_that_they_name() {
    let project = Project::new(
        "//- shop/cart.py\nclass Base:\n    def total(self):\n        return 1\n\nclass Cart(Base):\n    def add_item(self):\n        return self.total()\n\
         //- docs/guide.md\n# Guide\n\n## Prices\n\nCall `Cart.total()` after `add_item()`.\n",
    );
    let bound = project.ok("document_bindings", json!({"path": "docs/guide.md"})).to_string();
    assert!(bound.contains("cart.py::class::Base::fn::total") && bound.contains("target_hash"), "{bound}");
    let impact = project.ok("impact", json!({"node_id": "add_item"})).to_string();
    assert!(impact.contains("section::Prices") && impact.contains("doc"), "{impact}");
    let callers = project.ok("callers", json!({"node_id": "add_item"}));
    assert_eq!((&callers["callers"], &callers["documents"][0]["file_path"]), (&json!([]), &json!("docs/guide.md")), "{callers}");
    let references = project.ok("references", json!({"node_id": "add_item"})).to_string();
    assert!(!references.contains("guide.md:"), "{references}");
    let why = project.ok("why", json!({"source": "Prices", "target": "add_item"})).to_string();
    assert!(why.contains("documents"), "{why}");
    let rename = project.ok("rename_preview", json!({"node_id": "add_item", "new_name": "put_item"})).to_string();
    assert!(rename.contains("guide.md"), "{rename}");
}

#[test]
fn what_is_bound_to_nothing_has_its_reason_and_markers_their_state() {
    let project = Project::new(
        "//- pool.py\nimport requests\n\nclass Pool:\n    def take(self):\n        return requests.get('x')\n\n    def limit(self):\n        return 1\n\
         //- docs/guide.md\n# Guide\n\n`Pool.take()`, `Pool.give()`, `requests.get`, `src/none.py`, `--fast`, `limit`.\n\
         //- docs/pool.light.md\n---\nProtocol: L1GHT/1.0\nNode: Pool\n---\n\n## Pool\n\nThe pool is bounded. [⍂ entity: Pool] [⟁ binds_to: Pool] [⟁ binds_to: Nowhere]\n\
         [𝔻 evidence: pool.py]\n",
    );
    let bound = project.ok("document_bindings", json!({"path": "docs/guide.md", "detail": "full"}));
    let names = column(&bound, "unbound", "mention");
    assert_eq!(names, "Pool.give requests.get src/none.py --fast limit", "{bound}");
    assert_eq!(column(&bound, "unbound", "reason"), "absent outside no_file command plain_word", "{bound}");
    let counts = project.ok("document_resolve", json!({"path": "docs/guide.md", "detail": "full"}));
    assert_eq!(counts["unbound"]["no_file"], json!(1), "{counts}");
    let light = project.ok("document_bindings", json!({"path": "docs/pool.light.md", "detail": "full"}));
    let row = |name: &str| {
        let rows = light["bindings"].as_array().into_iter().flatten();
        rows.into_iter().find(|row| row["mention"] == name && row["state"].is_string()).map(|row| row["state"].clone())
    };
    assert_eq!(row("pool.py"), Some(json!("unverified")), "{light}");
    assert_eq!(row("Pool"), Some(json!("unverified")), "{light}");
    assert!(column(&light, "unbound", "mention").contains("Nowhere"), "{light}");
}

/// A document that an adapter read as well is one document.
#[test]
fn a_document_that_was_ingested_is_listed_once() {
    let answer = project().ok("activate", json!({"query": "prices guide", "top_k": 50}));
    let labels = column(&answer, "activated", "label");
    for label in ["Prices", "Guide"] {
        assert_eq!(labels.split(' ').filter(|one| *one == label).count(), 1, "{label}: {answer}");
    }
    assert!(!answer["seeds"].to_string().contains("universal::"), "{answer}");
}

/// Each finding as `line class name -> target`.
fn show_drift(project: &Project, path: &str) -> Vec<String> {
    let answer = project.ok("document_drift", json!({"path": path}));
    let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
    let rows = answer["findings"].as_array().expect("findings");
    for row in rows.iter().filter(|row| row["class"] != "binding_ambiguous") {
        assert!(row["old_hash"].as_str().is_some_and(|hash| hash.len() > 8), "{row}");
    }
    let row = |row: &Value| {
        let (class, name, target) = (text(row, "class"), text(row, "name"), text(row, "target_node_id"));
        let target = target.rsplit("::").next().unwrap_or_default().to_owned();
        format!("{} {class} {name} -> {target}", row["line"])
    };
    rows.iter().map(row).collect()
}

const CLIENT: &str = "//- client/sessions.py
class Session:
    def send(self, request):
        adapter = self.get_adapter(request.url)
        return adapter.send(request, timeout=self.timeout)

    def mount(self, prefix, adapter):
        self.adapters[prefix] = adapter
        return sorted(self.adapters, key=len)

    def close(self):
        return None
//- client/adapters.py
class HTTPAdapter:
    def send(self, request, timeout=None):
        return self.pool.urlopen(request.url, timeout)
//- client/utils.py
def get_netrc_auth(url):
    for path in NETRC_FILES:
        if path.exists():
            return parse_netrc(path, url)
    return None
//- guide.md
# Guide

`Session.send` sends what `HTTPAdapter.send` gets.

Mount an adapter with `Session.mount`, and read the file with `get_netrc_auth()`.
`Session.close` ends it.
";

/// Names that a guide had when it was indexed are known after they are renamed, without git and before a commit.
#[test]
fn names_that_were_bound_are_followed() {
    let project = Project::new(CLIENT);
    assert_eq!(show_drift(&project, "guide.md"), Vec::<String>::new());
    let bound = project.ok("document_bindings", json!({"path": "guide.md", "top_k": 50}));
    for row in bound["bindings"].as_array().expect("bindings") {
        let (mention, target) = (row["mention"].as_str(), row["target_node_id"].as_str().unwrap_or_default());
        assert!(mention != Some("Session.send") || target.contains("Session"), "of another mention: {row}");
    }
    let rename = |path: &str, pairs: &[(&str, &str)]| {
        let mut text = std::fs::read_to_string(project.tree.path().join(path)).expect("a file");
        for (from, to) in pairs {
            text = text.replace(from, to);
        }
        project.tree.write(path, text);
    };
    rename("client/sessions.py", &[("def send(", "def dispatch("), ("def mount(", "def attach(")]);
    rename("client/utils.py", &[("get_netrc_auth", "find_netrc_auth")]);
    project.ok("ingest", json!({"path": "."}));
    let expected = [
        "3 binding_moved Session.send -> dispatch",
        "5 binding_moved Session.mount -> attach",
        "5 binding_moved get_netrc_auth -> find_netrc_auth",
    ];
    assert_eq!(show_drift(&project, "guide.md"), expected);
    // An edit of another line keeps what the others meant; one of the line itself is a new look at it.
    rename("guide.md", &[("# Guide", "# The guide"), ("`Session.send` sends", "`Session.dispatch` sends")]);
    project.ok("ingest", json!({"path": "."}));
    assert_eq!(show_drift(&project, "guide.md"), expected[1..]);
    // Code that is gone, and code that changed.
    rename("client/sessions.py", &[("    def close(self):\n        return None\n", ""), ("def attach(self, prefix, adapter)", "def mount(self, prefix, adapter, first=False)")]);
    project.ok("ingest", json!({"path": "."}));
    let expected = [
        "5 binding_moved get_netrc_auth -> find_netrc_auth",
        "5 code_change_unreflected Session.mount -> mount",
        "6 binding_missing Session.close -> ",
    ];
    let mut found = show_drift(&project, "guide.md");
    found.sort();
    assert_eq!(found, expected);
}

/// Links to code in comments and directives are bound as well.
#[test]
fn links_in_comments_and_directives_are_followed() {
    let cases = [
        ("api.rst", "API\n===\n\n.. autofunction:: load_pool\n", "pool.py", "def load_pool(path):\n    text = open(path).read()\n    return parse(text)\n"),
        (
            "Pool.java",
            "/** Like {@link Store#loadPool}. */\nclass Pool {\n}\n",
            "Store.java",
            "class Store {\n    int loadPool(String path) {\n        return parse(path).size();\n    }\n}\n",
        ),
        (
            "src/pool.rs",
            "/// Like [`Store::load_pool`].\npub struct Pool;\n",
            "src/store.rs",
            "pub struct Store;\nimpl Store {\n    pub fn load_pool(&self, path: &str) -> usize {\n        parse(path).len()\n    }\n}\n",
        ),
        (
            "src/pool.ts",
            "/** See {@link loadPool}. */\nexport class Pool {}\n",
            "src/store.ts",
            "export function loadPool(path: string): number {\n  return parse(path).length;\n}\n",
        ),
    ];
    for (document, links, code, text) in cases {
        let project = Project::new(&format!("//- {document}\n{links}//- {code}\n{text}"));
        assert_eq!(show_drift(&project, document), Vec::<String>::new(), "{document}");
        project.tree.write(code, text.replace("load_pool", "open_pool").replace("loadPool", "openPool"));
        project.ok("ingest", json!({"path": "."}));
        let found = show_drift(&project, document);
        assert!(found.len() == 1 && found[0].contains("binding_moved"), "{document}: {found:?}");
        assert!(found[0].ends_with("open_pool") || found[0].ends_with("openPool"), "{document}: {found:?}");
    }
}
