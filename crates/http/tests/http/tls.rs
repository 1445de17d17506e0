//! Connections with TLS. `fixtures/server.crt` certifies itself and is valid for 100 years:
//!
//! ```text
//! openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 \
//!   -keyout server.key -out server.crt -subj '/CN=m1nd test server' \
//!   -addext subjectAltName=IP:127.0.0.1,DNS:localhost -addext basicConstraints=critical,CA:FALSE
//! ```

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use m1nd_http::{HttpOptions, Limits};
use m1nd_server::ServeOptions;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use serde_json::json;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::{
    ALL_VERSIONS, ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
};

use crate::client::{Answer, Request, exchange};
use crate::{Server, start_http, tools};

fn locate_fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn start_with_certificate(limits: Limits) -> Server {
    let certificate = Some((locate_fixture("server.crt"), locate_fixture("server.key")));
    let options = ServeOptions { tools: tools::TOOLS, ..ServeOptions::default() };
    start_http(options, HttpOptions { certificate, limits, ..HttpOptions::default() })
}

/// A connection of a client that trusts the certificate, or nobody.
fn connect(
    server: &Server,
    trusts: bool,
    versions: &[&'static SupportedProtocolVersion],
) -> StreamOwned<ClientConnection, TcpStream> {
    let mut roots = RootCertStore::empty();
    if trusts {
        roots.add(CertificateDer::from_pem_file(locate_fixture("server.crt")).unwrap()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::from(server.address.ip());
    StreamOwned::new(ClientConnection::new(Arc::new(config), name).unwrap(), server.connect())
}

fn send(server: &Server, request: &Request) -> Answer {
    exchange(&mut connect(server, true, ALL_VERSIONS), &request.bytes())
}

#[test]
fn an_encrypted_connection_needs_the_token() {
    let server = start_with_certificate(Limits::default());
    let health = server.request("GET", "/api/health");
    for (request, expected) in [
        (health.clone(), 200),
        (health.clone().without("Authorization"), 401),
        (health.clone().with("Authorization", "Bearer wrong"), 401),
        (health.with("Host", "elsewhere.example"), 403),
    ] {
        let answer = send(&server, &request);
        assert_eq!(answer.status, expected, "{request:?}: {answer:?}");
    }
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
    });
    let answer = send(&server, &server.message(None, &hello));
    assert_eq!((answer.status, answer.header("mcp-session-id").is_some()), (200, true), "{answer:?}");
    let origin = server.request("GET", "/api/health").with("Origin", &format!("https://{}", server.address));
    assert_eq!(send(&server, &origin).status, 200);
}

#[test]
fn each_version_of_tls_is_negotiated_and_an_unknown_certificate_is_not_accepted() {
    let server = start_with_certificate(Limits::default());
    let bytes = server.request("GET", "/api/health").bytes();
    for version in ALL_VERSIONS {
        let mut stream = connect(&server, true, &[*version]);
        assert_eq!(exchange(&mut stream, &bytes).status, 200);
        assert_eq!(stream.conn.protocol_version(), Some(version.version));
    }
    let mut stream = connect(&server, false, ALL_VERSIONS);
    let refused = stream.write_all(&bytes).unwrap_err();
    assert!(refused.to_string().contains("certificate"), "{refused}");
}

#[test]
fn a_request_without_encryption_is_answered_with_where_to_go() {
    let server = start_with_certificate(Limits::default());
    for method in ["GET", "POST", "OPTIONS"] {
        let answer = server.send(&server.request(method, "/api/health"));
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.body.contains("https://"), "{answer:?}");
        assert!(!answer.body.contains("nodes"), "{answer:?}");
    }
    assert_eq!(send(&server, &server.request("GET", "/api/health")).status, 200);
}

#[test]
fn what_is_neither_tls_nor_http_is_closed() {
    let server = start_with_certificate(Limits { first_request: Duration::from_millis(300), ..Limits::default() });
    for bytes in [&b""[..], b"\x16", b"\x16\x03\x01\xff\xff", b"\0\0\0\0", b"\x80\x2e\x01", b"ssh-2.0\r\n", b"GE"] {
        let mut stream = server.connect();
        let _ = stream.write_all(bytes);
        let mut rest = Vec::new();
        // It ends, with or without an alert.
        let _ = stream.read_to_end(&mut rest);
        assert!(!rest.starts_with(b"HTTP/1.1 2"), "{bytes:?}");
    }
    assert_eq!(send(&server, &server.request("GET", "/api/health")).status, 200);
}
