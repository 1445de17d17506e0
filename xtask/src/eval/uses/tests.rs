//! Signs of uses in small checkouts.

use std::collections::HashSet;

use super::judge::Checkout;
use super::product::Definition;
use super::text::{File, find_words};

fn function(file: &str, name: &str, line: u32, end: u32) -> Definition {
    Definition {
        id: format!("file::{file}::fn::{name}"),
        name: name.to_owned(),
        kind: "function".to_owned(),
        file: file.to_owned(),
        line,
        start: line,
        end,
        is_constructor: false,
        is_member: false,
    }
}

/// The signs of a function `send_it` at the first line of the first file, as `path:line word`.
fn signs(files: &[(&str, &str)]) -> String {
    let files: Vec<File> = files.iter().map(|(path, text)| File::new(path, (*text).to_owned())).collect();
    let definitions = [function(&files[0].path, "send_it", 1, 2), function(&files[0].path, "around", 3, 9)];
    let checkout = Checkout::new(&files, &definitions);
    let words = find_words(&files, &HashSet::from(["send_it"]));
    let occurrences = words.get("send_it").map_or(&[][..], Vec::as_slice);
    let found = checkout.signs(&definitions[0], occurrences, &HashSet::new());
    let row = |(sign, occurrence): &(super::Sign, super::Occurrence)| {
        let file = &files[occurrence.file];
        format!("{}:{} {}", file.path, file.line(occurrence.at), sign.word())
    };
    found.iter().map(row).collect::<Vec<_>>().join(", ")
}

#[test]
fn each_place_that_nothing_explains_is_a_sign() {
    let cases = [
        ("def send_it():\n    pass\nrun(send_it)\n", "a.py:3 value"),
        ("def send_it():\n    pass\nsend_it()\n", "a.py:3 call"),
        ("def send_it():\n    pass\nx.send_it()\n", "a.py:3 member_call"),
        ("def send_it():\n    pass\npatch('a.send_it')\n", "a.py:3 text"),
        ("def send_it():\n    pass\n@send_it\ndef g(): pass\n", "a.py:3 value"),
    ];
    for (text, expected) in cases {
        assert_eq!(signs(&[("a.py", text)]), expected, "{text}");
    }
}

#[test]
fn comments_prose_imports_keys_and_variables_are_explained() {
    let cases = [
        "def send_it():\n    pass\n# send_it()\n",
        "def send_it():\n    pass\nlog('please send_it now')\n",
        "def send_it():\n    pass\nf(send_it=1)\n",
        "def send_it():\n    pass\ndef around(send_it):\n    send_it()\n",
        "def send_it():\n    pass\ndef around():\n    send_it = 1\n    return send_it\n",
        "def send_it():\n    \"\"\"Like\n    send_it().\"\"\"\n",
    ];
    for text in cases {
        assert_eq!(signs(&[("a.py", text)]), "", "{text}");
    }
    let other =
        [("b.py", "from a import (\n    send_it,\n)\n"), ("README.md", "Call `send_it()`.\n"), ("b.go", "send_it()\n")];
    for file in other {
        assert_eq!(signs(&[("a.py", "def send_it():\n    pass\n"), file]), "", "{file:?}");
    }
}

#[test]
fn other_files_name_code_in_expressions_values_and_paths() {
    let cases = [
        ("page.html", "<a href=\"x\">{{ send_it(1) }}</a>", "page.html:1 template"),
        ("app.toml", "run = \"pkg.a:send_it\"", "app.toml:1 text"),
        ("app.ini", "run = pkg.a:send_it\n", "app.ini:1 text"),
        ("app.json", "{\"call\": \"send_it\"}", "app.json:1 text"),
        ("app.json", "{\"send_it\": 1}", ""),
        ("A.vue", "<template><p class=\"send_it\" @click=\"go(1)\">send_it</p></template>", ""),
        ("page.html", "<p class=\"send_it\">send_it</p>", ""),
    ];
    for (path, text, expected) in cases {
        assert_eq!(signs(&[("a.py", "def send_it():\n    pass\n"), (path, text)]), expected, "{path}: {text}");
    }
}

#[test]
fn declarations_of_typed_languages_are_variables_and_taken_addresses_are_values() {
    let cases = [
        ("a.cc", "void send_it() {}\nvoid g() {}\nvoid around(const T& send_it) { h(send_it); }\n", ""),
        ("a.cc", "void send_it() {}\nvoid g() {}\nvoid around() { keep(&send_it); }\n", "a.cc:3 value"),
        ("a.go", "func send_it() {}\n\nfunc around(send_it ...string) { g(send_it) }\n", ""),
        ("a.js", "function send_it() {}\n\nfunction around() { return /send_it/ }\n", ""),
        ("a.ts", "function send_it() {}\n\nf({\n  send_it(a) {\n  },\n})\n", ""),
        ("a.ts", "function send_it() {}\n\nsend_it(a)\n", "a.ts:3 call"),
        ("a.c", "void send_it() {}\n\nvoid *send_it(int a);\n", ""),
        ("a.c", "void send_it() {}\n\nint g() {\n  return send_it(1);\n}\n", "a.c:4 call"),
        ("A.vue", "<script>\nfunction send_it() {}\n</script>\n<p :a=\"send_it(1)\" />", "A.vue:4 template"),
        ("A.vue", "<script>\nfunction send_it() {}\n</script>\n<p @send_it=\"x\" a=\"send_it\" />", ""),
        ("a.ts", "function send_it() {}\n\nfor (const [name, send_it] of all) {}\n", ""),
        ("a.ts", "function send_it() {}\n\nall((send_it) => 1)\n", ""),
        ("a.ts", "function send_it() {}\n\ntest('send_it', 1)\n", ""),
        ("A.vue", "<script>\nfunction send_it() {}\n</script>\n<p>{{ send_it(1) }}</p>", "A.vue:4 template"),
        ("a.rs", "fn send_it() {}\n\nfn around() { keep('\"', send_it) }\n", "a.rs:3 value"),
        ("a.rs", "fn send_it() {}\n\nfn around() { std::io::send_it(1) }\n", "a.rs:3 member_call"),
    ];
    for (path, text, expected) in cases {
        assert_eq!(signs(&[(path, text)]), expected, "{text}");
    }
}

#[test]
fn what_marks_a_definition_may_run_it() {
    let own = |path: &str, text: &str, line| {
        let files = [File::new(path, text.to_owned())];
        let definitions = [Definition { start: 1, ..function(path, "send_it", line, line + 1) }];
        Checkout::new(&files, &definitions).own_sign(&definitions[0]).map_or("", super::Sign::word)
    };
    assert_eq!(own("a.py", "@app.route('/')\ndef send_it():\n    pass\n", 2), "decorated");
    assert_eq!(own("a.py", "@staticmethod\ndef send_it():\n    pass\n", 2), "");
    assert_eq!(own("a.rs", "#[test]\nfn send_it() {}\n", 2), "test");
    assert_eq!(own("a.rs", "#[inline]\nfn send_it() {}\n", 2), "");
}
