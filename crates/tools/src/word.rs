//! Kinds as answers show them.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

/// A kind with a word of its own on the wire.
pub(crate) trait Kind: Copy {
    /// The word on the wire.
    fn word(self) -> &'static str;
}

/// A kind in an answer: typed in the code, its word on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Word<T>(pub(crate) T);

impl<T: Kind> Serialize for Word<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<T: Kind> JsonSchema for Word<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

/// An enum of the kinds that a member of an answer tells apart, with the word of each on the wire.
macro_rules! answer_kinds {
    ($(#[$doc:meta])* $visibility:vis $name:ident { $($kind:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        $visibility enum $name {
            $($kind,)*
        }

        impl $crate::word::Kind for $name {
            fn word(self) -> &'static str {
                match self {
                    $(Self::$kind => $word,)*
                }
            }
        }
    };
}
pub(crate) use answer_kinds;

answer_kinds! {
    /// Where an edge leads, seen from the node that an answer is about.
    pub(crate) EdgeSide { Out = "out", In = "in", Inside = "inside", }
}

answer_kinds! {
    /// How much of something there is, in answers that show no number for it.
    pub(crate) Level { Low = "low", Medium = "medium", High = "high", Critical = "critical", }
}

answer_kinds! {
    /// Source of an edge, where it is not our linker.
    pub(crate) Provenance { Scip = "scip", }
}

impl Provenance {
    /// The source of an edge; `None` if it is our linker.
    pub(crate) fn of(is_compiler: bool) -> Option<Word<Self>> {
        is_compiler.then_some(Word(Self::Scip))
    }
}

/// The trust in a file, by the tier of its risk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Band(pub(crate) m1nd_query::risk::Tier);

impl Kind for Band {
    fn word(self) -> &'static str {
        self.0.band()
    }
}

/// Makes kinds that have a method `word` usable in answers.
macro_rules! kinds {
    ($($kind:ty,)*) => {
        $(impl $crate::word::Kind for $kind {
            fn word(self) -> &'static str {
                <$kind>::word(self)
            }
        })*
    };
}

pub(crate) use kinds;

kinds! {
    m1nd_query::changes::Pattern,
    m1nd_query::retrieval::Feedback,
    m1nd_query::trails::Decided,
    m1nd_base::EdgeTier,
    m1nd_base::NodeKind,
    m1nd_base::Relation,
    m1nd_edit::Encoding,
    m1nd_engine::Adapter,
    m1nd_engine::Mode,
    m1nd_engine::ProcessRole,
    m1nd_engine::TargetState,
    m1nd_query::analysis::CrossKind,
    m1nd_query::analysis::fingerprint::Likeness,
    m1nd_query::analysis::trace::ExceptionRelation,
    m1nd_query::analysis::trace::MatchedBy,
    m1nd_query::analysis::trace::Origin,
    m1nd_query::analysis::trace::Risk,
    m1nd_query::changes::AnomalyKind,
    m1nd_query::changes::Asked,
    m1nd_query::changes::CouplingDirection,
    m1nd_query::changes::FileChange,
    m1nd_query::changes::Velocity,
    m1nd_query::changes::predict::Source,
    m1nd_query::changes::predict::Verdict,
    m1nd_query::closure::ClosureState,
    m1nd_query::covering::TestEvidence,
    m1nd_query::documents::DriftClass,
    m1nd_query::documents::MatchKind,
    m1nd_query::edits::BreakKind,
    m1nd_query::edits::Severity,
    m1nd_query::layers::Severity,
    m1nd_query::layers::Violation,
    m1nd_query::navigation::Family,
    m1nd_query::navigation::Mode,
    m1nd_query::patterns::FindingStatus,
    m1nd_query::references::Role,
    m1nd_query::repositories::Evidence,
    m1nd_query::retrieval::Dimension,
    m1nd_query::retrieval::FocusState,
    m1nd_query::risk::Direction,
    m1nd_query::risk::OutcomeKind,
    m1nd_query::risk::Part,
    m1nd_query::risk::Tier,
    m1nd_query::risk::TremorLevel,
    m1nd_query::trails::Held,
    m1nd_query::trails::Outcome,
    m1nd_query::what_if::hypothesize::ClaimKind,
    m1nd_query::what_if::hypothesize::EvidenceKind,
    m1nd_query::what_if::hypothesize::Verdict,
    m1nd_sessions::TrailStatus,
    m1nd_sessions::Watch,
}
