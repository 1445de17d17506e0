//! Splits a stream of bytes into messages, whichever of the two framings each of them uses.
//!
//! The framing is detected at the first byte of every message: `{` or `[` (after a byte order mark or white space)
//! starts a message that ends with its line; anything else starts a header block with `Content-Length`. No input ends
//! the stream: unreadable bytes are reported as [`Frame::Broken`] and skipped up to the next possible start of a
//! message. Memory is bounded by [`MESSAGE_BYTES`], whatever length a header claims.

use serde_json::Value;

use crate::scan::Scan;

/// Maximum size of a message, in bytes.
pub const MESSAGE_BYTES: usize = 4 << 20;
/// Maximum size of a header block, in bytes.
const HEADER_BYTES: usize = 8 << 10;
/// A claimed length over [`MESSAGE_BYTES`] but under this is believed, and that many bytes are skipped. A longer one
/// is considered invalid, and the following bytes are parsed as the next message.
const SKIPPED_BYTES: u64 = 256 << 20;

/// Framing of a message and of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// One JSON value per line.
    #[default]
    Line,
    /// `Content-Length: N`, a blank line, then N bytes.
    Header,
}

impl Mode {
    /// Wraps the JSON text of one message for the wire.
    pub fn wrap(self, json: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(json.len() + 32);
        if self == Mode::Header {
            out.extend_from_slice(format!("Content-Length: {}\r\n\r\n", json.len()).as_bytes());
            out.extend_from_slice(json);
        } else {
            out.extend_from_slice(json);
            out.push(b'\n');
        }
        out
    }
}

/// A message, or a report of unreadable bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    /// The text of one message, not yet parsed.
    Message {
        /// Its bytes.
        bytes: Vec<u8>,
        /// Its framing.
        mode: Mode,
    },
    /// Unreadable bytes that were skipped.
    Broken {
        /// Received and expected input.
        reason: String,
        /// The framing that they seemed to use.
        mode: Mode,
        /// The request's id, if it could be determined.
        id: Option<Value>,
    },
}

#[derive(Debug, Default)]
enum State {
    /// Between two messages.
    #[default]
    Start,
    /// Inside a line that holds one message.
    Line,
    /// Inside a line over the limit: dropped up to its end.
    LongLine(Box<Scan>),
    /// Inside a header block.
    Headers { length: Option<u64>, bad: Option<String>, read: usize },
    /// Inside a body with this many bytes left.
    Body { missing: usize },
    /// Inside a body over the limit: this many bytes are dropped.
    LongBody { missing: u64, scan: Box<Scan> },
    /// Inside unrecognised bytes: dropped up to the end of the line or the next header.
    Garbage,
}

/// State of splitting one stream. Feed it with [`push`](Self::push), drain it with [`next`](Self::next).
#[derive(Debug, Default)]
pub struct Framer {
    state: State,
    /// Received bytes; those before `start` have been consumed.
    buffer: Vec<u8>,
    start: usize,
    /// Bytes of the current line already searched for its end.
    searched: usize,
}

enum Step {
    Frame(Frame),
    Again,
    NeedMore,
}

impl Framer {
    /// Adds the next bytes of the stream. Pass at most some tens of KiB at a time and drain in between: memory is
    /// bounded by one message plus what is passed at once.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next message or report, once its bytes have all arrived.
    pub fn next_frame(&mut self) -> Option<Frame> {
        loop {
            match self.step() {
                Step::Frame(frame) => return Some(frame),
                Step::Again => {}
                Step::NeedMore => return None,
            }
        }
    }

    /// Returns the rest after the end of the stream: a last line without its end, or the report of a truncated
    /// message.
    pub fn finish(&mut self) -> Option<Frame> {
        let rest = self.take_rest();
        match std::mem::take(&mut self.state) {
            State::Line => Some(Frame::Message { bytes: rest, mode: Mode::Line }),
            State::LongLine(scan) => Some(too_long(Mode::Line, &scan)),
            State::Body { missing } => Some(break_frame(
                Mode::Header,
                format!("the stream ended {missing} bytes before the end of the message its Content-Length announced"),
            )),
            State::LongBody { scan, .. } => Some(too_long(Mode::Header, &scan)),
            State::Headers { .. } => {
                Some(break_frame(Mode::Header, "the stream ended inside the headers of a message".into()))
            }
            State::Start | State::Garbage => None,
        }
    }

    fn pending(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    fn consume(&mut self, count: usize) {
        self.start += count;
        self.searched = 0;
    }

    fn take(&mut self, count: usize) -> Vec<u8> {
        let bytes = self.buffer[self.start..self.start + count].to_vec();
        self.consume(count);
        bytes
    }

    fn take_rest(&mut self) -> Vec<u8> {
        self.take(self.buffer.len() - self.start)
    }

    /// End of the current line (its `\n`), if it has arrived. Examines every byte once.
    fn line_end(&mut self) -> Option<usize> {
        let found = self.pending()[self.searched..].iter().position(|&byte| byte == b'\n');
        match found {
            Some(at) => Some(self.searched + at),
            None => {
                self.searched = self.pending().len();
                None
            }
        }
    }

    fn step(&mut self) -> Step {
        match &mut self.state {
            State::Start => self.step_start(),
            State::Line => self.step_line(),
            State::LongLine(_) => self.step_long_line(),
            State::Headers { .. } => self.step_headers(),
            State::Body { .. } => self.step_body(),
            State::LongBody { .. } => self.step_long_body(),
            State::Garbage => self.step_garbage(),
        }
    }

    fn step_start(&mut self) -> Step {
        let pending = self.pending();
        let mut skip = pending.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = &pending[skip..];
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        if rest.len() < MARK.len() && !rest.is_empty() && MARK.starts_with(rest) {
            self.consume(skip);
            return Step::NeedMore;
        }
        if rest.starts_with(MARK) {
            skip += MARK.len();
            self.consume(skip);
            return Step::Again;
        }
        let first = rest.first().copied();
        self.consume(skip);
        match first {
            None => return Step::NeedMore,
            Some(b'{' | b'[') => self.state = State::Line,
            Some(byte) if is_header_name(byte) => self.state = State::Headers { length: None, bad: None, read: 0 },
            Some(_) => return self.garbage(),
        }
        Step::Again
    }

    fn step_line(&mut self) -> Step {
        match self.line_end() {
            Some(end) if end <= MESSAGE_BYTES => {
                let bytes = self.take(end);
                self.consume(1);
                self.state = State::Start;
                Step::Frame(Frame::Message { bytes, mode: Mode::Line })
            }
            None if self.pending().len() <= MESSAGE_BYTES => Step::NeedMore,
            _ => {
                self.searched = 0;
                self.state = State::LongLine(Box::default());
                Step::Again
            }
        }
    }

    fn step_long_line(&mut self) -> Step {
        let end = self.line_end();
        let count = end.unwrap_or(self.pending().len());
        let State::LongLine(scan) = &mut self.state else { return Step::Again };
        scan.feed(&self.buffer[self.start..self.start + count]);
        if end.is_none() {
            self.consume(count);
            return Step::NeedMore;
        }
        let report = too_long(Mode::Line, scan);
        self.consume(count + 1);
        self.state = State::Start;
        Step::Frame(report)
    }

    fn step_headers(&mut self) -> Step {
        let Some(end) = self.line_end() else {
            return if self.pending().len() > HEADER_BYTES { self.garbage() } else { Step::NeedMore };
        };
        // JSON inside of headers: the headers were cut off, and what follows is the next message.
        let first = self.pending()[..end].iter().copied().find(|byte| !byte.is_ascii_whitespace());
        if matches!(first, Some(b'{' | b'[')) {
            self.state = State::Start;
            return Step::Frame(break_frame(Mode::Header, "a message began inside the headers of another".into()));
        }
        // One header line. An empty one ends the headers.
        let line = self.take(end);
        self.consume(1);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches('\r');
        let State::Headers { length, bad, read } = &mut self.state else { return Step::Again };
        *read += end + 1;
        if line.is_empty() {
            let (length, bad) = (length.take(), bad.take());
            return self.after_headers(length, bad);
        }
        let Some((name, value)) = line.split_once(':').filter(|(name, _)| name.bytes().all(is_header_name)) else {
            self.state = State::Start;
            return Step::Frame(break_frame(
                Mode::Header,
                "received neither a JSON object on one line nor a Content-Length header; send one of them".into(),
            ));
        };
        // Other headers are allowed and mean nothing here.
        if name.eq_ignore_ascii_case("content-length") {
            match value.trim().parse::<u64>() {
                Ok(value) => *length = Some(value),
                Err(_) => *bad = Some("Content-Length is not a whole number of bytes".into()),
            }
        }
        if *read > HEADER_BYTES {
            self.state = State::Start;
            return Step::Frame(break_frame(Mode::Header, format!("headers are longer than {HEADER_BYTES} bytes")));
        }
        Step::Again
    }

    fn after_headers(&mut self, length: Option<u64>, bad: Option<String>) -> Step {
        self.state = State::Start;
        let Some(length) = length else {
            let reason = bad.unwrap_or_else(|| "Missing Content-Length header".into());
            return Step::Frame(break_frame(Mode::Header, reason));
        };
        if length <= MESSAGE_BYTES as u64 {
            self.state = State::Body { missing: length as usize };
            return Step::Again;
        }
        if length <= SKIPPED_BYTES {
            self.state = State::LongBody { missing: length, scan: Box::default() };
            return Step::Again;
        }
        Step::Frame(break_frame(
            Mode::Header,
            format!("Content-Length {length} is over the limit of {MESSAGE_BYTES} bytes; send a smaller request"),
        ))
    }

    fn step_body(&mut self) -> Step {
        let State::Body { missing: length } = self.state else { return Step::Again };
        if self.pending().len() < length {
            return Step::NeedMore;
        }
        let bytes = self.take(length);
        self.state = State::Start;
        Step::Frame(Frame::Message { bytes, mode: Mode::Header })
    }

    fn step_long_body(&mut self) -> Step {
        let available = self.pending().len();
        let State::LongBody { missing, scan } = &mut self.state else { return Step::Again };
        let count = usize::try_from(*missing).unwrap_or(usize::MAX).min(available);
        scan.feed(&self.buffer[self.start..self.start + count]);
        *missing -= count as u64;
        let report = (*missing == 0).then(|| too_long(Mode::Header, scan));
        self.consume(count);
        match report {
            Some(report) => {
                self.state = State::Start;
                Step::Frame(report)
            }
            None => Step::NeedMore,
        }
    }

    fn garbage(&mut self) -> Step {
        self.state = State::Garbage;
        Step::Frame(break_frame(
            Mode::Line,
            "received neither a JSON object on one line nor a Content-Length header; send one of them".into(),
        ))
    }

    fn step_garbage(&mut self) -> Step {
        const HEADER: &[u8] = b"content-length:";
        let pending = self.pending();
        let header = pending.windows(HEADER.len()).position(|window| window.eq_ignore_ascii_case(HEADER));
        let line = pending.iter().position(|&byte| byte == b'\n').map(|at| at + 1);
        match (header, line) {
            (Some(header), line) if line.is_none_or(|line| header < line) => self.consume(header),
            (_, Some(line)) => self.consume(line),
            _ => {
                // A header may start at the very end of the received bytes.
                let keep = pending.len().min(HEADER.len() - 1);
                let drop = pending.len() - keep;
                self.consume(drop);
                return Step::NeedMore;
            }
        }
        self.state = State::Start;
        Step::Again
    }
}

fn is_header_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

fn break_frame(mode: Mode, reason: String) -> Frame {
    Frame::Broken { reason, mode, id: None }
}

fn too_long(mode: Mode, scan: &Scan) -> Frame {
    let reason = format!("message is longer than the limit of {MESSAGE_BYTES} bytes; send a smaller request");
    Frame::Broken { reason, mode, id: scan.id() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All frames of `input`, fed in pieces of `piece` bytes.
    fn frames(input: &[u8], piece: usize) -> Vec<Frame> {
        let mut framer = Framer::default();
        let mut out = Vec::new();
        for chunk in input.chunks(piece) {
            framer.push(chunk);
            while let Some(frame) = framer.next_frame() {
                out.push(frame);
            }
        }
        out.extend(framer.finish());
        out
    }

    /// Frames in short form: `L:text`, `H:text`, or `!` with the id for a broken one.
    fn shape(frames: &[Frame]) -> Vec<String> {
        frames
            .iter()
            .map(|frame| match frame {
                Frame::Message { bytes, mode } => {
                    let letter = if *mode == Mode::Line { "L" } else { "H" };
                    format!("{letter}:{}", String::from_utf8_lossy(bytes).trim_end())
                }
                Frame::Broken { id, .. } => format!("!{}", id.as_ref().map(|id| id.to_string()).unwrap_or_default()),
            })
            .collect()
    }

    fn check(input: &str, expected: &[&str]) {
        for piece in [1, 2, 3, 7, 64, usize::MAX >> 1] {
            assert_eq!(shape(&frames(input.as_bytes(), piece)), expected, "in pieces of {piece}");
        }
    }

    #[test]
    fn each_message_is_cut_by_its_own_framing() {
        check(
            "{\"a\":1}\nContent-Length: 3\r\n\r\n{} {\"b\":2}\r\n\n  \n[1]\ncontent-LENGTH:2\nX-Other: y\n\n{}{\"last\":1}",
            &["L:{\"a\":1}", "H:{}", "L:{\"b\":2}", "L:[1]", "H:{}", "L:{\"last\":1}"],
        );
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        check("\u{feff}{\"a\":1}\n\u{feff}Content-Length: 2\r\n\r\n{}", &["L:{\"a\":1}", "H:{}"]);
    }

    #[test]
    fn what_is_no_message_is_reported_once_and_skipped() {
        check("hello\n{}\n", &["!", "L:{}"]);
        check("!?#\n{}\n", &["!", "L:{}"]);
        check("GET / HTTP/1.1\nHost: x\n\n{}\n", &["!", "!", "L:{}"]);
        check("X-Other: 1\r\n\r\n{}\n", &["!", "L:{}"]);
        check("X-Other: 1\r\n{}\n", &["!", "L:{}"]);
        check("Content-Length: many\r\n\r\n{}\n", &["!", "L:{}"]);
        check("Content-Length: -1\r\n\r\n{}\n", &["!", "L:{}"]);
    }

    #[test]
    fn a_body_longer_than_announced_does_not_hide_the_next_message() {
        check("Content-Length: 2\r\n\r\n{}}}!!Content-Length: 2\r\n\r\n[]", &["H:{}", "!", "H:[]"]);
    }

    #[test]
    fn a_cut_message_is_reported_at_the_end() {
        check("Content-Length: 9\r\n\r\n{}", &["!"]);
        check("Content-Len", &["!"]);
    }

    #[test]
    fn an_absurd_length_is_refused_and_the_next_message_read() {
        check("Content-Length: 9999999999999999\r\n\r\n{\"a\":1}\n", &["!", "L:{\"a\":1}"]);
        check("Content-Length: 99999999999999999999999999\r\n\r\n{\"a\":1}\n", &["!", "L:{\"a\":1}"]);
    }

    #[test]
    fn an_over_long_message_is_skipped_to_its_end_and_names_its_id() {
        let long = format!("{{\"x\":\"{}\",\"id\":5}}", "y".repeat(2 * MESSAGE_BYTES));
        let line = format!("{long}\n{{\"a\":1}}\n");
        assert_eq!(shape(&frames(line.as_bytes(), 65_536)), ["!5", "L:{\"a\":1}"]);
        let framed = format!("Content-Length: {}\r\n\r\n{long}Content-Length: 2\r\n\r\n{{}}", long.len());
        assert_eq!(shape(&frames(framed.as_bytes(), 65_536)), ["!5", "H:{}"]);
    }

    #[test]
    fn where_the_bytes_are_divided_makes_no_difference() {
        let tokens: &[&[u8]] = &[
            b"{", b"}", b"[", b"]", b"{}\n", b"\n", b"\r\n", b"\r\n\r\n", b"Content-Length: 3",
            b"Content-Length: 0\n\n", b"content-length:9999999999999999", b":", b"X: y\n", b"\"", b" ",
            b"\xEF\xBB\xBF", b"\xEF", b"\0", b"abc", b"!",
        ];
        for seed in 0..400 {
            let mut random = m1nd_testkit::Random::new(seed);
            let input: Vec<u8> =
                (0..random.below(40)).flat_map(|_| tokens[random.below(tokens.len())]).copied().collect();
            let whole = shape(&frames(&input, input.len().max(1)));
            for piece in [1, 2, 5] {
                let text = String::from_utf8_lossy(&input);
                assert_eq!(shape(&frames(&input, piece)), whole, "seed {seed}, pieces of {piece}: {text:?}");
            }
        }
    }

    #[test]
    fn memory_stays_bounded_while_an_endless_line_arrives() {
        let mut framer = Framer::default();
        framer.push(b"{");
        for _ in 0..1024 {
            framer.push(&[b'x'; 16 << 10]);
            assert!(framer.next_frame().is_none());
            assert!(framer.buffer.capacity() <= 3 * MESSAGE_BYTES, "{}", framer.buffer.capacity());
        }
    }

    #[test]
    fn wrapping_and_cutting_are_inverse() {
        let mut wire = Mode::Header.wrap(b"{\"a\":1}");
        wire.extend(Mode::Line.wrap(b"{\"b\":2}"));
        assert_eq!(shape(&frames(&wire, 5)), ["H:{\"a\":1}", "L:{\"b\":2}"]);
    }
}
