//! Servers that others of their project use: clients that are attached, and questions of the command line.

use std::path::PathBuf;
use std::process::{Child, Stdio};

use m1nd_testkit::wire::Wire;
use serde_json::{Value, json};

use crate::resident::{QUESTIONS, ask, index_shop, socket_of, wait_until};
use crate::{Place, SHOP};

/// Starts a server of the project in this place.
fn serve(place: &Place, options: &[&str]) -> Wire {
    let mut command = place.command(&["serve"]);
    Wire::spawn(command.args(options).stderr(Stdio::null())).unwrap()
}

/// Starts a server that others can use.
fn serve_first(place: &Place, options: &[&str]) -> Wire {
    let server = serve(place, options);
    wait_until("it listens", || socket_of(place).is_some());
    server
}

fn call(wire: &mut Wire, tool: &str, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    arguments["agent_id"] = "test".into();
    wire.call(tool, arguments).0
}

/// Returns whether a program has the threads of an index: it serves by itself.
fn has_index(wire: &Wire) -> bool {
    let tasks = PathBuf::from(format!("/proc/{}/task", wire.process_id().unwrap()));
    let names = std::fs::read_dir(tasks).unwrap().flatten().map(|task| task.path().join("comm"));
    names.filter_map(|name| std::fs::read_to_string(name).ok()).any(|name| name.starts_with("m1nd-background"))
}

/// Starts a server over HTTP; it ends with the value.
struct OverHttp(Child);

impl OverHttp {
    fn start(place: &Place) -> Self {
        let mut command = place.command(&["serve", "--http"]);
        let started = Self(command.stderr(Stdio::null()).spawn().unwrap());
        wait_until("it listens", || socket_of(place).is_some());
        started
    }
}

impl Drop for OverHttp {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_server_answers_the_command_line_byte_for_byte() {
    let place = index_shop();
    let alone: Vec<_> = QUESTIONS.iter().map(|question| ask(&place, question, false)).collect();
    let _server = serve_first(&place, &[]);
    for (question, expected) in QUESTIONS.iter().zip(alone) {
        assert_eq!(ask(&place, question, true), expected, "{question:?}");
    }
}

#[test]
fn attached_clients_share_one_index_and_keep_their_options() {
    let place = index_shop();
    let mut first = serve_first(&place, &[]);
    assert!(has_index(&first));
    let mut second = serve(&place, &["--attach", "--read-only"]);
    let mut third = serve(&place, &["--attach", "--format", "text"]);
    for wire in [&mut first, &mut second, &mut third] {
        wire.initialize("2025-11-25");
    }
    let gross = json!({"node_id": "shop/price.py::gross"});
    let answer = call(&mut first, "callers", &gross);
    assert!(answer.to_string().contains("total"), "{answer}");
    assert_eq!(call(&mut second, "callers", &gross)["callers"], answer["callers"]);
    assert!(!has_index(&second) && !has_index(&third));
    // Each has the options it was started with.
    let (refused, is_error) = second.call("ingest", json!({"agent_id": "test", "path": "."}));
    assert!(is_error && refused["code"] == "read_only", "{refused}");
    let id = third.ask_tool("callers", json!({"agent_id": "test", "node_id": "shop/price.py::gross"}));
    let text = third.answer(id).message["result"]["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(!text.starts_with('{') && text.contains("total"), "{text}");
    // What one changes, the others see.
    place.project.write("shop/new.py", "from shop.price import gross\n\ndef late():\n    return gross(1)\n");
    call(&mut first, "ingest", &json!({"path": "."}));
    assert!(call(&mut second, "callers", &gross).to_string().contains("late"));
}

#[test]
fn a_server_goes_on_until_its_last_client_has_left() {
    let place = index_shop();
    let mut first = serve_first(&place, &[]);
    let process = first.process_id().unwrap();
    let mut second = serve(&place, &["--attach"]);
    let gross = json!({"node_id": "shop/price.py::gross"});
    call(&mut second, "callers", &gross);
    first.close_input();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(call(&mut second, "callers", &gross).to_string().contains("total"));
    assert!(second.finish().success());
    assert!(first.finish().success(), "{process} ended");
    assert_eq!(socket_of(&place), None);
}

#[test]
fn without_a_server_or_with_other_settings_a_client_is_served_here() {
    let place = Place::new(SHOP);
    let mut alone = serve(&place, &["--attach"]);
    call(&mut alone, "ingest", &json!({"path": "."}));
    assert!(has_index(&alone));
    // It is a server for others now.
    wait_until("it listens", || socket_of(&place).is_some());
    let mut second = serve(&place, &["--attach"]);
    let gross = json!({"node_id": "shop/price.py::gross"});
    assert!(call(&mut second, "callers", &gross).to_string().contains("total"));
    assert!(!has_index(&second));
    let mut command = place.command(&["serve", "--attach"]);
    let mut other = Wire::spawn(command.env("MIND_OTHER", "1").stderr(Stdio::null())).unwrap();
    assert!(call(&mut other, "callers", &gross).to_string().contains("total"));
    assert!(has_index(&other));
}

#[test]
fn a_client_attaches_to_a_server_over_http_in_place_of_a_process_that_only_answers() {
    let place = index_shop();
    place.user.write("store/settings.toml", "daemon = true\n");
    ask(&place, &["seek", "gross"], true);
    wait_until("a process that only answers listens", || socket_of(&place).is_some());
    let before = std::fs::metadata(socket_of(&place).unwrap()).unwrap();
    let server = OverHttp::start(&place);
    let has_changed = || {
        use std::os::unix::fs::MetadataExt;
        // A new socket may get the number of the old one.
        let made = |of: &std::fs::Metadata| (of.ino(), of.ctime(), of.ctime_nsec());
        socket_of(&place).and_then(|path| std::fs::metadata(path).ok()).is_some_and(|now| made(&now) != made(&before))
    };
    wait_until("the server listens in its place", has_changed);
    let mut client = serve(&place, &["--attach"]);
    let gross = json!({"node_id": "shop/price.py::gross"});
    assert!(call(&mut client, "callers", &gross).to_string().contains("total"));
    assert!(!has_index(&client));
    // The server ends: so does the client, and its host starts another.
    drop(server);
    assert!(client.next_message().is_none());
}

#[test]
fn the_page_of_a_project_is_opened_at_its_running_server() {
    let place = index_shop();
    let _server = OverHttp::start(&place);
    let find = |run: crate::Run| {
        assert_eq!(run.code, 0, "{run:?}");
        let (url, token) = run.out.trim().split_once("/#token=").unwrap();
        assert!(url.starts_with("http://127.0.0.1:") && token.len() == 64, "{run:?}");
        run.out
    };
    // The same one each time, and nothing is left in the list of processes.
    wait_until("it is announced", || {
        place.user.join("store/http/instances").read_dir().is_ok_and(|mut rows| rows.next().is_some())
    });
    assert_eq!(find(place.run(&["open", "--print"])), find(place.run(&["open", "--print"])));
    let instances = place.user.join("store/http/instances").read_dir().unwrap().count();
    assert_eq!(instances, 2, "an entry and its lock");
}

#[test]
fn other_machines_are_served_only_with_a_certificate_or_on_demand() {
    let place = index_shop();
    for (options, expected) in [
        (&["--http", "0.0.0.0:0"][..], "needs a certificate"),
        (&["--http", "192.0.2.1:80"], "needs a certificate"),
        (&["--http", "example.com"], "is not an address"),
        (&["--http", "--tls-cert", "nothing.pem", "--tls-key", "nothing.pem"], "nothing.pem"),
        (&["--http", "--tls-cert", "nothing.pem"], "--tls-key"),
        (&["--insecure"], "--http"),
    ] {
        let arguments: Vec<&str> = ["serve"].iter().chain(options).copied().collect();
        let run = place.run(&arguments);
        assert!(run.code == 2 && run.err.contains(expected), "{options:?}: {run:?}");
    }
}
