//! Text without marks: paragraphs separated by empty lines. Names between backticks count as code.

use crate::Unreadable;
use crate::draft::Draft;
use crate::model::BlockKind;
use crate::text::lines;

/// Reads a text.
pub(crate) fn read(text: &str, draft: &mut Draft<'_>) -> Result<(), Unreadable> {
    let mut paragraph = String::new();
    let (mut from, mut to) = (0, 0);
    for line in lines(text) {
        if line.text.trim().is_empty() {
            draft.block(BlockKind::Paragraph, &std::mem::take(&mut paragraph), None, (from, to));
            continue;
        }
        if paragraph.is_empty() {
            from = line.number;
        }
        to = line.number;
        for span in line.text.split('`').skip(1).step_by(2) {
            draft.code(span, line.number);
        }
        paragraph.push_str(line.text);
        paragraph.push('\n');
    }
    draft.block(BlockKind::Paragraph, &paragraph, None, (from, to));
    Ok(())
}
