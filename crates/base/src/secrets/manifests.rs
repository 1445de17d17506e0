//! Secrets of Kubernetes manifests: every value below `data` of a `Secret` is one, whatever its name and form.

use std::ops::Range;

/// Calls `found` with the place and kind of each value.
pub(super) fn find(text: &str, mut found: impl FnMut(Range<usize>, &'static str)) {
    if !text.contains("Secret") || !text.contains("kind:") {
        return;
    }
    let mut start = 0;
    for document in text.split_inclusive("\n---") {
        let is_secret = document.lines().any(|line| {
            line.strip_prefix("kind:").is_some_and(|kind| kind.trim().trim_matches(['"', '\'']) == "Secret")
        });
        if is_secret {
            find_values(document, |range| found(start + range.start..start + range.end, "secret of a manifest"));
        }
        start += document.len();
    }
}

/// The values of the lines below `data:` and `stringData:`, blocks of several lines included.
fn find_values(document: &str, mut found: impl FnMut(Range<usize>)) {
    let mut is_inside = false;
    let mut at = 0;
    for line in document.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let trimmed = line.trim();
        if !line.starts_with([' ', '\t']) && !trimmed.is_empty() {
            is_inside = matches!(trimmed, "data:" | "stringData:");
            continue;
        }
        if !is_inside || trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        // A line without a name belongs to the block above.
        let offset = trimmed.split_once(": ").map_or(0, |(name, _)| name.len() + 2);
        let value = trimmed[offset..].trim().trim_matches(['"', '\'']);
        let is_block = trimmed.ends_with(':') || ["|", ">", "|-", ">-", "|+", ">+"].contains(&value);
        if is_block || value.contains("{{") || value.starts_with("${") || value.is_empty() || value == super::REDACTED {
            continue;
        }
        let place = start + line[..].find(trimmed).unwrap_or(0) + offset;
        let place = place + document[place..at].find(value).unwrap_or(0);
        found(place..place + value.len());
    }
}

#[cfg(test)]
mod tests {
    use super::super::redact;

    #[test]
    fn values_of_a_secret_and_of_nothing_else() {
        let text = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  user: \"YWRtaW4=\"\n  note: aGVsbG8=\n  \
                    cert: |\n    two words\n    more\n  template: {{ .Values.x }}\ntype: Opaque\n---\nkind: ConfigMap\ndata:\n  \
                    color: blue\n";
        let clean = redact(text);
        for gone in ["YWRtaW4", "aGVsbG8", "two words", "more"] {
            assert!(!clean.contains(gone), "{gone}: {clean}");
        }
        for kept in ["name: db", "template: {{ .Values.x }}", "type: Opaque", "color: blue", "user: \"[REDACTED]\""] {
            assert!(clean.contains(kept), "{kept}: {clean}");
        }
        assert_eq!(redact(&clean), clean);
    }
}
