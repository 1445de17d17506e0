//! L1GHT documents: Markdown, with the claims of [`crate::light`].

use super::markdown;
use crate::Unreadable;
use crate::draft::Draft;
use crate::light;

/// Whether a text is a L1GHT document.
pub(super) fn is(name: &str, text: &str) -> bool {
    name.ends_with(".light.md") || light::is_light(text)
}

/// Reads a document.
pub(super) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let document = light::parse(text);
    let node = document.field("Node").map(str::to_owned);
    markdown::read(text, draft)?;
    if node.is_some() {
        draft.metadata().title = node;
    }
    draft.light(document);
    Ok(())
}
