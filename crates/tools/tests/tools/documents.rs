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
