//! What the signature of a function says beside its types.

/// Returns whether a word stands in a signature.
pub(super) fn has_word(signature: &str, word: &str) -> bool {
    words(signature).any(|found| found == word)
}

/// Returns whether a word stands in front of a name.
pub(super) fn has_word_before(signature: &str, name: &str, word: &str) -> bool {
    words(signature).take_while(|found| *found != name).any(|found| found == word)
}

/// Number of parameters in the parentheses behind the name, the receiver of Go aside; `None` if they are cut off.
pub(super) fn parameters(signature: &str, name: &str) -> Option<usize> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let (at, _) = signature.match_indices(name).find(|(at, _)| {
        let rest = &signature[at + name.len()..];
        !signature[..*at].ends_with(is_part) && rest.starts_with(['(', '[', '<'])
    })?;
    let (mut depth, mut commas, mut is_open, mut is_empty) = (0usize, 0, false, true);
    for c in signature[at + name.len()..].chars() {
        match c {
            '(' if depth == 0 && !is_open => {
                is_open = true;
                depth = 1;
                continue;
            }
            ')' if depth == 1 && is_open => return Some(if is_empty { 0 } else { commas + 1 }),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 1 && is_open => commas += 1,
            _ => {}
        }
        is_empty &= !is_open || c.is_whitespace();
    }
    None
}

/// The type of the receiver that stands in front of the name of a Go method.
pub(super) fn receiver(signature: &str) -> Option<&str> {
    let (inside, _) = signature.strip_prefix("func (")?.split_once(')')?;
    let of = inside.split_whitespace().next_back()?.trim_start_matches('*');
    let of = of.split('[').next()?;
    (!of.is_empty()).then_some(of)
}

/// Names of types behind the name of a class: its bases, if all else is left out.
pub(super) fn heritage<'s>(signature: &'s str, name: &str) -> Vec<&'s str> {
    let behind = signature.split_once(name).map_or("", |(_, behind)| behind);
    let outside = names_outside(behind, &['<', '[', '(', '{']);
    if outside.is_empty() { names_outside(behind, &['<', '[', '{']) } else { outside }
}

/// Dotted names that are in no brackets of these kinds; of each its last part.
fn names_outside<'s>(text: &'s str, brackets: &[char]) -> Vec<&'s str> {
    const WORDS: &[&str] =
        &["extends", "implements", "permits", "private", "protected", "public", "virtual", "with", "metaclass"];
    let mut names = Vec::new();
    let mut depth = 0usize;
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        let is_part = c.is_alphanumeric() || c == '_';
        match (is_part && depth == 0, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                names.push(&text[from..at]);
                start = None;
            }
            _ => {}
        }
        if matches!(c, '.') || text[at..].starts_with("::") {
            // Only the last part of a dotted name counts.
            names.pop();
        }
        match c {
            '<' | '[' | '(' | '{' if brackets.contains(&c) => depth += 1,
            '>' if brackets.contains(&'<') => depth = depth.saturating_sub(1),
            ']' if brackets.contains(&'[') => depth = depth.saturating_sub(1),
            ')' if brackets.contains(&'(') => depth = depth.saturating_sub(1),
            '}' if brackets.contains(&'{') => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    names.retain(|name| !WORDS.contains(name));
    names
}

fn words(signature: &str) -> impl Iterator<Item = &str> {
    signature.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_counted() {
        for (signature, name, count) in [
            ("func (b byAge) Less(i, j int) bool", "Less", Some(2)),
            ("func (b byAge) Len() int", "Len", Some(0)),
            ("func (s *S) Each(f func(a, b int) error, m map[string]int)", "Each", Some(2)),
            ("func (s *S) Of[K, V any](k K) V", "Of", Some(1)),
            ("func (s *S) Cut(a int, b", "Cut", None),
            ("func (Len) Lens(x int)", "Len", None),
        ] {
            assert_eq!(parameters(signature, name), count, "{signature}");
        }
    }

    #[test]
    fn bases_are_named_in_signatures() {
        for (signature, name, names) in [
            (
                "public class A extends Base<X> implements Comparable<A>, java.lang.Runnable",
                "A",
                &["Base", "Comparable", "Runnable"][..],
            ),
            ("class V(val x: Int) : Comparable<V>, Runnable", "V", &["Comparable", "Runnable"]),
            ("class E(errors.Base, Exception):", "E", &["Base", "Exception"]),
            ("struct X : public std::exception", "X", &["exception"]),
        ] {
            assert_eq!(heritage(signature, name), names, "{signature}");
        }
    }
}
