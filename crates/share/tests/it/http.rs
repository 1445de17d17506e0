//! A web server that only serves files.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

use m1nd_share::{FileKind, Remote, SourceFile, push};

use crate::place::{Place, build_noise, origin};

/// Serves the files below a folder until the process ends; returns its address.
fn serve(folder: PathBuf) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let folder = folder.clone();
            std::thread::spawn(move || while answer(&client, &folder).is_some() {});
        }
    });
    format!("http://{address}/")
}

/// Answers one request of a connection.
fn answer(client: &TcpStream, folder: &Path) -> Option<()> {
    let mut lines = BufReader::new(client).lines();
    let first = lines.next()?.ok()?;
    while !lines.next()?.ok()?.is_empty() {}
    let mut words = first.split(' ');
    let (method, path) = (words.next()?, words.next()?);
    let found = fs::read(folder.join(path.trim_start_matches('/')));
    let (status, body) = match (method, found) {
        ("GET" | "HEAD", Ok(body)) => ("200 OK", body),
        ("GET" | "HEAD", Err(_)) => ("404 Not Found", Vec::new()),
        _ => ("405 Method Not Allowed", Vec::new()),
    };
    let mut client = client;
    let dates = "Last-Modified: Sat, 28 Nov 2026 00:00:00 GMT\r\nETag: \"x\"";
    write!(client, "HTTP/1.1 {status}\r\nContent-Length: {}\r\n{dates}\r\n\r\n", body.len()).ok()?;
    if method == "GET" {
        client.write_all(&body).ok()?;
    }
    Some(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_pulled_from_a_web_server_and_not_pushed_to_it() {
    let place = Place::new();
    let files = [build_noise(2 << 20, "a"), build_noise(100, "b")];
    place.push(&origin(5), &files[0], &files[1]).await.expect("is pushed");
    let address = serve(place.store());
    let remote = Remote::open(&address, false).expect("is an address");
    let (remote, found) = place.find_in(remote, &[9, 8, 7, 6, 5]).await.expect("is found");
    assert_eq!(found.distance, 4);
    let (_, contents) = place.pull_found(&remote, &found).await.expect("is pulled");
    assert!(contents == files);
    let path = place.folder.path().join("source-facts");
    let source = [FileKind::Snapshot, FileKind::Facts].map(|kind| SourceFile { kind, path: path.clone() });
    let refused = push(&remote, &origin(6), &source, &place.key, true).await.expect_err("it only serves");
    assert!(["read_only", "unreachable"].contains(&refused.code()), "{refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_does_not_answer_is_given_up() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = format!("http://{}/", listener.local_addr().expect("an address"));
    drop(listener);
    let remote = Remote::open(&address, false).expect("is an address");
    let refused = place.find_in(remote, &[1]).await.map(|_| ()).expect_err("nobody listens");
    assert_eq!(refused.code(), "unreachable", "{refused}");
}
