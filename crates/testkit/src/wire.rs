//! Talks to an MCP server through its two pipes, in either framing, like a client.
//!
//! It shares no code with the server, so that both cannot be wrong in the same way. All waits are bounded
//! ([`PATIENCE`]); a server that does not answer fails the test.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Time to wait for an answer before the test fails.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Delimiting of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// One JSON value per line.
    Line,
    /// `Content-Length: N`, a blank line, then N bytes.
    Header,
}

impl Framing {
    /// The bytes of one message.
    pub fn wrap(self, message: &Value) -> Vec<u8> {
        let text = message.to_string();
        match self {
            Framing::Line => format!("{text}\n").into_bytes(),
            Framing::Header => format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes(),
        }
    }
}

/// A message from the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// The message.
    pub message: Value,
    /// Its framing.
    pub framing: Framing,
}

/// A connection to a server.
pub struct Wire {
    input: Option<Box<dyn Write + Send>>,
    received: Receiver<Received>,
    reader: Option<std::thread::JoinHandle<()>>,
    /// Received while waiting for something else.
    kept: VecDeque<Received>,
    child: Option<Child>,
    next_id: i64,
}

impl Wire {
    /// A connection over two streams: the server's input, and its output.
    pub fn over(input: impl Write + Send + 'static, output: impl Read + Send + 'static) -> Self {
        let (sender, received) = channel();
        let reader = std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            input: Some(Box::new(input)),
            received,
            reader: Some(reader),
            kept: VecDeque::new(),
            child: None,
            next_id: 1000,
        }
    }

    /// Starts a program and connects to its standard input and output.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn spawn(command: &mut Command) -> std::io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let output = child.stdout.take().ok_or(std::io::ErrorKind::BrokenPipe)?;
        let mut wire = Self::over(input, output);
        wire.child = Some(child);
        Ok(wire)
    }

    /// Writes bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input has not been closed by this test");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads its input");
    }

    /// Sends a message on one line.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(&Framing::Line.wrap(message));
    }

    /// Sends a request on one line and returns its id, without waiting.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// Calls a tool and returns the request's id, without waiting.
    pub fn ask_tool(&mut self, tool: &str, arguments: Value) -> i64 {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// The next message of any kind. `None` if the server has closed its output.
    pub fn next_message(&mut self) -> Option<Received> {
        self.kept.pop_front().or_else(|| self.wait(PATIENCE))
    }

    /// The next message, if one arrives within `time`.
    pub fn within(&mut self, time: Duration) -> Option<Received> {
        if let Some(kept) = self.kept.pop_front() {
            return Some(kept);
        }
        self.received.recv_timeout(time).ok()
    }

    /// The answer with this id; other messages are kept for later.
    pub fn answer(&mut self, id: impl Into<Value>) -> Received {
        let id = id.into();
        if let Some(at) = self.kept.iter().position(|kept| is_answer(&kept.message, &id)) {
            return self.kept.remove(at).expect("the position was just found");
        }
        loop {
            let Some(received) = self.wait(PATIENCE) else { panic!("the server ended without answering {id}") };
            if is_answer(&received.message, &id) {
                return received;
            }
            self.kept.push_back(received);
        }
    }

    /// Sends a request and waits for the whole answer.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        self.answer(id).message
    }

    /// The body of the answer to a call, as its text has it.
    pub fn read_body(answer: &Value) -> Value {
        let text = answer["result"]["content"][0]["text"].as_str().expect("a result has a text");
        serde_json::from_str(text).expect("the text of a result is JSON")
    }

    /// Calls a tool and waits; returns its structured result and whether it is an error.
    pub fn call(&mut self, tool: &str, arguments: Value) -> (Value, bool) {
        let answer = self.request("tools/call", json!({"name": tool, "arguments": arguments}));
        let result = &answer["result"];
        assert!(result.is_object(), "no result: {answer}");
        let text = result["content"][0]["text"].as_str().expect("a result has a text");
        let parsed: Value = serde_json::from_str(text).expect("the text of a result is JSON");
        // A list arrives as text, and as a member of an object in structured content.
        let structured = &result["structuredContent"];
        if structured.is_null() {
            // The client was given no schema of the answer, so that it is sent once.
            return (parsed, result["isError"] == json!(true));
        }
        let same = if parsed.is_array() { &structured["result"] } else { structured };
        assert_eq!(&parsed, same, "both forms of a result are the same");
        (structured.clone(), result["isError"] == json!(true))
    }

    /// Performs the handshake with a protocol version; returns the result.
    pub fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "testkit", "version": "0"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer["result"].clone()
    }

    /// Like [`Wire::initialize`], for a client that has these folders open: answers when the server asks for them.
    pub fn initialize_with_roots(&mut self, version: &str, uris: &[String]) {
        let client = json!({"name": "testkit", "version": "0"});
        let params = json!({"protocolVersion": version, "capabilities": {"roots": {}}, "clientInfo": client});
        self.request("initialize", params);
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        while let Some(message) = self.next_message().map(|received| received.message) {
            if message["method"] == "roots/list" {
                let roots: Vec<Value> = uris.iter().map(|uri| json!({"uri": uri})).collect();
                return self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}));
            }
        }
    }

    /// Messages received while waiting for others, oldest first; empties the list.
    pub fn take_kept(&mut self) -> Vec<Value> {
        self.kept.drain(..).map(|kept| kept.message).collect()
    }

    /// Closes the server's input.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes both ends at once, as if the client's process had died.
    pub fn vanish(mut self) {
        // The reading thread drops its end when it has something to send and no receiver.
        self.received = channel().1;
        self.ask("ping", json!({}));
        if let Some(reader) = self.reader.take() {
            reader.join().expect("the reading thread does not fail");
        }
    }

    /// Process id of the program, if this connection started one.
    pub fn process_id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }

    /// Closes the server's input and waits for the program to end.
    pub fn finish(mut self) -> ExitStatus {
        self.close_input();
        let mut child = self.child.take().expect("the connection was made by `spawn`");
        let end = Instant::now() + PATIENCE;
        loop {
            match child.try_wait().expect("the process is ours") {
                Some(status) => return status,
                None if Instant::now() > end => {
                    let _ = child.kill();
                    panic!("the server did not end after its input was closed");
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn wait(&mut self, time: Duration) -> Option<Received> {
        match self.received.recv_timeout(time) {
            Ok(received) => Some(received),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => panic!("the server did not answer within {time:?}"),
        }
    }
}

impl Drop for Wire {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn is_answer(message: &Value, id: &Value) -> bool {
    message.get("method").is_none() && &message["id"] == id
}

fn read_message(output: &mut impl BufRead) -> Option<Received> {
    let mut line = String::new();
    if output.read_line(&mut line).ok()? == 0 {
        return None;
    }
    if line.starts_with('{') {
        let message = serde_json::from_str(&line).expect("the server writes JSON on one line");
        return Some(Received { message, framing: Framing::Line });
    }
    let mut length = None;
    while !line.trim().is_empty() {
        let (name, value) = line.split_once(':').expect("the server writes headers or JSON");
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse::<usize>().ok();
        }
        line.clear();
        output.read_line(&mut line).ok()?;
    }
    let mut body = vec![0; length.expect("the server gives the length of its messages")];
    output.read_exact(&mut body).ok()?;
    let message = serde_json::from_slice(&body).expect("the server writes JSON after its headers");
    Some(Received { message, framing: Framing::Header })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_framings_are_read_and_answers_found_by_id() {
        let mut output = Framing::Line.wrap(&json!({"method": "note"}));
        output.extend(Framing::Header.wrap(&json!({"id": 2, "result": {}})));
        output.extend(Framing::Line.wrap(&json!({"id": 1, "result": {"x": 1}})));
        let mut wire = Wire::over(std::io::sink(), std::io::Cursor::new(output));
        assert_eq!(wire.answer(1).message["result"], json!({"x": 1}));
        assert_eq!(wire.answer(2).framing, Framing::Header);
        assert_eq!(wire.take_kept(), [json!({"method": "note"})]);
        assert!(wire.next_message().is_none());
    }
}
