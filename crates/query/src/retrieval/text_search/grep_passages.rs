//! Searches what web pages and notebooks say, where marks and escapes stand between the words.

use m1nd_base::{Cancel, Cancelled};
use m1nd_lang::Language;
use m1nd_lang::text::read_passages;
use m1nd_search::grep::{FileMatches, Grep, GrepError, GrepOptions, LineMatch};

/// A shorter word of a pattern says too little about a file, in bytes.
const MIN_WORD: usize = 3;

/// A search in the text of documents. Only files that have all words of the pattern are read as documents.
pub(in crate::retrieval) struct PassageSearch {
    words: Vec<Grep>,
    grep: Grep,
}

impl PassageSearch {
    /// `None` if the lines of the file say all: for expressions, inverted searches, and single words.
    pub(in crate::retrieval) fn new(options: &GrepOptions) -> Result<Option<Self>, GrepError> {
        let mut words: Vec<&str> = options.pattern.split(|c: char| !c.is_alphanumeric()).collect();
        words.retain(|word| word.len() >= MIN_WORD && word.is_ascii());
        let is_one = options.pattern.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if options.regex || options.invert || words.is_empty() || is_one {
            return Ok(None);
        }
        let word = |word: &str| {
            let options = GrepOptions { pattern: word.to_owned(), context: 0, ..options.clone() };
            Grep::new(options)
        };
        let words = words.into_iter().map(word).collect::<Result<_, _>>()?;
        Ok(Some(Self { words, grep: Grep::new(GrepOptions { context: 0, ..options.clone() })? }))
    }

    /// Adds the matches in the text of a document to those in its lines, unless a line of the passage is one.
    pub(in crate::retrieval) fn add(
        &self,
        language: Language,
        text: &[u8],
        found: &mut FileMatches,
        cancel: &Cancel,
    ) -> Result<(), Cancelled> {
        for word in &self.words {
            if word.search(text, 0..0, cancel)?.total == 0 {
                return Ok(());
            }
        }
        let Some(passages) = read_passages(language, text, cancel) else { return Ok(()) };
        let said: Vec<&str> = passages.iter().map(|passage| passage.text.as_str()).collect();
        let in_text = self.grep.search(said.join("\n").as_bytes(), 0..usize::MAX, cancel)?;
        let lines: Vec<u32> = found.matches.iter().map(|found| found.line).collect();
        for row in in_text.matches {
            let Some(passage) = passages.get((row.line as usize).saturating_sub(1)) else { continue };
            let (first, last) = passage.lines;
            if first == 0 || lines.iter().any(|line| (first..=last).contains(line)) {
                continue;
            }
            found.total += 1;
            found.matches.push(LineMatch { line: first, column: 1, lines: last - first + 1, ..row });
        }
        found.matches.sort_by_key(|found| found.line);
        Ok(())
    }
}
