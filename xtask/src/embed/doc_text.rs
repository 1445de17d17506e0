//! Doc comments as prose: the summary, without markup and parameter lists.

/// Maximum length of a summary, in bytes.
const SUMMARY: usize = 300;
/// Line starts after which a comment no longer describes the whole.
const END_OF_PROSE: &[&str] = &[
    "@", ":param", ":return", ":raise", ":type", ":rtype", "Args:", "Arguments:", "Parameters", "Returns", "Raises",
    "Example", "Usage:", "Note:", ">>>", "```", "---", "===", "# ", "## ", "\\param", "\\return", "\\sa", ".. ",
];
/// Uninformative prefixes of descriptions.
const NOISE: &[&str] =
    &["@brief", "\\brief", "@internal", "@private", "@public", "@description", "@summary", "@class", "@ngdoc"];

/// A parsed doc comment.
#[derive(Debug, PartialEq)]
pub(super) struct Doc {
    /// Its first paragraph.
    pub(super) summary: String,
    /// Prose of the following paragraphs.
    pub(super) rest: String,
}

impl Doc {
    pub(super) fn of(doc: &str) -> Self {
        let mut paragraphs = vec![String::new()];
        for line in doc.lines() {
            let mut line = line.trim().trim_start_matches(['*', '/', '!']).trim_start();
            for noise in NOISE {
                line = line.strip_prefix(noise).unwrap_or(line).trim_start();
            }
            let has_text = paragraphs[0].contains(' ');
            if line.is_empty() || line == "<p>" {
                if paragraphs.last().is_some_and(|last| !last.is_empty()) {
                    paragraphs.push(String::new());
                }
                continue;
            }
            if END_OF_PROSE.iter().any(|end| line.starts_with(end)) {
                if has_text {
                    break;
                }
                continue;
            }
            let last = paragraphs.last_mut().expect("there is one from the start");
            last.push_str(&plain(line));
            last.push(' ');
        }
        let mut paragraphs = paragraphs.into_iter().map(|text| text.trim().to_owned());
        let mut summary = paragraphs.next().unwrap_or_default();
        let rest = paragraphs.filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ");
        summary.truncate(summary.floor_char_boundary(SUMMARY));
        Self { summary, rest }
    }

    /// Returns whether the summary is a descriptive sentence.
    pub(super) fn is_telling(&self) -> bool {
        let words = self.summary.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic)).count();
        let lower = self.summary.to_lowercase();
        let noise = ["todo", "fixme", "copyright", "license", "deprecated", "see ", "auto-generated", "inheritdoc"];
        words >= 3 && !noise.iter().any(|word| lower.starts_with(word) || (word.len() > 8 && lower.contains(word)))
    }
}

/// A line without tags and links: `{@link Pool#get}` → `Pool#get`, `<b>x</b>` → `x`.
fn plain(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('<') {
        let Some(length) = rest[at..].find('>') else { break };
        let tag = &rest[at + 1..at + length];
        let is_tag = tag.trim_start_matches('/').starts_with(|c: char| c.is_ascii_lowercase()) && tag.len() < 40;
        out.push_str(&rest[..at]);
        if is_tag {
            out.push(' ');
        } else {
            out.push_str(&rest[at..=at + length]);
        }
        rest = &rest[at + length + 1..];
    }
    out.push_str(rest);
    ["{@link ", "{@code ", "{@linkplain ", "{@inheritDoc"].iter().fold(out, |text, mark| text.replace(mark, " "))
}
