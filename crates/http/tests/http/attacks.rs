//! What must not get through.

use std::io::{Read, Write};

use m1nd_http::Limits;
use m1nd_server::ServeOptions;
use serde_json::json;

use crate::client::Request;
use crate::{Server, start, start_test_tools, start_with};

/// Paths of every kind, with a method that each has.
const ROUTES: &[(&str, &str)] = &[
    ("GET", "/"),
    ("GET", "/index.html"),
    ("GET", "/map"),
    ("GET", "/assets/nothing.js"),
    ("GET", "/api/health"),
    ("GET", "/api/tools"),
    ("POST", "/api/tools/health"),
    ("GET", "/api/events"),
    ("GET", "/api/map"),
    ("GET", "/api/instances"),
    ("GET", "/api/openapi.json"),
    ("GET", "/api/nothing"),
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
    ("POST", "/mcp/other"),
];

/// A request with a body that never arrives: what is answered was decided before it was read.
fn without_body(server: &Server, method: &str, path: &str) -> Request {
    server.request(method, path).with("Content-Length", "1000").with("Content-Type", "application/json")
}

#[test]
fn no_route_answers_a_foreign_host_or_origin() {
    let server = start_test_tools(Limits::default());
    for (method, path) in ROUTES {
        for (name, value) in [
            ("Host", "evil.example"),
            ("Host", "localhost.evil.example"),
            ("Host", "127.0.0.1@evil.example"),
            ("Host", "192.168.7.7"),
            ("Origin", "http://evil.example"),
            ("Origin", "null"),
            ("Origin", "http://localhost:1"),
        ] {
            let answer = server.send(&without_body(&server, method, path).with(name, value));
            assert_eq!(answer.status, 403, "{method} {path} with {name}: {value}: {answer:?}");
            assert!(answer.json()["error"].as_str().unwrap().starts_with("forbidden_"));
        }
        let answer = server.send(&without_body(&server, method, path).without("Host"));
        assert!(matches!(answer.status, 400 | 403), "{method} {path} without a host: {answer:?}");
    }
}

#[test]
fn no_route_of_the_api_answers_without_the_token() {
    let server = start_test_tools(Limits::default());
    let (right, wrong) = (server.token.clone(), "0".repeat(server.token.len()));
    for (method, path) in ROUTES.iter().filter(|(_, path)| path.starts_with("/api") || path.starts_with("/mcp")) {
        for value in ["", "Bearer", "Bearer ", &format!("Bearer {wrong}"), &format!("Basic {right}"), &right] {
            let answer = server.send(&without_body(&server, method, path).with("Authorization", value));
            assert_eq!(answer.status, 401, "{method} {path} with {value}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
            assert!(!answer.body.contains(&right));
        }
        let answer = server.send(&without_body(&server, method, path).without("Authorization"));
        assert_eq!(answer.status, 401, "{method} {path}");
        // Nor in the address, where histories and logs keep it.
        let in_address = without_body(&server, method, &format!("{path}?token={right}")).without("Authorization");
        assert_eq!(server.send(&in_address).status, 401, "{method} {path}");
    }
}

#[test]
fn all_answers_say_what_a_browser_may_do_with_them() {
    let server = start_test_tools(Limits::default());
    let refused = server.send(&server.request("GET", "/").with("Host", "evil.example"));
    for answer in [server.get("/"), server.get("/api/health"), server.get("/api/nothing"), refused] {
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"), "{policy}");
        assert!(policy.contains("style-src 'self';") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"));
        assert_eq!(answer.header("access-control-allow-origin"), None);
        assert!(!answer.body.contains(&server.token));
    }
    // A question of a browser before a request of another site.
    let answer = server.send(&server.request("OPTIONS", "/api/health").with("Origin", "http://evil.example"));
    assert_eq!(answer.status, 403);
}

#[test]
fn methods_and_types_of_other_sites_are_refused() {
    let server = start_test_tools(Limits::default());
    for (method, path) in [
        ("GET", "/api/tools/echo"),
        ("PUT", "/api/tools/echo"),
        ("POST", "/api/health"),
        ("DELETE", "/api/tools"),
        ("POST", "/"),
        ("PUT", "/index.html"),
        ("PUT", "/mcp"),
    ] {
        assert_eq!(server.send(&server.request(method, path)).status, 405, "{method} {path}");
    }
    for path in ["/api/tools/echo", "/mcp"] {
        for given in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx"]
        {
            let request = server.message(None, &json!({})).with("Content-Type", given);
            let answer = server.send(&Request { path: path.into(), ..request });
            assert_eq!(answer.status, 415, "{path} {given}");
        }
    }
}

#[test]
fn paths_lead_nowhere_else() {
    let server = start();
    let secret = server.home().join("http/token");
    let secret = secret.display();
    for path in [
        "/../../../../etc/passwd".to_owned(),
        "/assets/../../../../etc/passwd".to_owned(),
        "/assets/..%2f..%2f..%2fetc%2fpasswd".to_owned(),
        "/%2e%2e/%2e%2e/etc/passwd".to_owned(),
        "/assets/%00.js".to_owned(),
        "/assets//etc/passwd".to_owned(),
        "//etc/passwd".to_owned(),
        "/assets/..\\..\\etc\\passwd".to_owned(),
        format!("/{secret}"),
        format!("/assets/{secret}"),
        "/proc/self/environ".to_owned(),
        "/.well-known/oauth-authorization-server".to_owned(),
    ] {
        let answer = server.get(&path);
        assert!(matches!(answer.status, 200 | 400 | 404), "{path}: {answer:?}");
        // A view of the page, or nothing.
        assert!(answer.status != 200 || answer.body.starts_with("<!doctype html>"), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:") && !answer.body.contains(&server.token), "{path}");
    }
    for tool in ["..%2f..%2fetc%2fpasswd", "%2e%2e%2fhealth", "health%00", "..", "echo%2f..%2fhealth", "a/b"] {
        let answer = server.call(tool, &json!({}));
        assert!(matches!(answer.status, 400 | 404), "{tool}: {answer:?}");
    }
    server.wait_for_index();
    for path in ["../../etc/passwd", "/etc/passwd", &secret.to_string(), "shop/../../x"] {
        let answer = server.call("view", &json!({"file_path": path}));
        assert!(matches!(answer.status, 400 | 403 | 404), "{path}: {answer:?}");
        assert!(!answer.body.contains("root:x") && !answer.body.contains(&server.token), "{path}");
    }
}

#[test]
fn huge_and_broken_bodies_are_refused() {
    let limits = Limits { body_bytes: 10_000, ..Limits::default() };
    let server = start_test_tools(limits);
    let large = format!("{{\"text\": \"{}\"}}", "x".repeat(20_000));
    for path in ["/api/tools/echo", "/mcp"] {
        let request = server.message(None, &json!({}));
        let request = Request { path: path.into(), ..request };
        // One that says its size, one that says more than it has, one that says nothing.
        assert_eq!(server.send(&request.clone().body(large.clone())).status, 413, "{path}");
        assert_eq!(server.send(&request.clone().with("Content-Length", "99999999999999")).status, 413, "{path}");
        let chunk = format!("{:x}\r\n{large}\r\n0\r\n\r\n", large.len());
        let mut chunked = request.clone().without("Content-Length").with("Transfer-Encoding", "chunked");
        chunked.body = chunk.into_bytes();
        assert_eq!(server.send(&chunked).status, 413, "{path}");
        // What smuggles a second request.
        let both = request.clone().with("Content-Length", "2").with("Transfer-Encoding", "chunked");
        assert!(matches!(server.send(&both).status, 0 | 400..=499), "{path}");
        for body in ["{", "[1]", "\"text\"", "nul", "{\"a\":1}{", "\u{0}", &"[".repeat(5_000)] {
            let answer = server.send(&request.clone().body(body));
            assert!(matches!(answer.status, 400..=499), "{path} {body:.20}: {answer:?}");
        }
    }
    assert_eq!(server.call("echo", &json!({"text": "alive"})).json()["result"]["text"], "alive");
}

#[test]
fn what_is_not_http_is_refused() {
    let server = start_test_tools(Limits::default());
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello of TLS\r\n\r\n".to_vec(),
        b"GET / HTTP/9.9\r\n\r\n".to_vec(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        format!("GET /{} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(100_000)).into_bytes(),
        format!("GET / HTTP/1.1\r\nHost: localhost\r\n{}\r\n", "A: b\r\n".repeat(10_000)).into_bytes(),
        [b"GET / HTTP/1.1\r\n", &[0_u8; 1000][..], b"\r\n\r\n"].concat(),
    ] {
        let mut stream = server.connect();
        let _ = stream.write_all(&bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        assert!(!text.starts_with("HTTP/1.1 200"), "{text}");
    }
    assert_eq!(server.get("/api/health").status, 200);
}

#[test]
fn a_read_only_server_refuses_writes() {
    let server = start_with(ServeOptions { read_only: true, ..ServeOptions::default() }, Limits::default());
    let answer = server.call("ingest", &json!({"path": "."}));
    assert_eq!((answer.status, &answer.json()["error"]), (403, &json!("read_only")));
}
