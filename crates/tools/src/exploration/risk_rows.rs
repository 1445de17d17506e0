//! What `panoramic`, `heuristics_surface` and `report` share: the risk of files with the matches of bug patterns.

use std::collections::BTreeMap;

use m1nd_query::Scope;
use m1nd_query::patterns::LabelMode;
use m1nd_query::risk::{PanoramaAnswer, PanoramaQuery, panorama};

use super::bug_patterns::{Looking, list_stored, look};
use crate::framework::{ReadContext, ToolError};
use crate::heuristics::{HALF_LIFE, LEAST};

/// Matches of one pattern that count.
const MATCHES: usize = 500;

/// The risk of the files of some paths.
pub(crate) fn risks(cx: &ReadContext<'_>, paths: Scope) -> Result<PanoramaAnswer, ToolError> {
    let snapshot = cx.require_indexed()?;
    let (outcomes, unavailable) = cx.outcomes();
    let matches = matches(cx)?;
    let history = cx.history();
    let query = PanoramaQuery { paths, outcomes, matches, half_life: HALF_LIFE, least: LEAST };
    let mut found = panorama(snapshot, &history, &query, cx.cancel())?;
    found.gaps.extend(unavailable.map(|why| format!("recorded outcomes could not be read: {why}")));
    Ok(found)
}

/// Matches of the enabled bug patterns by path; `None` if there are no patterns.
fn matches(cx: &ReadContext<'_>) -> Result<Option<BTreeMap<String, u32>>, ToolError> {
    let (known, _) = list_stored(cx.list_held())?;
    let looking = Looking {
        snapshot: cx.snapshot(),
        mode: LabelMode::Substring,
        changed: None,
        limit: MATCHES,
        cancel: cx.cancel(),
    };
    let mut found: Option<BTreeMap<String, u32>> = None;
    for pattern in known.iter().filter(|pattern| pattern.value.enabled) {
        cx.rests_on(format!("{} {}", pattern.id, pattern.version).as_bytes());
        let by_path = found.get_or_insert_with(BTreeMap::new);
        for row in look(&pattern.value, &looking)?.rows {
            let path = row.location.rsplit_once(':').map_or("", |(path, _)| path);
            *by_path.entry(path.to_owned()).or_default() += 1;
        }
    }
    Ok(found)
}
