//! Keyword matching by words.

use std::borrow::Cow;

use m1nd_search::{synonyms, words};
use rustc_hash::FxHashSet;
use unicode_normalization::UnicodeNormalization;

use super::tags::canonical_tag;
use crate::acronyms::singular_acronyms;

/// The words of a text in order, in the form that they are compared in.
#[derive(Debug, Clone, Default)]
pub(super) struct Text {
    terms: Vec<String>,
    /// Words with capitals inside as they are without: `useEffect` and `iOS` are names, too.
    wholes: FxHashSet<String>,
}

impl Text {
    pub(super) fn of(text: &str) -> Self {
        // Full-width letters and ligatures are normalised.
        let text: Cow<'_, str> = if text.is_ascii() { text.into() } else { text.nfkc().collect::<String>().into() };
        let text = singular_acronyms(&text);
        let mut terms = Vec::new();
        words::terms(&text, |term| terms.push(fold_term(term)));
        let mut wholes = FxHashSet::default();
        words::identifiers(&text, |identifier| wholes.extend(whole(identifier)));
        Self { terms, wholes }
    }

    /// One text of several, with nothing in common across their ends.
    pub(super) fn of_all<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let mut all = Self::default();
        for text in texts {
            let text = Self::of(text);
            all.terms.extend(text.terms);
            all.terms.push(String::new());
            all.wholes.extend(text.wholes);
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

/// The one term of a word that has several by its capitals.
fn whole(identifier: &str) -> Option<String> {
    let has_inner_capital = identifier.chars().skip(1).any(char::is_uppercase) && !identifier.contains('_');
    let term = has_inner_capital.then(|| identifier.to_lowercase())?;
    words::term(&term).map(|term| fold_term(&term))
}

/// `cookie` and `cookies` must meet; the stemmer makes `cooki` and `cooky` of them.
fn fold_term(term: &str) -> String {
    match term.strip_suffix('y') {
        Some(rest) if rest.len() > 2 => format!("{rest}i"),
        _ => term.to_owned(),
    }
}

/// A keyword or phrase to look for.
#[derive(Debug, Clone)]
pub(super) struct Keyword {
    /// As written.
    pub(super) shown: Box<str>,
    /// The tag of a stack that it is.
    tag: String,
    /// Ways to write it; each a sequence of words.
    forms: Vec<Vec<String>>,
}

impl Keyword {
    pub(super) fn of(keyword: &str) -> Self {
        let own = Text::of(keyword).terms;
        let mut forms = Vec::new();
        if let [single] = &own[..] {
            words::terms(keyword, |term| {
                forms.extend(synonyms(term).iter().map(|other| vec![fold_term(other)]));
            });
            forms.retain(|form| form[0] != *single);
        }
        // `postgres` and `postgresql`, `next.js` and `nextjs`.
        let tag = canonical_tag(keyword);
        let named = Text::of(&tag).terms;
        if named != own {
            forms.push(named);
        }
        forms.extend(whole(keyword.trim()).map(|whole| vec![whole]));
        forms.insert(0, own);
        forms.retain(|form| !form.is_empty());
        Self { shown: keyword.trim().into(), tag, forms }
    }

    /// Returns whether it occurs in a text, with its words adjacent.
    pub(super) fn is_in(&self, text: &Text) -> bool {
        self.forms.iter().any(|form| match form.as_slice() {
            [single] if text.wholes.contains(single) => true,
            form => text.terms.windows(form.len()).any(|window| window == form),
        })
    }

    /// Returns whether it is one of the tags of a stack, which are names as a whole: `github` is not `github-actions`.
    pub(super) fn is_tag(&self, tags: &[String]) -> bool {
        tags.contains(&self.tag)
    }

    /// Returns whether it is a part of a longer keyword, which makes it redundant: `token` of `token generation`.
    pub(super) fn is_part_of(&self, other: &Self) -> bool {
        let (own, other) = (&self.forms, &other.forms);
        let (Some(own), Some(other)) = (own.first(), other.first()) else { return false };
        own.len() < other.len() && other.windows(own.len()).any(|window| window == own.as_slice())
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
            ("useeffect", "fetch in useEffect", true),
            ("localstorage", "keep the theme in localStorage", true),
            ("ios", "a web view on iOS", true),
            ("iOS", "a web view on ios", true),
            ("github", "a GitHub webhook", true),
            ("ios", "curious axioms", false),
            ("crypto", "ｃｒｙｐｔｏ keys", true),
            ("set cookie", "setCookie()", true),
        ];
        for (keyword, text, expected) in cases {
            assert_eq!(Keyword::of(keyword).is_in(&Text::of(text)), expected, "{keyword} in {text}");
        }
    }

    #[test]
    fn a_part_of_a_keyword_says_nothing_more() {
        let is_part = |part: &str, whole: &str| Keyword::of(part).is_part_of(&Keyword::of(whole));
        assert!(is_part("token", "token generation") && is_part("webhook", "stripe webhook"));
        assert!(!is_part("token generation", "token") && !is_part("token", "token") && !is_part("key", "monkey bars"));
        assert!(!is_part("token", "tokenizer rules"));
    }
}
