use m1nd_trace::{Format, limits, parse};

use super::show_parsed;

#[test]
fn each_block_has_its_own_format() {
    let text = "first\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\nValueError: x\nthen\nError: y\n    at g (/app/b.js:2:3)\nthen\nlib/c.rb:3:in `h': z (IOError)\nthread 'main' panicked at src/d.rs:4:5:\nw\n\njava.lang.Error: v\n\tat a.B.c(B.java:5)\n";
    let languages: Vec<_> = parse(text, None).traces.iter().map(|trace| trace.language()).collect();
    assert_eq!(languages, ["python", "javascript", "ruby", "rust", "java"]);
}

#[test]
fn prose_is_no_trace() {
    for text in [
        "",
        "\n\n",
        "Please look at src/pool.rs and at the tests.",
        "Mail me at ann@example.org:25 or see https://example.org/a:1",
        "Error: nothing more\nat last\n",
        "#1 do this (now)\n#2 do that (later)\n",
        "panic: at the disco",
        "goroutine",
        "TODO: fix it\nat 10:30:15 we met",
        "the thread panicked at noon",
        "12: from here to there",
    ] {
        assert_eq!(show_parsed(&parse(text, None)), "", "{text:?}");
    }
}

#[test]
fn names_of_functions() {
    let name = |function: &str| {
        let text = format!("  File \"a.py\", line 1, in {function}\n");
        parse(&text, None).traces[0].exceptions[0].frames[0].function_name().map(str::to_owned)
    };
    for (function, expected) in [
        ("acquire", Some("acquire")),
        ("Pool.acquire", Some("acquire")),
        ("pool::Pool<T>::acquire::{{closure}}", Some("acquire")),
        ("<pool::Pool as core::fmt::Debug>::fmt", Some("fmt")),
        ("github.com/a/b.(*Pool).Acquire", Some("Acquire")),
        ("Acme\\Pool->acquire", Some("acquire")),
        ("Conn#open?", Some("open?")),
        ("f.<locals>.inner", Some("inner")),
        ("<module>", None),
        ("Object.<anonymous>", Some("Object")),
        ("Vec<T>", Some("Vec")),
        ("Repository.get metadata [as metadata]", Some("metadata")),
    ] {
        assert_eq!(name(function).as_deref(), expected, "{function}");
    }
}

#[test]
fn limits_hold_and_are_said() {
    let deep: String = (0..5_000).map(|number| format!("  File \"a.py\", line {}, in f\n", number + 1)).collect();
    let parsed = parse(&format!("Traceback (most recent call last):\n{deep}RecursionError: x\n"), None);
    let exception = &parsed.traces[0].exceptions[0];
    assert_eq!((exception.frames.len(), exception.left_out), (limits::FRAMES, 5_000 - limits::FRAMES));
    assert_eq!(
        (exception.frames[0].line, exception.frames.last().and_then(|frame| frame.line)),
        (Some(5_000), Some(1))
    );
    let many: String = (0..limits::TRACES + 9).map(|_| "thread 'x' panicked at a.rs:1:2:\nm\n\n").collect();
    let parsed = parse(&many, None);
    assert_eq!((parsed.traces.len(), parsed.is_cut), (limits::TRACES, true));
    let long = format!("{}\nthread 'x' panicked at a.rs:1:2:\n", "x".repeat(limits::LINE_BYTES + 1));
    assert!(parse(&long, None).is_cut && parse(&long, None).traces.len() == 1);
    assert_eq!(Format::of_word("TypeScript"), Some(Format::JavaScript));
    assert_eq!(Format::of_word("cobol"), None);
}

#[test]
fn a_message_beyond_its_limits_says_so() {
    let lines = |count: usize| "\n more of it".repeat(count);
    let python = |more: &str| format!("  File \"a.py\", line 1, in f\nValueError: x{more}\n");
    let javascript = |more: &str| format!("Error: x{more}\n    at f (/app/a.js:1:2)\n");
    let rust = |more: &str| {
        format!("thread 'x' panicked at a.rs:1:2:\nx{more}\nstack backtrace:\n   0: a::f\n             at a.rs:1:2\n")
    };
    for (text, expected) in [
        (python(&lines(40)), false),
        (python(&lines(41)), true),
        (python(&"x".repeat(limits::MESSAGE)), true),
        (javascript(&lines(3)), false),
        (rust(&lines(39)), false),
        (rust(&lines(60)), true),
    ] {
        let parsed = parse(&text, None);
        let exceptions = &parsed.traces[0].exceptions;
        assert_eq!((exceptions[0].is_message_cut, exceptions[0].frames.len()), (expected, 1), "{text}");
        assert_eq!(parsed.traces.len(), 1, "{text}");
    }
}
