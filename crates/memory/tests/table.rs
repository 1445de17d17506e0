//! The confidence table of the memory format, and the parser's result for whole files.

use jiff::civil::{Date, date};
use m1nd_memory::{Kind, ParseContext, Parsed, SourceKind, Status, parse};

fn today() -> Date {
    date(2025, 1, 10)
}

fn read(text: &str) -> Parsed {
    parse(text, &ParseContext { project: "/p", today: today(), kind: SourceKind::MemoryFile, file: ".mind/MEMORY.md" })
}

type Row = (&'static str, Kind, Option<Status>, &'static str, f32);

#[test]
fn every_row_of_the_confidence_table() {
    use Kind::{Decision, Issue, Learning};
    let rows: &[Row] = &[
        ("**Decided:** Use JWT because simpler", Decision, None, "Use JWT", 1.0),
        ("decided to use JWT", Decision, None, "use JWT", 0.5),
        ("Going with Supabase over Firebase", Decision, None, "Supabase over Firebase", 0.6),
        ("MEMORY: decided JWT over OAuth", Decision, None, "JWT over OAuth", 0.7),
        ("**Problem:** Safari CORS", Issue, Some(Status::Open), "Safari CORS", 0.9),
        ("**Fixed:** Safari CORS - added preflight", Issue, Some(Status::Resolved), "Safari CORS", 0.9),
        ("hit an issue with auth", Issue, Some(Status::Open), "auth", 0.5),
        ("blocked on API access", Issue, Some(Status::Blocked), "API access", 0.6),
        ("**Learned:** Safari needs -webkit prefix", Learning, None, "Safari needs -webkit prefix", 0.9),
        ("TIL: Edge functions can't use Node crypto", Learning, None, "Edge functions can't use Node crypto", 0.7),
        ("turns out Safari ITP is the cause", Learning, None, "Safari ITP is the cause", 0.6),
        // The rest of the rules.
        ("**Decided:** Use JWT", Decision, None, "Use JWT", 0.8),
        ("**Decided**: Use JWT", Decision, None, "Use JWT", 0.8),
        ("**Decided:** Use JWT over OAuth", Decision, None, "Use JWT over OAuth", 0.9),
        ("MEMORY: problem - Safari drops cookies", Issue, Some(Status::Open), "Safari drops cookies", 0.7),
        ("MEMORY: learned Safari needs a prefix", Learning, None, "Safari needs a prefix", 0.7),
        ("MEMORY: blocked on legal review", Issue, Some(Status::Blocked), "legal review", 0.7),
        ("MEMORY: the seed script needs Node 20", Learning, None, "the seed script needs Node 20", 0.5),
        ("Problem: Safari drops cookies", Issue, Some(Status::Open), "Safari drops cookies", 0.6),
        ("Problem: logins fail because cookies are dropped", Issue, Some(Status::Open), "logins fail", 0.7),
        ("**Issue:** dark mode flickers", Issue, Some(Status::Open), "dark mode flickers", 0.9),
        ("**Bug:** dark mode flickers", Issue, Some(Status::Open), "dark mode flickers", 0.9),
        ("the export does not work", Issue, Some(Status::Open), "the export does not work", 0.4),
        ("login is broken", Issue, Some(Status::Open), "login is broken", 0.4),
        ("KEY: use Postgres 16", Decision, None, "use Postgres 16", 0.9),
        ("**KEY:** the API key rotates monthly", Learning, None, "the API key rotates monthly", 0.9),
        ("important: never log tokens", Decision, None, "never log tokens", 0.9),
        ("decided not to use Redux", Decision, None, "not Redux", 0.6),
        ("MEMORY: til node 22 ships a test runner", Learning, None, "node 22 ships a test runner", 0.7),
        ("**Decided** to use TOML", Decision, None, "use TOML", 0.8),
        ("**Decided:** to use TOML because it is flat", Decision, None, "use TOML", 1.0),
        ("tests failed on windows", Issue, Some(Status::Open), "tests failed on windows", 0.4),
        ("the tests are failing since Monday", Issue, Some(Status::Open), "the tests are failing since Monday", 0.4),
        ("- [x] Problem: flaky login test", Issue, Some(Status::Resolved), "flaky login test", 0.6),
        ("- Fixed: Safari CORS issue by adding preflight", Issue, Some(Status::Resolved), "Safari CORS issue", 0.6),
        ("**Fixed:** dark lamp, by a new plug", Issue, Some(Status::Resolved), "dark lamp", 0.9),
        ("**Fixed:** dark lamp by the door", Issue, Some(Status::Resolved), "dark lamp by the door", 0.9),
    ];
    for (text, kind, status, title, confidence) in rows {
        let parsed = read(text);
        let [record] = parsed.records.as_slice() else { panic!("{text}: {:#?}", parsed.records) };
        assert_eq!((record.kind, record.status, &*record.title), (*kind, *status, *title), "{text}");
        assert!((record.confidence - confidence).abs() < 1e-6, "{text}: {} by {}", record.confidence, record.rule);
        assert_eq!(record.source.line, 1, "{text}");
    }
}

#[test]
fn each_memory_of_a_line_has_its_part_of_it() {
    let rows: &[(&str, &[&str])] = &[
        ("decided JWT. Problem: Safari cookies", &["decided JWT.", "Problem: Safari cookies"]),
        // Text before, between and after memories belongs to the adjacent one.
        (
            "- Long day. **Decided:** JWT over OAuth. It is small. Because nobody hosts it. TIL: `iat` is in seconds. Phew.",
            &[
                "Long day. Decided: JWT over OAuth. It is small. Because nobody hosts it.",
                "TIL: `iat` is in seconds. Phew.",
            ],
        ),
        ("learned that A is slow; fixed: the B leak", &["learned that A is slow", "fixed: the B leak"]),
        ("Décidé? Oui: decided «JWT». Problem: ÄÖ cookies", &["Décidé? Oui: decided «JWT».", "Problem: ÄÖ cookies"]),
        // One has the whole line.
        ("A word. decided to use JWT. Another word.", &["A word. decided to use JWT. Another word."]),
        // Lines that are one text.
        (
            "decided on the\nJWT. Problem: a cookie for\nSafari",
            &["decided on the JWT.", "Problem: a cookie for Safari"],
        ),
        // A fix of an issue on the same line is reported with it.
        (
            "Problem: slow export of reports. Learned that zip is slow. Fixed: slow export of reports by caching",
            &[
                "Problem: slow export of reports.\nFixed: slow export of reports by caching",
                "Learned that zip is slow.",
            ],
        ),
    ];
    for (text, expected) in rows {
        let parsed = read(text);
        let contents: Vec<&str> = parsed.records.iter().map(|record| &*record.content).collect();
        assert_eq!(contents, *expected, "{text}");
    }
    // The id depends only on the title, so it is the same wherever the text is.
    let (alone, beside) = (read("Problem: Safari cookies"), read("decided JWT. Problem: Safari cookies"));
    assert_eq!(alone.records[0].id, beside.records[1].id);
}

#[test]
fn a_line_that_begins_to_tell_of_something_is_no_continuation() {
    let long = "TIL: the second version of the library dropped its strict mode";
    // The line below, and how many memories both are.
    let rows = [
        ("hit an issue with `super_len` returning 0 for pipes", 2),
        ("ran into trouble", 1),
        ("stuck on the upgrade of the parser", 2),
        ("which is sad", 1),
        ("hitting an issue with it was a surprise", 1),
    ];
    for (below, expected) in rows {
        let parsed = read(&format!("{long}\n{below}"));
        assert_eq!(parsed.records.len(), expected, "{below}: {:#?}", parsed.records);
    }
    // A sentence that was broken for width.
    let parsed = read("the export of large reports was slow, and on the first day we\nhit an issue with the cursor");
    assert_eq!(parsed.records.len(), 1);
    assert!(parsed.records[0].content.starts_with("the export"), "{:#?}", parsed.records);
}

#[test]
fn what_is_no_entry() {
    let texts = [
        "```\ndecided to use JWT\n```",
        "~~~md\n**Problem:** Safari\n~~~",
        "    decided to use JWT\n",
        "> decided to use JWT",
        "see `decided to use JWT` in the log",
        "<!-- decided to use JWT -->",
        "<!--\nMIND MEMORY\ndecided to use JWT\n\nlearned that X\n-->",
        "see [the notes](https://x.test/problem:decided-to-use) and [more](<decided to use JWT>)",
        "<https://x.test/problem>",
        "I decided not to",
        "we haven't decided yet on a queue",
        "should we decided to use JWT?",
        "is login broken on Safari?",
        "No issue with that at all",
        "not a problem",
        "works without problems",
        "issue #12",
        "**Issue:** #12",
        "MEMORY: decided",
        "> decided to use JWT\n> because simple",
        "> - decided to use JWT\n> - problem: Safari",
        "let's meet again on Monday",
        "# decided to use JWT",
        "Keywords: decided, problem, learned",
        "| what | why |\n|---|---|\n| decided to use JWT | simple |",
        "~~decided to use JWT~~",
        "the log says \"problem: disk full\"",
        "---\ntitle: decided to use JWT\n---\n",
        "## Project State\n- Goal: decided to ship",
    ];
    for text in texts {
        assert_eq!(read(text).records, [], "{text}");
    }
}

#[test]
fn a_need_is_no_block() {
    let parsed = read("problem: users need to log in twice");
    assert_eq!(parsed.records[0].status, Some(Status::Open));
}

#[test]
fn each_sentence_may_be_a_memory() {
    let parsed = read("decided JWT. Problem: Safari cookies. Learned that Node.js v1.2 needs e.g. a flag.");
    let found: Vec<_> = parsed.records.iter().map(|record| (record.kind, &*record.title)).collect();
    assert_eq!(
        found,
        [(Kind::Decision, "JWT"), (Kind::Issue, "Safari cookies"), (Kind::Learning, "Node.js v1.2 needs e.g. a flag")]
    );
}

#[test]
fn reasons_and_alternatives() {
    let cases: &[(&str, Option<&str>, &[&str])] = &[
        ("**Decided:** Use JWT because simpler", Some("simpler"), &[]),
        ("Going with Supabase over Firebase", None, &["Firebase"]),
        (
            "decided on Kafka rather than RabbitMQ or NATS, since replay matters",
            Some("replay matters"),
            &["RabbitMQ", "NATS"],
        ),
        ("decided JWT, not sessions", None, &["sessions"]),
        ("decided to use Postgres\n- relational data fits", Some("relational data fits"), &[]),
        ("- decided to use Postgres\n  - because of joins", Some("joins"), &[]),
        ("- decided to use Postgres\n- wrote the schema", None, &[]),
        ("Decided Vite. Reason: fast reloads.", Some("fast reloads"), &[]),
        ("decided to stream results over HTTP", None, &[]),
        ("switched from REST to GraphQL due to overfetching", Some("overfetching"), &["REST"]),
    ];
    for (text, reason, alternatives) in cases {
        let parsed = read(text);
        let record = parsed.records.first().unwrap_or_else(|| panic!("{text}"));
        assert_eq!(record.reasoning.as_deref(), *reason, "{text}");
        let found: Vec<&str> = record.alternatives.iter().map(|it| &**it).collect();
        assert_eq!(&found, alternatives, "{text}");
    }
}

#[test]
fn a_fix_closes_its_issue_and_a_relapse_opens_it() {
    let text = "## 2024-12-10\n**Problem:** Safari CORS preflight\n**Problem:** slow export of reports\n\n## 2024-12-11\n\
        Fixed: CORS preflight on Safari by adding a header\n";
    let parsed = read(text);
    let issue = &parsed.records[0];
    assert_eq!((issue.status, issue.resolved_by_line), (Some(Status::Resolved), Some(6)));
    assert_eq!(parsed.records[1].status, Some(Status::Open));
    assert_eq!(parsed.records.len(), 2);

    let again = read(&format!("{text}\n## 2024-12-12\nSafari CORS preflight is broken again\n"));
    assert_eq!((again.records[0].status, again.records[0].resolved_by_line), (Some(Status::Open), None));
    assert_eq!(again.records[0].earlier.len(), 1);
    assert_eq!(again.records.len(), 2);
}

#[test]
fn an_issue_that_is_back_is_open_again_whatever_the_words() {
    let text = "## 2024-12-10\n**Problem:** websocket drops on idle\n\n**Fixed:** websocket drops on idle\n\n";
    let rows = [
        ("the websocket drops on idle again", Status::Open),
        ("websocket drops on idle again since the upgrade", Status::Open),
        ("the websocket drop on idle is back", Status::Open),
        ("websocket drops on idle still happens", Status::Open),
        ("never let the websocket drop on idle again", Status::Resolved),
        ("the websocket on idle works again", Status::Resolved),
        ("ran the websocket idle test again", Status::Resolved),
        ("invoices are late again", Status::Resolved),
    ];
    for (line, expected) in rows {
        let parsed = read(&format!("{text}{line}\n"));
        assert_eq!((parsed.records.len(), parsed.records[0].status), (1, Some(expected)), "{line}: {parsed:#?}");
    }
}

#[test]
fn a_line_below_a_quotation_is_no_part_of_it() {
    let parsed = read("> decided to use JWT\nproblem: Safari drops cookies\n- decided on plain SQL\n");
    let found: Vec<_> = parsed.records.iter().map(|record| (&*record.title, record.source.line)).collect();
    assert_eq!(found, [("Safari drops cookies", 2), ("plain SQL", 3)]);
    let inside = read("- a list\n  > decided to use JWT\n  learned that lists quote\n");
    let found: Vec<_> = inside.records.iter().map(|record| &*record.title).collect();
    assert_eq!(found, ["lists quote"]);
}

#[test]
fn the_same_memory_is_kept_once_with_its_latest_place() {
    let parsed = read("## 2024-12-10\ndecided to use JWT\n\n## 2024-12-12\nDecided to use jwt because simple\n");
    let [record] = parsed.records.as_slice() else { panic!("{:#?}", parsed.records) };
    assert_eq!((record.date, record.source.line), (Some(date(2024, 12, 12)), 5));
    assert_eq!(record.earlier[0].line, 2);
}

#[test]
fn newest_first_files_are_read_in_order_of_time() {
    let parsed = read("## 2024-12-12\nfixed: login loop on Safari\n\n## 2024-12-10\nproblem: login loop on Safari\n");
    let [record] = parsed.records.as_slice() else { panic!("{:#?}", parsed.records) };
    assert_eq!((record.status, record.resolved_by_line), (Some(Status::Resolved), Some(2)));
}

#[test]
fn days_count_in_a_file_to_which_older_ones_were_appended() {
    let text = "## 2024-12-10\nproblem: login loop on Safari\n\n## 2024-12-12\nfixed: login loop on Safari\n\n\
                ## 2024-12-11\nproblem: login loop on Safari\n";
    let parsed = read(text);
    let [record] = parsed.records.as_slice() else { panic!("{:#?}", parsed.records) };
    assert_eq!((record.status, record.resolved_by_line), (Some(Status::Resolved), Some(5)));
}

#[test]
fn explicit_words_supersede() {
    let cases = [
        ("decided to use Redis for the queue\n\nGoing with RabbitMQ instead of Redis\n", true),
        ("decided to use moment for dates\n\nno longer using moment\n", true),
        ("decided on REST\n\nswitched from REST to GraphQL\n", true),
        ("decided on REST\n\nGoing with GraphQL over REST\n", false),
        (
            "decided to use Redis for sessions\n\ndecided to use Redis for jobs\n\nGoing with Kafka instead of Redis\n",
            false,
        ),
        ("decided not to use Redis\n\nGoing with Kafka instead of Redis\n", false),
    ];
    for (text, expected) in cases {
        let parsed = read(text);
        let last = parsed.records.last().expect("a decision").id;
        assert_eq!(parsed.records[0].superseded_by, expected.then_some(last), "{text}");
    }
}

#[test]
fn what_is_done_away_with_holds_no_longer() {
    let rows = [
        ("went with an advisory lock per article", "Reverted the advisory lock: it blocks the import for 40 s.", true),
        ("decided to use Redis for sessions", "dropped Redis", true),
        ("decided to use Redis for sessions", "rolled back Redis because it was slow", true),
        ("decided to use Redis for sessions", "removed the Redis metrics from the dashboard", false),
        ("decided to cache the parsed settings of every tenant", "removed the cache", false),
        ("decided not to use Redis", "removed Redis from the docs", false),
        ("decided to use Redis for sessions\n\ndecided to use Redis for jobs", "dropped Redis", false),
        ("decided to use Redis for sessions", "the vendor dropped Redis", false),
    ];
    for (before, line, expected) in rows {
        let parsed = read(&format!("## 2024-12-10\n\n{before}\n\n## 2024-12-12\n\n{line}\n"));
        let last = parsed.records.last().expect("a decision");
        assert_eq!(parsed.records[0].superseded_by.is_some(), expected, "{line}: {parsed:#?}");
        assert_eq!(last.title.starts_with("gave up "), expected, "{line}: {}", last.title);
    }
}

#[test]
fn what_blocks_no_longer_is_resolved() {
    let text = "Waiting for Finance to sign off the rounding rules\n\nblocked by the new VPN for Linz\n\n";
    let rows = [
        ("No longer blocked on finance.", [Status::Resolved, Status::Blocked]),
        ("we are no longer waiting for the rounding rules", [Status::Resolved, Status::Blocked]),
        ("Unblocked: the VPN for Linz is there", [Status::Blocked, Status::Resolved]),
        ("no longer blocked by legal", [Status::Blocked, Status::Blocked]),
        ("The main thread is no longer blocked by the VPN and Finance", [Status::Blocked, Status::Blocked]),
    ];
    for (line, expected) in rows {
        let parsed = read(&format!("{text}{line}\n"));
        let found: Vec<_> = parsed.records.iter().filter_map(|record| record.status).collect();
        assert_eq!(found, expected, "{line}: {parsed:#?}");
    }
}

#[test]
fn what_works_now_is_solved() {
    let rows = [
        ("The date tests are green now.", Status::Resolved),
        ("date tests pass again", Status::Resolved),
        ("the date tests work now", Status::Resolved),
        ("the date tests are not passing now", Status::Open),
        ("make sure the date tests pass again", Status::Open),
        ("the login tests are green now", Status::Open),
        ("date tests are green now and then", Status::Open),
    ];
    for (line, expected) in rows {
        let parsed = read(&format!("Problem: date tests fail in CI\n\n{line}\n"));
        let found: Vec<_> = parsed.records.iter().filter_map(|record| record.status).collect();
        assert_eq!(found, [expected], "{line}: {parsed:#?}");
    }
}

#[test]
fn records_of_decisions_say_what_took_their_place() {
    let parsed = read(
        "# Decisions\n\n1. ADR-001 Postgres for everything (accepted)\n2. ADR-003 Event sourcing (superseded by ADR-007)\n\
         3. ADR-004 Kafka (proposed)\n4. ADR-007: plain tables. Supersedes ADR-003.\n5. ADR-008: one queue. Supersedes ADR-001.\n",
    );
    let found: Vec<_> = parsed.records.iter().map(|it| (it.source.line, it.superseded_by)).collect();
    let id = |line: u32| parsed.records.iter().find(|it| it.source.line == line).map(|it| it.id);
    assert_eq!(found, [(3, id(7)), (4, id(6)), (6, None), (7, None)], "{parsed:#?}");
}

#[test]
fn a_fix_in_the_language_of_its_problem_closes_it() {
    let rows = [
        ("Problem: Drucker hängt nach dem Standby", "Gelöst: Drucker hängt nach dem Standby (Autosuspend aus)"),
        ("**Problème :** le worker plante au démarrage", "**Résolu :** le worker plante au démarrage"),
        ("問題：PDF生成", "解決：PDF生成"),
    ];
    for (problem, fix) in rows {
        let parsed = read(&format!("{problem}\n\n{fix}\n"));
        let [record] = parsed.records.as_slice() else { panic!("{:#?}", parsed.records) };
        assert_eq!((record.status, record.resolved_by_line), (Some(Status::Resolved), Some(3)), "{fix}");
    }
}

#[test]
fn an_item_below_a_decision_is_its_reason_unless_it_tells_something_else() {
    let rows = [
        ("cheaper to run", Some("cheaper to run")),
        ("because of joins", Some("joins")),
        ("Considered SQLModel, but it lags behind", None),
        ("Alternatives: Peewee, Tortoise", None),
        ("Owner: Marta", None),
        ("see the ticket", None),
        ("Benefits: one less service", Some("Benefits: one less service")),
    ];
    for (below, expected) in rows {
        let parsed = read(&format!("Decision: money is an integer\n- {below}\n"));
        assert_eq!(parsed.records[0].reasoning.as_deref(), expected, "{below}");
    }
    let beside = read("- ORD-673:\n  Decision: money is an integer\n- ORD-709: faster export\n");
    assert_eq!(beside.records[0].reasoning, None, "the next item is not below the last line of this one");
}

#[test]
fn a_later_day_with_another_value_supersedes() {
    let rows = [
        ("sessions expire after 12 hours", "sessions expire after 24 hours", "2024-12-12", true),
        ("use Postgres 15", "use Postgres 16", "2024-12-12", true),
        ("the pool holds 10 connections", "the pool holds 20 connections", "2024-12-10", false),
        ("keep 3 backups of orders", "keep 3 backups of invoices", "2024-12-12", false),
        ("phase 1 ships without search", "phase 2 ships without search", "2024-12-12", false),
        ("use Redis for orders", "use Kafka for orders", "2024-12-12", false),
        ("use Redis for orders", "we use Kafka for orders now", "2024-12-12", true),
        ("retry payments twice a day", "never retry payments twice a day", "2024-12-12", true),
    ];
    for (first, second, day, expected) in rows {
        let parsed = read(&format!("## 2024-12-10\ndecided: {first}\n\n## {day}\n\n**Decided:** {second}\n"));
        let [one, two] = parsed.records.as_slice() else { panic!("{:#?}", parsed.records) };
        assert_eq!(one.superseded_by, expected.then_some(two.id), "{first} / {second}");
        assert_eq!(two.superseded_by, None);
    }
}

#[test]
fn a_whole_file() {
    let text = "<!-- MIND MEMORY: write freely\nKeywords: decided, problem, learned\n-->\n\n# shop\n\n## Project State\n\
        - **Goal:** ship the checkout\n- Stack: Next.js, Supabase\n- Blocked: None\n\n## Gotchas\n\
        - [critical] Safari ITP blocks cross-domain cookies → use same-domain auth\n- Our API rate limits to 100/min\n\
        - (add gotchas here)\n\n---\n\n## Session Log\n\n## Dec 12 | auth works | mood: good\n\n\
        Decided to use JWT for now.\nNext: refresh tokens\n\n---\n\n--- 2025-01-02\n\nproblem: Safari drops cookies\n\
        wired the refresh tokens\n";
    let parsed = read(text);
    assert_eq!(parsed.project_state.goal.as_deref(), Some("ship the checkout"));
    assert_eq!(parsed.project_state.stack.len(), 2);
    assert_eq!(parsed.project_state.blocked, None);
    assert_eq!(parsed.gotchas.len(), 2);
    assert_eq!(parsed.gotchas[0].workaround.as_deref(), Some("use same-domain auth"));
    assert_eq!(parsed.gotchas[0].line, 13);
    let found: Vec<_> = parsed.records.iter().map(|it| (it.kind, &*it.title, it.date)).collect();
    assert_eq!(
        found,
        [
            (Kind::Decision, "use JWT for now", Some(date(2024, 12, 12))),
            (Kind::Issue, "Safari drops cookies", Some(date(2025, 1, 2))),
            (Kind::Gotcha, "Safari ITP blocks cross-domain cookies", None),
            (Kind::Gotcha, "Our API rate limits to 100/min", None),
        ]
    );
    assert_eq!(parsed.records[0].markers.len(), 1);
    assert_eq!(parsed.sessions.len(), 2);
    assert_eq!(parsed.sessions[0].summary.as_deref(), Some("auth works"));
    assert_eq!(parsed.sessions[0].mood.as_deref(), Some("good"));
    assert_eq!((parsed.sessions[0].decisions, parsed.sessions[1].issues_opened), (1, 1));
    assert_eq!(&*parsed.next_items[0].text, "refresh tokens");
    assert_eq!(parsed.next_items[0].closed_by_line, Some(31));
    assert_eq!(parsed.problems, []);
}

#[test]
fn labels_and_headings_above_items() {
    let parsed = read(
        "**Decided:**\n- Use JWT\n- Use Postgres\n\n## Known issues\n- dark mode flickers\n- None\n\n## Notes\n- tidy up\n",
    );
    let found: Vec<_> = parsed.records.iter().map(|it| (it.kind, &*it.title, it.source.line)).collect();
    assert_eq!(
        found,
        [(Kind::Decision, "Use JWT", 2), (Kind::Decision, "Use Postgres", 3), (Kind::Issue, "dark mode flickers", 6)]
    );
}

#[test]
fn lines_broken_for_width_are_one() {
    let parsed =
        read("We decided to keep the scheduler in its own process because the\nAPI must answer while a job runs.\n");
    assert_eq!(parsed.records[0].reasoning.as_deref(), Some("the API must answer while a job runs"));
}

#[test]
fn a_file_that_is_no_text_is_named() {
    let utf_16: Vec<u8> = "decided to use JWT\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let parsed = read(&String::from_utf8_lossy(&utf_16));
    assert_eq!(parsed.problems.len(), 1, "{:#?}", parsed.problems);
    assert!(parsed.problems[0].detail.contains("UTF-8"));
    assert_eq!(read("decided to use JWT\n").problems, []);
}

#[test]
fn shifted_lines_keep_ids() {
    let text = "decided to use JWT\n\nProblem: Safari cookies\n";
    let (one, other) = (read(text), read(&format!("intro\n\n\n{text}")));
    let ids = |parsed: &Parsed| parsed.records.iter().map(|it| it.id).collect::<Vec<_>>();
    assert_eq!(ids(&one), ids(&other));
    assert_eq!(other.records[0].source.line, 4);
}
