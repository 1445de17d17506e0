//! `MEMORY:` comments in code.
//!
//! Comments of languages with a grammar are found in the syntax tree; [`comments_by_form`] finds those of all other
//! files lexically. [`comment_records`] parses both.

use jiff::civil::Date;

use crate::parser::cues::Strength;
use crate::parser::draft::{Draft, cut, drafts};
use crate::parser::markdown::Line;
use crate::parser::sentence::{sentences, words};
use crate::parser::timeline::{Origin, assemble};
use crate::{Record, SourceKind};

/// Required start of a comment that is a memory.
pub const COMMENT_MARK: &str = "MEMORY:";
/// Characters of one comment that are read.
pub const MAX_COMMENT_CHARS: usize = 4_000;
/// Comments of one file that are read.
const MAX_COMMENTS: usize = 200;
/// Maximum lines of a block comment searched for its end.
const MAX_BLOCK_LINES: usize = 60;

/// A comment with the mark in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// 1-based line of its first character.
    pub line: u32,
    /// As written, including its delimiters.
    pub text: Box<str>,
}

/// The memories of a comment. A text without a cue is a learning. `path` is relative to the project, `date` the day
/// the line was written, where that is known.
#[must_use]
pub fn comment_records(comment: &Comment, path: &str, project: &str, date: Option<Date>) -> Vec<Record> {
    let mut found = Vec::new();
    for (line, body) in bodies(comment) {
        found.extend(drafts_of(line, &body));
    }
    found.iter_mut().for_each(|draft| draft.date = date);
    assemble(found, &Origin { project, kind: SourceKind::Comment, file: path }).0
}

fn drafts_of(number: u32, body: &str) -> Vec<Draft> {
    let line = Line::plain(number, &format!("{COMMENT_MARK} {body}"));
    let words = words(&line.mask);
    let sentences = sentences(&line, &words);
    let mut found: Vec<Draft> = drafts(&sentences, Strength::All).into_iter().map(|(_, draft)| draft).collect();
    match found.as_mut_slice() {
        [only] => body.clone_into(&mut only.content),
        several => several.iter_mut().for_each(|draft| {
            // The mark is none of its words.
            if let Some(own) = draft.content.strip_prefix(COMMENT_MARK) {
                draft.content = own.trim_start().to_owned();
            }
        }),
    }
    found
}

/// Text after each marker at the start of a comment line, up to a blank line or the next marker.
fn bodies(comment: &Comment) -> Vec<(u32, String)> {
    let text = cut(&comment.text, MAX_COMMENT_CHARS);
    let mut found: Vec<(u32, String)> = Vec::new();
    let mut open = false;
    for (number, line) in (comment.line..).zip(text.lines()) {
        let line = without_marks(line);
        if let Some(body) = line.strip_prefix(COMMENT_MARK) {
            found.push((number, body.trim().to_owned()));
            open = true;
        } else if line.is_empty() {
            open = false;
        } else if open && let Some((_, body)) = found.last_mut() {
            body.push(' ');
            body.push_str(line);
        }
    }
    found.retain(|(_, body)| !body.is_empty());
    found
}

/// A comment line without delimiters and decoration.
fn without_marks(line: &str) -> &str {
    let line = line.trim();
    let line = ["-->", "*/", "-}", "*)", "]]", "\"\"\"", "'''"]
        .iter()
        .find_map(|mark| line.strip_suffix(mark))
        .unwrap_or(line);
    let line = line.trim_start_matches("<!--").trim_start_matches("--[[");
    let line = line
        .trim_start_matches(['/', '*', '#', '-', ';', '%', '!', '"', '\'', '(', '{', ' ', '\t', '>', '<', '&', '|']);
    line.trim_end()
}

/// The comment forms of a group of file name endings.
struct Forms {
    endings: &'static [&'static str],
    /// Line comment markers.
    line: &'static [&'static str],
    /// Block comment delimiters.
    block: &'static [(&'static str, &'static str)],
}

const SLASHES: (&str, &str) = ("/*", "*/");
const ANGLES: (&str, &str) = ("<!--", "-->");

/// Forms of the languages that have no grammar here. Files of other endings have no comments.
const FORMS: &[Forms] = &[
    Forms {
        endings: &[
            "toml", "yaml", "yml", "sh", "bash", "zsh", "fish", "rb", "py", "pl", "r", "jl", "ex", "exs", "nix", "tf",
            "hcl", "mk", "cmake", "dockerfile", "makefile", "graphql", "gql", "conf", "cfg", "properties", "env",
            "ps1", "nim", "cr", "gitignore", "dockerignore", "editorconfig", "prisma", "just", "justfile", "gd",
            "coffee",
        ],
        line: &["#", "//"],
        block: &[],
    },
    Forms {
        endings: &[
            "ts", "tsx", "js", "jsx", "mjs", "cjs", "rs", "go", "c", "h", "cpp", "cc", "hpp", "java", "kt", "kts",
            "swift", "cs", "scala", "dart", "zig", "scss", "less", "php", "proto", "groovy", "gradle", "m", "mm",
            "sol", "v", "sv", "glsl", "wgsl", "jsonc", "json5", "d", "odin", "thrift", "fs", "fsx",
        ],
        line: &["//"],
        block: &[SLASHES],
    },
    Forms { endings: &["css"], line: &[], block: &[SLASHES] },
    Forms { endings: &["svelte", "vue", "astro"], line: &["//"], block: &[ANGLES, SLASHES] },
    Forms {
        endings: &["html", "htm", "xml", "xhtml", "svg", "md", "mdx", "markdown", "erb", "hbs"],
        line: &[],
        block: &[ANGLES],
    },
    Forms {
        endings: &["sql", "hs", "elm", "ada", "adb", "ads", "vhd", "vhdl"],
        line: &["--"],
        block: &[SLASHES, ("{-", "-}")],
    },
    Forms { endings: &["lua"], line: &["--"], block: &[("--[[", "]]")] },
    Forms {
        endings: &["lisp", "el", "clj", "cljs", "cljc", "edn", "scm", "rkt", "asm", "s", "ini"],
        line: &[";"],
        block: &[],
    },
    Forms { endings: &["tex", "sty", "bib", "erl", "hrl", "pro"], line: &["%"], block: &[] },
    Forms { endings: &["vim"], line: &["\""], block: &[] },
    Forms { endings: &["ml", "mli"], line: &[], block: &[("(*", "*)")] },
];

/// Endings of files that have comments and are no code.
const PROSE: &[&str] = &["md", "mdx", "markdown"];

/// Returns whether a file is code by its name: comments of its form are looked for, and it is no prose.
#[must_use]
pub fn is_code_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = name.rsplit('.').next().unwrap_or(&name);
    !PROSE.contains(&ending) && FORMS.iter().any(|forms| forms.endings.contains(&ending))
}

/// The comments with the mark in a file, by the forms of its ending, or of its whole name where it has none
/// (`Dockerfile`). In order; none for an ending that is not known.
#[must_use]
pub fn comments_by_form(path: &str, text: &str) -> Vec<Comment> {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let ending = name.rsplit('.').next().unwrap_or(&name);
    let Some(forms) = FORMS.iter().find(|forms| forms.endings.contains(&ending)) else { return Vec::new() };
    let mut found: Vec<Comment> = Vec::new();
    let mut counted = (0usize, 1u32);
    for at in memchr::memmem::find_iter(text.as_bytes(), COMMENT_MARK) {
        if found.len() >= MAX_COMMENTS {
            break;
        }
        let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
        counted.1 += memchr::memchr_iter(b'\n', &text.as_bytes()[counted.0..start]).count() as u32;
        counted.0 = start;
        if let Some(length) = comment_length(forms, &text[start..at], &text[at..]) {
            found.push(Comment {
                line: counted.1,
                text: cut(text[at..at + length].trim_end(), MAX_COMMENT_CHARS).into(),
            });
        }
    }
    found
}

/// Length of the comment from its marker on, if the text before on the line opens one.
fn comment_length(forms: &Forms, before: &str, rest: &str) -> Option<usize> {
    let opens = before.trim_end_matches([' ', '\t', '*', '!']);
    let line_end = rest.find('\n').unwrap_or(rest.len());
    let outside_of_strings = |mark: &str| {
        let code = &opens[..opens.len() - mark.len()];
        ['"', '\'', '`'].iter().all(|quote| code.matches(*quote).count() % 2 == 0)
    };
    for (open, close) in forms.block {
        // `/**` opens as `/*` does.
        let bare = open.trim_end_matches('*');
        let stars = bare.len() == open.len() || before[opens.len()..].starts_with('*');
        if stars && opens.ends_with(bare) && outside_of_strings(bare) {
            let limit = rest.match_indices('\n').nth(MAX_BLOCK_LINES).map_or(rest.len(), |(at, _)| at);
            return Some(rest[..limit].find(close).unwrap_or(line_end));
        }
    }
    let in_block = opens.trim().is_empty() && before.contains('*') && forms.block.contains(&SLASHES);
    let starts = forms.line.iter().any(|mark| {
        let opens = opens.trim_end_matches(|c| mark.starts_with(c));
        let with_mark = before[opens.len()..].trim_start().starts_with(mark);
        with_mark && ['"', '\'', '`'].iter().all(|quote| *mark == "\"" || opens.matches(*quote).count() % 2 == 0)
    });
    (starts || in_block).then_some(line_end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Status};

    type Case = (&'static str, &'static str, &'static [(u32, &'static str)]);

    #[test]
    fn comments_of_every_form() {
        let cases: &[Case] = &[
            ("a/x.sql", "select 1;\n-- MEMORY: decided views\n", &[(2, "MEMORY: decided views")]),
            ("x.yml", "a: 1 # MEMORY: keep at 1\n", &[(1, "MEMORY: keep at 1")]),
            ("Dockerfile", "# MEMORY: alpine breaks sharp\n", &[(1, "MEMORY: alpine breaks sharp")]),
            ("x.css", "/* MEMORY: decided rem */ a { b: c }", &[(1, "MEMORY: decided rem")]),
            ("x.css", "// MEMORY: no comment here", &[]),
            ("x.html", "<p>\n<!-- MEMORY: learned\n that -->", &[(2, "MEMORY: learned\n that")]),
            ("x.clj", ";; MEMORY: x is lazy", &[(1, "MEMORY: x is lazy")]),
            ("x.tex", "% MEMORY: x", &[(1, "MEMORY: x")]),
            ("x.vim", "\" MEMORY: x", &[(1, "MEMORY: x")]),
            ("x.ts", "let a = \"// MEMORY: x\";", &[]),
            ("x.ts", "let a = 1; // MEMORY: x", &[(1, "MEMORY: x")]),
            ("x.ts", "let a = 1; MEMORY: for (;;) {}", &[]),
            ("x.ts", "/**\n * MEMORY: x\n */", &[(2, "MEMORY: x")]),
            ("x.unknown", "# MEMORY: x", &[]),
        ];
        for (path, text, expected) in cases {
            let found = comments_by_form(path, text);
            let found: Vec<(u32, &str)> = found.iter().map(|comment| (comment.line, &*comment.text)).collect();
            assert_eq!(&found, expected, "{path}: {text}");
        }
    }

    #[test]
    fn memories_of_comments() {
        let cases: &[(&str, Kind, &str, u32, f32)] = &[
            ("// MEMORY: decided JWT over OAuth", Kind::Decision, "JWT over OAuth", 7, 0.7),
            ("/* MEMORY: - problem: Safari drops cookies */", Kind::Issue, "Safari drops cookies", 7, 0.7),
            ("# MEMORY: the order of these matters", Kind::Learning, "the order of these matters", 7, 0.5),
            ("<!-- MEMORY: learned that slots are lazy -->", Kind::Learning, "slots are lazy", 7, 0.7),
            ("/**\n * Adds.\n * MEMORY: blocked on the new API\n */", Kind::Issue, "the new API", 9, 0.7),
            ("/* MEMORY: decided on u32 because\n   ids are\n   small */", Kind::Decision, "u32", 7, 0.8),
        ];
        for (text, kind, title, line, confidence) in cases {
            let found = comment_records(&Comment { line: 7, text: (*text).into() }, "src/a.ts", "/p", None);
            let [record] = found.as_slice() else { panic!("{text}: {found:#?}") };
            assert_eq!((record.kind, &*record.title, record.source.line), (*kind, *title, *line), "{text}");
            assert!((record.confidence - confidence).abs() < 1e-6, "{text}: {}", record.confidence);
            assert_eq!(&*record.source.file, "src/a.ts");
            assert_eq!(
                record.status,
                (*kind == Kind::Issue).then_some(if *line == 9 { Status::Blocked } else { Status::Open })
            );
        }
        let text = "// MEMORY: decided JWT. Problem: Safari drops cookies";
        let found = comment_records(&Comment { line: 7, text: text.into() }, "src/a.ts", "/p", None);
        let contents: Vec<&str> = found.iter().map(|record| &*record.content).collect();
        assert_eq!(contents, ["decided JWT.", "Problem: Safari drops cookies"]);
        for text in ["// decided JWT", "// see MEMORY: below", "// MEMORY:", "// memory: 4 GB"] {
            assert_eq!(comment_records(&Comment { line: 1, text: text.into() }, "a.ts", "/p", None), [], "{text}");
        }
    }
}
