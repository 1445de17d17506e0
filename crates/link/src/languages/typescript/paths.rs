//! Module path patterns with stars.

/// The text matched by the single `*` of `pattern`; `""` for an equal text without star.
pub(super) fn star<'a>(pattern: &str, text: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        None => (pattern == text).then_some(""),
        Some((before, after)) => text.strip_prefix(before)?.strip_suffix(after),
    }
}

/// The best match for `text`, as chosen by `tsconfig` and `exports`: an equal pattern, else the one with the longest
/// text before its star. Returns it with the text matched by the star.
pub(super) fn best<'p, 't, T>(patterns: impl Iterator<Item = (&'p str, T)>, text: &'t str) -> Option<(T, &'t str)> {
    let mut found: Option<(usize, T, &'t str)> = None;
    for (pattern, value) in patterns {
        let Some(middle) = star(pattern, text) else { continue };
        let weight = pattern.find('*').map_or(usize::MAX, |at| at);
        if found.as_ref().is_none_or(|(best, ..)| weight > *best) {
            found = Some((weight, value, middle));
        }
    }
    found.map(|(_, value, middle)| (value, middle))
}

/// Returns whether a path matches a workspace pattern: `*` is any part of one component, `**` any number of
/// components.
pub(super) fn glob(pattern: &str, path: &str) -> bool {
    let pattern: Vec<&str> = pattern.trim_start_matches("./").trim_end_matches('/').split('/').collect();
    let path: Vec<&str> = path.split('/').collect();
    wildcard(
        &pattern,
        &path,
        |part| *part == "**",
        |part, name| {
            let (part, name): (Vec<char>, Vec<char>) = (part.chars().collect(), name.chars().collect());
            wildcard(&part, &name, |letter| *letter == '*', |a, b| a == b || *a == '?')
        },
    )
}

/// Returns whether `items` match `pattern`, in which a star matches any run of items. Backtracks to the last star
/// only, so the work is bounded by the product of both lengths.
fn wildcard<T>(pattern: &[T], items: &[T], is_star: impl Fn(&T) -> bool, equal: impl Fn(&T, &T) -> bool) -> bool {
    let (mut at, mut item) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while item < items.len() {
        if at < pattern.len() && is_star(&pattern[at]) {
            retry = Some((at + 1, item));
            at += 1;
        } else if at < pattern.len() && equal(&pattern[at], &items[item]) {
            at += 1;
            item += 1;
        } else if let Some((after, from)) = retry {
            retry = Some((after, from + 1));
            at = after;
            item = from + 1;
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(is_star)
}

#[cfg(test)]
mod tests {
    use super::{best, glob};

    #[test]
    fn patterns() {
        let patterns = || [("@/*", 1), ("@/lib/*", 2), ("@/lib/a", 3), ("*", 4)].into_iter();
        assert_eq!(best(patterns(), "@/x/y"), Some((1, "x/y")));
        assert_eq!(best(patterns(), "@/lib/b"), Some((2, "b")));
        assert_eq!(best(patterns(), "@/lib/a"), Some((3, "")));
        assert_eq!(best(patterns(), "react"), Some((4, "react")));
        for (pattern, path, expected) in [
            ("packages/*", "packages/a", true),
            ("packages/*", "packages/a/b", false),
            ("packages/**", "packages/a/b", true),
            ("**", "x/y", true),
            ("./apps/*-web", "apps/my-web", true),
            ("apps/*/plugins/*", "apps/a/plugins/b", true),
            ("docs", "docs", true),
            ("packages/*", "other/a", false),
        ] {
            assert_eq!(glob(pattern, path), expected, "{pattern} {path}");
        }
    }
}
