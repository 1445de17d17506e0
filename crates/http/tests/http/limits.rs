//! Limits of connections, streams, sessions and time.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use m1nd_http::Limits;
use serde_json::json;

use crate::client::{Answer, read_until};
use crate::tools::count_running;
use crate::{Server, start_test_tools, wait_until};

/// Connections of the flood, where the system allows this many. The limits of the server are far below.
const SLOW: u64 = 10_000;
/// Descriptors of this process for everything else.
const OTHER_FILES: u64 = 2_000;
/// How long anybody else may wait during the flood.
const HONEST_WAIT: Duration = Duration::from_secs(1);
/// Maximum growth of this process, which holds both ends of the connections and runs other tests beside this one.
#[cfg(target_os = "linux")]
const GROWTH: u64 = 96 << 20;

fn is_alive(server: &Server) -> Answer {
    server.call("echo", &json!({"text": "alive"}))
}

/// How many slow connections this process may hold, after the limit of descriptors was raised as far as possible.
#[cfg(unix)]
fn raise_descriptor_limit() -> u64 {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    let current = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    SLOW.min(current.saturating_sub(OTHER_FILES).max(current / 2))
}

#[cfg(not(unix))]
fn raise_descriptor_limit() -> u64 {
    SLOW / 20
}

/// Resident memory of this process, in bytes.
#[cfg(target_os = "linux")]
fn read_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
}

/// The answer to an honest client, and how long it took.
fn measure_answer(server: &Server) -> Duration {
    let begun = Instant::now();
    assert_eq!(is_alive(server).status, 200);
    begun.elapsed()
}

#[test]
fn slow_connections_do_not_keep_others_out() {
    let count = raise_descriptor_limit();
    let server = start_test_tools(Limits::default());
    assert_eq!(is_alive(&server).status, 200);
    #[cfg(target_os = "linux")]
    let before = read_memory();
    let refused = server.request("GET", "/api/health").without("Authorization").with("Connection", "keep-alive");
    let (refused, unread) = (refused.bytes(), refused.with("Content-Length", "1000000").bytes());
    let mut slow = Vec::new();
    let mut longest = Duration::ZERO;
    for index in 0..count {
        let mut stream = server.connect();
        // Nothing at all, a part of a line, a part of a header, a refused request, one whose body never arrives.
        let parts = [&b""[..], b"GE", b"GET / HTTP/1.1\r\nHost: local", &refused, &unread];
        let _ = stream.write_all(parts[index as usize % parts.len()]);
        slow.push(stream);
        if index % 500 == 0 {
            longest = longest.max(measure_answer(&server));
        }
    }
    longest = longest.max(measure_answer(&server));
    assert!(longest < HONEST_WAIT, "another client waited {longest:?} beside {count} slow ones");
    #[cfg(target_os = "linux")]
    {
        let growth = read_memory().saturating_sub(before);
        assert!(growth < GROWTH, "{count} slow connections cost {} MiB", growth >> 20);
    }
    // The first of them have been closed.
    let mut byte = [0];
    assert!(matches!(slow[0].read(&mut byte), Ok(0) | Err(_)));
}

#[test]
fn a_first_request_has_to_arrive_in_time_and_a_connection_goes_on_after_it() {
    let server = start_test_tools(Limits { first_request: Duration::from_millis(200), ..Limits::default() });
    let mut silent = server.connect();
    assert_eq!(silent.read(&mut [0]).unwrap(), 0, "it was closed");
    let (_, mut stream) = server.open_stream(&server.request("GET", "/api/events"));
    std::thread::sleep(Duration::from_millis(400));
    assert_eq!(is_alive(&server).status, 200);
    read_until(&mut stream, "data: ");
}

#[test]
fn a_body_has_to_arrive_in_time() {
    let server = start_test_tools(Limits { body_time: Duration::from_millis(200), ..Limits::default() });
    for path in ["/api/tools/echo", "/mcp"] {
        let request = server.message(None, &json!({})).with("Content-Length", "100");
        let answer = server.send(&crate::client::Request { path: path.into(), ..request });
        assert_eq!((answer.status, &answer.json()["error"]), (408, &json!("body_timeout")), "{path}");
    }
}

#[test]
fn a_call_that_takes_too_long_is_cancelled() {
    let server = start_test_tools(Limits { call_time: Duration::from_millis(200), ..Limits::default() });
    let answer = server.call("spin", &json!({"mark": 0}));
    assert_eq!((answer.status, &answer.json()["error"]), (504, &json!("timeout")));
    wait_until("the call stops", || count_running(0) == 0);
    // Over MCP it is an error of the tool.
    let session = server.open_session();
    let call = json!({
        "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "spin", "arguments": {"mark": 1}},
    });
    let answer = server.send(&server.message(Some(&session), &call));
    let result = &answer.messages().pop().unwrap()["result"];
    assert_eq!((&result["isError"], &result["structuredContent"]["code"]), (&json!(true), &json!("timeout")));
    wait_until("the call stops", || count_running(1) == 0);
    assert_eq!(is_alive(&server).status, 200);
}

#[test]
fn a_call_stops_when_its_caller_disconnects() {
    let server = start_test_tools(Limits::default());
    let request = server.request("POST", "/api/tools/spin").with("Content-Type", "application/json");
    let mut stream = server.connect();
    stream.write_all(&request.body(r#"{"mark": 2}"#).bytes()).unwrap();
    wait_until("the call runs", || count_running(2) == 1);
    drop(stream);
    wait_until("the call stops", || count_running(2) == 0);
}

#[test]
fn streams_are_limited_and_counted_until_they_end() {
    let server = start_test_tools(Limits { streams: 3, ..Limits::default() });
    let watch = server.request("GET", "/api/events");
    let mut open: Vec<_> = (0..3).map(|_| server.open_stream(&watch)).collect();
    assert!(open.iter().all(|(status, _)| *status == 200));
    assert_eq!(server.get("/api/health").json()["clients"], 3);
    let answer = server.send(&watch);
    assert_eq!((answer.status, &answer.json()["error"]), (503, &json!("too_many_streams")));
    // Calls of the REST face are not streams.
    assert_eq!(is_alive(&server).status, 200);
    read_until(&mut open[0].1, "data: ");
    open.pop();
    wait_until("the stream has ended", || server.get("/api/health").json()["clients"] == 2);
    assert_eq!(server.open_stream(&watch).0, 200);
}

#[test]
fn the_least_recently_used_of_too_many_sessions_ends() {
    let server = start_test_tools(Limits { sessions: 2, ..Limits::default() });
    let list = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/list"});
    let status = |session: &str| server.send(&server.message(Some(session), &list)).status;
    let (first, second) = (server.open_session(), server.open_session());
    assert_eq!((status(&first), status(&second)), (200, 200));
    assert_eq!(status(&first), 200);
    let third = server.open_session();
    assert_eq!((status(&first), status(&second), status(&third)), (200, 404, 200));
    wait_until("its handler is gone", || server.get("/api/health").json()["clients"] == 2);
}
