use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};
use crate::repository::{Put, Repository};

/// A file that was mended often, with two others that depend on it.
fn project() -> Project {
    let mut repository = Repository::new();
    let base = |round: usize| format!("def base():\n    value = {round}\n    return value\n");
    let user = "import base\n\ndef use():\n    return base.base()\n";
    let files = [("one.py", user), ("two.py", user), ("calm.py", "x = 1\n"), ("README.md", "# x\n")];
    let mut changes: Vec<Put2> = files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect();
    changes.push(("base.py", base(0)));
    commit(&mut repository, "start", &changes);
    for round in 1..80 {
        let subject = if round % 10 == 0 { "Fix crash of base" } else { "Write notes" };
        let path = if round % 10 == 0 { "base.py" } else { "notes.md" };
        commit(&mut repository, subject, &[(path, base(round))]);
    }
    files.iter().for_each(|(path, text)| repository.tree.write(path, text));
    repository.tree.write("base.py", base(70));
    Project::over_repository(repository)
}

type Put2 = (&'static str, String);

fn commit(repository: &mut Repository, subject: &str, files: &[Put2]) {
    let changes: Vec<_> = files.iter().map(|(path, text)| Put(path, text)).collect();
    repository.commit("ann", subject, &changes);
}

#[test]
fn parts_are_shown_and_combined_over_what_is_known() {
    let project = project();
    let answer = project.ok("panoramic", json!({}));
    let first = &answer["modules"][0];
    assert_eq!(first["node_id"], "file::base.py");
    assert_eq!((&first["blast_backward"], &first["blast_forward"]), (&json!(2), &json!(0)));
    // Defect and layer are the known parts with a weight: .30 and .20, and no layer is contradicted.
    let (risk, defect) = (first["combined_risk"].as_f64().expect("known"), first["parts"]["defect"].as_f64().expect("known"));
    assert!((risk - 0.6 * defect).abs() < 1e-3, "{first}");
    assert_eq!((&first["antibody_matches"], &first["layer_violations"]), (&Value::Null, &json!(0)));
    assert!(first["recommendation"].as_str().is_some_and(|text| text.contains("fix commits")), "{first}");
    assert!(!column(&answer, "modules", "node_id").contains("README"), "documents are no modules");
    let weights = answer["weights"].as_array().expect("weights");
    let of = |part: &str| weights.iter().find(|row| row["part"] == part).expect("is listed").clone();
    assert_eq!((&of("tremor")["weight"], &of("defect")["weight"]), (&json!(0.25), &json!(0.3)));
    assert_eq!(of("churn")["weight"], 0.0);
    // Stored patterns are a further part.
    project.ok("antibody_create", json!({"code": "base.base()", "language": "python"}));
    let with = project.ok("panoramic", json!({"scope": "one.py"}));
    assert_eq!((&with["modules"][0]["antibody_matches"], &with["total_scanned"]), (&json!(1), &json!(1)));
}

#[test]
fn rows_are_limited() {
    let project = project();
    let risky = project.ok("panoramic", json!({"min_risk": 0.2, "include_recommendations": false}));
    assert_eq!((column(&risky, "modules", "node_id"), &risky["total_scanned"]), ("file::base.py".into(), &json!(4)));
    assert_eq!(risky["modules"][0]["recommendation"], Value::Null);
    let page = project.ok("panoramic", json!({"limit": 1}));
    assert!(page["cursor"].is_string() && page["modules"].as_array().map(Vec::len) == Some(1), "{page}");
    assert_eq!(project.err("panoramic", json!({"limit": "all"}))["code"], "invalid_params");
    let plain = Project::new(PROGRAM).ok("panoramic", json!({}));
    assert!(plain["what_is_missing"].as_str().is_some_and(|text| text.contains("no history")), "{plain}");
}

#[test]
fn dependencies_against_the_layers_are_a_part() {
    let code = "//- /web/page.py\nfrom core import rules\n\ndef show():\n    return rules.check()\n//- /core/rules.py\ndef check():\n    from web import page\n    return page\n";
    let layers = "//- /m1nd-layers.toml\n[[layer]]\nname = 'web'\npaths = ['web']\n[[layer]]\nname = 'core'\npaths = ['core']\n";
    let answer = Project::new(&format!("{code}{layers}")).ok("panoramic", json!({}));
    let row = &answer["modules"][0];
    assert_eq!((&row["node_id"], &row["layer_violations"]), (&json!("file::core/rules.py"), &json!(1)), "{answer}");
    assert_eq!(row["parts"]["layer"], 0.2, "one of five");
    let inferred = Project::new(code).ok("panoramic", json!({}));
    assert!(inferred["modules"][0]["parts"]["layer"].is_f64(), "{inferred}");
}
