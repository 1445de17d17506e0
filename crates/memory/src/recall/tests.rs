use super::*;
use crate::{RecordId, Source, SourceKind};

fn record(kind: Kind, title: &str, content: &str) -> Record {
    let id = RecordId::new("project", SourceKind::MemoryFile, kind, title);
    let source = Source { kind: SourceKind::MemoryFile, file: ".mind/MEMORY.md".into(), line: 1 };
    let status = (kind == Kind::Issue).then_some(Status::Open);
    Record { content: content.into(), status, ..Record::new(id, kind, title, source) }
}

pub(super) fn recall(rows: &[(Kind, &str)]) -> Recall {
    Recall::new(rows.iter().map(|(kind, text)| record(*kind, text, text)).collect())
}

const ROWS: &[(Kind, &str)] = &[
    (Kind::Decision, "Use JWT for authentication over server sessions because the API is stateless"),
    (Kind::Issue, "Safari drops the login cookie in the embedded iframe"),
    (Kind::Learning, "SQLite needs a busy timeout when two processes write"),
    (Kind::Gotcha, "Our billing API allows 100 requests a minute"),
    (Kind::Decision, "Deploy with Docker images built in the pipeline"),
    (Kind::Learning, "Postgres cannot create an index concurrently inside a transaction"),
    (Kind::Issue, "parseHTTPHeader fails on folded lines"),
];

fn answers(recall: &Recall, query: &str) -> Vec<usize> {
    recall.search(&RecallQuery::new(query)).hits.iter().map(|hit| hit.record).collect()
}

#[test]
fn words_meanings_spellings_and_short_forms_find() {
    let recall = recall(ROWS);
    let cases = [
        ("JWT", 0),
        ("JWT!", 0),
        ("authenticate users", 0),
        ("auth", 0),
        ("cookies in Safari", 1),
        ("sqlite concurrent writers", 2),
        ("rate limit of billing", 3),
        ("postgresql indexes", 5),
        ("parse_http_header", 6),
        ("http headers", 6),
        ("container deployment", 4),
    ];
    for (query, expected) in cases {
        assert_eq!(answers(&recall, query).first(), Some(&expected), "{query}");
    }
}

#[test]
fn without_meanings_only_words_find() {
    let texts =
        ["the thread waits for the mutex", "remove the directory", "the server sends a response", "parse an argument"];
    let rows = ROWS.iter().copied().chain(texts.map(|text| (Kind::Learning, text)));
    let records: Arc<[Record]> = rows.map(|(kind, text)| record(kind, text, text)).collect();
    let (meanings, words) = (Recall::new(records.clone()), Recall::by_words(records));
    for (query, expected) in [("JWT", 0), ("cookies in Safari", 1), ("parse_http_header", 6), ("auth", 0)] {
        assert_eq!(answers(&words, query).first(), Some(&expected), "{query}");
    }
    let alike = |recall: &Recall, term| recall.vocabulary.alike(term, Embedding::built_in(), recall.by_meaning);
    // With meanings each word is at least as alike, and some are more.
    let mut more = 0;
    for term in ["lock", "delete", "folder", "container", "login", "database"] {
        let by_meaning = alike(&meanings, term);
        for (word, likeness) in alike(&words, term) {
            let (_, with) = by_meaning.iter().find(|(other, _)| *other == word).expect("it stays");
            assert!(*with >= likeness, "{term}");
            more += usize::from(*with > likeness);
        }
    }
    assert!(more > 0, "meanings say something");
}

#[test]
fn nothing_is_better_than_noise() {
    let recall = recall(ROWS);
    for query in ["", "   ", "a", "the of and", "?!", "xylophone zebra", "\" OR 1=1 --", "kubernetes ingress"] {
        let found = recall.search(&RecallQuery::new(query));
        assert_eq!(found, Recalled::default(), "{query}");
    }
    assert_eq!(Recall::new(Arc::from([])).search(&RecallQuery::new("anything")), Recalled::default());
}

#[test]
fn relevance_is_readable() {
    let recall = recall(ROWS);
    let best = |query: &str| recall.search(&RecallQuery::new(query)).hits[0].relevance;
    assert!(best("SQLite needs a busy timeout when two processes write") > 0.8);
    assert!(best("sqlite timeout") > 0.6);
    assert!(best("sqlite timeout on our new website of the marketing department") < 0.5);
}

#[test]
fn kinds_and_limit() {
    let recall = recall(ROWS);
    let query = RecallQuery { kinds: &[Kind::Learning], ..RecallQuery::new("sqlite postgres cookie index") };
    let found = recall.search(&query);
    assert!(found.total == 2 && found.hits.iter().all(|hit| recall.records()[hit.record].kind == Kind::Learning));
    let found = recall.search(&RecallQuery { limit: 1, ..query });
    assert_eq!((found.total, found.hits.len()), (2, 1));
}

#[test]
fn priors_order_equal_texts() {
    let text = "Use Redis as the cache of sessions";
    let day = |text: &str| Some(text.parse().expect("a date"));
    let plain = Record { date: day("2026-03-01"), ..record(Kind::Decision, text, text) };
    let old = Record { date: day("2025-01-01"), ..plain.clone() };
    let pinned = Record { is_key: true, ..old.clone() };
    let superseded = Record { superseded_by: Some(RecordId(1)), ..plain.clone() };
    let unsure = Record { confidence: 0.3, ..plain.clone() };
    let issue = Record { kind: Kind::Issue, status: Some(Status::Open), ..plain.clone() };
    let resolved = Record { status: Some(Status::Resolved), ..issue.clone() };
    let relevance = |record: &Record| {
        let recall = Recall::new(Arc::from([record.clone()]));
        let query = RecallQuery { today: day("2026-03-01"), ..RecallQuery::new("redis cache") };
        recall.search(&query).hits.first().map_or(0.0, |hit| hit.relevance)
    };
    assert!(relevance(&plain) > relevance(&unsure));
    assert!(relevance(&plain) > relevance(&old));
    assert_eq!(relevance(&plain), relevance(&pinned));
    assert!(relevance(&superseded) < 0.4 * relevance(&plain));
    assert!(relevance(&resolved) < relevance(&issue));
    assert!(relevance(&old) > 0.5 * relevance(&plain), "age never takes more than the floor");
}

#[test]
fn nearness_lifts() {
    let texts = ["cache of sessions is slow", "cache of templates is slow"];
    let recall = Recall::new(texts.iter().map(|text| record(Kind::Issue, text, text)).collect());
    let near = |record: &Record| if record.title.contains("templates") { 1.0 } else { 0.0 };
    let found = recall.search(&RecallQuery { near: Some(&near), ..RecallQuery::new("slow cache") });
    assert_eq!(found.hits[0].record, 1);
}

#[test]
fn what_says_the_same_is_one_answer() {
    let texts = [
        "Use Redis for the sessions",
        "use Redis for sessions",
        "Do not use Redis for sessions",
        "Redis sessions expire after 30 minutes",
        "Redis sessions expire after 60 minutes",
    ];
    let recall = Recall::new(texts.iter().map(|text| record(Kind::Decision, text, text)).collect());
    let found = recall.search(&RecallQuery::new("redis sessions"));
    assert_eq!(found.total, 4);
    let group = found.hits.iter().find(|hit| !hit.also.is_empty()).expect("a group of two");
    assert_eq!((group.record.min(group.also[0]), group.record.max(group.also[0])), (0, 1));
}

#[test]
fn the_order_of_records_does_not_matter() {
    let forward = recall(ROWS);
    let mut rows: Vec<_> = ROWS.to_vec();
    rows.reverse();
    let backward = recall(&rows);
    for query in ["sqlite index", "login cookie session", "requests in the pipeline"] {
        let titles = |recall: &Recall| -> Vec<(Box<str>, f32)> {
            let hits = recall.search(&RecallQuery::new(query)).hits;
            hits.iter().map(|hit| (recall.records()[hit.record].title.clone(), hit.relevance)).collect()
        };
        let (a, b) = (titles(&forward), titles(&backward));
        assert_eq!(a.len(), b.len(), "{query}");
        for (one, other) in a.iter().zip(&b) {
            assert!(one.0 == other.0 && (one.1 - other.1).abs() < 1e-4, "{query}: {one:?} {other:?}");
        }
    }
}

#[test]
fn new_related_and_the_same() {
    let recall = recall(ROWS);
    assert_eq!(recall.novelty("SQLite needs a busy timeout when two processes write").0, Novelty::Same);
    assert_eq!(recall.novelty("Our billing API allows 500 requests a minute"), (Novelty::MayReplace, Some(3)));
    assert_eq!(recall.novelty("Fonts are loaded lazily"), (Novelty::New, None));
}

#[test]
fn a_rejected_approach_is_known_again() {
    let mut decision = record(Kind::Decision, "Use JWT over server sessions", "Use JWT over server sessions");
    decision.alternatives = vec!["server sessions".into()];
    let recall = Recall::new(Arc::from([decision.clone()]));
    let found = recall.rejected_again("store logins in server-side sessions");
    assert_eq!(found.first().map(|found| (found.record, found.severity)), Some((0, RejectedSeverity::Critical)));
    assert!(recall.rejected_again("sign tokens with a rotating key").is_empty());
    decision.superseded_by = Some(RecordId(7));
    assert!(Recall::new(Arc::from([decision])).rejected_again("server sessions").is_empty());
}
