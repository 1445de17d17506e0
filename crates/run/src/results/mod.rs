//! Results in the output of a command, by its format.

mod cargo;
mod go;
mod junit;
mod lines;

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Most failures that are kept of a run.
const MAX_FAILURES: usize = 500;
/// Bytes kept of a name or a message.
const MAX_TEXT: usize = 300;

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A test that failed.
    Test,
    /// An error of a compiler or checker.
    Error,
}

/// One failure that a command reported.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Failure {
    /// Whether a test failed or something does not compile.
    pub kind: FailureKind,
    /// Name of the test, or the message of the compiler.
    pub name: String,
    /// The file as the command named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line, from 1; 0 if it is not known. Not part of what makes two failures the same.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub line: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the form that serde asks for")]
fn is_zero(line: &u32) -> bool {
    *line == 0
}

impl Failure {
    fn test(name: &str) -> Self {
        Self { kind: FailureKind::Test, name: cut(name), file: None, line: 0 }
    }

    fn error(message: &str, file: Option<&str>, line: u32) -> Self {
        Self { kind: FailureKind::Error, name: cut(message), file: file.map(cut), line }
    }

    /// What two runs have in common if they fail alike: a line moves with every edit above it.
    pub(crate) fn key(&self) -> (FailureKind, &str, Option<&str>) {
        (self.kind, &self.name, self.file.as_deref())
    }
}

/// A text cut to what is kept.
fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT)].to_owned()
}

/// What a run reported.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Results {
    pub(crate) passed: u64,
    /// Whether the number of tests can be read at all.
    pub(crate) counts_tests: bool,
    pub(crate) failures: BTreeSet<Failure>,
    /// More failures than are kept, or a part of the output is lost.
    pub(crate) is_cut: bool,
}

impl Results {
    fn add(&mut self, failure: Failure) {
        if self.failures.len() < MAX_FAILURES {
            self.failures.insert(failure);
        } else {
            self.is_cut = true;
        }
    }

    pub(crate) fn failed_tests(&self) -> usize {
        self.failures.iter().filter(|failure| failure.kind == FailureKind::Test).count()
    }
}

/// Reads the results of a run: every line in the format that it has, and the report file of JUnit's form.
pub(crate) fn read(argv: &[String], out: &str, err: &str, report: Option<&[u8]>) -> Results {
    let mut results = Results::default();
    let mut program = Program::of(argv);
    for line in out.lines().chain(err.lines()) {
        program.line(line, &mut results);
    }
    if let Some(report) = report {
        junit::read(report, &mut results);
    }
    results
}

/// The program behind a command, which decides how its lines are read.
enum Program {
    Cargo(cargo::Reader),
    Go(go::Reader),
    Python,
    Other,
}

impl Program {
    fn of(argv: &[String]) -> Self {
        let is = |name: &str| {
            argv.iter().take(4).any(|word| word.rsplit(['/', '\\']).next().is_some_and(|last| last == name))
        };
        if is("cargo") {
            Self::Cargo(cargo::Reader::default())
        } else if is("go") {
            Self::Go(go::Reader::default())
        } else if is("pytest") || is("py.test") {
            Self::Python
        } else {
            Self::Other
        }
    }

    fn line(&mut self, line: &str, results: &mut Results) {
        match self {
            Self::Cargo(reader) => reader.line(line, results),
            Self::Go(reader) => reader.line(line, results),
            Self::Python => lines::pytest(line, results),
            Self::Other => lines::diagnostic(line, results),
        }
    }
}
