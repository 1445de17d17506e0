//! Files whose bytes are not what people read: office documents, PDF files, texts in other encodings.

use serde_json::json;

use crate::harness::{Project, column};

const DOCX: &[u8] = include_bytes!("../../../documents/tests/golden/text.docx");
const PPTX: &[u8] = include_bytes!("../../../documents/tests/golden/slides.pptx");
const XLSX: &[u8] = include_bytes!("../../../documents/tests/golden/book.xlsx");
const PDF: &[u8] = include_bytes!("../../../documents/tests/golden/paper.pdf");

/// A PDF file without compression, so that its program is a text.
fn plain_pdf(text: &str) -> String {
    let page = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    format!(
        "%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n\
         2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n\
         3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n\
         4 0 obj\n<< /Length {} >>\nstream\n{page}\nendstream\nendobj\n\
         5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\n\
         trailer << /Root 1 0 R /Size 6 >>\n%%EOF\n",
        page.len()
    )
}

fn project(files: &[(&str, &[u8])]) -> Project {
    let project = Project::new("//- server.py\nclass Server:\n    def listen(self):\n        return 1\n");
    for (path, bytes) in files {
        project.tree.write(path, bytes);
    }
    project.ok("ingest", json!({"path": "."}));
    project
}

#[test]
fn the_text_of_packed_documents_is_found_shown_and_outlined() {
    let plain = plain_pdf("Rotate the wobbler gently");
    let files: &[(&str, &[u8])] =
        &[("a.docx", DOCX), ("b.pptx", PPTX), ("c.xlsx", XLSX), ("d.pdf", PDF), ("e.pdf", plain.as_bytes())];
    let project = project(files);
    // File, words of its text, one of its sections.
    let rows = [
        ("a.docx", "The server must listen on", "Intro"),
        ("d.pdf", "the keeping of lists", "On the keeping of lists"),
        ("e.pdf", "Rotate the wobbler gently", ""),
    ];
    for (file, words, section) in rows {
        let found = project.ok("search", json!({"query": words, "context_lines": 0}));
        assert_eq!(found["matches"][0]["file_path"], file, "{found}");
        let line = found["matches"][0]["line_number"].as_u64().expect("a line");
        let shown = project.ok("view", json!({"file_path": format!("{file}:{line}")}));
        assert!(shown["content"].as_str().is_some_and(|text| text.contains(words)), "{shown}");
        let sought = project.ok("seek", json!({"query": words}));
        assert!(sought["results"].to_string().contains(file), "{sought}");
        let outline = project.ok("outline", json!({"file_path": file}));
        assert!(column(&outline, "symbols", "label").contains(section), "{outline}");
    }
    for file in ["b.pptx", "c.xlsx"] {
        let shown = project.ok("view", json!({"file_path": file}));
        assert!(shown["total_lines"].as_u64().is_some_and(|lines| lines > 1), "{shown}");
    }
    let shown = project.ok("view", json!({"file_path": "e.pdf"})).to_string();
    assert!(!shown.contains("endobj") && !shown.contains("/F1"), "{shown}");
}

#[test]
fn a_document_that_changed_is_read_again_and_said_to_be_stale() {
    let project = project(&[("e.pdf", plain_pdf("Rotate the wobbler").as_bytes())]);
    project.tree.write("e.pdf", plain_pdf("Polish the sprocket"));
    let shown = project.ok("view", json!({"file_path": "e.pdf"}));
    assert_eq!(shown["stale"], json!(true), "{shown}");
    assert!(shown["content"].as_str().is_some_and(|text| text.contains("Polish the sprocket")), "{shown}");
    let found = project.ok("search", json!({"query": "sprocket"}));
    assert_eq!(found["total_matches"], json!(1), "{found}");
}

#[test]
fn a_document_without_a_text_is_named_with_the_reason() {
    let program = "%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nsecret words of the program\n";
    let project = project(&[("broken.docx", b"PK\x03\x04 no archive"), ("empty.pdf", program.as_bytes())]);
    for file in ["broken.docx", "empty.pdf"] {
        let error = project.err("view", json!({"file_path": file})).to_string();
        assert!(error.contains("not valid"), "{error}");
    }
    let found = project.ok("search", json!({"query": "secret words"}));
    assert_eq!(found["total_matches"], json!(0), "the program is not the text: {found}");
    assert_eq!(column(&found, "not_in_index", "file_path"), "broken.docx empty.pdf");
    let closed = project.ok("callers", json!({"node_id": "Server.listen"}));
    assert_eq!(closed["closure"]["state"], "closed", "documents use no code: {closed}");
}

#[test]
fn a_rename_does_not_write_into_a_packed_document() {
    let project = project(&[("e.pdf", plain_pdf("Call Server.listen\\(\\) first").as_bytes())]);
    let before = std::fs::read(project.tree.join("e.pdf")).expect("is there");
    let preview = project.ok("rename_preview", json!({"node_id": "Server.listen", "new_name": "await_calls"}));
    let files = preview["files"].to_string();
    assert!(!files.contains("e.pdf"), "{preview}");
    project.ok("rename_commit", json!({"node_id": "Server.listen", "new_name": "await_calls", "confirm": true}));
    assert_eq!(std::fs::read(project.tree.join("e.pdf")).expect("is there"), before);
}

#[test]
fn names_in_other_encodings_are_names() {
    let latin = |text: &str| text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect::<Vec<u8>>();
    let wide = |text: &str| {
        let units = std::iter::once(0xfeff).chain(text.encode_utf16().collect::<Vec<_>>());
        units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()
    };
    let rows: [(&str, Vec<u8>, &str); 6] = [
        ("pep263.py", latin("# -*- coding: latin-1 -*-\ndef laté(x):\n    return x\n\nlaté(1)\n"), "laté"),
        ("magic.rb", latin("# encoding: iso-8859-1\ndef général(x)\n  x\nend\n"), "général"),
        ("page.html", latin("<html><head><meta charset=\"windows-1252\"></head><h1>Übersicht</h1></html>\n"), "Übersicht"),
        ("undeclared.c", latin("/* größer */\nint größe(int a) { return a; }\n"), "größe"),
        ("wide.py", wide("def wide_one():\n    return 1\n\nwide_one()\n"), "wide_one"),
        ("Wide.cs", wide("class WideOne { void Go() { } }\n"), "WideOne"),
    ];
    let files: Vec<(&str, &[u8])> = rows.iter().map(|(path, bytes, _)| (*path, bytes.as_slice())).collect();
    let project = project(&files);
    for (path, _, name) in &rows {
        let outline = project.ok("outline", json!({"file_path": path}));
        assert!(column(&outline, "symbols", "label").contains(name), "{path}: {outline}");
        let found = project.ok("search", json!({"query": name}));
        assert_eq!(found["matches"][0]["file_path"], *path, "{found}");
        let shown = project.ok("view", json!({"file_path": path}));
        assert!(shown["content"].as_str().is_some_and(|text| text.contains(name)), "{shown}");
    }
    for name in ["laté", "wide_one"] {
        let callers = project.ok("callers", json!({"node_id": name}));
        assert_eq!((&callers["total_callers"], &callers["closure"]["state"]), (&json!(1), &json!("closed")), "{callers}");
    }
    project.ok("rename_commit", json!({"node_id": "wide_one", "new_name": "wide_two", "confirm": true}));
    let bytes = std::fs::read(project.tree.join("wide.py")).expect("is there");
    assert_eq!(bytes, wide("def wide_two():\n    return 1\n\nwide_two()\n"));
}

#[test]
fn what_pages_and_notebooks_say_is_found_across_their_marks() {
    let notebook = json!({"cells": [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Turbine\n", "It \"spins\" twice."]},
        {"cell_type": "code", "metadata": {}, "outputs": [{"output_type": "stream", "text": ["the printed row\n"]}],
            "source": ["def turn(x):\n", "    return say(\"a b\", x)\n"]}],
        "metadata": {}, "nbformat": 4});
    let page = "<h1>Guide</h1>\n<p>Hold the <b>blimp</b> lever,\nthen &amp; only then pull it.</p>\n<p>Hold the line.</p>\n";
    let book = serde_json::to_string_pretty(&notebook).expect("is written");
    let project = project(&[("page.html", page.as_bytes()), ("n.ipynb", book.as_bytes())]);
    let found = |query: &str| {
        let answer = project.ok("search", json!({"query": query, "context_lines": 0}));
        (column(&answer, "matches", "file_path"), column(&answer, "matches", "line_number"), answer)
    };
    for (query, file, line) in [
        ("hold the blimp lever", "page.html", "2"),
        ("then & only then", "page.html", "2"),
        ("Hold the line", "page.html", "4"),
        ("It \"spins\" twice", "n.ipynb", "8"),
        ("say(\"a b\", x)", "n.ipynb", "24"),
    ] {
        let (files, lines, answer) = found(query);
        assert_eq!((files.as_str(), lines.as_str()), (file, line), "{query}: {answer}");
    }
    // The same passage is one row.
    assert_eq!(found("blimp lever").2["total_matches"], json!(1));
    let shown = project.ok("view", json!({"file_path": "n.ipynb"}));
    let content = shown["content"].as_str().expect("text");
    for line in ["# %% [markdown]\n", "It \"spins\" twice.\n", "23  def turn(x):\n", "    return say(\"a b\", x)\n", "# > the printed row\n"] {
        assert!(content.contains(line), "{line}: {content}");
    }
    assert!(!content.contains("cell_type"), "{content}");
    let symbol = project.ok("view", json!({"file_path": "file::n.ipynb::fn::turn"}));
    let content = symbol["content"].as_str().expect("text");
    assert!(content.contains("def turn(x):") && !content.contains("Turbine"), "{content}");
}
