//! Lines in which test runners name a failed test, such as `FAILED tests/x.py::test_y - KeyError: 'a'`. They are read
//! only if the text has no stack of the same language: a stack says more.

use regex::{Captures, Regex};

use super::{finish_trace, frame, kind_and_message, name_exception};
use crate::clean::Lines;
use crate::limits;
use crate::model::{Format, Relation, Trace};
use crate::pattern::pattern;

pattern!(
    /// pytest: `FAILED tests/x.py::TestX::test_y[a-b] - KeyError: 'a'`.
    PYTEST,
    r"^(?:FAILED|ERROR) +(?P<path>[^\s:][^:]{0,500}\.pyx?)(?:::(?P<function>[\w.:]+))?(?:\[.{0,500}?\])?(?: - (?P<said>.+))?$"
);
pattern!(
    /// unittest: `FAIL: test_y (tests.x.TestX.test_y)`, in older versions `ERROR: test_y (tests.x.TestX)`.
    UNITTEST,
    r"^(?:FAIL|ERROR): (?P<function>test\w*) \((?P<module>[\w.]+)\)"
);
pattern!(
    /// `go test`: `--- FAIL: TestX/case (0.00s)`.
    GO,
    r"^\s*--- FAIL: (?P<function>[A-Z]\w*)(?:/\S*)? \([\d.]+s\)$"
);
pattern!(
    /// `cargo test`: `test pool::tests::full ... FAILED`; `cargo nextest`: `FAIL [ 0.004s] app pool::tests::full`.
    RUST,
    r"^(?:test (?P<function>[\w:]+)(?: - should panic)? \.\.\. FAILED|\s*FAIL \[ *[\d.]+s\] (?:\(\S+\) )?\S+ (?P<other>[\w:]+))$"
);
pattern!(
    /// Jest and Vitest: `FAIL src/pool.test.ts`, `FAIL  src/pool.test.ts > pool > gives a connection`.
    JAVASCRIPT,
    r"^\s*(?:FAIL|❯) +(?:\|\S+\| +)?(?P<path>[^\s>]+\.[cm]?[jt]sx?)(?: > (?P<said>.+))?(?: \([\d.]+ ?m?s\))?$"
);
pattern!(
    /// Maven's Surefire: `[ERROR]   PoolTest.acquire:12 expected: <1>`, `PoolTest.acquire:12->check:30 no room`.
    MAVEN,
    r"^(?:\[ERROR\])?\s*(?P<class>Test\w*|[A-Z]\w*(?:Tests?|IT|TestCase))\.(?P<function>\w+):(?P<line>\d{1,9})(?:->\S+)?(?: (?P<said>.+))?$"
);
pattern!(
    /// Gradle: `PoolTest > acquire() FAILED`.
    GRADLE,
    r"^(?:[\w.]+\.)?(?P<class>[A-Z]\w*) > (?P<function>\w+)(?:\(\))? FAILED$"
);
pattern!(
    /// RSpec: `rspec ./spec/pool_spec.rb:12 # Pool gives a connection`.
    RUBY,
    r"^rspec (?P<path>\S+\.rb):(?P<line>\d{1,9})(?: # (?P<said>.+))?$"
);
pattern!(
    /// PHPUnit: `1) App\Tests\PoolTest::testAcquire`.
    PHP,
    r"^\d{1,6}\) (?:\w+\\)*(?P<class>\w+Test)::(?P<function>test\w*)"
);
pattern!(
    /// `dotnet test`: `  Failed App.Tests.PoolTests.Acquire [12 ms]`.
    CSHARP,
    r"^\s*Failed (?P<function>[A-Z]\w*(?:\.\w+)+)(?:\(.*\))? \[.{1,40}\]$"
);

/// Each pattern with the language that its runner is of.
const RUNNERS: &[(Format, &std::sync::LazyLock<Regex>)] = &[
    (Format::Python, &PYTEST),
    (Format::Python, &UNITTEST),
    (Format::Go, &GO),
    (Format::Rust, &RUST),
    (Format::JavaScript, &JAVASCRIPT),
    (Format::Java, &MAVEN),
    (Format::Java, &GRADLE),
    (Format::Ruby, &RUBY),
    (Format::Php, &PHP),
    (Format::CSharp, &CSHARP),
];

/// The failed tests that runners name, each once, of languages that none of the `known` traces has. The second value
/// says that a limit left some out.
pub(super) fn failed_tests(lines: &Lines<'_>, known: &[Trace]) -> (Vec<Trace>, bool) {
    let has_stack = |format: Format| known.iter().any(|trace| trace.format == format);
    let runners: Vec<_> = RUNNERS.iter().filter(|(format, _)| !has_stack(*format)).collect();
    let mut found: Vec<Trace> = Vec::new();
    for at in 0..lines.len() {
        let line = lines.get(at);
        let matched = runners.iter().find_map(|(format, pattern)| Some((*format, pattern.captures(line)?)));
        let Some((format, captures)) = matched else { continue };
        let trace = read_line(lines, at, format, &captures);
        // Runners name a test when it fails and again at the end.
        if found.iter().any(|other| is_same(other, &trace)) {
            continue;
        }
        if known.len() + found.len() >= limits::TRACES {
            return (found, true);
        }
        found.push(trace);
    }
    (found, false)
}

fn is_same(one: &Trace, other: &Trace) -> bool {
    let place = |trace: &Trace| {
        let frames = trace.exceptions.iter().flat_map(|exception| &exception.frames);
        frames.map(|frame| (frame.path.clone(), frame.function.clone(), frame.line)).next()
    };
    one.format == other.format && place(one) == place(other)
}

fn read_line(lines: &Lines<'_>, at: usize, format: Format, captures: &Captures<'_>) -> Trace {
    let text = |name: &str| captures.name(name).map(|part| part.as_str());
    let (kind, message) = text("said").map_or(("", ""), |said| {
        let (kind, message) = kind_and_message(said);
        // `assert 1 == 2` has no type.
        if kind.contains(' ') || message.is_empty() && !kind.ends_with("Error") { ("", said) } else { (kind, message) }
    });
    let mut exception = name_exception(Relation::Reported, kind, message);
    let class = text("class");
    let function = text("function").or(text("other")).map(|name| name.replace("::", "."));
    let function = match (class, function) {
        (Some(class), Some(name)) => Some(format!("{class}.{name}")),
        (_, name) => name,
    };
    // A class of Java is in the file of its name; a module of Python is a path.
    let own = match format {
        Format::Java => class.map(|class| format!("{class}.java")),
        Format::Php => class.map(|class| format!("{class}.php")),
        Format::Python => text("module").map(|module| module_path(module, function.as_deref().unwrap_or_default())),
        _ => None,
    };
    let path = text("path").or(own.as_deref());
    exception.frames.push(frame(at, path, function.as_deref(), text("line"), None));
    finish_trace(format, vec![exception], lines, (at, at + 1)).0
}

/// The file of a test that unittest names: `tests.x.TestX.test_y` and `tests.x.TestX` are in `tests/x.py`.
fn module_path(name: &str, function: &str) -> String {
    let parts = name.split('.').filter(|part| *part != function && !part.starts_with(char::is_uppercase));
    format!("{}.py", parts.collect::<Vec<_>>().join("/"))
}
