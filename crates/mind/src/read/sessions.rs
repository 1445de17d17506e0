//! Sessions of work, and what the notes of the running one add to the memories.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use m1nd_memory::{
    Capture, Kind, Novelty, Parsed, Recall, Record, Relation, RelationKind, SessionNotes, SourceKind, Worked,
    list_worked,
};

use crate::files::noted::Noted;
use crate::files::project::SESSION_FILE;
use crate::read::settings::Settings;

/// Days and stretches of work. A memory counts as written when it was seen if somebody was looking by then: what stood
/// in the file before the first look was written at an unknown time, so its day counts.
pub(crate) fn of(parsed: &Parsed, records: &[Record], noted: &Noted, settings: &Settings) -> Vec<Worked> {
    let zone = TimeZone::system();
    let mut live = Vec::new();
    for record in records.iter().filter(|record| record.source.kind == SourceKind::MemoryFile) {
        let first = noted.records.get(&record.id).map(|seen| seen.first);
        let Some(at) = first.filter(|first| noted.began > 0 && *first > noted.began) else { continue };
        let Ok(time) = Timestamp::from_second(at) else { continue };
        live.push(Capture { at, day: time.to_zoned(zone.clone()).date(), record });
    }
    let mut committed = Vec::new();
    for message in &noted.commits {
        let Some(at) = noted.commit_times.get(&message.commit).copied() else { continue };
        let captures = message.records.iter().filter_map(|record| Some(Capture { at, day: record.date?, record }));
        committed.extend(captures);
    }
    let mut found = list_worked(&parsed.sessions, &live, &committed, gap_seconds(settings));
    for worked in &mut found {
        let Some((start, end)) = worked.span else { continue };
        let within = noted.touched.values().filter(|at| (start..=end + gap_seconds(settings)).contains(*at)).count();
        worked.session.files_touched = u32::try_from(within).unwrap_or(u32::MAX);
    }
    found
}

/// Silence that ends a session, in seconds.
pub(crate) fn gap_seconds(settings: &Settings) -> i64 {
    i64::from(settings.inactivity_minutes) * 60
}

/// Adds what the notes of the session make a memory of: approaches that were rejected with a reason. What says the same
/// as a memory that is there is left out; what is like one is linked with it.
pub(crate) fn promote(records: &mut Vec<Record>, notes: &SessionNotes, project: &str, day: Date) -> Vec<Relation> {
    let promoted = notes.promote_notes(project, SESSION_FILE, day);
    if promoted.is_empty() {
        return Vec::new();
    }
    let known = Recall::new(records.clone().into());
    let mut links = Vec::new();
    for record in promoted {
        if known.records().iter().any(|other| other.id == record.id) {
            continue;
        }
        let (novelty, like) = known.novelty(&record.content);
        let like = like.map(|at| &known.records()[at]).filter(|like| like.kind == Kind::Decision);
        match (novelty, like) {
            (Novelty::Same, Some(_)) => continue,
            (Novelty::Related | Novelty::MayReplace, Some(like)) => links.push(Relation {
                from: record.id,
                to: like.id,
                kind: RelationKind::RelatesTo,
                confidence: LIKE,
                evidence: "similar meaning".into(),
            }),
            _ => {}
        }
        records.push(record);
    }
    links
}

/// Confidence that two memories of similar meaning are about the same subject.
const LIKE: f32 = 0.6;
