use crate::abbreviations::alternatives;
use crate::terms::WHOLE_NAME;
use crate::words;

/// Most terms of one query; more add nothing to the order of the answers.
const MAX_TERMS: usize = 32;
/// Weight of a word that stands in the query.
const WORD: f64 = 1.0;
/// Weight of another form of a word of the query.
const ALTERNATIVE: f64 = 0.4;
/// What the weight of a word grows by each time it is said again.
const AGAIN: f64 = 1.15;
/// Weight that repetition does not lead beyond.
const MOST: f64 = 1.5;
/// Weight of a whole name that is written like one (`load_all`, `loadAll`, `` `load` ``).
const WHOLE: f64 = 2.0;
/// Weight of a plain word taken as a whole name: `load` may mean the function of this name.
const WHOLE_WORD: f64 = 0.6;

/// One term of a query with the ones that stand for the same. The best of them counts, not their sum.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// What the reader wrote, for reports of what matched.
    pub text: String,
    /// Terms of the index with their weights; the first is the plain one.
    pub forms: Vec<(String, f64)>,
    /// Whether it must be counted when it is asked how much of the query is met. Whole names are not: their parts are.
    pub counts: bool,
}

/// A question, taken apart: words, whole names, paths.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// What is looked up, in order, without repetition.
    pub terms: Vec<QueryTerm>,
    /// Names written as such: in quotes or backticks, with an underscore, a dot or inner capitals.
    pub symbols: Vec<String>,
    /// Paths or file names that the question holds.
    pub paths: Vec<String>,
}

impl Query {
    /// Takes `text` apart. Never empty-handed for text that holds a letter: stop words count if there is nothing else.
    pub fn parse(text: &str) -> Self {
        let mut query = Self::default();
        for token in text.split_whitespace() {
            let bare = token.trim_matches(|c: char| !(c.is_alphanumeric() || "_./".contains(c)));
            let bare = bare.trim_end_matches(['.', '/']);
            if looks_like_path(bare) {
                query.paths.push(bare.trim_start_matches("./").to_owned());
            }
            let quoted =
                token.len() > 2 && ["`", "\"", "'"].iter().any(|mark| token.starts_with(mark) && token.ends_with(mark));
            for name in bare.split(['.', '/', ':']).filter(|name| !name.is_empty()) {
                if quoted || looks_like_symbol(name) {
                    query.symbols.push(name.to_owned());
                }
            }
        }
        query.add_words(text, false);
        if query.terms.is_empty() {
            query.add_words(text, true);
        }
        let words: Vec<(String, bool)> = query.whole_names(text);
        for (name, written) in words {
            let folded = words::folded(&name);
            let weight = if written { WHOLE } else { WHOLE_WORD };
            query.push(QueryTerm { text: name, forms: vec![(format!("{WHOLE_NAME}{folded}"), weight)], counts: false });
        }
        query
    }

    fn add_words(&mut self, text: &str, stop_words_too: bool) {
        words::identifiers(text, |identifier| {
            // In a name every part says something: `loadAll` is not `load`.
            let is_name = looks_like_symbol(identifier);
            words::parts(identifier, |part| {
                let lower = part.to_lowercase();
                if !is_name && !stop_words_too && words::is_stop_word(&lower) {
                    return;
                }
                let Some(term) = words::term(part) else { return };
                let others = alternatives(&term).into_iter().map(|other| (other, ALTERNATIVE));
                let forms = std::iter::once((term.clone().into_owned(), WORD)).chain(others).collect();
                self.push(QueryTerm { text: lower, forms, counts: true });
            });
        });
    }

    fn push(&mut self, term: QueryTerm) {
        let known = self.terms.iter_mut().find(|other| other.forms[0].0 == term.forms[0].0);
        if let Some(known) = known {
            // What is said again matters more, up to a point.
            if term.counts && known.forms[0].1 < MOST {
                known.forms.iter_mut().for_each(|(_, weight)| *weight *= AGAIN);
            }
        } else if self.terms.len() < MAX_TERMS {
            self.terms.push(term);
        }
    }

    /// Names to look up whole, and whether they are written like names. A long sentence names nothing by plain words.
    fn whole_names(&self, text: &str) -> Vec<(String, bool)> {
        let mut names = Vec::new();
        let plain_too = text.split_whitespace().count() <= 3;
        words::identifiers(text, |identifier| {
            let written = self.symbols.iter().any(|symbol| symbol == identifier);
            let stop = words::is_stop_word(&identifier.to_lowercase());
            if !words::folded(identifier).is_empty() && (written || !stop && plain_too) {
                names.push((identifier.to_owned(), written));
            }
        });
        names
    }
}

fn looks_like_symbol(name: &str) -> bool {
    let inner_capital = name.chars().zip(name.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    let underscore = name.trim_matches('_').contains('_') || name.starts_with('_');
    name.chars().any(char::is_alphanumeric) && (inner_capital || underscore)
}

fn looks_like_path(text: &str) -> bool {
    let file_like = text.rsplit_once('.').is_some_and(|(stem, extension)| {
        let name = stem.rsplit('/').next().unwrap_or("");
        !name.is_empty() && (1..=5).contains(&extension.len()) && extension.bytes().all(|b| b.is_ascii_lowercase())
    });
    (text.contains('/') && text.chars().any(char::is_alphanumeric)) || file_like
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(text: &str) -> String {
        Query::parse(text)
            .terms
            .iter()
            .filter(|term| term.counts)
            .map(|term| term.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn words_without_those_that_say_nothing() {
        assert_eq!(words_of("code that validates user credentials"), "validates user credentials");
        assert_eq!(words_of("where is loadAllUsers defined?"), "load all users defined");
        assert_eq!(words_of("what is it"), "what is it", "stop words count when there is nothing else");
        assert_eq!(words_of("!!! ???"), "");
        assert_eq!(words_of("load load Load"), "load");
    }

    #[test]
    fn names_and_paths_are_seen() {
        let query = Query::parse("does `acquire` in src/pool.py call PoolManager.release_all or config.toml?");
        assert_eq!(query.symbols, ["acquire", "PoolManager", "release_all"]);
        assert_eq!(query.paths, ["src/pool.py", "config.toml"]);
        let whole: Vec<&str> =
            query.terms.iter().filter(|term| !term.counts).map(|term| term.forms[0].0.as_str()).collect();
        assert_eq!(whole, ["=acquire", "=poolmanager", "=releaseall"]);
    }

    #[test]
    fn abbreviations_widen_the_query() {
        let query = Query::parse("database connection");
        assert_eq!(query.terms[0].forms, [("databas".to_owned(), WORD), ("db".to_owned(), ALTERNATIVE)]);
    }

    #[test]
    fn endless_queries_are_bounded() {
        let text: String = (0..10_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(Query::parse(&text).terms.len(), MAX_TERMS);
    }
}
