//! Resources and prompts, over the real tools.

use expect_test::expect;
use m1nd_engine::EngineConfig;
use m1nd_server::ServeOptions;
use m1nd_tools::{PROMPTS, RESOURCES, Toolset};
use serde_json::{Value, json};

use crate::{Session, session_over};

const FILES: &[(&str, &str)] = &[
    ("src/price.py", "def net(value):\n    return value * 2\n\n\ndef gross(value):\n    return net(value) + 1\n"),
    ("src/a b.py", "from src.price import gross\n\n\ndef total():\n    return gross(3)\n"),
    (".env", "TOKEN=do-not-show\n"),
    ("tls.key", "do-not-show\n"),
    (
        ".mind/MEMORY.md",
        "# Shop\n\n## Gotchas\n- Prices are in cents -> divide before showing\n\n## 2026-01-05\n\
         **Decided:** round in `gross` because taxes are by line\n",
    ),
];

/// A server with the real tools on an indexed project, and the folder around it.
fn shop(options: ServeOptions) -> (Session, std::path::PathBuf) {
    let folders = tempfile::tempdir().unwrap();
    let root = folders.path().join("project");
    for (path, text) in FILES {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
    let above = folders.path().to_owned();
    std::fs::write(above.join("secret.txt"), "do-not-show\n").unwrap();
    let config = EngineConfig::new(folders.path().join("home"), vec![root]);
    let services = m1nd_tools::Services::self_contained(config.clone()).unwrap();
    let request = m1nd_engine::IngestRequest::code(&config.roots[0]);
    services.engine.ingest(request, &m1nd_base::Cancel::new(), &m1nd_base::NoProgress).unwrap();
    drop(services);
    let config = EngineConfig { read_only: options.read_only, ..config };
    let mut session = session_over(folders, config, options);
    session.wire.initialize("2025-06-18");
    (session, above)
}

fn read(session: &mut Session, uri: &str) -> Result<String, Value> {
    let answer = session.wire.request("resources/read", json!({"uri": uri}));
    match answer.get("error") {
        Some(error) => Err(error.clone()),
        None => {
            let content = &answer["result"]["contents"][0];
            assert_eq!(content["uri"], uri, "{answer}");
            Ok(content["text"].as_str().unwrap().to_owned())
        }
    }
}

#[test]
fn resources_are_listed_with_their_templates() {
    let (mut session, _) = shop(ServeOptions::default());
    let list = session.wire.request("resources/list", json!({}));
    let uris = |list: &Value, member: &str, uri: &str| {
        let rows = list["result"][member].as_array().unwrap().iter();
        rows.map(|row| format!("{} {} ({})", row[uri], row["mimeType"], row["title"])).collect::<Vec<_>>().join("\n")
    };
    expect![[r#"
        "m1nd://overview" "text/plain" ("Project overview")
        "m1nd://memory" "text/markdown" ("Project memory")"#]]
    .assert_eq(&uris(&list, "resources", "uri"));
    let list = session.wire.request("resources/templates/list", json!({}));
    expect![[r#"
        "m1nd://file/{+path}" "text/plain" ("File")
        "m1nd://symbol/{+id}" "text/plain" ("Symbol")"#]]
    .assert_eq(&uris(&list, "resourceTemplates", "uriTemplate"));
    session.finish();
}

#[test]
fn a_resource_reads_like_the_text_of_the_tools() {
    let (mut session, _) = shop(ServeOptions::default());
    expect![[r#"
        1  def net(value):
        2      return value * 2
        3  
        4  
        5  def gross(value):
        6      return net(value) + 1
        total_lines 6
        symbols:
          net (function)  src/price.py:1-2
          gross (function)  src/price.py:5-6
        next: impact src/price.py::net — before changing a symbol here, check what depends on it
    "#]]
    .assert_eq(&read(&mut session, "m1nd://file/src/price.py").unwrap());
    expect![[r#"
        # Code

        5  def gross(value):
        6      return net(value) + 1
        total_lines 6
        symbols:
          gross (function)  src/price.py:5-6
        next: impact src/price.py::gross — before changing `gross`, check what depends on it

        # Uses

        complete: 2 uses of `gross` in 1 file (1 call, 1 import); no search adds one
        src/a b.py
        1: from src.price import gross  (import)
        5: return gross(3)  (total)
    "#]]
    .assert_eq(&read(&mut session, "m1nd://symbol/file::src/price.py::fn::gross").unwrap());
    let overview = read(&mut session, "m1nd://overview").unwrap();
    assert!(overview.contains("# Index\n\n") && overview.contains("file_count 2"), "{overview}");
    assert!(overview.contains("# Files that most code depends on\n\n1. src/price.py"), "{overview}");
    let memory = read(&mut session, "m1nd://memory").unwrap();
    assert!(memory.contains("round in `gross`") && memory.contains("Prices are in cents"), "{memory}");
    // As clients write addresses.
    for uri in ["m1nd://file/src/a%20b.py", "m1nd://file/src%2Fa%20b.py", "m1nd://file/src/a b.py"] {
        assert!(read(&mut session, uri).unwrap().contains("def total"), "{uri}");
    }
    for uri in ["m1nd://overview/", "m1nd://memory/"] {
        assert!(read(&mut session, uri).is_ok(), "{uri}");
    }
    session.finish();
}

#[test]
fn a_resource_says_what_changed_since_it_was_indexed() {
    let options = ServeOptions { read_only: true, ..ServeOptions::default() };
    let (mut session, above) = shop(options);
    std::fs::write(above.join("project/src/price.py"), "\n\ndef gross(value):\n    return 7\n").unwrap();
    std::fs::write(above.join("project/src/new.py"), "from src.price import gross\ngross(1)\n").unwrap();
    let file = read(&mut session, "m1nd://file/src/price.py").unwrap();
    assert!(file.contains("return 7") && file.contains("stale"), "{file}");
    let overview = read(&mut session, "m1nd://overview").unwrap();
    assert!(overview.contains("degraded") && overview.contains("stale:"), "{overview}");
    session.finish();
}

#[test]
fn what_is_not_there_or_must_not_be_shown_is_not_found() {
    let (mut session, above) = shop(ServeOptions::default());
    let above = above.display().to_string();
    for uri in [
        "m1nd://file/src/none.py",
        "m1nd://file/.env",
        "m1nd://file/tls.key",
        "m1nd://file/../secret.txt",
        "m1nd://file/%2e%2e/secret.txt",
        "m1nd://file/src/../../secret.txt",
        "m1nd://file/..%2fsecret.txt",
        "m1nd://file//etc/passwd",
        &format!("m1nd://file/{above}/secret.txt"),
        "m1nd://file/a%00",
        "m1nd://file/a%g",
        "m1nd://file/",
        "m1nd://file",
        "m1nd://symbol/file::src/price.py::fn::none",
        "m1nd://symbol/Nothing.like_this",
        "m1nd://overview/x",
        "m1nd://nothing",
        "m1nd:overview",
        "file:///etc/passwd",
        "",
    ] {
        let error = read(&mut session, uri).unwrap_err();
        assert_eq!(error["code"], -32002, "{uri}: {error}");
        assert!(!error.to_string().contains("do-not-show"), "{error}");
        assert_eq!(error["data"]["uri"], uri);
    }
    let answer = session.wire.request("resources/read", json!({"uri": 7}));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    session.finish();
}

#[test]
fn without_an_index_a_resource_says_what_to_do() {
    let mut session = crate::session_with(ServeOptions::default());
    let error = read(&mut session, "m1nd://file/a.py").unwrap_err();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32002), &json!("empty_graph")));
    assert!(error["data"]["suggested_next_step"].as_str().unwrap().contains("`ingest`"), "{error}");
    assert!(read(&mut session, "m1nd://overview").unwrap().contains("empty"));
    session.finish();
}

#[test]
fn prompts_are_listed_and_filled_in() {
    let (mut session, _) = shop(ServeOptions::default());
    let list = session.wire.request("prompts/list", json!({}));
    let rows = list["result"]["prompts"].as_array().unwrap();
    assert_eq!(rows.len(), PROMPTS.len());
    let rows: Vec<String> =
        rows.iter().map(|row| format!("{} {}: {}", row["name"], row["title"], row["arguments"])).collect();
    expect![[r#"
        "start_task" "Start a task": [{"name":"task","description":"What is to be done","required":true}]
        "change_safely" "Change something safely": [{"name":"target","description":"A symbol or file: a node id, `Pool.acquire` or `src/pool.py`","required":true},{"name":"change","description":"The change to make","required":false}]
        "review_diff" "Review a diff": [{"name":"diff","description":"The diff, or what selects it, such as a branch; by default what is not committed","required":false}]
        "remember" "Remember": [{"name":"what","description":"What to remember, with its reason","required":true}]"#]]
    .assert_eq(&rows.join("\n"));
    let mut text = |name: &str, arguments: Value| {
        let answer = session.wire.request("prompts/get", json!({"name": name, "arguments": arguments}));
        let message = &answer["result"]["messages"][0];
        match message["content"]["text"].as_str() {
            Some(text) => {
                assert_eq!(message["role"], "user");
                text.to_owned()
            }
            None => format!("{} {}", answer["error"]["code"], answer["error"]["message"]),
        }
    };
    let change = text("change_safely", json!({"target": "Pool.acquire"}));
    assert!(change.starts_with("Change `Pool.acquire`") && !change.contains("The change:"), "{change}");
    assert!(
        text("change_safely", json!({"target": "a", "change": "{target}\u{1b}[1m"}))
            .contains("The change: {target}\\u{1b}")
    );
    let review = text("review_diff", Value::Null);
    assert!(review.contains("`git diff HEAD`") && !review.contains('{'), "{review}");
    expect![[r#"-32602 "missing argument `task` of `start_task`: What is to be done""#]]
        .assert_eq(&text("start_task", json!({"task": " "})));
    expect![[r#"-32602 "unknown prompt: nothing; expected one of start_task, change_safely, review_diff, remember""#]]
        .assert_eq(&text("nothing", json!({})));
    session.finish();
}

/// Names of what a server offers.
fn list_offered(session: &mut Session) -> [String; 3] {
    ["resources/list", "resources/templates/list", "prompts/list"].map(|method| {
        let list = session.wire.request(method, json!({}));
        let rows = list["result"].as_object().unwrap().values().find_map(Value::as_array).unwrap();
        rows.iter().map(|row| row["name"].as_str().unwrap()).collect::<Vec<_>>().join(" ")
    })
}

#[test]
fn a_server_offers_what_its_tools_can_do() {
    let (mut session, _) = shop(ServeOptions { only: Some(Toolset::Memory), ..ServeOptions::default() });
    assert_eq!(list_offered(&mut session), ["memory", "", "remember"]);
    assert!(read(&mut session, "m1nd://memory").is_ok());
    assert_eq!(read(&mut session, "m1nd://overview").unwrap_err()["code"], -32002);
    session.finish();

    let (mut session, _) = shop(ServeOptions { read_only: true, ..ServeOptions::default() });
    let all: Vec<&str> = RESOURCES.iter().map(|resource| resource.name).collect();
    let [list, templates, prompts] = list_offered(&mut session);
    assert_eq!(format!("{list} {templates}"), all.join(" "));
    assert_eq!(prompts, "start_task change_safely review_diff remember");
    let answer = session.wire.request("prompts/get", json!({"name": "change_safely", "arguments": {"target": "a"}}));
    let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("`impact`") && !text.contains("`ingest`"), "a tool that is refused is not named: {text}");
    session.finish();
}
