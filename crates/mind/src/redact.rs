//! Takes secrets out of everything of a memory that is shown or stored.

use m1nd_memory::{Parsed, Record, SessionNotes, secrets};

/// Takes secrets out of the notes of a session.
pub(crate) fn redact_notes(notes: &mut SessionNotes) {
    let all = [&mut notes.experience, &mut notes.blockers, &mut notes.rejected, &mut notes.assumptions];
    for note in all.into_iter().flatten() {
        clean(&mut note.text);
        note.reason.as_mut().map(clean);
    }
}

/// Takes secrets out of what is shown beside the memories.
pub(crate) fn redact_parsed(parsed: &mut Parsed) {
    for gotcha in &mut parsed.gotchas {
        clean(&mut gotcha.title);
        clean(&mut gotcha.description);
        gotcha.workaround.as_mut().map(clean);
    }
    parsed.next_items.iter_mut().for_each(|item| clean(&mut item.text));
    parsed.project_state.goal.as_mut().map(clean);
    parsed.project_state.blocked.as_mut().map(clean);
    parsed.sessions.iter_mut().filter_map(|session| session.summary.as_mut()).for_each(clean);
}

/// Takes secrets out of everything that is shown of a memory.
pub(crate) fn redact_record(record: &mut Record) {
    clean(&mut record.title);
    clean(&mut record.content);
    record.reasoning.as_mut().map(clean);
    record.alternatives.iter_mut().for_each(clean);
}

fn clean(text: &mut Box<str>) {
    if let std::borrow::Cow::Owned(clean) = secrets::redact(text) {
        *text = clean.into();
    }
}
