use std::collections::BTreeSet;

use crate::abbreviations::alternatives;
use crate::messages;
use crate::terms::{WHOLE_NAME, used_name};
use crate::words;
use crate::zones::{self, Piece, Zone};

/// Maximum number of terms of a query; more do not change the order of the answers.
const MAX_TERMS: usize = 160;
/// Whole names that fit regardless of the number of words: few entries have one, so they are cheap and informative.
const ROOM_FOR_NAMES: usize = 32;
/// Maximum number of names looked up among the names that files use.
const MAX_USED: usize = 64;
/// Weight of another form of a query word.
const ALTERNATIVE: f64 = 0.4;
/// Factor applied to the weight of a word for each repetition.
const AGAIN: f64 = 1.15;
/// Maximum growth by repetition.
const MOST: f64 = 1.5;
/// Weight of a whole name written like one (`load_all`, `loadAll`, `` `load` ``).
const WHOLE: f64 = 2.0;
/// Weight of a plain word taken as a whole name: `load` may refer to the function of this name.
const WHOLE_WORD: f64 = 0.6;
/// Maximum words of a question in which each may be a whole name; a sentence does not name symbols by plain words.
const SHORT: usize = 3;

/// A query term with its synonyms. Their best score counts, not the sum.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// Spelling in the question, for reports of matches.
    pub text: String,
    /// Index terms with their weights, including the weight of the query term; the first is the plain form.
    pub forms: Vec<(String, f64)>,
    /// Whether it counts towards the share of the query that is matched. Whole names do not, because their parts do.
    pub counts: bool,
    /// It occurs in the title.
    pub in_title: bool,
}

/// A file mentioned in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Path, file name or module (`a.b.c`), as written, with `/` between components.
    pub path: String,
    /// Zone of the text in which it occurs.
    pub zone: Zone,
    /// Written with dots instead of slashes: the last components may be symbols.
    pub is_module: bool,
    /// Line number given by a stack trace or a link.
    pub line: Option<u32>,
}

/// Distinct parts of a long text that exceed the limits and are not looked up.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Beyond {
    /// Bytes of the text beyond those that are read.
    pub bytes: usize,
    /// Words beyond the limit of [`Query::terms`], which are ranked by weight.
    pub words: BTreeSet<String>,
    /// Names beyond the limit for whole names.
    pub names: BTreeSet<String>,
    /// Paths and modules beyond the limit.
    pub mentions: BTreeSet<String>,
}

/// A parsed question: words, whole names, paths.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Query {
    /// Terms to look up, in order, distinct.
    pub terms: Vec<QueryTerm>,
    /// Names written as such: in quotes or backticks, with an underscore, a dot or inner capitals.
    pub symbols: Vec<String>,
    /// Paths or file names in the question.
    pub paths: Vec<String>,
    /// Paths, file names and modules with their zones, in order.
    pub mentions: Vec<Mention>,
    /// Messages quoted in the text, each as indexes of its words in [`Query::terms`].
    pub messages: Vec<Vec<usize>>,
    /// Multi-word names written out in the text, in the form in which the index holds used names, with their number
    /// of occurrences.
    pub used: Vec<(String, u32)>,
    /// It is longer than a question: an issue, a message, a report.
    pub is_long: bool,
    /// The parts that are not looked up.
    pub beyond: Beyond,
}

impl Query {
    /// Parses `text`. Never empty for text that contains a letter: stop words count if there is nothing else.
    pub fn parse(text: &str) -> Self {
        let pieces = zones::pieces(text);
        let mut query = Self { is_long: pieces.len() > 1, ..Self::default() };
        query.beyond.bytes = text.len() - text.floor_char_boundary(zones::MAX_TEXT);
        // By weight, so that the title is included however long the rest is.
        let mut order: Vec<&Piece<'_>> = pieces.iter().collect();
        order.sort_by_key(|piece| piece.zone);
        let mut names: Vec<(String, Zone, bool)> = Vec::new();
        for piece in &order {
            query.find_names(piece, &mut names);
            query.find_used(piece);
        }
        for piece in &pieces {
            query.find_mentions(piece);
        }
        query.add_all(&order, false);
        if query.terms.is_empty() {
            query.add_all(&order, true);
        }
        for (name, zone, written) in names {
            query.add_name(&name, zone, written);
        }
        let number = |word: &String| query.terms.iter().position(|term| term.counts && term.forms[0].0 == *word);
        let messages = messages::of_pieces(&pieces);
        query.messages = messages.iter().map(|words| words.iter().filter_map(number).collect()).collect();
        query
    }

    /// The words of its vector, each weighted by its zone and rarity.
    pub(crate) fn weigh_words<'q>(
        &'q self,
        rarities: &'q [f64],
        title: bool,
    ) -> impl Iterator<Item = (&'q str, f32)> + use<'q> {
        let terms = self.terms.iter().zip(rarities).filter(move |(term, _)| term.counts && (!title || term.in_title));
        terms.filter_map(|(term, rarity)| {
            let (form, weight) = term.forms.first()?;
            Some((form.as_str(), (weight * rarity) as f32))
        })
    }

    fn add_all(&mut self, pieces: &[&Piece<'_>], stop_words_too: bool) {
        for piece in pieces {
            self.add_words(piece, stop_words_too);
        }
    }

    fn add_words(&mut self, piece: &Piece<'_>, stop_words_too: bool) {
        let weight = piece.zone.weight();
        let in_title = piece.zone == Zone::Title;
        words::identifiers(piece.text, |identifier| {
            // Every part of a name is significant: `loadAll` is not `load`.
            let is_name = words::is_compound(identifier);
            words::parts(identifier, |part| {
                let lower = part.to_lowercase();
                if !is_name && !stop_words_too && words::is_stop_word(&lower) {
                    return;
                }
                let Some(term) = words::term(part) else { return };
                if self.is_long && (term.len() < 2 || term.bytes().all(|b| b.is_ascii_digit())) {
                    return;
                }
                let others = alternatives(&term).iter().map(|other| (other.clone(), weight * ALTERNATIVE));
                let forms = std::iter::once((term.clone().into_owned(), weight)).chain(others).collect();
                self.push(QueryTerm { text: lower, forms, counts: true, in_title }, weight);
            });
        });
    }

    fn add_name(&mut self, name: &str, zone: Zone, written: bool) {
        let folded = words::fold_identifier(name);
        if folded.is_empty() {
            return;
        }
        let weight = zone.weight() * if written { WHOLE } else { WHOLE_WORD };
        let forms = vec![(format!("{WHOLE_NAME}{folded}"), weight)];
        let in_title = zone == Zone::Title;
        self.push(QueryTerm { text: name.to_owned(), forms, counts: false, in_title }, weight);
    }

    fn push(&mut self, term: QueryTerm, weight: f64) {
        let known = self.terms.iter_mut().find(|other| other.forms[0].0 == term.forms[0].0);
        if let Some(known) = known {
            // Repetition increases the weight, up to a limit.
            if term.counts && known.forms[0].1 < MOST * weight {
                known.forms.iter_mut().for_each(|(_, weight)| *weight *= AGAIN);
            }
            known.in_title |= term.in_title;
        } else if self.has_room(&term) {
            self.terms.push(term);
        } else {
            let beyond = if term.counts { &mut self.beyond.words } else { &mut self.beyond.names };
            beyond.insert(term.text);
        }
    }

    fn has_room(&self, term: &QueryTerm) -> bool {
        let names = || self.terms.iter().filter(|term| !term.counts).count();
        self.terms.len() < MAX_TERMS || !term.counts && names() < ROOM_FOR_NAMES
    }

    /// Names to look up whole, and whether they are written like names.
    fn find_names(&mut self, piece: &Piece<'_>, names: &mut Vec<(String, Zone, bool)>) {
        let plain_too = piece.zone == Zone::Title && piece.text.split_whitespace().count() <= SHORT;
        for token in piece.text.split_whitespace() {
            let bare = token.trim_matches(|c: char| !(c.is_alphanumeric() || "_./".contains(c)));
            let bare = bare.trim_end_matches(['.', '/']);
            let marks = ["`", "\"", "'"];
            let quoted = token.len() > 2 && marks.iter().any(|mark| token.starts_with(mark) && token.ends_with(mark));
            for name in bare.split(['.', '/', ':']).filter(|name| !name.is_empty()) {
                if (quoted || words::is_compound(name)) && !self.symbols.iter().any(|known| known == name) {
                    self.symbols.push(name.to_owned());
                }
            }
        }
        let text = piece.text;
        words::identifiers(text, |identifier| {
            let at = identifier.as_ptr() as usize - text.as_ptr() as usize;
            let called = text[at + identifier.len()..].starts_with('(');
            let is_span = matches!(piece.zone, Zone::Span);
            let known = self.symbols.iter().any(|symbol| symbol == identifier);
            let stop = words::is_stop_word(&identifier.to_lowercase());
            let written = known
                || !stop
                    && (called
                        || is_span
                        || identifier.len() > 3 && words::is_capital(identifier) && piece.zone == Zone::Code);
            if written || !stop && (plain_too || self.is_long && piece.zone == Zone::Title && identifier.len() > 3) {
                names.push((identifier.to_owned(), piece.zone, written));
            }
        });
    }

    fn find_used(&mut self, piece: &Piece<'_>) {
        words::identifiers(piece.text, |identifier| {
            let Some(name) = words::is_compound(identifier).then(|| used_name(identifier)).flatten() else { return };
            match self.used.iter().position(|(known, _)| *known == name) {
                Some(at) => self.used[at].1 += 1,
                None if self.used.len() < MAX_USED => self.used.push((name, 1)),
                None => {
                    self.beyond.names.insert(identifier.to_owned());
                }
            }
        });
    }

    fn find_mentions(&mut self, piece: &Piece<'_>) {
        for token in piece.text.split(|c: char| c.is_whitespace() || "()[]<>\"'`,;|".contains(c)) {
            let linked = link_path(token);
            let token = linked.unwrap_or(token);
            let (bare, line) = match zones::place(token) {
                Some((path, line, _)) => (path, Some(line)),
                None => match token.split_once("#L") {
                    Some((path, line)) => (path, line.split('-').next().and_then(|line| line.parse().ok())),
                    None => (token, None),
                },
            };
            let bare = bare.trim_matches(|c: char| !(c.is_alphanumeric() || "_./\\".contains(c)));
            let bare = bare.trim_end_matches(['.', '/', ':']);
            if bare.contains("://") || bare.len() < 3 {
                continue;
            }
            let path = bare.replace('\\', "/");
            let path = path.trim_start_matches("./").trim_start_matches('/').to_owned();
            if looks_like_path(&path) || linked.is_some() {
                if !self.paths.contains(&path) {
                    self.paths.push(path.clone());
                }
                let line = line.or_else(|| python_line(piece.text));
                self.mention(Mention { path, zone: piece.zone, is_module: false, line });
            } else if is_module(&path) {
                self.mention(Mention { path: path.replace('.', "/"), zone: piece.zone, is_module: true, line: None });
            }
        }
    }

    fn mention(&mut self, mention: Mention) {
        if self.mentions.contains(&mention) {
            return;
        }
        if self.mentions.len() < MAX_TERMS {
            self.mentions.push(mention);
        } else {
            self.beyond.mentions.insert(mention.path);
        }
    }
}

/// The path inside a repository in a link to a file on a forge.
fn link_path(token: &str) -> Option<&str> {
    let at = token.find("://")?;
    let rest = ["/blob/", "/tree/", "/raw/", "/src/branch/"].iter().find_map(|mark| token[at..].split_once(mark))?.1;
    // A branch or commit precedes the path.
    rest.split_once('/').map(|(_, path)| path).filter(|path| !path.is_empty())
}

/// The line number in a Python stack frame.
fn python_line(text: &str) -> Option<u32> {
    let rest = text.split_once(", line ")?.1;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

/// `a.b.c`: names separated by dots, without numbers or a file extension.
fn is_module(text: &str) -> bool {
    let parts: Vec<&str> = text.split('.').collect();
    parts.len() >= 2
        && !text.contains('/')
        && parts.iter().all(|part| {
            part.len() > 1
                && part.starts_with(|c: char| c.is_alphabetic() || c == '_')
                && part.chars().all(|c| c.is_alphanumeric() || c == '_')
        })
}

fn looks_like_path(text: &str) -> bool {
    let file_like = text.rsplit_once('.').is_some_and(|(stem, extension)| {
        let name = stem.rsplit('/').next().unwrap_or("");
        !name.is_empty() && is_file_ending(extension)
    });
    (text.contains('/') && text.chars().any(char::is_alphanumeric)) || file_like
}

/// Extensions of code and configuration files; `a.b` with another one is a module or a member.
fn is_file_ending(ending: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "c", "cc", "cfg", "cjs", "cpp", "cs", "css", "cts", "cxx", "go", "h", "hh", "hpp", "html", "ini", "java", "js",
        "json", "jsx", "kt", "lua", "md", "mjs", "mts", "php", "pl", "proto", "pxd", "py", "pyi", "pyx", "rb", "rs",
        "rst", "scala", "sh", "sql", "swift", "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "yml",
    ];
    ENDINGS.binary_search(&ending).is_ok()
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
    fn names_of_several_words_are_sought_among_those_that_files_use() {
        let query = Query::parse("Speed of canEncode and can_encode(x); `MAX_SIZE`, plain, __init__, a_b");
        assert_eq!(query.used, [("~canencode".to_owned(), 2), ("~maxsize".to_owned(), 1), ("~init".to_owned(), 1)]);
    }

    #[test]
    fn abbreviations_widen_the_query() {
        let query = Query::parse("database connection");
        assert_eq!(query.terms[0].forms, [("databas".to_owned(), 1.0), ("db".to_owned(), ALTERNATIVE)]);
    }

    #[test]
    fn endless_queries_are_bounded() {
        let text: String = (0..10_000).map(|n| format!("word{n} ")).collect();
        let query = Query::parse(&text[..zones::MAX_TEXT]);
        let read = text[..zones::MAX_TEXT].split_whitespace().count();
        let beyond = &query.beyond;
        assert_eq!((query.terms.len(), beyond.words.len(), beyond.bytes), (MAX_TERMS, read - MAX_TERMS, 0));
        assert!(beyond.words.contains("word200") && !beyond.words.contains("word0"));
        assert_eq!(Query::parse(&text).beyond.bytes, text.len() - zones::MAX_TEXT);
    }

    #[test]
    fn words_do_not_crowd_out_names() {
        let words: String = (0..MAX_TERMS + 5).map(|n| format!("word{n} ")).collect();
        let names: String = (0..ROOM_FOR_NAMES + 3).map(|n| format!("`name_of{n}` ")).collect();
        let query = Query::parse(&format!("Title\n\n{words}\n\nand {names}"));
        let whole = query.terms.iter().filter(|term| !term.counts).count();
        assert_eq!((query.terms.len(), whole), (MAX_TERMS + ROOM_FOR_NAMES, ROOM_FOR_NAMES));
        assert!(query.beyond.words.contains("word164") && query.beyond.names.contains("name_of34"));
        let few = Query::parse(&format!("Title\n\nand {names}"));
        assert!(few.terms.iter().filter(|term| !term.counts).count() > ROOM_FOR_NAMES, "no limit while there is room");
    }

    #[test]
    fn names_and_paths_beyond_the_limits_are_kept_apart() {
        let names: String = (0..MAX_USED + 2).map(|n| format!("name_of{n} ")).collect();
        let query = Query::parse(&names);
        assert_eq!(query.used.len(), MAX_USED);
        assert!(query.beyond.names.contains("name_of64") && query.beyond.names.contains("name_of65"));
        assert!(!query.beyond.names.contains("name_of63"), "{:?}", query.beyond.names);
        let paths: String = (0..MAX_TERMS + 3).map(|n| format!("src/m{n}.py ")).collect();
        assert_eq!(Query::parse(&paths).beyond.mentions.len(), 3);
        assert_eq!(Query::parse("does acquire_all in src/pool.py wait?").beyond, Beyond::default());
    }

    #[test]
    fn files_are_named_in_many_ways() {
        let text = "Crash in pkg.sub.load\nSee https://github.com/o/n/blob/main/src/pool.rs#L12-L20 and `lib/x.py`.\n  \
                    File \"/usr/lib/site-packages/pkg/core.py\", line 7, in run\n1.17.2 e.g. this";
        let found: Vec<(String, bool, Option<u32>)> =
            Query::parse(text).mentions.into_iter().map(|m| (m.path, m.is_module, m.line)).collect();
        let expected = [
            ("pkg/sub/load", true, None),
            ("src/pool.rs", false, Some(12)),
            ("lib/x.py", false, None),
            ("usr/lib/site-packages/pkg/core.py", false, Some(7)),
        ];
        let expected: Vec<_> =
            expected.into_iter().map(|(path, module, line)| (path.to_owned(), module, line)).collect();
        assert_eq!(found, expected);
    }
}
