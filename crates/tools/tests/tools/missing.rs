use serde_json::{Value, json};

use crate::harness::{PROGRAM, Project, column};

/// Handlers that all check the session, but for one, and one of which nobody knows what it calls.
fn handlers(odd: &str) -> String {
    let mut text = "//- web/session.py\ndef check_session(request):\n    return request\n\n\ndef audit(request):\n    return request\n\
                    //- web/orders.py\nfrom web.session import check_session\n"
        .to_owned();
    for name in ["create", "update", "cancel", "ship", "refund"] {
        text += &format!("\n\ndef {name}_order(request):\n    check_session(request)\n    return '{name}'\n");
    }
    text += &format!("\n\ndef export_order(request):\n    {odd}\n    return 'export'\n");
    for number in 0..40 {
        text += &format!("//- lib/m{number}.py\ndef helper{number}(x):\n    return x\n");
    }
    text
}

fn holes<'a>(answer: &'a Value, label: &str) -> Vec<&'a Value> {
    let rows = answer["holes"].as_array().expect("rows");
    rows.iter().filter(|row| row["label"] == label).collect()
}

#[test]
fn what_all_siblings_call_and_one_does_not() {
    let project = Project::new(&handlers("request.count = 1"));
    let answer = project.ok("missing", json!({"query": "export order"}));
    let found = holes(&answer, "export_order");
    assert_eq!(found.len(), 1, "{answer}");
    let hole = found[0];
    assert_eq!((&hole["status"], &hole["type"]), (&json!("missing"), &json!("structural_hole")));
    assert_eq!(hole["lacks"]["node_id"], "file::web/session.py::fn::check_session");
    assert_eq!(hole["reason"], "5 of 5 other functions of orders.py call `check_session`; `export_order` does not");
    assert_eq!((&hole["siblings_with"], &hole["siblings_total"]), (&json!(5), &json!(5)));
    assert_eq!(hole["evidence"][0], json!({"node_id": "file::web/orders.py::fn::cancel_order", "line": 15}));
    assert_eq!(answer["next_suggested_target"], hole["node_id"]);
    for other in ["create_order", "check_session", "audit"] {
        assert!(holes(&answer, other).is_empty(), "{other}: {answer}");
    }
}

#[test]
fn what_is_open_is_not_called_missing() {
    let project = Project::new(&handlers("request.check_session()"));
    let answer = project.ok("missing", json!({"query": "export order"}));
    let found = holes(&answer, "export_order");
    assert_eq!(found.len(), 1, "{answer}");
    assert_eq!(found[0]["status"], "cannot_tell", "{answer}");
    assert!(
        found[0]["cannot_tell"].is_string() && found[0]["reason"].as_str().is_some_and(|r| r.contains("not known"))
    );
    assert_eq!(answer["sure_holes"], json!(0));
}

#[test]
fn what_a_helper_does_is_not_missing() {
    let through = "guard(request)\n    return request\n\n\ndef guard(request):\n    check_session(request)";
    let project = Project::new(&handlers(through));
    let answer = project.ok("missing", json!({"query": "export order"}));
    assert!(holes(&answer, "export_order").is_empty(), "{answer}");
}

/// Codecs of one base, of which one lacks `close`.
fn codecs() -> String {
    let mut text = "//- codec/base.py\nclass Codec:\n    def name(self):\n        return ''\n".to_owned();
    for name in ["gzip", "zstd", "brotli", "lz4", "snappy", "deflate", "lzma"] {
        text += &format!(
            "//- codec/{name}.py\nfrom codec.base import Codec\n\n\nclass {}(Codec):\n    def encode(self, x):\n        return x\n",
            name.to_uppercase()
        );
        if name != "lz4" {
            text += "\n    def close(self):\n        return None\n";
        }
    }
    text
}

#[test]
fn a_type_without_what_its_kin_have_and_one_that_inherits_it() {
    let text = codecs();
    let project = Project::new(&text);
    let answer = project.ok("missing", json!({"query": "lz4 codec", "min_sibling_activation": 0.0, "top_k": 200}));
    let lacks = |label: &str| {
        holes(&answer, label)
            .iter()
            .filter_map(|hole| hole["lacks"]["name"].as_str().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(lacks("LZ4"), ["close"], "{answer}");
    assert!(lacks("GZIP").is_empty(), "what the base has is inherited: {answer}");
    let inherited = text.replace("    def name(self):\n        return ''", "    def close(self):\n        return ''");
    let project = Project::new(&inherited);
    let answer = project.ok("missing", json!({"query": "lz4 codec", "min_sibling_activation": 0.0}));
    assert!(holes(&answer, "LZ4").is_empty(), "{answer}");
}

#[test]
fn what_everybody_uses_still_has_heirs() {
    let mut text = "//- a/users.py\nfrom codec.base import Codec\n".to_owned();
    for number in 0..2_100 {
        text += &format!("def use{number}():\n    return Codec\n");
    }
    let project = Project::new(&(text + &codecs()));
    let answer = project.ok("missing", json!({"query": "lz4", "min_sibling_activation": 0.0, "top_k": 200}));
    assert!(holes(&answer, "LZ4").iter().any(|hole| hole["lacks"]["name"] == "close"), "{answer}");
}

#[test]
fn what_one_of_very_many_edges_says_is_not_missing() {
    let mut text = String::new();
    for number in 0..6 {
        text += &format!("//- lib/part{number}.py\ndef run{number}(x):\n    return x\n");
    }
    text += "//- z/main.py\n";
    (0..6).for_each(|number| text += &format!("from lib import part{number}\n"));
    for number in 0..600 {
        text += &format!("//- a/u{number}.py\nfrom lib import part3\n");
    }
    let project = Project::new(&text);
    let answer = project.ok("missing", json!({"query": "part3", "min_sibling_activation": 0.0, "top_k": 200}));
    assert_eq!(answer["members_compared"], json!(1), "{answer}");
    assert!(holes(&answer, "part3.py").is_empty(), "`main.py` is the last of those that import it: {answer}");
}

#[test]
fn what_possible_calls_lead_to_is_not_called_missing() {
    let guards = "//- web/guards.py\nfrom web.session import check_session\n\n\nclass Strict:\n    def guard_it(self, request):\n        \
                  return check_session(request)\n\n\nclass Loose:\n    def guard_it(self, request):\n        return request\n";
    let project = Project::new(&(handlers("request.guard_it(request)") + guards));
    let answer = project.ok("missing", json!({"query": "export order"}));
    let found = holes(&answer, "export_order");
    assert_eq!(found.len(), 1, "{answer}");
    assert_eq!(found[0]["cannot_tell"], "calls that are only possible lead there", "{answer}");
    let harmless = guards.replace("return check_session(request)", "return request");
    let project = Project::new(&(handlers("request.guard_it(request)") + &harmless));
    let answer = project.ok("missing", json!({"query": "export order"}));
    assert_eq!(holes(&answer, "export_order")[0]["status"], "missing", "no candidate leads there: {answer}");
}

#[test]
fn a_class_larger_than_is_looked_at_is_not_called_missing() {
    let many: String = (0..320).map(|n| format!("    def part_{n}(self):\n        return {n}\n\n")).collect();
    let mut text = "//- base.py\nclass Codec:\n    pass\n\n\ndef register(x):\n    return x\n".to_owned();
    for name in ["gzip", "zstd", "brotli", "snappy", "deflate", "lzma", "large"] {
        let body = match name {
            "large" => many.clone() + "    def wrap_up(self):\n        return register(self)\n",
            _ => "    def wrap_up(self):\n        return register(self)\n".to_owned(),
        };
        text += &format!(
            "//- {name}.py\nfrom base import Codec, register\n\n\nclass {}(Codec):\n{body}",
            name.to_uppercase()
        );
    }
    let project = Project::new(&text);
    let answer = project.ok("missing", json!({"query": "large codec", "min_sibling_activation": 0.0, "top_k": 200}));
    let found = holes(&answer, "LARGE");
    assert!(!found.is_empty(), "{answer}");
    for hole in found {
        assert_eq!(hole["status"], "cannot_tell", "{hole}");
    }
    assert_eq!(answer["sure_holes"], 0, "{answer}");
    assert!(answer["next_step_hint"].as_str().is_some_and(|hint| hint.starts_with("no hole is certain")), "{answer}");
}

#[test]
fn only_siblings_of_its_own_kind_are_compared() {
    let modules: String = (0..6).map(|number| format!("mod plain{number};\nmod choice{number};\n")).collect();
    let mut text = format!(
        "//- Cargo.toml\n[package]\nname = \"x\"\n//- src/lib.rs\npub trait Codec {{}}\npub trait Close {{}}\n{modules}"
    );
    for number in 0..6 {
        let close = if number == 3 { String::new() } else { format!("impl Close for Plain{number} {{}}\n") };
        text += &format!(
            "//- src/plain{number}.rs\nuse crate::{{Close, Codec}};\npub struct Plain{number};\nimpl Codec for Plain{number} {{}}\n{close}"
        );
        text += &format!(
            "//- src/choice{number}.rs\nuse crate::Codec;\npub enum Choice{number} {{ A }}\nimpl Codec for Choice{number} {{}}\n"
        );
    }
    for number in 0..60 {
        text += &format!("//- src/m{number}.rs\npub fn helper{number}() -> u32 {{ {number} }}\n");
    }
    let project = Project::new(&text);
    for query in ["plain codec", "choice codec"] {
        let answer = project.ok("missing", json!({"query": query, "min_sibling_activation": 0.0, "top_k": 200}));
        let found = holes(&answer, "Plain3");
        assert_eq!(found.len(), 1, "{query}: {answer}");
        assert_eq!(
            found[0]["reason"],
            "5 of 5 other structs that implement Codec implement `Close`; `Plain3` does not"
        );
        for number in 0..6 {
            let found = holes(&answer, &format!("Choice{number}"));
            assert!(found.is_empty(), "{query}: no enum closes: {found:?}");
        }
    }
}

#[test]
fn no_pattern_no_hole() {
    let project = Project::new(PROGRAM);
    let answer = project.ok("missing", json!({"query": "validate credentials"}));
    assert_eq!((&answer["holes"], &answer["total_holes"]), (&json!([]), &json!(0)), "{answer}");
    assert!(answer["members"].as_u64() > Some(0), "{answer}");
    let nothing = project.ok("missing", json!({"query": "zebra quagga"}));
    assert_eq!((&nothing["proof_state"], &nothing["members"]), (&json!("blocked"), &json!(0)));
    for bad in [json!({"query": " "}), json!({"query": "x", "min_sibling_activation": "x"})] {
        assert_eq!(project.err("missing", bad)["code"], "invalid_params");
    }
}

#[test]
fn asking_twice_gives_the_same_and_every_id_is_one() {
    let project = Project::new(&handlers("pass"));
    let ask = || {
        let mut answer = project.ok("missing", json!({"query": "order", "min_sibling_activation": 0.0}));
        answer["elapsed_ms"].take();
        answer
    };
    let answer = ask();
    assert_eq!(answer, ask());
    for id in column(&answer, "holes", "node_id").split(' ') {
        assert!(project.services.engine.snapshot().graph().find(id).is_some(), "{id}");
    }
}

/// Modules that each open, check and close a connection by themselves.
fn connections(extra: &str) -> String {
    let mut text = "//- db/driver.py\ndef connect(url):\n    return url\n\n\ndef ping(link):\n    return link\n\n\ndef close(link):\n    return link\n".to_owned();
    for name in ["orders", "users", "stock"] {
        text += &format!(
            "//- app/{name}.py\nfrom db.driver import close, connect, ping\n\n\ndef load_{name}(url):\n    link = connect(url)\n    ping(link)\n    rows = [link, '{name}']\n    close(link)\n    return rows\n"
        );
    }
    for number in 0..60 {
        text += &format!("//- lib/m{number}.py\ndef helper{number}(x):\n    return x\n");
    }
    text + extra
}

fn abstractions(answer: &Value) -> Vec<&Value> {
    let rows = answer["holes"].as_array().expect("rows");
    rows.iter().filter(|row| row["type"] == "missing_abstraction").collect()
}

#[test]
fn work_that_each_module_does_for_itself() {
    let ask = json!({"query": "load orders users stock", "min_sibling_activation": 0.0});
    let project = Project::new(&connections(""));
    let answer = project.ok("missing", ask.clone());
    let found = abstractions(&answer);
    assert_eq!(found.len(), 1, "{answer}");
    assert_eq!(
        found[0]["reason"],
        "3 functions in 3 files each call `connect`, `ping` and `close`; no certain call leads from one of them to another"
    );
    assert_eq!((&found[0]["files"], &found[0]["evidence"][0]["line"]), (&json!(3), &json!(5)), "{answer}");
    assert_eq!(answer["missing_abstractions"], json!(1));

    // Two that are left are no pattern.
    let through = connections("").replace("def load_stock(url):\n    link = connect(url)\n", "def load_stock(link):\n");
    assert!(abstractions(&Project::new(&through).ok("missing", ask.clone())).is_empty());

    // One that does it for others is named, and those that call it are left out.
    let pooled = "//- app/pool.py\nfrom db.driver import close, connect, ping\n\n\ndef with_link(url):\n    link = connect(url)\n    ping(link)\n    close(link)\n    return link\n\
        //- app/jobs.py\nfrom app.pool import with_link\nfrom db.driver import close, connect, ping\n\n\ndef load_jobs(url):\n    close(ping(connect(url)))\n    return with_link(url)\n";
    let answer = Project::new(&connections(pooled)).ok("missing", ask);
    let found = abstractions(&answer);
    assert_eq!(found.len(), 1, "{answer}");
    assert_eq!(found[0]["existing"], "file::app/pool.py::fn::with_link", "{answer}");
    assert_eq!(found[0]["functions"], json!(3), "{answer}");
}

#[test]
fn decorators_of_members_do_not_make_siblings_of_classes() {
    let mut text = "//- typed/marked.py\ndef marked(f):\n    return f\n".to_owned();
    let mut tests = String::new();
    for name in ["basic", "digest", "proxy", "token", "bearer", "cookie", "ticket", "netrc"] {
        text += &format!(
            "//- {name}/{name}.py\nfrom typed.marked import marked\n\nclass {name}Auth:\n    @marked\n    def run_{name}(self):\n        return 1\n"
        );
        if name != "netrc" {
            tests +=
                &format!("from {name}.{name} import {name}Auth\n\ndef test_{name}():\n    assert {name}Auth()\n\n");
        }
    }
    text += &format!("//- tests/test_all.py\n{tests}");
    let answer = Project::new(&text).ok("missing", json!({"query": "netrcAuth", "min_sibling_activation": 0.0}));
    let reasons = column(&answer, "holes", "reason");
    assert!(!reasons.contains("decorated with"), "{answer}");
}

#[test]
fn a_line_in_another_file_names_it() {
    let mut text = String::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        text += &format!("//- pkg/{name}.py\nclass Base{name}:\n    x = 1\n");
    }
    text += "//- tests/test_all.py\n";
    for name in ["a", "b", "c", "d", "e"] {
        text += &format!("from pkg.{name} import Base{name}\n\ndef test_{name}():\n    assert Base{name}()\n\n");
    }
    let answer = Project::new(&text).ok("missing", json!({"query": "pkg f", "min_sibling_activation": 0.0}));
    let rows = answer["holes"].as_array().expect("rows");
    let row =
        rows.iter().find(|row| row["lacks"]["relation"] == "tests").unwrap_or_else(|| panic!("a hole in {answer}"));
    assert!(
        row["evidence"].as_array().is_some_and(|all| all.iter().all(|one| one["file_path"] == "tests/test_all.py")),
        "{row}"
    );
}

#[test]
fn a_base_of_a_base_is_one() {
    let mut text = "//- base.py\nclass Root:\n    pass\n\n\nclass Info(Root):\n    pass\n".to_owned();
    text += "//- kinds.py\nfrom base import Root, Info\n";
    for name in ["Mail", "News", "Chat", "Feed", "Call", "Page"] {
        text += &format!("\n\nclass {name}Box(Root):\n    x = 1\n");
    }
    text += "\n\nclass MailboxBox(Info):\n    x = 1\n\n\nclass PlainBox:\n    x = 1\n";
    for number in 0..40 {
        text += &format!("//- lib/m{number}.py\ndef helper{number}(x):\n    return x\n");
    }
    let answer = Project::new(&text).ok("missing", json!({"query": "box kinds", "min_sibling_activation": 0.0}));
    assert!(holes(&answer, "MailboxBox").is_empty(), "{answer}");
    let reason = &holes(&answer, "PlainBox")[0]["reason"];
    assert_eq!(*reason, "7 of 7 other classes of kinds.py inherit from `Root`; `PlainBox` does not", "{answer}");
}

#[test]
fn a_constructor_and_its_class_are_one_use() {
    let mut text = "//- errors.py\nclass Failure:\n    def __init__(self, why):\n        self.why = why\n".to_owned();
    text += "//- rules.py\nfrom errors import Failure\n";
    for name in ["size", "name", "mode", "owner", "kind", "place"] {
        text += &format!("\n\ndef check_{name}(x):\n    return Failure('{name}')\n");
    }
    text += "\n\ndef check_rights(x):\n    return x\n";
    for number in 0..40 {
        text += &format!("//- lib/m{number}.py\ndef helper{number}(x):\n    return x\n");
    }
    let answer = Project::new(&text).ok("missing", json!({"query": "check rights", "min_sibling_activation": 0.0}));
    let found: Vec<&Value> = holes(&answer, "check_rights");
    assert_eq!(found.len(), 1, "{answer}");
    assert_eq!(found[0]["reason"], "6 of 6 other functions of rules.py call `Failure`; `check_rights` does not");
}

#[test]
fn what_is_not_exported_and_what_stands_for_a_folder_have_another_role() {
    let names = ["ref", "raw", "shallow", "readonly", "frozen", "marked", "tracked"];
    let (mut text, mut tests) = ("//- src/value.ts\n".to_owned(), String::new());
    for name in names {
        text += &format!("export function {name}Value(x: number) {{ return create(x); }}\n");
    }
    text +=
        "export function forgottenValue(x: number) { return create(x); }\nfunction create(x: number) { return x; }\n";
    text += &format!(
        "//- src/index.ts\nexport {{ {} }} from './value';\n",
        names.map(|name| format!("{name}Value")).join(", ")
    );
    for name in ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"] {
        text += &format!("//- src/{name}.ts\nexport function {name}Part(x: number) {{ return x; }}\n");
        tests +=
            &format!("import {{ {name}Part }} from '../src/{name}';\ntest('{name}', () => {{ {name}Part(1); }});\n");
    }
    text += "//- src/external.ts\nexport { onePart } from './one';\nexport { twoPart } from './two';\n";
    text += &format!("//- src/untried.ts\nexport function untriedPart() {{}}\n//- __tests__/all.spec.ts\n{tests}");
    let project = Project::new(&text);
    let ask = |query: &str| project.ok("missing", json!({"query": query, "min_sibling_activation": 0.0}));
    let value = ask("create forgotten value");
    assert!(holes(&value, "create").is_empty(), "{value}");
    assert_eq!(holes(&value, "forgottenValue")[0]["lacks"]["name"], "index.ts", "{value}");
    for query in ["index", "external", "untried"] {
        let answer = ask(query);
        let of_fronts: Vec<&Value> =
            ["index.ts", "external.ts"].iter().flat_map(|label| holes(&answer, label)).collect();
        assert!(of_fronts.is_empty(), "{answer}");
    }
    let untried = ask("untried");
    assert_eq!(holes(&untried, "untried.ts")[0]["lacks"]["relation"], "tests", "{untried}");
}

#[test]
fn what_a_file_is_made_of_need_not_be_used_beside_it() {
    let names = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
    let (mut text, mut all) = (String::new(), String::new());
    for name in names {
        let inner = if name == "one" { "import { innerPart } from './inner';\n" } else { "" };
        text += &format!("//- parts/{name}.ts\n{inner}export function {name}Part(x: number) {{ return x; }}\n");
        all += &format!("import {{ {name}Part }} from './parts/{name}';\n{name}Part(1);\n");
    }
    text += "//- parts/inner.ts\nexport function innerPart(x: number) { return x; }\n";
    for number in 0..40 {
        text += &format!("//- lib/m{number}.ts\nexport function helper{number}() {{}}\n");
    }
    text += "//- parts/left.ts\nexport function leftPart(x: number) { return x; }\n";
    let project = Project::new(&format!("{text}//- register.ts\n{all}"));
    for (query, label, expected) in [("inner part", "inner.ts", 0), ("left part", "left.ts", 1)] {
        let answer = project.ok("missing", json!({"query": query, "min_sibling_activation": 0.0}));
        assert_eq!(holes(&answer, label).len(), expected, "{query}: {answer}");
    }
}

/// Middlewares of one form in files of their own, all but one used by a test, in a project with other code.
fn middlewares() -> String {
    let mut text = "//- mw/types.go\npackage mw\n\ntype Handler interface { Serve() }\n".to_owned();
    for name in ["Logger", "Timeout", "Throttle", "Compress", "Heartbeat", "NoCache", "CleanPath"] {
        text += &format!(
            "//- mw/{}.go\npackage mw\n\n// {name} wraps a handler.\nfunc {name}(next Handler) Handler {{\n\treturn next\n}}\n",
            name.to_lowercase()
        );
        if name != "CleanPath" {
            text += &format!(
                "//- mw/{}_test.go\npackage mw\n\nimport \"testing\"\n\nfunc Test{name}(t *testing.T) {{\n\t{name}(nil)\n}}\n",
                name.to_lowercase()
            );
        }
    }
    text
}

#[test]
fn functions_of_one_form_are_siblings() {
    let project = Project::new(&middlewares());
    let answer = project.ok("missing", json!({"query": "clean path"}));
    let found = holes(&answer, "CleanPath");
    assert_eq!(found.len(), 1, "{answer}");
    let reason =
        "6 of 6 other functions of the form `(next Handler) Handler` in mw are used by a test; `CleanPath` is not";
    assert_eq!(found[0]["reason"], reason);
    let tested = project.ok("missing", json!({"query": "timeout"}));
    assert!(holes(&tested, "Timeout").is_empty(), "{tested}");
}

/// A class whose methods the question does not name, one of them without a call that all others make. That it has no
/// comment either is not a hole.
#[test]
fn members_of_a_class_of_the_topic_belong_to_it() {
    let mut text = "//- jar.py\nclass CookieJar:\n    \"\"\"Keeps cookies.\"\"\"\n".to_owned();
    for name in ["fetch", "drop", "merge", "expire", "list_all", "dump", "load", "size"] {
        let call = if name == "dump" { "" } else { "        \"\"\"Does it.\"\"\"\n        check_open(self)\n" };
        text += &format!("\n    def {name}(self):\n{call}        return 1\n");
    }
    for name in ["_grow", "__len__"] {
        text += &format!("\n    def {name}(self):\n        check_open(self)\n        return 1\n");
    }
    for number in 0..40 {
        text += &format!("//- lib/m{number}.py\ndef helper{number}(x):\n    return x\n");
    }
    text += "//- opens.py\ndef check_open(jar):\n    return jar\n";
    text = text.replace("class CookieJar", "from opens import check_open\n\nclass CookieJar");
    let answer = Project::new(&text).ok("missing", json!({"query": "cookie jar"}));
    assert_eq!(column(&answer, "holes", "label"), "dump", "{answer}");
    let lacks = &answer["holes"][0]["lacks"];
    assert_eq!((&lacks["relation"], &lacks["name"]), (&json!("calls"), &json!("check_open")));
}

#[test]
fn an_answer_says_what_was_compared() {
    let project = Project::new(&handlers("check_session(request)"));
    let answer = project.ok("missing", json!({"query": "export order"}));
    let said = answer["compared"].as_str().expect("a sentence");
    assert_eq!(answer["total_holes"], json!(0), "{answer}");
    assert!(said.contains(" of the topic compared in ") && said.contains("none lacks what three in four"), "{said}");
    let alone = Project::new("//- a.py\ndef alone():\n    return 1\n").ok("missing", json!({"query": "alone"}));
    let said = alone["compared"].as_str().expect("a sentence");
    assert!(said.ends_with("no group to compare with"), "{said}");
    let provided = Project::new(&handlers(
        "guard(request)\n    return request\n\n\ndef guard(request):\n    check_session(request)",
    ));
    let answer = provided.ok("missing", json!({"query": "export order"}));
    assert!(answer["compared"].as_str().is_some_and(|said| said.contains("1 provided by calls or bases")), "{answer}");
}
