//! A GROBID server on this machine: asked over plain HTTP, and its TEI as Markdown. Other machines are refused.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use m1nd_base::Cancel;
use quick_xml::Reader;
use quick_xml::events::Event;

/// Bytes read of an answer.
const MAX_ANSWER: usize = 64 << 20;
/// Time between two looks at whether the caller gave up.
const LOOK: Duration = Duration::from_millis(200);
/// Separates the parts of what is sent.
const BOUNDARY: &str = "m1nd-1f0c6a7be3d24b5f9a51";

/// The address of a server on this machine.
pub(super) fn address(url: &str) -> Result<SocketAddr, String> {
    let refused =
        || format!("has `url` `{url}`; expected `http://127.0.0.1:PORT`: documents do not leave this machine");
    let rest = url.strip_prefix("http://").ok_or_else(refused)?.trim_end_matches('/');
    let (host, port) = rest.rsplit_once(':').ok_or_else(refused)?;
    let port: u16 = port.parse().map_err(|_| refused())?;
    let ip = match host {
        "localhost" | "127.0.0.1" => IpAddr::V4(Ipv4Addr::LOCALHOST),
        "[::1]" => IpAddr::V6(Ipv6Addr::LOCALHOST),
        _ => return Err(refused()),
    };
    Ok(SocketAddr::new(ip, port))
}

/// The version that the server tells.
pub(super) fn version(url: &str, timeout: Duration, cancel: &Cancel) -> Result<String, String> {
    let answer = ask(url, "GET", "/api/version", "", &[], timeout, cancel)?;
    Ok(super::first_line(&String::from_utf8_lossy(&answer)))
}

/// A document as Markdown.
pub(super) fn convert(url: &str, bytes: &[u8], timeout: Duration, cancel: &Cancel) -> Result<String, String> {
    let mut body = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"input\"; filename=\"document.pdf\"\r\n\
         Content-Type: application/pdf\r\n\r\n"
    )
    .into_bytes();
    body.extend_from_slice(bytes);
    body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let answer = ask(url, "POST", "/api/processFulltextDocument", &kind, &body, timeout, cancel)?;
    markdown(&String::from_utf8_lossy(&answer))
}

fn ask(
    url: &str,
    method: &str,
    path: &str,
    kind: &str,
    body: &[u8],
    timeout: Duration,
    cancel: &Cancel,
) -> Result<Vec<u8>, String> {
    let address = address(url)?;
    let failed = |error: std::io::Error| format!("`{url}` does not answer: {error}");
    let started = Instant::now();
    let mut stream = TcpStream::connect_timeout(&address, timeout.min(Duration::from_secs(10))).map_err(failed)?;
    stream.set_write_timeout(Some(timeout)).map_err(failed)?;
    // Reads return soon, so that a cancelled call does not wait for the answer.
    stream.set_read_timeout(Some(LOOK)).map_err(failed)?;
    // HTTP/1.0: the end of the connection is the end of the answer.
    let mut head = format!("{method} {path} HTTP/1.0\r\nHost: {address}\r\nAccept: */*\r\nConnection: close\r\n");
    if !body.is_empty() {
        head.push_str(&format!("Content-Type: {kind}\r\nContent-Length: {}\r\n", body.len()));
    }
    head.push_str("\r\n");
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body)).map_err(failed)?;
    let mut answer = Vec::new();
    let mut chunk = vec![0; 32 << 10];
    loop {
        if cancel.is_cancelled() {
            return Err("it was cancelled".to_owned());
        }
        if started.elapsed() > timeout {
            return Err(format!("it took more than {} s", timeout.as_secs()));
        }
        match stream.read(&mut chunk) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(&chunk[..count]),
            Err(error)
                if matches!(
                    error.kind(),
                    std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut | std::io::ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(failed(error)),
        }
        // The program on the other side is not ours.
        if answer.len() > MAX_ANSWER {
            return Err(format!("it answered more than {MAX_ANSWER} bytes"));
        }
    }
    body_of(&answer)
}

/// The body of an answer. It was asked with HTTP/1.0, so that it is not sent in chunks.
fn body_of(answer: &[u8]) -> Result<Vec<u8>, String> {
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").ok_or("the answer is not HTTP")?;
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let first = head.lines().next().unwrap_or_default();
    let status = first.split(' ').nth(1).unwrap_or_default();
    if status != "200" {
        return Err(format!("it answered `{}`", first.chars().take(100).collect::<String>()));
    }
    let body = &answer[end + 4..];
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    if is_chunked { join_chunks(body) } else { Ok(body.to_vec()) }
}

fn join_chunks(mut body: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    loop {
        let end = body.windows(2).position(|two| two == b"\r\n").ok_or("the answer is cut")?;
        let size = String::from_utf8_lossy(&body[..end]);
        let size = usize::from_str_radix(size.split(';').next().unwrap_or_default().trim(), 16);
        let size = size.map_err(|_| "the answer is damaged")?;
        if size == 0 {
            return Ok(out);
        }
        let start = end + 2;
        out.extend_from_slice(body.get(start..start.saturating_add(size)).ok_or("the answer is cut")?);
        body = body.get(start + size + 2..).ok_or("the answer is cut")?;
    }
}

/// TEI as Markdown: title, headings, paragraphs and references.
fn markdown(text: &str) -> Result<String, String> {
    let mut reader = Reader::from_str(text);
    let mut out = String::new();
    let mut open: Vec<String> = Vec::new();
    let mut held = String::new();
    let mut has_title = false;
    loop {
        match reader.read_event() {
            // The text of the innermost element that becomes a line.
            Ok(Event::Start(start)) => {
                let name = start.local_name().into_inner().to_owned();
                if matches!(name.as_str(), "head" | "p" | "title" | "biblStruct") {
                    held.clear();
                }
                open.push(name);
            }
            Ok(Event::Text(piece)) => held.push_str(&piece),
            Ok(Event::GeneralRef(name)) => held.push_str(match &*name {
                "amp" => "&",
                "lt" => "<",
                "gt" => ">",
                _ => " ",
            }),
            Ok(Event::End(_)) => {
                let Some(name) = open.pop() else { continue };
                let text = held.split_whitespace().collect::<Vec<_>>().join(" ");
                // Headings and paragraphs of the header and of notes are left out.
                let in_body = open.iter().any(|name| name == "body" || name == "abstract");
                let line = match name.as_str() {
                    "title" if !has_title && !text.is_empty() => {
                        has_title = true;
                        format!("# {text}")
                    }
                    "head" if in_body => format!("## {text}"),
                    "p" if in_body => text,
                    "biblStruct" => format!("- {text}"),
                    _ => continue,
                };
                // An empty element leaves only its mark.
                if line.len() > 3 {
                    out.push_str(&line);
                    out.push_str("\n\n");
                }
                held.clear();
            }
            Ok(Event::Eof) => return Ok(out),
            Ok(_) => {}
            Err(error) => return Err(format!("its answer is not TEI: {error}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_asked() {
        for url in ["http://127.0.0.1:8070", "http://localhost:8070/", "http://[::1]:8070"] {
            assert!(address(url).is_ok(), "{url}");
        }
        for url in [
            "http://example.org:80", "https://127.0.0.1:1", "http://127.0.0.1", "http://127.0.0.1.example:80",
            "http://10.0.0.1:80", "",
        ] {
            assert!(address(url).is_err(), "{url}");
        }
    }

    #[test]
    fn tei_becomes_markdown() {
        let tei = "<TEI><teiHeader><title>A &amp; B</title></teiHeader><text><body><div><head>Intro</head><p>Some <ref>x</ref> text.</p></div></body></text></TEI>";
        assert_eq!(markdown(tei).as_deref(), Ok("# A & B\n\n## Intro\n\nSome x text.\n\n"));
        assert_eq!(
            body_of(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
            Ok(b"abc".to_vec())
        );
        assert!(body_of(b"HTTP/1.1 503 Busy\r\n\r\n").is_err());
    }
}
