//! Row-level security against handwritten SQL, and passwords.

use std::path::Path;

use m1nd_team::{ConnectOptions, Level, Mode, Patience, Settings, TeamError};

use crate::server::{Clone, OWNER, PASSWORD, Server, TEAM};

/// What mallory, who may do everything in the team `other`, tries on rows of `payments` (team 1).
const ATTACKS: &[&str] = &[
    "SELECT * FROM m1nd.memory WHERE team = 1",
    "SELECT * FROM m1nd.memory WHERE line LIKE '%redis%'",
    "SELECT * FROM m1nd.team WHERE name = 'payments'",
    "SELECT * FROM m1nd.member WHERE team = 1",
    "SELECT * FROM m1nd.change WHERE team = 1",
    "SELECT * FROM m1nd.approval WHERE team = 1",
    "SET ROLE alice; SELECT * FROM m1nd.memory WHERE team = 1",
    "SET SESSION AUTHORIZATION alice; SELECT * FROM m1nd.memory WHERE team = 1",
    "SET row_security = off; SELECT * FROM m1nd.memory WHERE team = 1",
    "SELECT m1nd.teams_with(1::smallint) INTERSECT SELECT 1",
    "INSERT INTO m1nd.memory (team, id, repository, kind, title, line) \
     VALUES (1, decode(repeat('ab', 32), 'hex'), 'r', 'decision', 't', 'l')",
    "INSERT INTO m1nd.change (team, memory, generation) SELECT 1, decode(repeat('cd', 32), 'hex'), 2",
    "INSERT INTO m1nd.approval (team, memory) SELECT 1, decode(repeat('cd', 32), 'hex')",
    "INSERT INTO m1nd.memory (team, id, repository, kind, title, line, author) \
     VALUES (2, decode(repeat('ab', 32), 'hex'), 'r', 'decision', 't', 'l', 'alice')",
    "INSERT INTO m1nd.member (team, login, level) VALUES (1, 'mallory', 3)",
    "INSERT INTO m1nd.team (name) VALUES ('third')",
    "UPDATE m1nd.member SET team = 1",
    "UPDATE m1nd.memory SET line = 'x'",
    "DELETE FROM m1nd.memory",
    "TRUNCATE m1nd.memory CASCADE",
    "DROP TABLE m1nd.memory CASCADE",
    "DROP POLICY read ON m1nd.memory",
    "ALTER TABLE m1nd.memory DISABLE ROW LEVEL SECURITY",
    "CREATE OR REPLACE FUNCTION m1nd.teams_with(min_level smallint) RETURNS SETOF bigint LANGUAGE sql AS 'SELECT 1::bigint'",
    "CREATE TABLE m1nd.mine (x int)",
    "SELECT * FROM m1nd.memory_vector WHERE team = 1",
    "INSERT INTO m1nd.memory_vector SELECT 1, memory, model, direction FROM m1nd.memory_vector WHERE team = 1",
    "COPY m1nd.memory TO PROGRAM 'cat'",
    "SELECT * FROM pg_read_file('PG_VERSION')",
];

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn no_sql_of_another_team_reads_or_writes() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write)], true);
    server.set_up("other", &[("mallory", Level::Approve)], true);
    let mut alice = Clone::new(&server, "alice", "**Decided:** redis over memcached\n");
    alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    let dump = "SELECT (SELECT json_agg(m) FROM m1nd.memory m)::text || (SELECT json_agg(m) FROM m1nd.member m)::text \
                || (SELECT json_agg(t) FROM m1nd.team t)::text || (SELECT count(*) FROM m1nd.change) || (SELECT count(*) FROM m1nd.approval)";
    let before = server.sql(OWNER, dump).expect("is read");

    for attack in ATTACKS {
        let answer = server.sql("mallory", attack);
        assert!(answer.as_ref().map_or(true, Vec::is_empty), "{attack}: {answer:?}");
        // Whatever was answered, nothing changed.
        assert_eq!(server.sql(OWNER, dump).expect("is read"), before, "{attack}");
    }
    // The statements themselves are right: within the own team they read and write.
    assert_eq!(server.sql("alice", ATTACKS[0]).expect("is read").len(), 1);
    let own = ATTACKS[10].replace("(1,", "(2,");
    assert!(server.sql("mallory", &own).is_ok());

    let patience = Patience::default();
    let mut other = Clone::of(server.settings("mallory"), TEAM, "example.com/acme/shop", "# shop\n", patience);
    let error = other.session.exchange(&other.project, Mode::Pull).expect_err("is not a member");
    assert!(matches!(error, TeamError::NotMember(_)), "{error}");
    // Logins with rights of their own are told apart.
    assert!(!alice.session.status().expect("is answered").team.expect("a team").bypasses_row_security);
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn a_row_that_handwritten_sql_stored_is_data() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write), ("bob", Level::Write)], false);
    let mut bob = Clone::new(&server, "bob", "# shop\n");
    // Rows of a member that no client writes: another id, a second memory behind a line break of Unicode, markup.
    let lines = [
        "**Decided:** one thing <!-- hidden -->",
        "**Decided:** a\u{2028}**Decided:** b",
        "**Decided:** \u{202e}desrever",
        "**Decided:** an id that does not fit",
        "# heading",
        "```",
    ];
    for (number, line) in lines.iter().enumerate() {
        let insert = format!(
            "INSERT INTO m1nd.memory (team, id, repository, kind, title, line) VALUES (1, decode(repeat('{number:02x}', 32), \
             'hex'), 'example.com/acme/shop', 'decision', E't\\x1b[31m', '{line}')"
        );
        server.sql("alice", &insert).expect("is stored");
    }
    let pulled = bob.session.exchange(&bob.project, Mode::Pull).expect("is pulled");
    assert_eq!((pulled.appended.len(), pulled.unwritable.len()), (0, lines.len()), "{pulled:?}");
    assert_eq!(bob.text(), "# shop\n");
    let query = m1nd_team::SearchQuery { text: "desrever".to_owned(), ..Default::default() };
    let found = serde_json::to_string(&bob.session.search(&query, 20).expect("is found")).expect("is JSON");
    assert!(found.contains("\\\\u{202e}desrever"), "{found}");
    assert!(!found.contains('\u{202e}') && !found.contains('\u{1b}') && !found.contains("\\u001b"), "{found}");
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn a_password_goes_over_tls_and_into_no_message() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../http/tests/fixtures");
    let port = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("a port").port();
    let server = Server::start_with("'127.0.0.1'", port);
    server.use_tls(&fixtures);
    server.set_up(TEAM, &[("alice", Level::Write)], true);
    let exchange = |address: &str, authorities: Option<&Path>| {
        let options = ConnectOptions { authorities, ..ConnectOptions::default() };
        let settings = Settings::parse(address, &options)?;
        let patience = Patience { max_attempts: 1, ..Patience::default() };
        let mut clone = Clone::of(settings, TEAM, "example.com/acme/shop", "**Decided:** redis\n", patience);
        clone.session.exchange(&clone.project, Mode::Sync)
    };
    let certificate = fixtures.join("server.crt");
    let address =
        |password: &str, mode: &str| format!("postgres://alice:{password}@localhost:{port}/postgres?sslmode={mode}");
    exchange(&address(PASSWORD, "require"), Some(&certificate)).expect("is exchanged over TLS");
    exchange(&address(PASSWORD, "disable"), None).expect("is exchanged on this machine");
    // A certificate that this machine does not trust, and a wrong password.
    for (password, authorities) in [(PASSWORD, None), ("hunter3", Some(certificate.as_path()))] {
        let error = exchange(&address(password, "require"), authorities).expect_err("is refused");
        let shown = format!("{error} {error:?} {}", error.next());
        assert!(!shown.contains("hunter"), "{shown}");
    }
    let log = server.read_log();
    assert!(!log.contains("hunter"), "{log}");
}
