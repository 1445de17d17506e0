//! Any text gives an answer that satisfies the invariants.

use m1nd_trace::{Format, Relation, limits, parse};
use proptest::prelude::*;

/// Lines that formats look for, mixed randomly.
const LINES: &[&str] = &[
    "Traceback (most recent call last):",
    "  + Exception Group Traceback (most recent call last):",
    "  |   File \"a.py\", line 1, in f",
    "  File \"a.py\", line 99999999999999999999, in f",
    "  +-+---------------- 1 ----------------",
    "  | ValueError: x",
    "ValueError: x",
    "TypeError                                 Traceback (most recent call last)",
    "~/a.py in f(x)",
    "----> 1 f()",
    "The above exception was the direct cause of the following exception:",
    "During handling of the above exception, another exception occurred:",
    "____________________ test_total ____________________",
    "tests/test_a.py:5: in test_total",
    "E   assert 1",
    "thread 'main' panicked at src/a.rs:1:2:",
    "thread 'main' panicked at 'x",
    "y', src/a.rs:3:4",
    "stack backtrace:",
    "   0: a::b::{{closure}}",
    "             at ./src/a.rs:10:5",
    "Error: x",
    "Caused by:",
    "Caused by: a.B: c",
    "    at g (/app/b.js:2:3)",
    "    at async h (eval at i (a.js:1:2), <anonymous>:3:4)",
    "  [cause]: RangeError: too far",
    "f@http://x/a.js:1:2",
    "\tat a.B.c(B.java:5)",
    "\t... 3 more",
    "\tSuppressed: a.B: c",
    "   at A.B.C(D e) in /f.cs:line 3",
    " ---> A.BException: c",
    "   --- End of inner exception stack trace ---",
    "panic: x",
    "goroutine 1 [running]:",
    "main.main()",
    "\t/app/main.go:5 +0x20",
    "/app/a.go:5 (0x1)",
    "\tmain: f()",
    "x panic recovered:",
    "2026-01-02 03:04:05,678 ERROR a: ValueError: x",
    "2026-01-02 03:04:05,678 ERROR a:   File \"a.py\", line 1, in f",
    "web | at g (/app/b.js:2:3)",
    "> \tat a.B.c(B.java:5)",
    "{\"a\":\"E: x\\n  at g (/b.js:2:3)\\n\\ud800\"}",
    "#2  <signal handler called>",
    "#1 f() <null> (a.out+0x1)",
    "PHP Stack trace:",
    "PHP   1. f() /a.php:3",
    "● a",
    "Failure/Error: x",
    "# ./a.rb:3:in `f'",
    "Error:",
    " BACKTRACE ",
    "a.rb:3:in `foo': msg (Err)",
    "\tfrom b.rb:1:in `x'",
    "\t 1: from b.rb:1:in `x'",
    "PHP Fatal error:  Uncaught A: b in /c.php:1",
    "#0 /c.php(1): d()",
    "Next A: b in /c.php:1",
    "#0  0x0 in f () at a.c:1",
    "    #1 0x4a in f /a.c:1:2",
    "==1==    at 0x1: f (a.c:2)",
    "freed by thread T0 here:",
    "a.c:1:2: runtime error: x",
    "```",
    "",
    "words",
    "é\u{0301}💥\u{0}",
];

fn check(text: &str) -> Result<(), TestCaseError> {
    for hint in std::iter::once(None).chain(Format::ALL.map(Some)) {
        let parsed = parse(text, hint);
        let mut last = 0;
        for trace in &parsed.traces {
            let (start, end) = trace.text_lines;
            prop_assert!(start > last && end >= start, "blocks do not overlap");
            last = end;
            prop_assert!(!trace.exceptions.is_empty() && trace.exceptions.len() <= limits::EXCEPTIONS);
            prop_assert!(trace.exceptions.iter().any(|exception| !exception.frames.is_empty()));
            let reported = trace.exceptions.iter().filter(|exception| exception.relation == Relation::Reported);
            prop_assert!(reported.count() <= 1);
            for exception in &trace.exceptions {
                prop_assert!(exception.frames.len() <= limits::FRAMES);
                for frame in &exception.frames {
                    prop_assert!(frame.text_line >= 1 && frame.line != Some(0));
                    prop_assert!(frame.path.is_some() || frame.function.is_some() || frame.line.is_none());
                    let _ = frame.function_name();
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn any_mixture_of_lines(rows in proptest::collection::vec(0..LINES.len(), 0..40)) {
        let text: Vec<&str> = rows.iter().map(|&row| LINES[row]).collect();
        check(&text.join("\n"))?;
    }

    #[test]
    fn any_piece_of_a_line(row in 0..LINES.len(), start in 0usize..60, end in 0usize..60) {
        let chars: Vec<char> = LINES[row].chars().collect();
        let (start, end) = (start.min(chars.len()), end.min(chars.len()));
        if start <= end {
            check(&chars[start..end].iter().collect::<String>())?;
        }
    }

    #[test]
    fn any_text(text in "\\PC{0,200}") {
        check(&text)?;
    }
}

#[test]
fn each_line_many_times() {
    for line in LINES {
        let text = format!("{line}\n").repeat(3_000);
        assert!(parse(&text, None).traces.len() <= limits::TRACES);
    }
}
