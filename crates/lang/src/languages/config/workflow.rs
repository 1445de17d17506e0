//! Workflows of GitHub: variables that jobs and steps set, and images that they build.

use super::super::schema::Sheet;
use super::variables;
use super::yaml::Entries;
use crate::facts::{DefId, DefKind, SharedKind};

pub(super) fn read(entries: &Entries<'_>, sheet: &mut Sheet<'_>) {
    let Some((jobs, _)) = entries.get_top(0, "jobs") else { return };
    if let Some((at, row)) = entries.get_top(0, "env") {
        let def = sheet.define_at(DefKind::Object, "env", None, (row.start, row.start), row.end);
        sheet.sign_as(def, "workflow");
        variables::add(entries, at, def, sheet);
    }
    for (job, row) in entries.inside(jobs) {
        let Some(name) = row.key else { continue };
        let def = sheet.define_at(DefKind::Object, name, None, (row.start, row.start), row.end);
        sheet.sign_as(def, "workflow job");
        if let Some((at, _)) = entries.get(job, "env") {
            variables::add(entries, at, def, sheet);
        }
        let Some((steps, _)) = entries.get(job, "steps") else { continue };
        for (step, _) in entries.inside(steps) {
            if let Some((at, _)) = entries.get(step, "env") {
                variables::add(entries, at, def, sheet);
            }
            if entries.value(step, "uses").starts_with("docker/build-push-action") {
                build(entries, step, def, sheet);
            }
        }
    }
}

/// The image that a step builds.
fn build(entries: &Entries<'_>, step: usize, job: DefId, sheet: &mut Sheet<'_>) {
    let Some((with, _)) = entries.get(step, "with") else { return };
    let Some((_, tags)) = entries.get(with, "tags") else { return };
    let context = entries.value(with, "context");
    let context = if context.is_empty() { "." } else { context };
    let of = format!("{context}|{}", entries.value(with, "file"));
    let tag = tags.value.split(['\n', ',']).map(str::trim).find(|tag| !tag.is_empty()).unwrap_or("");
    // Paths of a workflow count from the root of its repository.
    sheet.share(SharedKind::Image, true, tag, &format!("/{of}"), Some(job), tags.start);
}
