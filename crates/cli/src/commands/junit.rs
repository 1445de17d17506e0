//! Findings of a check as JUnit XML, which CI servers show as tests: a test per rule, which fails if its findings fail
//! the check.

use std::fmt::Write;

use m1nd_layout::escape;

/// A rule of a check, as a test.
pub(super) struct TestCase {
    /// Name of the rule.
    pub(super) name: String,
    /// Its findings, a line each.
    pub(super) lines: Vec<String>,
    /// Whether findings fail the check.
    pub(super) fails: bool,
}

/// The report of one run of the check called `suite`. It has no time and no path of the machine.
pub(super) fn report(suite: &str, cases: &[TestCase]) -> String {
    let failures = cases.iter().filter(|case| case.fails && !case.lines.is_empty()).count();
    let counts = format!("tests=\"{}\" failures=\"{failures}\" errors=\"0\"", cases.len());
    let suite = escape(suite);
    let mut text = format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{suite}\" {counts}>\n");
    _ = writeln!(text, "  <testsuite name=\"{suite}\" {counts} skipped=\"0\">");
    for case in cases {
        let head = format!("    <testcase name=\"{}\" classname=\"{suite}\"", escape(&case.name));
        let lines = escape(&case.lines.join("\n"));
        _ = match (case.lines.len(), case.fails) {
            (0, _) => writeln!(text, "{head}/>"),
            (count, true) => writeln!(
                text,
                "{head}>\n      <failure message=\"{count} finding(s)\" type=\"{}\">{lines}</failure>\n    </testcase>",
                escape(&case.name)
            ),
            (_, false) => writeln!(text, "{head}>\n      <system-out>{lines}</system-out>\n    </testcase>"),
        };
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_does_not_have_is_escaped() {
        assert_eq!(escape("a<b> & \"c\"\u{1b}\u{0}\n"), "a&lt;b&gt; &amp; &quot;c&quot;\u{fffd}\u{fffd}\n");
    }
}
