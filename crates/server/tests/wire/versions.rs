//! Every version of the protocol that the server accepts.

use m1nd_server::ServeOptions;
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};

use crate::{Session, session_with};

/// A client that agreed on a version: by a handshake, or by naming it in every request.
struct Client {
    session: Session,
    meta: Option<Value>,
}

impl Client {
    fn new(version: &ProtocolVersion) -> Self {
        let mut session = session_with(ServeOptions::default());
        if version.has_initialize() {
            let agreed = session.wire.initialize(version.as_str());
            assert_eq!(agreed["protocolVersion"], version.as_str());
            return Self { session, meta: None };
        }
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": version.as_str(),
            "io.modelcontextprotocol/clientInfo": {"name": "testkit", "version": "0"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        Self { session, meta: Some(meta) }
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        self.session.wire.request(method, params)
    }
}

/// The versions that the server says it supports.
fn list_supported() -> Vec<ProtocolVersion> {
    let mut client = Client::new(&ProtocolVersion::LATEST);
    let answer = client.ask("server/discover", json!({}));
    client.session.finish();
    let versions = answer["result"]["supportedVersions"].as_array().unwrap_or_else(|| panic!("{answer}"));
    versions.iter().map(|version| serde_json::from_value(version.clone()).unwrap()).collect()
}

#[test]
fn the_readme_names_the_first_and_the_last_version() {
    let versions = list_supported();
    assert!(versions.is_sorted());
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md")).unwrap();
    let claim = format!("{} to {}", versions.first().unwrap(), versions.last().unwrap());
    assert!(readme.contains(&claim), "the README does not say `{claim}`");
}

#[test]
fn every_supported_version_has_all_methods() {
    for version in list_supported() {
        let mut client = Client::new(&version);
        let lists = [
            ("tools/list", "tools"),
            ("resources/list", "resources"),
            ("resources/templates/list", "resourceTemplates"),
            ("prompts/list", "prompts"),
        ];
        for (method, member) in lists {
            let answer = client.ask(method, json!({}));
            let rows = answer["result"][member].as_array().unwrap_or_else(|| panic!("{version} {method}: {answer}"));
            assert!(!rows.is_empty(), "{version} {method}");
            let has_titles = version >= ProtocolVersion::V_2025_06_18;
            assert!(rows.iter().all(|row| row["title"].is_string() == has_titles), "{version} {method}: {rows:?}");
        }
        let answer = client.ask("tools/call", json!({"name": "health", "arguments": {}}));
        assert_eq!(answer["result"]["isError"], false, "{version}: {answer}");
        assert!(answer["result"]["structuredContent"].is_null(), "{version} sends it once: {answer}");
        let text = answer["result"]["content"][0]["text"].as_str().expect("a text");
        let health: Value = serde_json::from_str(text).expect("the text is the whole answer");
        assert_eq!(health["active_sessions"][0]["agent_id"], "testkit", "{version}: {health}");
        let answer = client.ask("resources/read", json!({"uri": "m1nd://overview"}));
        assert!(answer["result"]["contents"][0]["text"].is_string(), "{version}: {answer}");
        let answer = client.ask("resources/read", json!({"uri": "m1nd://nothing"}));
        // The number for this changed in that version.
        let not_found = if version.has_initialize() { -32002 } else { -32602 };
        assert_eq!(answer["error"]["code"], not_found, "{version}: {answer}");
        let answer = client.ask("prompts/get", json!({"name": "start_task", "arguments": {"task": "x"}}));
        assert!(answer["result"]["messages"][0]["content"]["text"].is_string(), "{version}: {answer}");
        let ping = client.ask("ping", json!({}));
        assert_eq!(ping["result"].is_object(), version.has_initialize(), "{version}: {ping}");
        client.session.finish();
    }
}

#[test]
fn titles_and_annotations_are_where_a_version_has_them() {
    for (version, title, annotated, hint) in [
        ("2024-11-05", Value::Null, Value::Null, Value::Null),
        ("2025-03-26", Value::Null, json!("Batch view"), json!(true)),
        ("2025-06-18", json!("Batch view"), Value::Null, json!(true)),
    ] {
        let mut session = session_with(ServeOptions::default());
        session.wire.initialize(version);
        let list = session.wire.request("tools/list", json!({}));
        let rows = list["result"]["tools"].as_array().unwrap();
        let row = rows.iter().find(|row| row["name"] == "batch_view").unwrap();
        let annotations = &row["annotations"];
        let got = (&row["title"], &annotations["title"], &annotations["readOnlyHint"]);
        assert_eq!(got, (&title, &annotated, &hint), "{version}");
        session.finish();
    }
}

#[test]
fn what_was_agreed_counts_and_not_what_was_asked_for() {
    for asked in ["2026-07-28", "2099-01-01"] {
        let mut session = session_with(ServeOptions::default());
        assert_eq!(session.wire.initialize(asked)["protocolVersion"], "2025-11-25");
        let ping = session.wire.request("ping", json!({}));
        assert_eq!(ping["result"], json!({}), "asked for {asked}");
        let error = session.wire.request("resources/read", json!({"uri": "m1nd://nothing"}));
        assert_eq!(error["error"]["code"], -32002, "asked for {asked}");
        session.finish();
    }
}

#[test]
fn a_call_without_agent_id_is_answered_under_the_name_of_the_client() {
    let name = |handshake: Option<Value>, arguments: Value| {
        let mut session = session_with(ServeOptions::default());
        if let Some(client) = handshake {
            let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
            session.wire.request("initialize", params);
        }
        let (_, is_error) = session.wire.call("help", arguments);
        assert!(!is_error);
        let (health, _) = session.wire.call("health", json!({"agent_id": ""}));
        session.finish();
        health["active_sessions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["agent_id"].clone())
            .find(|id| id != "")
            .unwrap()
    };
    let client = || Some(json!({"name": "editor", "version": "1"}));
    assert_eq!(name(client(), json!({})), "editor");
    assert_eq!(name(client(), json!({"agent_id": null})), "editor");
    assert_eq!(name(client(), json!({"agent_id": "me"})), "me");
    assert_eq!(name(Some(json!({"name": "\u{1b}[1m", "version": "1"})), json!({})), "\\u{1b}[1m");
    for unnamed in [None, Some(json!({})), Some(json!({"name": " "})), Some(json!(7))] {
        assert_eq!(name(unnamed, json!({})), "anonymous");
    }
}

#[test]
fn what_follows_a_handshake_at_once_depends_on_it() {
    for round in 0..50 {
        let mut session = session_with(ServeOptions::default());
        let client = json!({"name": "editor", "version": "1"});
        let params = json!({"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": client});
        let ids: Vec<i64> = [
            ("initialize", params),
            ("tools/call", json!({"name": "help", "arguments": {}})),
            ("tools/list", json!({})),
        ]
        .map(|(method, params)| session.wire.ask(method, params))
        .into();
        let list = session.wire.answer(ids[2]).message;
        assert!(list["result"]["tools"][0].get("title").is_none(), "round {round}: {list}");
        session.wire.answer(ids[1]);
        let (health, _) = session.wire.call("health", json!({"agent_id": "me"}));
        let agents: Vec<&Value> =
            health["active_sessions"].as_array().unwrap().iter().map(|row| &row["agent_id"]).collect();
        assert!(!agents.contains(&&json!("anonymous")), "round {round}: {agents:?}");
        session.finish();
    }
}
