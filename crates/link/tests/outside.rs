//! Edges to what is used of packages outside: beside that to the package there is one to the member, where the code
//! tells the way to it.

mod common;

use m1nd_base::{Cancel, EdgeTier, Limits, NoProgress, Relation};
use m1nd_link::Linker;

/// The edges of the first file to members of packages, with their tier where it is not `external`.
fn members(files: &[(&str, &str)]) -> Vec<String> {
    let mut linker = Linker::new(Limits::default());
    for (path, text) in files {
        common::put(&mut linker, path, text);
    }
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let first = delta.changed.iter().find(|links| links.path.as_str() == files[0].0).expect("the file is linked");
    let short = |id| linker.text(id).trim_start_matches(&format!("file::{}", files[0].0)).to_owned();
    let outside = first.edges.iter().filter(|edge| edge.relation != Relation::Contains);
    let rows = outside.filter_map(|edge| {
        let to = linker.text(edge.to).strip_prefix("external::")?;
        let tier = if edge.tier == EdgeTier::External { "" } else { edge.tier.word() };
        let row = format!("{} {} {to} {tier}", short(edge.from), edge.relation);
        to.contains("::").then(|| row.trim().to_owned())
    });
    let mut rows: Vec<String> = rows.collect();
    rows.sort();
    rows
}

#[test]
fn members_are_known_by_the_way_the_code_goes() {
    let rows: &[(&str, &str, &[&str])] = &[
        (
            "a.py",
            "import requests\nimport os.path\ndef f():\n    requests.get('/').json()\n    os.path.join('a')\n",
            &[
                "::fn::f calls os::path::join",
                "::fn::f calls requests::get",
                "::fn::f calls requests::get()::json",
                "::fn::f references os::path",
            ],
        ),
        (
            "b.py",
            "from os.path import join as j\nfrom ext import Cls, parent\na = Cls()\na.fun()\nclass A(parent):\n    def m(self): self.up()\nA()\nj()\nk = j\nk()\n",
            &[
                "::class::A inherits ext::parent",
                "::class::A::fn::m calls ext::parent::up",
                "calls ext::Cls",
                "calls ext::Cls()::fun",
                "calls ext::parent::__init__",
                "calls os::path::join",
                "imports ext::Cls",
                "imports ext::parent",
                "imports os::path::join",
                "references os::path::join",
            ],
        ),
        // Which of the bases has it is not known, nor what a second call yields; builtins need no package.
        (
            "c.py",
            "import p, q\nclass A(p.X, q.Y):\n    def m(self):\n        self.up()\np.f()().g()\nlen([1]).bit_length()\n",
            &["::class::A inherits p::X", "::class::A inherits q::Y", "calls p::f"],
        ),
        (
            "d.ts",
            "import axios from 'axios';\nimport { readFile } from 'node:fs/promises';\nimport * as React from 'react';\nfunction f() { axios.get('/').then(); readFile('x'); React.useState(); }\n",
            &[
                "::fn::f calls axios::get",
                "::fn::f calls node::fs::promises::readFile",
                "::fn::f calls react::useState",
                "imports node::fs::promises::readFile",
            ],
        ),
        (
            "e.go",
            "package e\n\nimport \"net/http\"\n\nfunc f() { http.Get(\"/\") }\n",
            &["::fn::f calls net/http::Get"],
        ),
        (
            "F.java",
            "import java.nio.file.Files;\nclass F { void m() { Files.size(null); } }\n",
            &[
                "::class::F::fn::m calls java.nio.file::Files::size",
                "::class::F::fn::m references java.nio.file::Files",
                "imports java.nio.file::Files",
            ],
        ),
        // A type inside of another is reached through it, however it is imported.
        (
            "G.java",
            "import org.ext.Outer.Inner;\nclass G { void m() { Inner.make(); } }\n",
            &[
                "::class::G::fn::m calls org.ext::Outer::Inner::make",
                "::class::G::fn::m references org.ext::Outer::Inner",
                "imports org.ext::Outer::Inner",
            ],
        ),
        // The ending of a file's name is no name in it.
        (
            "h.ts",
            "import map from 'lodash/map.js';\nimport data from 'some.js/my.data.json';\nmap();\ndata();\n",
            &["calls lodash::map", "calls some.js::my.data", "imports lodash::map", "imports some.js::my.data"],
        ),
        // The callee that constructs these is generated, or chosen by a decorator.
        (
            "i.py",
            "import enum\nimport ext\nfrom dataclasses import dataclass\nfrom typing import NamedTuple\n@dataclass\nclass A(ext.Base): ...\nclass B(A): ...\nclass C(enum.Enum): ...\nclass D(NamedTuple): ...\nclass E(ext.Base): ...\nA()\nB()\nC(1)\nD()\nE()\n",
            &[
                "::class::A decorates dataclasses::dataclass",
                "::class::A inherits ext::Base",
                "::class::C inherits enum::Enum",
                "::class::D inherits typing::NamedTuple",
                "::class::E inherits ext::Base",
                "calls ext::Base::__init__",
                "imports dataclasses::dataclass",
                "imports typing::NamedTuple",
            ],
        ),
    ];
    for (path, text, expected) in rows {
        let mut expected: Vec<String> = expected.iter().map(|row| (*row).to_owned()).collect();
        expected.sort();
        assert_eq!(members(&[(path, text)]), expected, "{path}");
    }
}

#[test]
fn a_way_that_is_too_long_ends_at_the_package() {
    let text = "import p\np.a.b.c.d()\np.a.b.c.d.e()\n";
    let all = members(&[("a.py", text)]);
    assert!(all.contains(&"calls p::a::b::c::d".to_owned()), "{all:?}");
    assert!(!all.iter().any(|row| row.contains("::e")), "{all:?}");
}

#[test]
fn what_other_files_reexport_of_a_package_is_its_own() {
    let files = [("a.py", "from b import get\nget()\n"), ("b.py", "from requests import get\n")];
    assert_eq!(members(&files), ["calls requests::get", "imports requests::get"]);
}
