use super::doc_text::Doc;
use super::licence::{permissive, permits};
use super::matrix::{View, multiply};
use super::pairs::{self, Pair, words_of};
use super::random::Random;
use super::train::exp;

#[test]
fn licences() {
    let cases = [
        ("MIT OR Apache-2.0", Some("MIT OR Apache-2.0")),
        ("MIT/Apache-2.0", Some("MIT OR Apache-2.0")),
        ("Apache-2.0 AND BSD-3-Clause", Some("Apache-2.0 AND BSD-3-Clause")),
        ("GPL-3.0 OR MIT", Some("MIT")),
        ("Apache-2.0 AND LGPL-2.1", None),
        ("(MIT OR Apache-2.0) AND Unicode-3.0", Some("MIT")),
        ("BSD-3-clause-google", Some("BSD-3-Clause")),
        ("Apache-2.0 WITH LLVM-exception", Some("Apache-2.0")),
        ("MPL-2.0", None),
        ("", None),
    ];
    for (expression, expected) in cases {
        assert_eq!(permissive(expression).as_deref(), expected, "{expression}");
    }
    assert!(permits("// Licensed under the MIT licence") && !permits("# SPDX-License-Identifier: GPL-2.0"));
}

#[test]
fn summaries_of_doc_comments() {
    let cases = [
        ("Opens a file.\nAnd reads it.\n\nMore on that.", "Opens a file. And reads it.", "More on that."),
        ("Sends {@link Mail mail} to <b>all</b>.\n@param x who", "Sends Mail mail} to all .", ""),
        ("@brief Adds two numbers.\n\n@param a first", "Adds two numbers.", ""),
        ("@param a first", "", ""),
        ("Finds it.\n\nArgs:\n    x: what", "Finds it.", ""),
    ];
    for (doc, summary, rest) in cases {
        let found = Doc::of(doc);
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((flat(&found.summary).as_str(), flat(&found.rest).as_str()), (summary, rest), "{doc}");
    }
    assert!(Doc::of("Opens the file.").is_telling());
    assert!(!Doc::of("TODO: open the file").is_telling() && !Doc::of("Getter.").is_telling());
}

#[test]
fn products_of_matrices() {
    let mut random = Random::new(1);
    for (rows, depth, columns) in [(1, 1, 1), (4, 3, 16), (7, 20, 33), (9, 5, 2)] {
        let a: Vec<f32> = (0..rows * depth).map(|_| random.normal()).collect();
        let b: Vec<f32> = (0..depth * columns).map(|_| random.normal()).collect();
        let mut out = vec![0.0; rows * columns];
        multiply(View::new(&a, rows, depth), View::new(&b, depth, columns), &mut out);
        let mut turned = vec![0.0; rows * columns];
        multiply(View::new(&b, depth, columns).transpose(), View::new(&a, rows, depth).transpose(), &mut turned);
        for row in 0..rows {
            for column in 0..columns {
                let expected: f32 = (0..depth).map(|k| a[row * depth + k] * b[k * columns + column]).sum();
                assert!((out[row * columns + column] - expected).abs() < 1e-4);
                assert!((turned[column * rows + row] - expected).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn powers_of_e() {
    for step in 0..2_000 {
        let power = -step as f32 * 0.04;
        let (found, expected) = (f64::from(exp(power)), f64::from(power).exp());
        assert!((found - expected).abs() <= expected * 1e-4 + 1e-37, "{power}: {found} {expected}");
    }
}

#[test]
fn pairs_are_read_as_they_are_written() {
    let pair = |language: &str, name: &str| Pair {
        language: language.to_owned(),
        package: "package".to_owned(),
        query: words_of("Opens the file, then the other file"),
        name: words_of(name),
        signature: words_of("def open_file(path)"),
        body: words_of(""),
    };
    let written = [pair("python", "openFile"), pair("python", "b"), pair("rust", "c")];
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("pairs.tsv");
    pairs::write(&path, &written, 10).expect("written");
    assert_eq!(pairs::read(&path).expect("read"), written);
    pairs::write(&path, &written, 1).expect("written");
    assert_eq!(pairs::read(&path).expect("read"), [written[0].clone(), written[2].clone()]);
}
