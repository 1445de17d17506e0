//! What documents say, the code that they name, and links that lead nowhere.

use serde_json::json;

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
    let callers = project.ok("callers", json!({"node_id": "add_item"})).to_string();
    assert!(!callers.contains("guide.md"), "{callers}");
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
