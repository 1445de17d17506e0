use serde_json::json;

use crate::harness::{Project, column};

const SHOP: &str = "\
//- price.py
def vat(net):
    return round_up(net)

def round_up(value):
    return shift(value)

def shift(value):
    return value

class Basket:
    def total(self):
        return shift(1)

    def unused(self):
        return 0
//- api.py
from price import vat

def checkout(net):
    return vat(net)

checkout(1)
//- tests/test_price.py
from price import vat, round_up

def test_vat():
    assert vat(1) and round_up(1)
";

#[test]
fn dangling_places_and_what_falls_out_of_use() {
    let project = Project::new(SHOP);
    let answer = project.ok("counterfactual", json!({"node_ids": ["checkout"]}));
    let dangling = answer["dangling"].as_array().expect("rows");
    assert_eq!(dangling.len(), 1, "{answer}");
    assert_eq!((&dangling[0]["file_path"], &dangling[0]["line_number"]), (&json!("api.py"), &json!(6)));
    // `shift` is called by a method of a class that nothing uses, which counts as a root.
    assert_eq!(column(&answer, "orphaned", "label"), "round_up vat");
    assert_eq!(answer["orphaned"][0]["tested"], true);
    assert_eq!((&answer["broken_count"], &answer["closure"]["state"]), (&json!(1), &json!("closed")), "{answer}");
}

#[test]
fn several_nodes_may_replace_each_other() {
    let project = Project::new(
        "//- a.py\ndef one():\n    return shared()\n\ndef two():\n    return shared()\n\ndef shared():\n    return 1\n",
    );
    let answer = project.ok("counterfactual", json!({"node_ids": ["one", "two"]}));
    assert_eq!(column(&answer, "orphaned", "label"), "shared");
    let single: Vec<_> = answer["synergy"]["individual_impacts"].as_array().map(|rows| rows.to_vec()).unwrap_or_default();
    assert!(single.iter().all(|row| row["affected"] == 0), "{answer}");
    let one = project.ok("counterfactual", json!({"node_ids": ["one"]}));
    assert_eq!((&one["orphaned_count"], &one["total_dangling"]), (&json!(0), &json!(0)), "{one}");
    assert_eq!(one.get("synergy"), None);
}

#[test]
fn a_broken_base_breaks_what_is_exposed_through_it() {
    let project = Project::new(
        "//- lib/__init__.py\nfrom lib.core import Engine\n//- lib/core.py\nclass Base:\n    pass\n\nclass Engine(Base):\n    pass\n\
//- app.py\nfrom lib import Engine\n\ndef run():\n    return Engine()\n",
    );
    let answer = project.ok("counterfactual", json!({"node_ids": ["Base"]}));
    assert_eq!(answer["total_dangling"], 1, "{answer}");
    let rows = answer["indirect_breaks"].as_array().expect("rows");
    let run = rows.iter().find(|row| row["label"] == "run").expect("the user of the derived class");
    assert_eq!((&run["witness"][0]["to"], &run["witness"][1]["to"]), (&json!("Engine"), &json!("Base")), "{run}");
}

#[test]
fn unknown_nodes_and_empty_lists_are_errors() {
    let project = Project::new(SHOP);
    assert_eq!(project.err("counterfactual", json!({"node_ids": []}))["code"], "invalid_params");
    assert_eq!(project.err("counterfactual", json!({"node_ids": ["nothing_like_it"]}))["code"], "node_not_found");
}

#[test]
fn names_without_a_node_are_told_and_the_others_answered() {
    let project = Project::new(SHOP);
    let whole = project.ok("counterfactual", json!({"node_ids": ["checkout"]}));
    let part = project.ok("counterfactual", json!({"node_ids": ["checkout", "nothing_like_it", "checkuot"]}));
    assert_eq!((&part["dangling"], &part["removed_nodes"]), (&whole["dangling"], &whole["removed_nodes"]), "{part}");
    assert_eq!(column(&part, "unresolved_ids", "node_id"), "nothing_like_it checkuot", "{part}");
    assert!(part["unresolved_ids"][1]["did_you_mean"].to_string().contains("checkout"), "{part}");
    assert_eq!((&part["proof_state"], whole.get("unresolved_ids")), (&json!("proving"), None), "{part}");
}

#[test]
fn what_a_document_says_does_not_break() {
    let texts = "//- guide.md\n# Prices\n\nCall `checkout()` of `api.py` to pay, see also `Basket.total()`.\n";
    let project = Project::new(&format!("{SHOP}{texts}"));
    let answer = project.ok("counterfactual", json!({"node_ids": ["checkout"]}));
    assert_eq!((&answer["total_dangling"], &answer["broken_count"]), (&json!(1), &json!(1)), "{answer}");
    assert_eq!((&answer["total_documents"], &answer["documents"][0]["role"]), (&json!(1), &json!("document")), "{answer}");
    let told = project.ok("counterfactual", json!({"node_ids": ["guide.md"]}));
    assert_eq!((&told["total_dangling"], told.get("documents")), (&json!(0), None), "{told}");
}

#[test]
fn an_open_reference_of_its_name_is_said() {
    let project = Project::new(
        "//- a.py\ndef entry():\n    return helper_of_entry()\n\ndef helper_of_entry():\n    return 1\n//- b.py\ndef run(x):\n    x.helper_of_entry()\n",
    );
    let answer = project.ok("counterfactual", json!({"node_ids": ["entry"]}));
    assert_eq!(answer["orphaned"][0]["why"], "1 open reference has its name", "{answer}");
}
