//! Takes secrets out of everything of a memory that is shown or stored.

use std::borrow::Cow;

use m1nd_base::secrets::Values;
use m1nd_memory::{Parsed, Record, SessionNotes};

/// Largest text that is looked through as a whole, in bytes; of a longer one each memory is looked at alone.
const MAX_WHOLE: usize = 1 << 20;

/// The secrets of texts that memories are parsed from.
pub(crate) fn values_of<'t>(texts: impl IntoIterator<Item = &'t [u8]>) -> Values {
    let mut values = Values::default();
    for text in texts.into_iter().filter(|text| text.len() <= MAX_WHOLE) {
        values.add(&String::from_utf8_lossy(text));
    }
    values
}

/// Takes secrets out of the notes of a session.
pub(crate) fn redact_notes(notes: &mut SessionNotes, values: &Values) {
    let all = [&mut notes.experience, &mut notes.blockers, &mut notes.rejected, &mut notes.assumptions];
    for note in all.into_iter().flatten() {
        clean(&mut note.text, values);
        note.reason.iter_mut().for_each(|reason| clean(reason, values));
    }
}

/// Takes secrets out of what is shown beside the memories.
pub(crate) fn redact_parsed(parsed: &mut Parsed, values: &Values) {
    for gotcha in &mut parsed.gotchas {
        clean(&mut gotcha.title, values);
        clean(&mut gotcha.description, values);
        gotcha.workaround.iter_mut().for_each(|text| clean(text, values));
    }
    parsed.next_items.iter_mut().for_each(|item| clean(&mut item.text, values));
    parsed.project_state.goal.iter_mut().for_each(|text| clean(text, values));
    parsed.project_state.blocked.iter_mut().for_each(|text| clean(text, values));
    parsed.project_state.stack.iter_mut().for_each(|text| clean(text, values));
    parsed.sessions.iter_mut().filter_map(|session| session.summary.as_mut()).for_each(|text| clean(text, values));
}

/// Takes secrets out of everything that is shown of a memory: those of the texts around it, and its own. What gives a
/// secret away may stand in another part of the memory.
pub(crate) fn redact_record(record: &mut Record, values: &Values) {
    let mut values = Cow::Borrowed(values);
    let own = Values::of(&format!("{}\n{}", record.content, record.reasoning.as_deref().unwrap_or_default()));
    if !own.is_empty() {
        values.to_mut().extend(own);
    }
    clean(&mut record.title, &values);
    clean(&mut record.content, &values);
    record.reasoning.iter_mut().for_each(|text| clean(text, &values));
    record.alternatives.iter_mut().for_each(|text| clean(text, &values));
}

fn clean(text: &mut Box<str>, values: &Values) {
    if let Cow::Owned(clean) = values.redact(text) {
        *text = clean.into();
    }
}
