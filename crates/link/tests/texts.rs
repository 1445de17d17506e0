//! Words that may name a definition although no reference explains them: found in code, strings, settings, templates
//! and scripts, and not found in comments, documents, keys and names of locals.

mod common;

use m1nd_base::{Cancel, Limits, NoProgress, RepoPath};
use m1nd_link::Linker;

/// Path and text of a file, and the words of it that may name a definition: `name:line`.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// Functions that the cases may name, in each language.
const NAMED: &[(&str, &str)] = &[
    (
        "pkg/named.py",
        "def handle_it(): ...\ndef main_entry(): ...\ndef setup(): ...\nclass Widget:\n    def render(self): ...\n",
    ),
    (
        "src/named.js",
        "export function clickMe() {}\nexport function setup() {}\nfunction f() { this.inner = function inner() {}; }\n",
    ),
    ("src/Named.java", "class Named { void startUp() {} }\n"),
    ("src/named.rb", "class Named\n  def authenticate\n  end\nend\n"),
    ("src/named.sh", "clean_up() { :; }\n"),
    ("src/named.cpp", "void setup() {}\nvoid clickMe() {}\n"),
    ("src/named.go", "package named\n\nfunc DoIt() {}\n"),
    ("src/named.rs", "pub fn default_port() -> u16 { 1 }\n"),
];

const CODE: &[Case] = &[
    ("a.py", "# handle_it\nx = ['handle_it', 'a text with handle_it in it']\n", &["handle_it:2"]),
    ("b.py", "def f(handle_it, *, setup=1):\n    return g(handle_it, main_entry=setup)\n", &[]),
    (
        "c.py",
        "\"\"\"Calls handle_it().\"\"\"\nrun('pkg.named.main_entry')\nrun('pkg.named:handle_it')\n",
        &["main_entry:2", "handle_it:3"],
    ),
    (
        "d.py",
        "sql = 'select setup from named where x'\nuse = 'call setup() or Widget.render'\n",
        &["setup:2", "render:2"],
    ),
    ("e.py", "url = 'https://example.com/setup/main_entry'\npath = 'a/setup/main_entry.py'\n", &[]),
    ("f.py", "path = 'src/named.main_entry'\n", &["main_entry:1"]),
    ("a.js", "const rows = { setup: 1, run: 'clickMe' };\n// setup()\n", &["clickMe:1"]),
    ("b.js", "document.body.innerHTML = `<b onclick=\"clickMe()\">setup</b>`;\n", &["clickMe:1"]),
    ("a.rb", "class A\n  before_action :authenticate\n  # :authenticate\nend\n", &["authenticate:2"]),
    ("a.sh", "trap clean_up EXIT\nwatch clean_up\necho $clean_up --clean_up\n", &["clean_up:2"]),
    (
        "a.rs",
        "#[derive(Deserialize)]\nstruct A {\n    #[serde(default = \"default_port\")]\n    port: u16,\n}\n",
        &["default_port:3"],
    ),
    ("A.java", "class A { void f(C c) throws Exception { c.getMethod(\"startUp\"); } }\n", &["startUp:1"]),
    ("b.go", "package a\n\nimport \"setup\"\n\nvar x = map[string]int{\"DoIt\": 1}[\"DoIt\"]\n", &[]),
    ("g.py", "x = {'setup': 1}['setup'] if y == 'setup' else z\nglobals()['setup']()\n", &["setup:2"]),
    ("h.py", "from pkg.named import setup as setup, (\n    handle_it as again)\n", &[]),
    (
        "b.rs",
        "#[cfg(default_port)]\nfn f(x: &str) { match x { \"default_port\" => {} _ => {} } g(\"default_port\") }\n",
        &[],
    ),
    ("c.js", "describe('setup', () => {});\nit(`clickMe`, () => {});\nrun('clickMe');\n", &["clickMe:3"]),
    (
        "a.vue",
        "<script setup lang=\"ts\">\nconst a = 'x';\n</script>\n<template>\n  <b setup class=\"setup\" @click=\"clickMe(a)\">setup</b>\n</template>\n",
        &[],
    ),
    (
        "a.svelte",
        "<script>\nlet a = 1;\n</script>\n<p class=\"setup\">setup {clickMe(a)}</p>\n<b on:click={() => { setup() }} use:clickMe />\n",
        &[],
    ),
    ("d.js", "emit('setup'); $t('setup.clickMe'); call('setup');\n", &["setup:1"]),
    ("d.ts", "type T = 'setup' | 'clickMe';\n", &[]),
    ("b.cpp", "TEST(A, setup) { }\nTEST_F(B, clickMe) { }\n", &[]),
    ("a.cpp", "#error setup is not clickMe\n", &[]),
    ("a.go", "package a\n\nfunc f(v Value) { v.MethodByName(\"DoIt\") }\n", &["DoIt:3"]),
];

/// Patterns of names that code makes when it runs.
const DYNAMIC: &[Case] = &[
    ("a.py", "class A:\n    def f(self, m):\n        return getattr(self, \"handle_\" + m)()\n", &["*handle_*:3"]),
    ("b.py", "def f(o, m):\n    name = f\"handle_{m}_x\"\n    return getattr(o, name)()\n", &["*handle_*_x:2"]),
    ("c.py", "class A:\n    def f(self, m):\n        return getattr(self, m)()\n", &["*.*:3"]),
    ("d.py", "def f(m):\n    globals()[\"on_%s\" % m]()\n", &["*on_*:2"]),
    ("e.py", "def f(m):\n    return \"handle_\" + m\n", &[]),
    ("f.py", "class A:\n    def f(self): return getattr(self, 'setup')\n", &["setup:2"]),
    (
        "g.py",
        "from pkg import named\ndef f(m):\n    return getattr(named, m)()\n",
        &["handle_it:3", "main_entry:3", "setup:3"],
    ),
    ("a.js", "class A { go(m) { this['on_' + m](); this[m](); this[0]; this.x[m] = 1; } }\n", &["*on_*:1", "*.*:1"]),
    (
        "b.js",
        "const z = { run() {}, stop() {} };\nexport function f(m) { z[m](); return z[0]; }\n",
        &["run:2", "stop:2"],
    ),
    ("c.js", "function f(z, m) { return z[m](); }\nconst k = `set${x}`;\n", &["*set*:2"]),
    (
        "A.java",
        "class A { Object f(String n) { return Class.forName(\"x.\" + n).getMethod(\"start\" + n); } }\n",
        &["*start*:1"],
    ),
    ("a.go", "package a\n\nfunc f(v V, n string) { v.MethodByName(\"Do\" + n) }\n", &["*Do*:3"]),
    ("a.c", "void f(void *h, char *n) { dlsym(h, n); }\n", &[]),
    ("a.rb", "class A\n  def f(m)\n    send(\"auth_#{m}\")\n    send(m)\n  end\nend\n", &["*auth_*:3", "*.*:4"]),
    (
        "a.php",
        "<?php class A { function f($m) { $this->$m(); $n = 'on' . $m; call_user_func([$this, $n]); } }\n",
        &["*.*:1", "*on*:1"],
    ),
    ("a.sh", "f() { handle_$1 x; }\n", &["*handle_*:1"]),
    ("a.cs", "class A { void F(string n) { typeof(A).GetMethod($\"Do{n}\"); } }\n", &["*Do*:1"]),
    ("a.lua", "function f(m) return _G[\"on_\" .. m]() end\n", &["*on_*:1"]),
];

const FILES: &[Case] = &[
    ("pyproject.toml", "# main_entry\n[project.scripts]\nsetup = \"pkg.named:main_entry\"\n", &["main_entry:3"]),
    ("serverless.yml", "functions:\n  setup:\n    handler: src/named.main_entry # handle_it\n", &["main_entry:3"]),
    ("a.yaml", "hooks:\n  - handle_it\n  - name: setup\n    call: setup\n", &["handle_it:2", "setup:4"]),
    ("Dockerfile", "FROM x\nCMD [\"uvicorn\", \"pkg.named:main_entry\"]\n", &["main_entry:2"]),
    (
        "beans.xml",
        "<beans>\n<!-- startUp -->\n<bean id=\"a\" class=\"x.Named\" init-method=\"startUp\"/>\n</beans>\n",
        &["Named:3", "startUp:3"],
    ),
    ("a.json", "{\"setup\": {\"run\": \"handle_it\", \"text\": \"says handle_it setup\"}}\n", &["handle_it:1"]),
    (
        "index.html",
        "<p class=\"setup\">setup</p>\n<a onclick=\"clickMe()\">x</a>\n<script>\n// setup\nclickMe();\n</script>\n",
        &["clickMe:2"],
    ),
    ("a.j2", "{# handle_it #}\n<p>main_entry {{ x | handle_it }}</p>\n{% if setup() %}\n", &["handle_it:2", "setup:3"]),
    ("a.erb", "<%# setup %>\n<%= authenticate(x) %> setup\n", &["authenticate:2"]),
    ("a.blade.php", "<p>setup {{ clickMe($setup) }}</p>\n", &["clickMe:1"]),
    ("a.cshtml", "<p>@startUp(1) setup</p>\n", &["startUp:1"]),
    ("Makefile", "run:\n\tpython -c 'handle_it()' # setup\n", &["handle_it:2"]),
    ("a.dart", "// setup\nvoid f() { startUp(); }\n", &["startUp:2"]),
    (
        "b.html",
        "<script>\nfetch('{{ url_for(\"setup\") }}', handle_it);\n</script>\n{% block setup %}{% setup %}\n",
        &["setup:2"],
    ),
    (
        "b.json",
        "{\"a\": \"\\nsetup is called by x.main_entry()\", \"pkg.handle_it\": 1}\n",
        &["main_entry:1", "handle_it:1"],
    ),
    ("b.toml", "[setup]\n[tool.setup]\nmain_entry = 1\n", &[]),
    ("a.properties", "typeMismatch.setup=no main_entry\n", &[]),
    (
        "view.xaml",
        "<Page x:Class=\"a.Named\">\n<Button Click=\"startUp\">setup it</Button>\n</Page>\n",
        &["Named:1", "startUp:2"],
    ),
    ("README.md", "Call `setup()` or handle_it.\n", &[]),
    ("LICENSE", "setup handle_it\n", &[]),
    ("a.css", ".setup { }\n", &[]),
    ("notes.txt", "setup and handle_it, or main_entry()\nsetup\n  pkg.named.handle_it\n", &["handle_it:3"]),
    ("notes.x", "setup and handle_it, or main_entry()\n", &["main_entry:1"]),
    ("b.template.html", "<form ng-submit=\"$ctrl.inner()\">\n", &["inner:1"]),
];

fn words_of(files: &[(&str, &str)], path: &str) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        common::put(&mut linker, path, text);
    }
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let rows = linker.texts(&RepoPath::new(path).expect("a valid path"));
    rows.iter().map(|row| format!("{}:{}", row.name, row.pos.line)).collect()
}

fn check(cases: &[Case]) {
    let mut wrong = Vec::new();
    for (path, text, expected) in cases {
        let mut files = NAMED.to_vec();
        files.push((path, text));
        let found = words_of(&files, path);
        if found != *expected {
            wrong.push(format!("{path}: wanted {expected:?}, got {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn words_of_code_that_no_fact_explains() {
    check(CODE);
}

#[test]
fn names_that_code_makes() {
    check(DYNAMIC);
}

#[test]
fn words_of_files_without_a_grammar() {
    check(FILES);
}

#[test]
fn a_word_counts_once_and_once_more_in_another_definition() {
    let text = "def f():\n    return ['setup', 'setup']\ndef g():\n    return 'setup'\ndef h():\n    return 'setup'\n";
    let files = [("a.py", text), ("b.py", "def setup(): ...\n")];
    assert_eq!(words_of(&files, "a.py"), ["setup:2", "setup:4"]);
}

#[test]
fn a_definition_that_comes_later_is_found() {
    let mut linker = Linker::new(Limits::default());
    common::put(&mut linker, "a.yaml", "run: handle_it\n");
    common::put(&mut linker, "b.py", "def other(): ...\n");
    linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    common::put(&mut linker, "b.py", "def handle_it(): ...\n");
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let linked: Vec<(&str, usize)> =
        delta.changed.iter().map(|links| (links.path.as_str(), links.unresolved.len())).collect();
    assert_eq!(linked, [("a.yaml", 1), ("b.py", 0)]);
}
