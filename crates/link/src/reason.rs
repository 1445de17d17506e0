//! Reasons why references have no target, each with its word and meaning.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Generates the enum and its table from the same rows: variant, word on the wire, meaning.
macro_rules! reasons {
    ($($variant:ident = $word:literal: $meaning:literal,)*) => {
        /// Reason why a reference has no target. Stored with the reference.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Reason {
            $(#[doc = $meaning] $variant,)*
        }

        impl Reason {
            /// Every reason.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The word on the wire.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }

            /// The meaning, as a sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

reasons! {
    NameNotFound = "name_not_found": "No scope, import or built-in knows the name.",
    AmongTokens = "among_tokens":
        "The name is among the tokens of a macro, which decides what it becomes, and no scope around knows it.",
    ModuleNotFound = "module_not_found": "The import names a module that is neither in the project nor a known package.",
    NoSuchMember = "no_such_member": "The module, class or value is known and has no such member.",
    UnknownReceiver = "unknown_receiver": "Nothing is known of the value that the member is taken of.",
    UnknownBase = "unknown_base":
        "A base class of the receiver is not known, and the member is in none of the known ones.",
    OutsideReceiver = "outside_receiver":
        "The value comes from outside of the project, but need not be of a type from there, or the project adds methods to it.",
    TooManyCandidates = "too_many_candidates": "More things have this name than are worth listing.",
    Budget = "budget": "The evaluation ended at its depth or step limit.",
    UnexplainedText = "unexplained_text":
        "The text has the name of a definition where no reference, comment or local name explains it.",
    DynamicName = "dynamic_name": "The name is computed when the code runs, and may be this one.",
    NotLinked = "not_linked": "The language is only outlined: names are not followed beyond the file.",
}

impl Reason {
    /// Returns whether it is said of a word in a text, not of a reference.
    pub const fn is_of_text(self) -> bool {
        matches!(self, Self::UnexplainedText | Self::DynamicName)
    }

    /// Parses a reason from the wire.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|reason| reason.word() == word)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lead_back_and_are_those_of_files() {
        for &reason in Reason::ALL {
            assert_eq!(Reason::parse(reason.word()), Some(reason));
            assert_eq!(serde_json::to_string(&reason).ok(), Some(format!("\"{}\"", reason.word())));
        }
    }
}
