//! Environment variables that a file sets, in the forms that several formats share.

use super::super::schema::Sheet;
use super::yaml::Entries;
use crate::facts::{DefId, DefKind, SharedKind};

/// Adds the variables of a list or map: `A: 1`, `- A=1`, `- name: A`.
pub(super) fn add(entries: &Entries<'_>, of: usize, owner: DefId, sheet: &mut Sheet<'_>) {
    for (at, row) in entries.inside(of) {
        match row.key {
            Some(name) => set(sheet, name, owner, row.start, row.end),
            None if !row.value.is_empty() => {
                let name = row.value.split('=').next().unwrap_or("").trim();
                set(sheet, name, owner, row.value_at, row.end);
            }
            None => {
                if let Some((_, name)) = entries.get(at, "name") {
                    set(sheet, name.value, owner, name.start, row.end);
                }
            }
        }
    }
}

/// Adds a variable that is set at a place.
pub(crate) fn set(sheet: &mut Sheet<'_>, name: &str, owner: DefId, start: usize, end: usize) {
    if is_name(name) {
        let def = sheet.define_at(DefKind::Field, name, Some(owner), (start, start), end);
        sheet.share(SharedKind::Variable, true, name, "", Some(def), start);
    }
}

/// Returns whether a text is the name of an environment variable.
pub(crate) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
