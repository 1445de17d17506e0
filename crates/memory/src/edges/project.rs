//! A project's own gotchas: a bullet of prose, without keywords or patterns.

use std::sync::LazyLock;

use m1nd_search::embedding::{Embedding, Vector};
use m1nd_search::words;
use rustc_hash::FxHashSet;

use super::PROJECT_PREFIX;
use super::keywords::Text;
use crate::{GotchaBullet, Severity};

/// Weight of the first shared word that is not common, and of each further one.
const FIRST_WORD: f32 = 0.4;
const EACH_WORD: f32 = 0.15;
const MOST_WORDS: f32 = 0.85;
/// Weight of similar meaning if too few words are shared, and the minimum cosine for it.
const MEANING: f32 = 0.4;
const MEANING_FROM: f32 = 0.5;
/// Weight of an identifier of the gotcha in the code.
const IDENTIFIER: f32 = 0.7;
/// Minimum length of an informative identifier.
const MIN_IDENTIFIER: usize = 5;
/// Shared everyday words that are as good as one rare one.
const COMMON_FOR_RARE: usize = 2;

pub(super) struct Compiled {
    pub(super) id: Box<str>,
    pub(super) title: Box<str>,
    pub(super) description: Box<str>,
    pub(super) workaround: Box<str>,
    pub(super) severity: Severity,
    terms: Vec<String>,
    /// Names of code in it, folded.
    identifiers: Vec<(Box<str>, String)>,
    meaning: Vector,
}

impl Compiled {
    pub(super) fn of(gotcha: &GotchaBullet) -> Self {
        let mut terms: Vec<String> = Vec::new();
        for term in Text::of(&gotcha.title).terms().filter(|term| !words::is_stop_word(term) && term.len() > 1) {
            if !terms.iter().any(|known| known == term) {
                terms.push(term.to_owned());
            }
        }
        let mut identifiers = Vec::new();
        words::identifiers(&gotcha.title, |word| {
            if is_code(word) {
                identifiers.push((word.into(), words::fold_identifier(word)));
            }
        });
        Self {
            id: format!("{PROJECT_PREFIX}{}", gotcha.id).into(),
            title: gotcha.title.clone(),
            description: gotcha.description.clone(),
            workaround: gotcha.workaround.clone().unwrap_or_default(),
            severity: gotcha.severity,
            terms,
            identifiers,
            meaning: Embedding::built_in().of_text(&gotcha.title, |_| 1.0),
        }
    }

    /// Confidence that it applies, and why.
    pub(super) fn evidence(
        &self,
        intent: &Text,
        meaning: &Vector,
        code: &FxHashSet<String>,
    ) -> Option<(f32, Vec<String>)> {
        let said: FxHashSet<&str> = intent.terms().collect();
        let shared: Vec<&str> = self.terms.iter().map(String::as_str).filter(|term| said.contains(term)).collect();
        let (common, rare): (Vec<&str>, Vec<&str>) = shared.iter().partition(|term| is_common(term));
        let (mut unsure, mut reasons) = (1.0, Vec::new());
        if !rare.is_empty() || common.len() >= COMMON_FOR_RARE {
            let weight = rare.len() + common.len() / COMMON_FOR_RARE;
            unsure *= 1.0 - (FIRST_WORD + EACH_WORD * weight as f32).min(MOST_WORDS);
            reasons.push(format!("intent: {}", self.show_terms(&shared)));
        } else if self.meaning.cosine(meaning) >= MEANING_FROM {
            unsure *= 1.0 - MEANING;
            reasons.push("similar meaning".to_owned());
        }
        if let Some((name, _)) = self.identifiers.iter().find(|(_, folded)| code.contains(folded)) {
            unsure *= 1.0 - IDENTIFIER;
            reasons.push(format!("code: {name}"));
        }
        (!reasons.is_empty()).then_some((1.0 - unsure, reasons))
    }

    /// Words as the title writes them.
    fn show_terms(&self, terms: &[&str]) -> String {
        let mut shown: Vec<&str> = Vec::new();
        words::identifiers(&self.title, |word| {
            let text = Text::of(word);
            if text.terms().any(|term| terms.contains(&term)) && !shown.contains(&word) {
                shown.push(word);
            }
        });
        shown.join(", ")
    }
}

/// A word that only code writes: with an underscore, or capitals inside.
fn is_code(word: &str) -> bool {
    let has_inner_capital = word.chars().skip(1).any(char::is_uppercase) && word.chars().any(char::is_lowercase);
    word.len() >= MIN_IDENTIFIER && (word.trim_matches('_').contains('_') || has_inner_capital)
}

/// Returns whether most intents and gotchas contain this word, so that it is no evidence alone.
fn is_common(term: &str) -> bool {
    static TERMS: LazyLock<FxHashSet<String>> =
        LazyLock::new(|| COMMON.split_whitespace().flat_map(|word| Text::of(word).into_terms()).collect());
    TERMS.contains(term) || term.bytes().all(|byte| byte.is_ascii_digit())
}

const COMMON: &str = "
    access action add after allow always api app argument avoid back before block break bug build button call cannot case
    change check class clean client command component config configure connect copy create data database date debug default
    delete deploy display document edit enable end error event fail fast feature fetch field file fix follow form format
    function generate get global handle handler help implement import improve input install issue item keep key library limit
    line list load local log make message method migrate mode model module move must name need never new number object old
    only open option order output package page parameter parse path problem project query read refactor remove rename render
    replace request reset response result return route row run save script send server service set setup slow sort start
    state step stop store string support system table task test text time tool type update upgrade url user validate value
    version view wait want work write";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_common_in_all_forms() {
        for word in ["configure", "database", "queries", "users", "tests", "handling", "creating", "files"] {
            assert!(Text::of(word).terms().all(is_common), "{word}");
        }
        assert!(!is_common("safari") && !is_common("billing"));
    }
}
