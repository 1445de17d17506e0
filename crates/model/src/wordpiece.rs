//! WordPiece tokenizer: longest match first (Wu et al., "Google's Neural Machine Translation System", 2016), after
//! BERT's text normalisation.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::ModelError;

/// Maximum size of a vocabulary.
const MAX_VOCABULARY: usize = 1 << 20;

#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    normalizer: Option<Normalizer>,
    #[serde(default)]
    pre_tokenizer: Option<Typed>,
    model: Model,
}

#[derive(Debug, Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Debug, Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    lowercase: bool,
    /// Defaults to `lowercase`.
    #[serde(default)]
    strip_accents: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Model {
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    vocab: Vocabulary,
    #[serde(default)]
    unk_token: Option<String>,
    #[serde(default = "hashes")]
    continuing_subword_prefix: String,
    #[serde(default = "hundred")]
    max_input_chars_per_word: usize,
}

/// Tokens by text. Other kinds of tokenizers store them as lists.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Vocabulary {
    Map(FxHashMap<String, u32>),
    Other(serde::de::IgnoredAny),
}

impl Default for Vocabulary {
    fn default() -> Self {
        Self::Map(FxHashMap::default())
    }
}

fn hashes() -> String {
    "##".to_owned()
}

fn hundred() -> usize {
    100
}

/// The vocabulary of a model.
#[derive(Debug)]
pub(crate) struct WordPiece {
    pieces: FxHashMap<String, u32>,
    /// Token for words that cannot be composed.
    unknown: Option<u32>,
    /// Prefix of tokens inside a word.
    inner: String,
    longest: usize,
    lowercase: bool,
    without_accents: bool,
}

impl WordPiece {
    /// # Errors
    /// A tokenizer that does not split like BERT's.
    pub(crate) fn from_json(bytes: &[u8]) -> Result<Self, ModelError> {
        let file: File = crate::json("tokenizer.json", bytes)?;
        let unsupported = |what, found: String, expected| Err(ModelError::Unsupported { what, found, expected });
        let pieces = match file.model.vocab {
            Vocabulary::Map(pieces) if matches!(file.model.kind.as_str(), "WordPiece" | "") => pieces,
            _ => return unsupported("the model of tokenizer.json", file.model.kind, "`WordPiece`"),
        };
        if pieces.is_empty() || pieces.len() > MAX_VOCABULARY {
            return unsupported("the vocabulary of tokenizer.json", format!("{} pieces", pieces.len()), "1 to 1048576");
        }
        let highest = pieces.values().max().map_or(0, |id| *id as usize);
        if highest >= pieces.len() {
            return unsupported("the highest piece of tokenizer.json", highest.to_string(), "numbers without gaps");
        }
        let normalizer = file.normalizer;
        if let Some(other) = normalizer.as_ref().filter(|one| one.kind != "BertNormalizer") {
            return unsupported("the normalizer of tokenizer.json", other.kind.clone(), "`BertNormalizer`");
        }
        if let Some(other) = file.pre_tokenizer.filter(|one| one.kind != "BertPreTokenizer") {
            return unsupported("the pre_tokenizer of tokenizer.json", other.kind, "`BertPreTokenizer`");
        }
        let lowercase = normalizer.as_ref().is_some_and(|one| one.lowercase);
        Ok(Self {
            unknown: file.model.unk_token.and_then(|name| pieces.get(&name).copied()),
            inner: file.model.continuing_subword_prefix,
            longest: file.model.max_input_chars_per_word,
            lowercase,
            without_accents: normalizer.and_then(|one| one.strip_accents).unwrap_or(lowercase),
            pieces,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    pub(crate) fn id(&self, piece: &str) -> Option<u32> {
        self.pieces.get(piece).copied()
    }

    /// The first tokens of a text, without unknown ones.
    pub(crate) fn pieces(&self, text: &str, most: usize) -> Vec<u32> {
        let mut pieces = self.all_pieces(text, most);
        pieces.retain(|piece| Some(*piece) != self.unknown);
        pieces
    }

    /// The first tokens of a text.
    pub(crate) fn all_pieces(&self, text: &str, most: usize) -> Vec<u32> {
        let mut pieces = Vec::new();
        let mut word = String::new();
        for character in self.clean_text(text) {
            let alone = is_punctuation(character) || is_ideograph(character);
            if alone || character.is_whitespace() {
                self.cut(&word, &mut pieces);
                word.clear();
            }
            if alone {
                self.cut(character.encode_utf8(&mut [0; 4]), &mut pieces);
            } else if !character.is_whitespace() {
                word.push(character);
            }
            if pieces.len() >= most {
                break;
            }
        }
        self.cut(&word, &mut pieces);
        pieces.truncate(most);
        pieces
    }

    /// Normalises a text: no control characters, and the case and accents that the model expects.
    fn clean_text(&self, text: &str) -> impl Iterator<Item = char> {
        let kept = |character: &char| {
            character.is_whitespace() || !(character.is_control() || is_format(*character) || *character == '\u{fffd}')
        };
        let kept: String = text.chars().filter(kept).collect();
        let plain: String = match self.without_accents {
            true => kept.nfd().filter(|character| !is_combining_mark(*character)).collect(),
            false => kept,
        };
        let cased = if self.lowercase { plain.to_lowercase() } else { plain };
        cased.chars().collect::<Vec<_>>().into_iter()
    }

    /// Splits a word into tokens, longest match first; a single unknown token if that fails.
    fn cut(&self, word: &str, pieces: &mut Vec<u32>) {
        if word.is_empty() {
            return;
        }
        let before = pieces.len();
        let mut rest = word;
        let mut prefix = "";
        let too_long = word.chars().count() > self.longest;
        while !rest.is_empty() && !too_long {
            let ends = rest.char_indices().map(|(at, character)| at + character.len_utf8()).rev();
            let mut buffer = String::with_capacity(prefix.len() + rest.len());
            let found = ends.into_iter().find_map(|end| {
                buffer.clear();
                buffer.push_str(prefix);
                buffer.push_str(&rest[..end]);
                self.pieces.get(&buffer).map(|id| (*id, end))
            });
            let Some((id, end)) = found else { break };
            pieces.push(id);
            rest = &rest[end..];
            prefix = &self.inner;
        }
        if too_long || !rest.is_empty() {
            pieces.truncate(before);
            pieces.extend(self.unknown);
        }
    }
}

/// Returns whether a character only changes the look of others.
fn is_format(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{206f}' | '\u{feff}')
}

/// ASCII symbols, and punctuation (category P) of general and East Asian scripts.
fn is_punctuation(character: char) -> bool {
    let is_other = matches!(character,
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}' | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205e}'
        | '\u{2308}'..='\u{230b}' | '\u{2329}' | '\u{232a}' | '\u{2768}'..='\u{2775}' | '\u{27e6}'..='\u{27ef}'
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301f}' | '\u{30fb}'
        | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}' | '\u{ff0c}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}'
        | '\u{ff1f}' | '\u{ff20}' | '\u{ff3b}'..='\u{ff3d}' | '\u{ff3f}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}');
    character.is_ascii_punctuation() || is_other
}

/// Returns whether a character is a word of its own.
fn is_ideograph(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2a6df}' | '\u{2a700}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::WordPiece;

    fn words(normalizer: serde_json::Value) -> WordPiece {
        let pieces = ["[UNK]", "un", "##aff", "##able", "hello", "!", "cafe", "中", "##s", "café", "Hello"];
        let vocab: serde_json::Map<String, serde_json::Value> =
            pieces.iter().enumerate().map(|(id, piece)| ((*piece).to_owned(), json!(id))).collect();
        let file =
            json!({"normalizer": normalizer, "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocab}});
        WordPiece::from_json(file.to_string().as_bytes()).expect("words")
    }

    #[test]
    fn texts_in_pieces() {
        let words = words(json!({"type": "BertNormalizer", "lowercase": true, "strip_accents": null}));
        let rows: [(&str, &[u32]); 8] = [
            ("unaffable", &[1, 2, 3]),
            ("Hello!", &[4, 5]),
            ("hello\u{0}\u{200b}", &[4]),
            ("CAFÉS", &[6, 8]),
            ("hello中hello", &[4, 7, 4]),
            ("unknowable hello", &[0, 4]),
            ("", &[]),
            (" \t\n", &[]),
        ];
        for (text, pieces) in rows {
            assert_eq!(words.all_pieces(text, 100), pieces, "{text:?}");
        }
        assert_eq!(words.pieces("unknowable hello", 100), [4]);
        assert_eq!(words.all_pieces("hello hello hello", 2), [4, 4]);
        assert_eq!(words.all_pieces(&"hello".repeat(40), 100), [0], "too long for a word");
    }

    #[test]
    fn case_and_accents_stay_where_the_model_knows_them() {
        let words = words(json!({"type": "BertNormalizer", "lowercase": false}));
        assert_eq!(words.all_pieces("Hello café", 100), [10, 9]);
    }

    #[test]
    fn other_kinds_of_words_are_refused() {
        let refused = |file: serde_json::Value| {
            WordPiece::from_json(file.to_string().as_bytes()).expect_err("refused").to_string()
        };
        let error = refused(json!({"model": {"type": "Unigram", "vocab": [["a", -1.0]]}}));
        assert!(error.contains("`Unigram`") && error.contains("`WordPiece`"), "{error}");
        let error = refused(json!({"normalizer": {"type": "NFKC"}, "model": {"type": "WordPiece", "vocab": {"a": 0}}}));
        assert!(error.contains("`NFKC`"), "{error}");
        let error = refused(json!({"model": {"type": "WordPiece", "vocab": {"a": 7}}}));
        assert!(error.contains("without gaps"), "{error}");
    }
}
