//! The database is away, or its answer is lost.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use m1nd_team::{ConnectOptions, Level, Mode, Patience, Settings, TeamError};

use crate::server::{Clone, OWNER, PASSWORD, REPOSITORY, Server, TEAM};

const TEXT: &str = "# shop\n\n**Decided:** redis over memcached\n**Learned:** carts expire after an hour\n";

/// The files of the queue of a clone.
fn queue_files(clone: &Clone) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(clone.folder.path().join("home/team")).expect("a folder");
    folders.map(|folder| folder.expect("a folder").path().join("queue.jsonl")).collect()
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn what_is_sent_during_an_outage_arrives_later() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write)], false);
    let mut alice = Clone::new(&server, "alice", TEXT);
    server.stop("immediate");

    // 1. Queued, in a file that only its owner reads; asking again queues nothing again.
    for _ in 0..2 {
        let queued = alice.session.exchange(&alice.project, Mode::Push).expect("is queued");
        assert_eq!((queued.sent, queued.queued, queued.offline.is_some()), (0, 2, true), "{queued:?}");
    }
    let error = alice.session.exchange(&alice.project, Mode::Pull).expect_err("the database is away");
    assert!(matches!(error, TeamError::Offline { attempts: 2, .. }), "{error}");
    assert_eq!(alice.session.status().expect("is answered").queued, 2);
    let [queue] = queue_files(&alice).try_into().expect("one queue");
    for (path, mode) in [(queue.as_path(), 0o600), (queue.parent().expect("a folder"), 0o700)] {
        assert_eq!(std::fs::metadata(path).expect("is there").permissions().mode() & 0o777, mode, "{path:?}");
    }

    // 2. A crash in the middle of an append leaves a part of a line.
    let mut text = std::fs::read_to_string(&queue).expect("is read");
    text.push_str("{\"op\":\"memory\",\"entry\":{\"id\":\"00");
    std::fs::write(&queue, text).expect("is written");

    // 3. It arrives even if the text is gone by then.
    alice.write("# shop\n\n**Decided:** written later\n");
    server.boot();
    let sent = alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    assert_eq!((sent.sent, sent.queued, sent.gone.len()), (3, 0, 2), "{sent:?}");
    assert_eq!(server.count("SELECT count(*) FROM m1nd.memory"), 3);

    // 4. A database that was restored from an older copy gets back what the text has.
    server.sql(OWNER, "TRUNCATE m1nd.memory CASCADE").expect("are deleted");
    let sent = alice.session.exchange(&alice.project, Mode::Sync).expect("is sent");
    assert_eq!((sent.sent, sent.queued), (1, 0), "{sent:?}");
}

/// Passes connections on. Those of the first `cut` that commit lose the server's answer to it.
fn start_proxy(port: u16, cut: usize) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let own = listener.local_addr().expect("a port").port();
    let lost = Arc::new(AtomicUsize::new(0));
    let count = lost.clone();
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (client, count) = (client.expect("a connection"), count.clone());
            std::thread::spawn(move || pass_on(&client, port, cut, &count));
        }
    });
    (own, lost)
}

fn pass_on(client: &TcpStream, port: u16, cut: usize, lost: &AtomicUsize) {
    let server = TcpStream::connect(("127.0.0.1", port)).expect("is connected");
    let (mut from_server, mut to_client) =
        (server.try_clone().expect("a handle"), client.try_clone().expect("a handle"));
    let back = std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_server, &mut to_client);
        let _ = to_client.shutdown(Shutdown::Both);
    });
    let (mut from_client, mut to_server) = (client, &server);
    let mut buffer = [0; 1 << 16];
    while let Ok(length) = from_client.read(&mut buffer) {
        if length == 0 {
            break;
        }
        let is_commit = buffer[..length].windows(6).any(|part| part == b"COMMIT");
        if is_commit && lost.fetch_add(1, Ordering::SeqCst) < cut {
            // The client hears nothing more; the server gets all of it.
            let _ = client.shutdown(Shutdown::Both);
            let _ = to_server.write_all(&buffer[..length]);
            std::thread::sleep(Duration::from_millis(200));
            break;
        }
        if to_server.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
    let _ = back.join();
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn a_commit_without_an_answer_does_not_double() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("a port").port();
    let server = Server::start_with("'127.0.0.1'", port);
    server.set_up(TEAM, &[("alice", Level::Write)], false);
    let (proxy, lost) = start_proxy(port, 2);
    let address = format!("postgres://alice@127.0.0.1:{proxy}/postgres");
    let options = ConnectOptions { password: Some(PASSWORD), ..ConnectOptions::default() };
    let settings = Settings::parse(&address, &options).expect("are read");
    let mut alice = Clone::of(settings, TEAM, REPOSITORY, TEXT, Patience::default());
    let sent = alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    assert_eq!((sent.sent, sent.queued), (2, 0), "{sent:?}");
    assert_eq!(lost.load(Ordering::SeqCst), 3, "two answers were lost");
    assert_eq!(server.count("SELECT count(*) FROM m1nd.memory"), 2);
    // Each attempt reached the server: the first stored, the others found it there.
    let alone = server.count("SELECT count(DISTINCT xmin::text) FROM m1nd.memory");
    assert_eq!(alone, 1);
}
