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
    assert_eq!(project.err("counterfactual", json!({"node_ids": ["vat", "nothing_like_it"]}))["code"], "node_not_found");
}

#[test]
fn an_open_reference_of_its_name_is_said() {
    let project = Project::new(
        "//- a.py\ndef entry():\n    return helper_of_entry()\n\ndef helper_of_entry():\n    return 1\n//- b.py\ndef run(x):\n    x.helper_of_entry()\n",
    );
    let answer = project.ok("counterfactual", json!({"node_ids": ["entry"]}));
    assert_eq!(answer["orphaned"][0]["why"], "1 open reference has its name", "{answer}");
}
