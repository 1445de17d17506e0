//! Clients that announce their roots.

use m1nd_engine::EngineConfig;
use m1nd_mind::MindConfig;
use m1nd_server::{ServeOptions, serve};
use m1nd_testkit::TempTree;
use m1nd_testkit::wire::Wire;
use m1nd_tools::Services;
use serde_json::{Value, json};

/// Two projects and a server started in neither, or in the first if `named`.
fn start_server(named: bool) -> (TempTree, Wire, std::thread::JoinHandle<()>) {
    let tree = TempTree::new(
        "//- one/.mind/MEMORY.md\n**Decided:** use jam in one\n//- two/.mind/MEMORY.md\n**Decided:** use jam in two\n//- else/x\n",
    );
    let root = tree.join(if named { "one" } else { "else" });
    let config = EngineConfig::new(tree.join("home"), vec![root]);
    let mind = MindConfig { named: usize::from(named), ..MindConfig::beside(&config.home, config.roots.clone()) };
    let services = Services::open(config, mind).unwrap();
    let (server_input, client_output) = std::io::pipe().unwrap();
    let (client_input, server_output) = std::io::pipe().unwrap();
    let options = ServeOptions { name: "mind", ..ServeOptions::default() };
    let server = std::thread::spawn(move || serve(&services, options, server_input, server_output).unwrap());
    (tree, Wire::over(client_output, client_input), server)
}

/// The handshake of a client with roots, up to the server's request, which the caller answers.
fn shake_hands(wire: &mut Wire) -> Value {
    let client = json!({"name": "testkit", "version": "0"});
    let capabilities = json!({"roots": {"listChanged": true}});
    wire.request(
        "initialize",
        json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client}),
    );
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    question(wire)
}

fn question(wire: &mut Wire) -> Value {
    loop {
        let message = wire.next_message().expect("the server asks").message;
        if message["method"] == "roots/list" {
            return message["id"].clone();
        }
    }
}

fn answer(wire: &mut Wire, id: &Value, uris: &[String]) {
    let roots: Vec<Value> = uris.iter().map(|uri| json!({"uri": uri})).collect();
    wire.send(&json!({"jsonrpc": "2.0", "id": id, "result": {"roots": roots}}));
}

/// The result of a search, or its error.
fn search_memory(wire: &mut Wire) -> String {
    let (answer, _) = wire.call("mind_search", json!({"query": "jam"}));
    answer["results"][0]["title"].as_str().or(answer["code"].as_str()).unwrap_or_default().to_owned()
}

fn finish(mut wire: Wire, server: std::thread::JoinHandle<()>) {
    wire.close_input();
    server.join().unwrap();
}

#[test]
fn the_project_is_the_one_that_the_client_has_open() {
    let (tree, mut wire, server) = start_server(false);
    let uri = |name: &str| format!("file://{}", tree.join(name).display());
    let id = shake_hands(&mut wire);
    // A call that comes before the answer waits for it.
    let early = wire.ask_tool("mind_search", json!({"query": "jam"}));
    answer(&mut wire, &id, &["https://example.org".into(), uri("two")]);
    let first = wire.answer(early).message["result"]["content"][0]["text"].clone();
    let first: serde_json::Value = serde_json::from_str(first.as_str().expect("a text")).expect("an answer");
    assert_eq!(first["results"][0]["title"], "use jam in two", "{first}");
    wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}));
    let id = question(&mut wire);
    answer(&mut wire, &id, &[uri("one")]);
    // The answer is processed alongside other calls.
    let begun = std::time::Instant::now();
    while search_memory(&mut wire) != "use jam in one" {
        assert!(begun.elapsed() < m1nd_testkit::wire::PATIENCE);
    }
    finish(wire, server);
}

#[test]
fn what_the_person_named_goes_before_and_silence_holds_nobody_up() {
    let (tree, mut wire, server) = start_server(true);
    let id = shake_hands(&mut wire);
    answer(&mut wire, &id, &[format!("file://{}", tree.join("two").display())]);
    assert_eq!(search_memory(&mut wire), "use jam in one");
    finish(wire, server);

    let (_tree, mut wire, server) = start_server(false);
    let id = shake_hands(&mut wire);
    assert_eq!(search_memory(&mut wire), "PROJECT_NOT_REGISTERED", "no answer came");
    wire.send(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}}));
    wire.send(&json!({"jsonrpc": "2.0", "id": 77, "result": {"roots": [{"uri": "file:///"}]}}));
    assert_eq!(search_memory(&mut wire), "PROJECT_NOT_REGISTERED", "an answer that nobody asked for is dropped");
    finish(wire, server);
}

#[test]
fn a_client_without_roots_is_not_asked() {
    let (_tree, mut wire, server) = start_server(true);
    wire.initialize("2025-06-18");
    assert_eq!(search_memory(&mut wire), "use jam in one");
    assert!(wire.take_kept().iter().all(|message| message["method"] != "roots/list"));
    finish(wire, server);
}
