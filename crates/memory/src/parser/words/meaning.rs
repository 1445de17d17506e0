//! Words of labels, in some of the languages that people write notes in. A label says what its line is whatever the
//! language of the line; looser cues are English.

/// What a label announces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Decision,
    Issue,
    Fix,
    Blocked,
    Unblocked,
    Learning,
    Til,
    Gotcha,
    /// Of people as of compilers, whose output stands in messages of commits.
    Warning,
}

/// In lower case.
const WORDS: &[(Meaning, &[&str])] = &[
    (
        Meaning::Decision,
        &[
            "decided", "decision", "agreed", "entscheidung", "entschieden", "beschlossen", "beschluss", "vereinbart",
            "décidé", "décision", "convenu", "decidido", "decisión", "acordado", "decisão", "deciso", "decisione",
            "besloten", "beslissing", "決定", "决定",
        ],
    ),
    (
        Meaning::Issue,
        &["problem", "issue", "bug", "fehler", "problème", "problema", "probleem", "問題", "问题", "バグ"],
    ),
    (
        Meaning::Fix,
        &[
            "fixed", "resolved", "solved", "gelöst", "behoben", "gefixt", "résolu", "corrigé", "resuelto",
            "solucionado", "corregido", "resolvido", "corrigido", "risolto", "opgelost", "解決", "解決済み", "已解决",
        ],
    ),
    (Meaning::Blocked, &["blocked", "blocker", "blockiert", "bloqué", "bloqueado", "bloccato", "geblokkeerd"]),
    (Meaning::Unblocked, &["unblocked"]),
    (
        Meaning::Learning,
        &[
            "learned", "learning", "learnt", "lesson", "insight", "takeaway", "gelernt", "erkenntnis", "appris",
            "leçon", "aprendido", "lección", "lição", "imparato", "geleerd", "学び",
        ],
    ),
    (Meaning::Til, &["til"]),
    (Meaning::Gotcha, &["gotcha", "stolperstein", "piège"]),
    (Meaning::Warning, &["beware", "careful", "caution", "caveat", "pitfall", "remember", "warning"]),
];

/// What a word announces where it is a label.
pub(crate) fn meaning(word: &str) -> Option<Meaning> {
    WORDS.iter().find(|(_, words)| words.contains(&word)).map(|(meaning, _)| *meaning)
}
