//! Git's configuration of a repository, parsed.

/// A setting.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    /// In small letters.
    pub(crate) section: String,
    pub(crate) subsection: String,
    /// In small letters.
    pub(crate) key: String,
    pub(crate) value: String,
}

/// The value of a key in a section of git's configuration, the last one as git takes it. `section` may have a
/// subsection behind a space.
pub(crate) fn find_setting(text: &str, section: &str, key: &str) -> Option<String> {
    let (section, subsection) = section.split_once(' ').unwrap_or((section, ""));
    let is_it = |found: &Setting| found.section == section && found.subsection == subsection && found.key == key;
    parse_settings(text).into_iter().rfind(is_it).map(|found| found.value)
}

/// The settings of a file, in order. What is not one is skipped.
pub(crate) fn parse_settings(text: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    let (mut section, mut subsection) = (String::new(), String::new());
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    while let Some(line) = lines.next() {
        let mut rest = line.trim_start();
        if rest.starts_with('[') {
            let (name, inner, behind) = split_header(rest);
            (section, subsection) = (name, inner);
            // A setting may follow on the same line.
            rest = behind.trim_start();
        }
        if rest.is_empty() || rest.starts_with(['#', ';']) {
            continue;
        }
        let (key, value) = match rest.split_once('=') {
            Some((key, value)) => (key, read_value(value, &mut lines)),
            None => (rest, "true".to_owned()),
        };
        settings.push(Setting {
            section: section.clone(),
            subsection: subsection.clone(),
            key: key.trim().to_ascii_lowercase(),
            value,
        });
    }
    settings
}

/// Splits `[section "subsection"] rest`, or the older `[section.subsection] rest`.
fn split_header(line: &str) -> (String, String, &str) {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let end = line.char_indices().find(|&(_, c)| {
        let is_end = c == ']' && !is_quoted;
        is_quoted ^= c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_end
    });
    let end = end.map_or(line.len(), |(at, _)| at);
    let header = line[..end].trim_start_matches('[').trim();
    let (name, inner) = header.split_once('"').map_or_else(
        || header.split_once('.').unwrap_or((header, "")),
        |(name, inner)| (name, inner.strip_suffix('"').unwrap_or(inner)),
    );
    (name.trim().to_ascii_lowercase(), inner.replace('\\', ""), line.get(end + 1..).unwrap_or_default())
}

/// Reads a value: quotes and escapes are undone, a comment ends it, and a backslash at the end of a line goes on with
/// the next.
fn read_value<'t>(first: &'t str, lines: &mut impl Iterator<Item = &'t str>) -> String {
    let (mut value, mut is_quoted) = (String::new(), false);
    // Characters up to the last one that is not a space outside of quotes.
    let mut kept = 0;
    let mut line = Some(first.trim_start());
    while let Some(text) = line.take() {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match c {
                '"' => is_quoted = !is_quoted,
                '#' | ';' if !is_quoted => break,
                '\\' => match chars.next() {
                    Some('n') => value.push('\n'),
                    Some('t') => value.push('\t'),
                    Some(other) => value.push(other),
                    None => line = lines.next(),
                },
                _ => value.push(c),
            }
            if is_quoted || !c.is_whitespace() {
                kept = value.len();
            }
        }
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "\u{feff}# comment\n[core] hooksPath = a/b ; comment\n\tbare\n[remote \"or]i\\\"gin\"]\n url = \"x # y\" \n\
                    [Alias]\nRun = !sh \\\n  tools/x.sh\n[branch.main]\nmerge=refs/heads/main # c\n";
        let rows: Vec<_> =
            parse_settings(text).into_iter().map(|s| [s.section, s.subsection, s.key, s.value]).collect();
        let expected = [
            ["core", "", "hookspath", "a/b"],
            ["core", "", "bare", "true"],
            ["remote", "or]i\"gin", "url", "x # y"],
            ["alias", "", "run", "!sh   tools/x.sh"],
            ["branch", "main", "merge", "refs/heads/main"],
        ];
        assert_eq!(rows, expected);
        assert_eq!(find_setting(text, "remote or]i\"gin", "url").as_deref(), Some("x # y"));
        assert_eq!(find_setting("[a]\nb=1\n[a]\nb=2", "a", "b").as_deref(), Some("2"), "the last one counts");
    }
}
