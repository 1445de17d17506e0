//! Components in Markdown (MDX, Docusaurus, VitePress): a line of their tags alone, `<Tabs>` or `</Tab>`, is a block of
//! its own. CommonMark takes it and the lines below for HTML, so that the fence of a listing there is not seen and all
//! headings behind are taken for code.

use std::borrow::Cow;

/// The text with such lines left blank: all other bytes stay at their places.
pub(super) fn without_tags(text: &str) -> Cow<'_, str> {
    let mut blank: Vec<std::ops::Range<usize>> = Vec::new();
    let mut fence: Option<&str> = None;
    let mut at = 0;
    if !may_have(text) {
        return Cow::Borrowed(text);
    }
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        let mark = mark(bare);
        match (fence, mark) {
            // A fence ends with as many signs of its kind, or more, and nothing behind them.
            (Some(open), Some(mark)) if mark.starts_with(open) && bare.len() == mark.len() => fence = None,
            (None, Some(mark)) => fence = Some(mark),
            (None, None) if is_tags(bare) => blank.push(at..at + line.trim_end().len()),
            _ => {}
        }
        at += line.len();
    }
    if blank.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for range in blank {
        out.push_str(&text[done..range.start]);
        out.extend(std::iter::repeat_n(' ', range.len()));
        done = range.end;
    }
    out.push_str(&text[done..]);
    Cow::Owned(out)
}

/// Returns whether a line may begin with the tag of a component: most texts have none.
fn may_have(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'<', bytes).any(|at| {
        let next = bytes.get(at + 1).map(|next| if *next == b'/' { bytes.get(at + 2) } else { Some(next) });
        next.flatten().is_some_and(u8::is_ascii_uppercase)
    })
}

/// The signs that begin or end a listing.
fn mark(line: &str) -> Option<&str> {
    let sign = line.bytes().next().filter(|sign| matches!(sign, b'`' | b'~'))?;
    let length = line.bytes().take_while(|byte| *byte == sign).count();
    (length >= 3).then(|| &line[..length])
}

/// Returns whether a line is of tags of components alone.
fn is_tags(line: &str) -> bool {
    let mut rest = line;
    while let Some(inner) = rest.strip_prefix('<') {
        let name = inner.strip_prefix('/').unwrap_or(inner);
        let Some(end) = tag_end(inner).filter(|_| name.starts_with(|c: char| c.is_ascii_uppercase())) else {
            return false;
        };
        rest = inner[end + 1..].trim_start();
    }
    rest.is_empty() && !line.is_empty()
}

/// Where a tag ends, behind texts and expressions in it.
fn tag_end(inner: &str) -> Option<usize> {
    let mut depth = 0usize;
    let mut quote: Option<u8> = None;
    for (at, byte) in inner.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'{') => depth += 1,
            (None, b'}') => depth = depth.saturating_sub(1),
            (None, b'>') if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::without_tags;
    use crate::{Format, headings};

    #[test]
    fn lines_of_tags_alone_are_blank_outside_of_listings() {
        for (text, wanted) in [
            (
                "<Tabs a={[\"x>\"]}>\n<Tab>\n```ts\n<A>\n```\n</Tab>\n",
                "                 \n     \n```ts\n<A>\n```\n      \n",
            ),
            ("<Tab>text</Tab>\n", "<Tab>text</Tab>\n"),
            ("<p>\n<Tab\n", "<p>\n<Tab\n"),
            ("a <B>\n<B/> <C/>", "a <B>\n         "),
            ("````\n```\n<A>\n````\n<A>", "````\n```\n<A>\n````\n   "),
        ] {
            assert_eq!(without_tags(text), wanted, "{text}");
        }
    }

    #[test]
    fn headings_behind_a_listing_in_a_component_are_seen() {
        let text = "# One\n\n<Tabs>\n<Tab>\n```ts\na\n\nb\n```\n</Tab>\n</Tabs>\n\n## Two\n";
        let found: Vec<(String, u32)> =
            headings(Format::Markdown, text).into_iter().map(|heading| (heading.text, heading.line)).collect();
        assert_eq!(found, [("One".to_owned(), 1), ("Two".to_owned(), 13)]);
    }
}
