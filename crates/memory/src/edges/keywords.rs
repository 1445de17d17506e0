//! Keywords in texts, by their words.

use m1nd_search::{synonyms, words};

use super::tags::canonical_tag;
use crate::acronyms::singular_acronyms;

/// The words of a text in order, in the form that they are compared in.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    terms: Vec<String>,
}

impl Text {
    pub(super) fn of(text: &str) -> Self {
        let mut terms = Vec::new();
        words::terms(&singular_acronyms(text), |term| terms.push(folded(term)));
        Self { terms }
    }

    /// One text of several, with nothing in common across their ends.
    pub(super) fn of_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for text in texts {
            all.terms.extend(Self::of(text).terms);
            all.terms.push(String::new());
        }
        all
    }

    pub(super) fn into_terms(self) -> Vec<String> {
        self.terms
    }

    pub(super) fn terms(&self) -> impl Iterator<Item = &str> {
        self.terms.iter().map(String::as_str).filter(|term| !term.is_empty())
    }
}

/// `cookie` and `cookies` must meet; the stemmer makes `cooki` and `cooky` of them.
fn folded(term: &str) -> String {
    match term.strip_suffix('y') {
        Some(rest) if rest.len() > 2 => format!("{rest}i"),
        _ => term.to_owned(),
    }
}

/// A keyword or phrase to look for.
#[derive(Debug, Clone)]
pub(super) struct Keyword {
    /// As it was written.
    pub(super) shown: Box<str>,
    /// Ways to write it; each a sequence of words.
    forms: Vec<Vec<String>>,
}

impl Keyword {
    pub(super) fn of(keyword: &str) -> Self {
        let own = Text::of(keyword).terms;
        let mut forms = Vec::new();
        if let [single] = &own[..] {
            words::terms(keyword, |term| {
                forms.extend(synonyms(term).iter().map(|other| vec![folded(other)]));
            });
            forms.retain(|form| form[0] != *single);
        }
        // `postgres` and `postgresql`, `next.js` and `nextjs`.
        let tag = Text::of(&canonical_tag(keyword)).terms;
        if tag != own {
            forms.push(tag);
        }
        forms.insert(0, own);
        forms.retain(|form| !form.is_empty());
        Self { shown: keyword.trim().into(), forms }
    }

    /// Whether it stands in a text, its words next to each other.
    pub(super) fn is_in(&self, text: &Text) -> bool {
        self.forms.iter().any(|form| text.terms.windows(form.len()).any(|window| window == form.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_forms_and_phrases() {
        let cases = [
            ("token", "implementing token generation", true),
            ("tokens", "a tokenGenerator", true),
            ("cookie", "set cookies", true),
            ("cross-domain", "cross domain iframe", true),
            ("cross-domain", "domain cross", false),
            ("go", "django", false),
            ("a", "auth", false),
            ("auth", "login page", true),
            ("auth", "author page", false),
            ("postgres", "tune PostgreSQL", true),
            ("webhook", "handle_webhooks()", true),
            ("next.js", "a Next.js page", true),
            ("jwt", "accept JWTs", true),
            ("!!", "!! anything", false),
        ];
        for (keyword, text, expected) in cases {
            assert_eq!(Keyword::of(keyword).is_in(&Text::of(text)), expected, "{keyword} in {text}");
        }
    }
}
