//! Two clones and their team.

use m1nd_team::{EntryKind, FoundBy, InitRequest, Level, Mode, Patience, SCHEMA_VERSION, SearchQuery, TeamError, init};

use crate::server::{Clone, OWNER, Server, TEAM};

const ALICE: &str = "\
# shop

## Gotchas

- The bank's sandbox rejects amounts over 999: use the mock

## 2026-11-20

**Decided:** redis over memcached because of lists
**Problem:** the export drops umlauts

## 2026-11-22

**Fixed:** the export drops umlauts: written as UTF-8
";

const BOB: &str = "\
# shop

## 2026-11-21

**Learned:** `Cart.total` is called twice on checkout
";

/// Identities of what waits for an approval.
fn list_waiting(clone: &mut Clone) -> Vec<String> {
    let rows = clone.session.list_waiting(None).expect("are listed");
    rows.iter().map(|row| row.id.to_string()).collect()
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn clones_exchange_what_is_approved() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write), ("bob", Level::Approve), ("carol", Level::Read)], true);
    let mut alice = Clone::new(&server, "alice", ALICE);
    let mut bob = Clone::new(&server, "bob", BOB);

    // 1. What is sent twice is stored once.
    let sent = alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    assert_eq!((sent.sent, sent.queued, sent.withheld.len()), (4, 0, 0), "{sent:?}");
    let again = alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    assert_eq!((again.sent, again.queued), (0, 0));
    let mut copy = Clone::new(&server, "bob", ALICE);
    copy.session.exchange(&copy.project, Mode::Push).expect("is sent");
    assert_eq!(server.count("SELECT count(*) FROM m1nd.memory"), 4);
    assert_eq!(server.sql(OWNER, "SELECT DISTINCT author FROM m1nd.memory").expect("is read"), ["alice"]);

    // 2. Before an approval nothing of others is written into a text.
    let waiting = bob.session.exchange(&bob.project, Mode::Sync).expect("is exchanged");
    assert_eq!((waiting.sent, waiting.waiting, waiting.appended.len()), (1, 4, 0), "{waiting:?}");
    assert_eq!(bob.text(), BOB);

    // 3. Nobody approves what they wrote, nor without the level for it.
    let all = list_waiting(&mut bob);
    assert_eq!(all.len(), 5);
    assert!(matches!(alice.session.approve(&all[..1]), Err(TeamError::Invalid(_))));
    assert!(matches!(bob.session.approve(&all), Err(TeamError::Invalid(_))), "one of them is bob's");
    assert_eq!(bob.session.list_waiting(None).expect("are listed").len(), 5);
    assert_eq!(bob.session.approve(&all[..4]).expect("are approved"), 4);

    // 4. Then it is appended, and what people wrote stays as it is.
    let pulled = bob.session.exchange(&bob.project, Mode::Pull).expect("is pulled");
    assert_eq!((pulled.appended.len(), pulled.waiting, pulled.unwritable.len()), (4, 0, 0), "{pulled:?}");
    assert!(bob.text().starts_with(BOB), "{}", bob.text());
    for part in [
        "- The bank's sandbox rejects amounts over 999: use the mock <!-- team: alice -->",
        "## 2026-11-20\n\n",
        "- **Decided:** redis over memcached because of lists <!-- team: alice -->",
        "- **Fixed:** the export drops umlauts: written as UTF-8 <!-- team: alice -->",
    ] {
        assert!(bob.text().contains(part), "{part}\n{}", bob.text());
    }
    let before = bob.text();
    let again = bob.session.exchange(&bob.project, Mode::Sync).expect("is exchanged");
    assert_eq!((again.sent, again.appended.len(), again.gone.len()), (0, 0, 0), "{again:?}");
    assert_eq!(bob.text(), before);
    assert_eq!(server.count("SELECT count(*) FROM m1nd.memory"), 5);
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn removals_are_reported_and_change_no_text() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write), ("bob", Level::Approve), ("carol", Level::Read)], true);
    let mut alice = Clone::new(&server, "alice", ALICE);
    let mut bob = Clone::new(&server, "bob", "# shop\n");
    alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    let all = list_waiting(&mut bob);
    assert_eq!(bob.session.approve(&all).expect("are approved"), 4);
    bob.session.exchange(&bob.project, Mode::Pull).expect("is pulled");
    let before = bob.text();

    // 1. What somebody deletes does not come back, and stays with the team.
    bob.write(&before.replace("- **Decided:** redis over memcached because of lists <!-- team: alice -->\n", ""));
    let gone = bob.session.exchange(&bob.project, Mode::Sync).expect("is exchanged");
    assert_eq!((gone.gone.len(), gone.appended.len(), gone.sent), (1, 0, 0), "{gone:?}");

    // 2. A removal from the team is reported where it stands, and changes no text.
    let id = gone.gone[0].to_string();
    assert!(bob.session.set_present(&id, false).expect("is removed"));
    assert!(!bob.session.set_present(&id, false).expect("is removed before"));
    let text = alice.text();
    let removed = alice.session.exchange(&alice.project, Mode::Sync).expect("is exchanged");
    assert_eq!(removed.removed.len(), 1, "{removed:?}");
    assert!(removed.removed[0].place.as_deref().is_some_and(|place| place.ends_with(".mind/MEMORY.md:9")));
    assert!(alice.text().starts_with(&text));
    assert!(alice.session.set_present(&id[..10], true).expect("comes back"));
    let back = bob.session.exchange(&bob.project, Mode::Pull).expect("is exchanged");
    assert_eq!(back.appended.len(), 1, "{back:?}");

    // 3. A reader reads.
    let mut carol = Clone::new(&server, "carol", "# shop\n");
    let read = carol.session.exchange(&carol.project, Mode::Pull).expect("is read");
    assert_eq!(read.appended.len(), 4, "{read:?}");
    carol.write("# shop\n\n**Decided:** carol writes over others\n");
    assert!(matches!(carol.session.exchange(&carol.project, Mode::Push), Err(TeamError::Refused { .. })));
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn a_search_finds_memories_of_all_repositories() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write), ("bob", Level::Write)], true);
    let mut shop = Clone::new(&server, "alice", ALICE);
    shop.session.exchange(&shop.project, Mode::Push).expect("is sent");
    let patience = Patience::default();
    let text = "**Learned:** the ledger rounds halves to even\n**Decided:** postgres over mysql\n";
    let mut ledger = Clone::of(server.settings("bob"), TEAM, "example.com/acme/ledger", text, patience);
    ledger.session.exchange(&ledger.project, Mode::Push).expect("is sent");

    let query = |text: &str| SearchQuery { text: text.to_owned(), with_waiting: true, ..SearchQuery::default() };
    let found = shop.session.search(&query("how are halves rounded"), 5).expect("is found");
    let first = &found.results[0];
    assert_eq!((first.repository.as_str(), first.is_approved), ("example.com/acme/ledger", false));
    assert_eq!(first.memory.author.as_deref(), Some("bob"));
    // What nobody approved is only returned on request, except one's own.
    let approved = SearchQuery { with_waiting: false, ..query("how are halves rounded") };
    assert_eq!(shop.session.search(&approved, 5).expect("is found").results.len(), 0);
    assert_eq!(ledger.session.search(&approved, 5).expect("is found").results.len(), 1);
    let kinds = SearchQuery { kinds: vec![EntryKind::Issue], ..query("umlauts in the export") };
    let found = ledger.session.search(&kinds, 5).expect("is found");
    assert!(found.results.iter().all(|row| row.memory.kind == Some(EntryKind::Issue)) && !found.results.is_empty());
    let other = SearchQuery { repository: Some("example.com/acme/ledger".to_owned()), ..query("umlauts export") };
    assert!(ledger.session.search(&other, 5).expect("is found").results.is_empty());
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn a_large_team_is_searched_on_the_server() {
    let server = Server::start();
    server.set_up(TEAM, &[("alice", Level::Write), ("bob", Level::Write)], false);
    let text = "**Learned:** deletion of carts takes a minute\n\n**Learned:** the ledger rounds halves to even\n";
    let mut alice = Clone::new(&server, "alice", text);
    alice.session.exchange(&alice.project, Mode::Push).expect("is sent");
    // More than a client ranks.
    let fill = "INSERT INTO m1nd.memory (team, id, repository, kind, title, line, words) \
                SELECT 1, sha256(i::text::bytea), 'example.com/acme/filler', 'learning', 'filler ' || i, \
                '**Learned:** filler ' || i, 'filler ' || i FROM generate_series(1, 5001) i";
    server.sql("bob", fill).expect("are stored");
    let has_vectors = server.count("SELECT count(*) FROM pg_extension WHERE extname = 'vector'") == 1;
    let found_by = if has_vectors { FoundBy::WordsAndVectors } else { FoundBy::Words };
    let mut ask = |text: &str| {
        let query = SearchQuery { text: text.to_owned(), ..SearchQuery::default() };
        let found = alice.session.search(&query, 5).expect("is found");
        assert_eq!(found.found_by, found_by);
        found.results.first().map(|row| row.line.clone())
    };
    // Another form of a word; quotes and operators are words as well.
    assert_eq!(ask("rounding a 'half' & | !").as_deref(), Some("**Learned:** the ledger rounds halves to even"));
    // Other words of like meaning are found by vectors only.
    let expected = has_vectors.then_some("**Learned:** deletion of carts takes a minute");
    assert_eq!(ask("remove").as_deref(), expected);
    if has_vectors {
        assert_eq!(server.count("SELECT count(*) FROM m1nd.memory_vector"), 2);
    }
}

#[test]
#[cfg_attr(not(postgres), ignore = "PostgreSQL is not installed: set M1ND_TEST_POSTGRES to the folder of initdb")]
fn the_schema_is_migrated_once_and_a_newer_one_refused() {
    let server = Server::start();
    server.sql(OWNER, "CREATE ROLE alice LOGIN").expect("is created");
    let mut early = Clone::new(&server, "alice", ALICE);
    let error = early.session.exchange(&early.project, Mode::Push).expect_err("the schema is missing");
    assert!(matches!(error, TeamError::Schema(_)), "{error}");

    // Several at once: one of them applies each migration.
    let settings = server.settings(OWNER);
    let applied: usize = std::thread::scope(|scope| {
        let start =
            || init(&settings, &InitRequest::default(), Patience::default()).expect("is migrated").applied.len();
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(start)).collect();
        threads.into_iter().map(|thread| thread.join().expect("ends")).sum()
    });
    assert_eq!(applied, usize::try_from(SCHEMA_VERSION).expect("fits"));

    let error = early.session.exchange(&early.project, Mode::Push).expect_err("is not a member");
    assert!(matches!(error, TeamError::NotMember(_)), "{error}");
    let unknown = InitRequest {
        team: Some(TEAM.to_owned()),
        members: vec![("nobody-at-all".to_owned(), Level::Read)],
        ..InitRequest::default()
    };
    assert!(init(&settings, &unknown, Patience::default()).is_err());
    assert_eq!(server.count("SELECT count(*) FROM m1nd.team"), 0, "nothing of a refused request stays");

    server.sql(OWNER, "UPDATE m1nd.migration SET checksum = 'x' WHERE number = 1").expect("is changed");
    let error = init(&settings, &InitRequest::default(), Patience::default()).expect_err("was changed");
    assert!(error.to_string().contains("0001_teams_and_memories"), "{error}");
    server.sql(OWNER, "INSERT INTO m1nd.migration VALUES (1000, 'later', 'y')").expect("is added");
    let error = init(&settings, &InitRequest::default(), Patience::default()).expect_err("is newer");
    assert!(error.to_string().contains("version 1000"), "{error}");
}
