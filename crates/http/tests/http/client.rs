//! A client that sends what it is told to, right or wrong.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};

use crate::{PATIENCE, Server};

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }

    /// The messages of a stream that has ended.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let data = self.body.lines().filter_map(|line| line.strip_prefix("data: "));
        data.filter_map(|data| serde_json::from_str(data).ok()).collect()
    }
}

fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|line| line.split_once(':'));
    lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

/// A request, in all its parts.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn new(method: &str, path: &str) -> Self {
        Self { method: method.into(), path: path.into(), headers: Vec::new(), body: Vec::new() }
    }

    /// Sets a header, instead of that of the same name.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        let length = self.body.len().to_string();
        self.with("Content-Length", &length)
    }

    /// The bytes on the wire.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, self.path).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend(format!("{name}: {value}\r\n").into_bytes());
        }
        bytes.extend(b"\r\n");
        bytes.extend(&self.body);
        bytes
    }
}

impl Server {
    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// A request that passes the wall.
    pub(crate) fn request(&self, method: &str, path: &str) -> Request {
        Request::new(method, path)
            .with("Host", &self.address.to_string())
            .with("Authorization", &format!("Bearer {}", self.token))
            .with("Connection", "close")
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&self.request("GET", path))
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let request = self.request("POST", path).with("Content-Type", "application/json");
        self.send(&request.body(body.to_string()))
    }

    /// Calls a tool over the REST face.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> Answer {
        self.post(&format!("/api/tools/{tool}"), arguments)
    }

    /// A message to `/mcp`, in a session if one is given.
    pub(crate) fn message(&self, session: Option<&str>, message: &Value) -> Request {
        let request = self
            .request("POST", "/mcp")
            .with("Content-Type", "application/json")
            .with("Accept", "application/json, text/event-stream");
        let request = match session {
            Some(session) => request.with("Mcp-Session-Id", session),
            None => request,
        };
        request.body(message.to_string())
    }

    /// Starts a session of MCP; returns its id.
    pub(crate) fn open_session(&self) -> String {
        let hello = json!({
            "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
        });
        let answer = self.send(&self.message(None, &hello));
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header("mcp-session-id").unwrap().to_owned();
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        assert_eq!(self.send(&self.message(Some(&session), &ready)).status, 202);
        session
    }

    pub(crate) fn send(&self, request: &Request) -> Answer {
        self.send_bytes(&request.bytes())
    }

    /// Sends bytes and reads until the server closes the connection.
    pub(crate) fn send_bytes(&self, bytes: &[u8]) -> Answer {
        exchange(&mut self.connect(), bytes)
    }

    /// Opens a stream of events; its head has been read.
    pub(crate) fn open_stream(&self, request: &Request) -> (u16, BufReader<TcpStream>) {
        let mut stream = self.connect();
        stream.write_all(&request.bytes()).unwrap();
        let mut reader = BufReader::new(stream);
        let mut status = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().unwrap();
            }
            if line.trim().is_empty() {
                return (status, reader);
            }
        }
    }
}

/// Sends bytes over a connection and reads until the server closes it.
pub(crate) fn exchange(stream: &mut (impl Read + Write), bytes: &[u8]) -> Answer {
    // The server may have answered and closed before it has read everything.
    let _ = stream.write_all(bytes);
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    let all = String::from_utf8_lossy(&all).into_owned();
    let (head, body) = all.split_once("\r\n\r\n").unwrap_or((&all, ""));
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    let is_chunked = header(head, "transfer-encoding") == Some("chunked");
    let body = if is_chunked { join_chunks(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

/// Lines of a stream until one begins with a text.
pub(crate) fn read_until(stream: &mut BufReader<TcpStream>, start: &str) -> Vec<String> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert!(stream.read_line(&mut line).unwrap() > 0, "the stream ended before `{start}`: {lines:?}");
        let line = line.trim_end().to_owned();
        let is_last = line.starts_with(start);
        lines.push(line);
        if is_last {
            return lines;
        }
    }
}

fn join_chunks(mut text: &str) -> String {
    let mut body = String::new();
    while let Some((size, rest)) = text.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size, 16) else { break };
        body.push_str(rest.get(..size).unwrap_or(rest));
        text = rest.get(size + 2..).unwrap_or_default();
    }
    body
}
