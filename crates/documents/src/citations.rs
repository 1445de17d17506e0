//! Identifiers of works in running text.

/// Longest DOI, in bytes.
const MAX_DOI: usize = 200;
/// Works kept of one block.
const MAX_FOUND: usize = 200;

/// A DOI in its normal form: lower case, without address and marks around it. `None` if it is not one.
pub fn doi(text: &str) -> Option<String> {
    let text = text.trim();
    let start = text.find("10.")?;
    let prefix = text[..start].trim_end().to_ascii_lowercase();
    let known = ["", "doi:", "doi", "https://doi.org/", "http://doi.org/", "https://dx.doi.org/", "http://dx.doi.org/"];
    known.contains(&&*prefix).then(|| at(&text[start..])).flatten()
}

/// The first DOI inside a text.
pub fn doi_in(text: &str) -> Option<String> {
    memchr::memmem::find_iter(text.as_bytes(), b"10.").find_map(|start| {
        let before = text[..start].chars().next_back();
        let free = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '.');
        free.then(|| at(&text[start..])).flatten()
    })
}

/// The DOI at the start of a text.
fn at(text: &str) -> Option<String> {
    // One byte more than the longest, so that a longer one is seen to be too long.
    let text = crate::text::cut(text, MAX_DOI + 4);
    let rest = text.strip_prefix("10.")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let after = &rest[digits..];
    // Registrants may have parts: 10.1000.10/123.
    let part = after.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
    if !(4..=9).contains(&digits) || after.as_bytes().get(part) != Some(&b'/') {
        return None;
    }
    let end =
        text.find(|c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '{' | '}' | '|' | '\\' | '^' | '`'));
    let mut found = &text[..end.unwrap_or(text.len())];
    loop {
        let trimmed = found.trim_end_matches(['.', ',', ';', ':', '\'', '*', '_', '!', '?']);
        let open = |sign: char| trimmed.matches(sign).count();
        let next = match trimmed.chars().next_back() {
            Some(')') if open(')') > open('(') => &trimmed[..trimmed.len() - 1],
            Some(']') if open(']') > open('[') => &trimmed[..trimmed.len() - 1],
            _ => trimmed,
        };
        if next.len() == found.len() {
            break;
        }
        found = next;
    }
    let tail = found.split_once('/').map_or("", |(_, tail)| tail);
    (!tail.is_empty() && found.len() <= MAX_DOI).then(|| found.to_ascii_lowercase())
}

/// Keys of all works named in a text: `doi:…`, `rfc:…`, `arxiv:…`.
pub(crate) fn find_works(text: &str) -> Vec<String> {
    let mut keys = Vec::new();
    let signs = signs(text.as_bytes());
    let mut rest = if signs.doi { text } else { "" };
    while let Some(start) = rest.find("10.")
        && keys.len() < MAX_FOUND
    {
        let before = rest[..start].chars().next_back();
        let free = before.is_none_or(|c| !c.is_ascii_alphanumeric() && c != '.');
        match at(&rest[start..]).filter(|_| free) {
            Some(doi) => {
                rest = &rest[start + doi.len()..];
                keys.push(format!("doi:{doi}"));
            }
            None => rest = &rest[start + 3..],
        }
    }
    if signs.rfc {
        find_numbered(text, "RFC", "rfc", &mut keys);
    }
    if signs.arxiv {
        find_numbered(text, "arXiv:", "arxiv", &mut keys);
    }
    keys
}

/// Which kinds of identifiers a text may hold.
#[derive(Default)]
struct Signs {
    doi: bool,
    rfc: bool,
    arxiv: bool,
}

/// Most text holds none of them; one pass over its bytes says so.
fn signs(bytes: &[u8]) -> Signs {
    let mut signs = Signs::default();
    for at in memchr::memchr3_iter(b'1', b'R', b'X', bytes) {
        match bytes[at] {
            b'1' => signs.doi |= bytes[at..].starts_with(b"10."),
            b'R' => signs.rfc |= bytes[at..].starts_with(b"RFC"),
            _ => signs.arxiv |= bytes[..at].ends_with(b"ar"),
        }
    }
    signs
}

/// Works named by a word and a number: `RFC 2119`, `arXiv:1706.03762`.
fn find_numbered(text: &str, word: &str, scheme: &str, keys: &mut Vec<String>) {
    for (start, _) in text.match_indices(word).take(MAX_FOUND) {
        if text[..start].chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let rest = text[start + word.len()..].trim_start_matches([' ', '-', '\u{a0}']);
        let number = rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let number = rest[..number].trim_end_matches('.');
        let fits = if scheme == "rfc" {
            (1..=5).contains(&number.len()) && !number.contains('.')
        } else {
            number.len() >= 9 && number.contains('.')
        };
        if fits {
            keys.push(format!("{scheme}:{}", number.trim_start_matches('0')));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{doi, find_works};

    #[test]
    fn dois_have_one_form() {
        for (text, wanted) in [
            ("10.1000/182", Some("10.1000/182")),
            ("https://doi.org/10.1145/3292500.3330701", Some("10.1145/3292500.3330701")),
            ("doi:10.1002/(SICI)1097-4571", Some("10.1002/(sici)1097-4571")),
            ("10.1000/", None),
            ("10.10/x", None),
            ("version 10.1000/x", None),
        ] {
            assert_eq!(doi(text).as_deref(), wanted, "{text}");
        }
    }

    #[test]
    fn works_in_a_text_are_found() {
        let text =
            "See (10.1000/ab.c), RFC 2119, RFC-0793 and arXiv:1706.03762; not 110.1000/x, XRFC 1 or version 10.2.";
        assert_eq!(find_works(text), ["doi:10.1000/ab.c", "rfc:2119", "rfc:793", "arxiv:1706.03762"]);
    }
}
