use std::sync::Arc;

use m1nd_base::Cancel;
use proptest::prelude::*;

use super::dot::{Wide, dot, dot_of_packed, pack_values, unpack_values};
use super::*;
use crate::terms::{Entry, FileTermsBuilder};

/// A vector that depends only on a number.
fn row(seed: u32) -> [f32; DIMENSIONS] {
    let mut state = seed.wrapping_mul(2_654_435_769).wrapping_add(1);
    std::array::from_fn(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 23) as f32 - 1.0
    })
}

/// A table in which `connect` and `dial` mean almost the same.
fn sample() -> Embedding {
    let mut near = row(1);
    near[0] += 0.5;
    let rows = [("connect", row(1)), ("dial", near), ("pars", row(2)), ("token", row(3))];
    let rows: Vec<_> = rows.iter().map(|(word, row)| (*word, TableRow::quantise(row))).collect();
    let buckets: Vec<_> = (100..100 + 64).map(|seed| TableRow::quantise(&row(seed))).collect();
    Embedding::from_bytes(encode_table(&rows, &buckets)).expect("table")
}

fn plain(embedding: &Embedding, text: &str) -> Vector {
    embedding.of_text(text, |_| 1.0)
}

#[test]
fn words_of_like_meaning_are_near() {
    let table = sample();
    let (connect, dial, parse) = (plain(&table, "connecting"), plain(&table, "dials"), plain(&table, "parses"));
    assert!(connect.cosine(&dial) > 0.95, "{}", connect.cosine(&dial));
    assert!(connect.cosine(&parse).abs() < 0.3, "{}", connect.cosine(&parse));
    assert!((connect.cosine(&connect) - 1.0).abs() < 1e-5);
}

#[test]
fn what_is_rare_counts_more_through_the_query() {
    let table = sample();
    let entry = plain(&table, "token");
    let even = table.of_text("connect token", |_| 1.0);
    let rare = table.of_text("connect token", |term| if term == "token" { 4.0 } else { 1.0 });
    assert!(rare.cosine(&entry) > even.cosine(&entry) + 0.1);
}

#[test]
fn unknown_words_are_made_of_their_pieces() {
    let table = sample();
    assert!(!table.knows("tokenizable") && table.knows("token"));
    let (a, b, c) = (plain(&table, "tokenizable"), plain(&table, "tokenizably"), plain(&table, "xylograph"));
    assert!(a.cosine(&b) > a.cosine(&c), "{} {}", a.cosine(&b), a.cosine(&c));
}

#[test]
fn nothing_is_like_nothing() {
    let table = sample();
    for text in ["", "the of and", "1 22 333", "é 漢字"] {
        let nothing = plain(&table, text);
        assert!(nothing.is_nothing(), "{text}");
        assert_eq!(nothing.cosine(&plain(&table, "connect")), 0.0);
    }
    let infinite = Vector::from_sum(&[f32::INFINITY; DIMENSIONS]);
    assert!(infinite.is_nothing());
}

#[test]
fn entries_of_a_file_have_the_vectors_of_their_words() {
    let table = sample();
    let mut terms = FileTermsBuilder::new();
    let first = terms.entry(&Entry { key: 1, name: "dial", ..Entry::default() });
    terms.entry(&Entry { key: 2, name: "parse_token", ..Entry::default() });
    terms.body(first, "connect(connect)");
    let file = terms.finish();
    let vectors = table.of_entries(&file);
    assert_eq!(vectors.len(), 2);
    assert!(vectors[0].cosine(&plain(&table, "connect dial")) > 0.95);
    assert!(vectors[1].cosine(&plain(&table, "parse token")) > 0.99);
    assert_eq!(vectors, table.of_entries(&file), "the same terms give the same vectors");
}

#[test]
fn vectors_of_a_file_do_not_depend_on_the_files_before_it() {
    let table = sample();
    let file = |body: &str| {
        let mut terms = FileTermsBuilder::new();
        let entry = terms.entry(&Entry { key: 1, name: "tokenizable", ..Entry::default() });
        terms.body(entry, body);
        terms.finish()
    };
    let files = ["xylograph dial xylograph", "é 漢字 漢字", "tokenizable xylograph", "token 22 _", ""].map(file);
    let mut composed = ComposedVectors::default();
    for file in files.iter().chain(&files) {
        assert_eq!(table.of_next_entries(file, &mut composed), table.of_entries(file));
    }
}

#[test]
fn entries_of_kinds_without_a_vector_cost_none() {
    let table = sample();
    let file = |kinds: [NodeKind; 2]| {
        let mut terms = FileTermsBuilder::new();
        for (key, kind) in (1..).zip(kinds) {
            terms.entry(&Entry { key, name: "parse_token", kind: kind as u8, ..Entry::default() });
        }
        terms.finish()
    };
    let mixed = file([NodeKind::Field, NodeKind::Function]);
    let vectors = table.of_entries(&mixed);
    assert!(vectors[0].is_nothing() && !vectors[1].is_nothing());
    assert_eq!(vectors[1], table.of_entries(&file([NodeKind::Function; 2]))[1], "the others are as before");
    assert!(table.of_entries_by(&mixed, &FIELD_SHARES).iter().all(|vector| !vector.is_nothing()));
}

/// Values are stored as rounding them one by one would store them.
#[test]
fn vectors_are_rounded_as_numbers_are() {
    for seed in 0..2_000 {
        // Many of them lie halfway between whole numbers.
        let sum = row(seed).map(|value| (value * 64.0).trunc());
        let largest = sum.iter().fold(0.0f32, |most, value| most.max(value.abs()));
        let scale = 127.0 / largest;
        let plain = sum.map(|value| (value * scale).round().clamp(-127.0, 127.0) as i8);
        let vector = Vector::from_sum(&sum);
        assert_eq!(vector.values(), &plain);
        let largest = plain.iter().fold(0.0f32, |most, value| most.max(f32::from(*value).abs()));
        let stored = plain.map(|value| (f32::from(value) * 7.0 / largest).round() as i8);
        assert_eq!(vector.quantise().values(), &stored);
    }
    for halves in [0.5f32, 1.5, 126.5, 0.499_999_97, 126.499_99] {
        let mut sum = [0.0; DIMENSIONS];
        (sum[0], sum[1], sum[2]) = (127.0, halves, -halves);
        let expected = [127, halves.round() as i8, (-halves).round() as i8];
        assert_eq!(Vector::from_sum(&sum).values()[..3], expected, "{halves}");
    }
}

#[test]
fn the_nearest_are_found_in_order() {
    let table = sample();
    let vectors: Vec<Vector> =
        ["parse", "dial", "connect", "dial", ""].iter().map(|text| plain(&table, text)).collect();
    let stored = Vectors::of(table.id(), &vectors);
    let query = plain(&table, "connect");
    let numbers = |filter: &dyn Fn(usize) -> bool, k| {
        let found = stored.nearest(&query, k, &Cancel::new(), filter).expect("not cancelled");
        found.iter().map(|(number, _)| *number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(&|_| true, 3), [2, 1, 3], "equal ones in order of their numbers");
    assert_eq!(numbers(&|number| number != 2, 2), [1, 3]);
    assert_eq!(numbers(&|_| true, 0), [] as [usize; 0]);
    assert_eq!(numbers(&|_| true, 9).len(), 5);
    let listed: Vec<f32> = stored.cosines(&query, [2, 4, 77]).collect();
    assert!(listed[0] > 0.99 && listed[1] == 0.0 && listed[2] == 0.0);
}

#[test]
fn stored_vectors_are_those_that_were_kept() {
    let table = sample();
    let vectors: Vec<Vector> = ["parse", "dial token", ""].iter().map(|text| plain(&table, text)).collect();
    let kept: Vec<Vector> = vectors.iter().map(Vector::quantise).collect();
    assert_eq!(kept.iter().map(Vector::quantise).collect::<Vec<_>>(), kept, "storing again changes nothing");
    let mut builder = VectorsBuilder::new(table.id());
    vectors.iter().for_each(|vector| builder.push(vector));
    let bytes = builder.finish();
    let stored = Vectors::from_bytes(Arc::new(bytes.clone()), table.id()).expect("vectors");
    assert_eq!((0..stored.len()).filter_map(|number| stored.get(number)).collect::<Vec<_>>(), kept);
    assert!(matches!(
        Vectors::from_bytes(Arc::new(bytes.clone()), table.id() + 1),
        Err(VectorsError::OtherTable { .. })
    ));
    for cut in 0..bytes.len() {
        let whole = cut >= 16 && (cut - 16) % (DIMENSIONS / 2 + 4) == 0;
        let opened = Vectors::from_bytes(Arc::new(bytes[..cut].to_vec()), table.id());
        assert_eq!(opened.is_ok(), whole, "cut at {cut}");
    }
}

#[test]
fn damaged_tables_are_refused() {
    let rows: Vec<_> = ["a1", "b2"].iter().map(|word| (*word, TableRow::quantise(&row(7)))).collect();
    let bytes = encode_table(&rows, &[]);
    for cut in 0..bytes.len() {
        assert!(Embedding::from_bytes(bytes[..cut].to_vec()).is_err(), "cut at {cut}");
    }
    for at in 0..bytes.len().min(64) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0xff;
        if let Ok(table) = Embedding::from_bytes(damaged) {
            table.of_text("a1 b2 connect", |_| 1.0);
        }
    }
    assert!(matches!(Embedding::from_bytes(&b"nothing"[..]), Err(TableError::Foreign)));
}

#[test]
fn pieces_of_words_keep_their_numbers() {
    let mut found = Vec::new();
    buckets_of("abc", 1000, |bucket| found.push(bucket));
    // "<ab" "abc" "bc>", "<abc" "abc>", "<abc>": changed numbers would make every table useless.
    assert_eq!(found.len(), 6);
    assert_eq!(found, GOLDEN_PIECES);
    buckets_of("größe", 1000, |_| panic!("not ASCII"));
    buckets_of(&"a".repeat(100), 1000, |_| panic!("too long"));
    buckets_of("abc", 0, |_| panic!("no rows"));
}

const GOLDEN_PIECES: [u32; 6] = [596, 2, 789, 268, 796, 106];

#[test]
fn the_built_in_table_knows_common_words() {
    let table = Embedding::built_in();
    for text in ["parse", "connection", "file", "index", "error", "user", "write", "read", "string"] {
        crate::words::terms(text, |term| assert!(table.knows(term), "{term}"));
    }
    let cosine = |a: &str, b: &str| plain(table, a).cosine(&plain(table, b));
    for (word, like, unlike) in [
        ("remove", "delete", "parse"),
        ("directory", "folder", "color"),
        ("image", "pixel", "socket"),
        ("start", "begin", "color"),
        ("sqrt", "square root", "html"),
    ] {
        assert!(cosine(word, like) > cosine(word, unlike) + 0.05, "{word}: {like} {unlike}");
    }
}

proptest! {
    #[test]
    fn the_product_is_exact(a in prop::collection::vec(-127i8..=127, DIMENSIONS), b in prop::collection::vec(-127i8..=127, DIMENSIONS)) {
        let a: [i8; DIMENSIONS] = a.try_into().expect("length");
        let b: [i8; DIMENSIONS] = b.try_into().expect("length");
        let expected: i32 = a.iter().zip(&b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
        prop_assert_eq!(dot(&a, &Wide::new(&b)), expected);
    }

    #[test]
    fn the_product_of_stored_bytes_is_exact(row in prop::collection::vec(any::<u8>(), DIMENSIONS / 2), b in prop::collection::vec(-127i8..=127, DIMENSIONS)) {
        let row: [u8; DIMENSIONS / 2] = row.try_into().expect("length");
        let b: [i8; DIMENSIONS] = b.try_into().expect("length");
        let a = unpack_values(&row);
        prop_assert_eq!(pack_values(&a), row);
        let expected: i32 = a.iter().zip(&b).map(|(x, y)| i32::from(*x) * i32::from(*y)).sum();
        prop_assert_eq!(dot_of_packed(&row, &Wide::new(&b)), expected);
    }

    #[test]
    fn a_direction_keeps_through_quantisation(seed in any::<u32>(), scale in 1e-6f32..1e6) {
        let exact = row(seed);
        let vector = Vector::from_sum(&exact.map(|value| value * scale));
        let length = |values: &[f32]| values.iter().map(|value| value * value).sum::<f32>().sqrt();
        let kept: Vec<f32> = vector.values().iter().map(|value| f32::from(*value)).collect();
        let product: f32 = kept.iter().zip(&exact).map(|(a, b)| a * b).sum();
        prop_assert!(product / length(&kept) / length(&exact) > 0.999);
        prop_assert!(vector.cosine(&vector.quantise()) > 0.98, "{}", vector.cosine(&vector.quantise()));
    }

    #[test]
    fn the_scan_agrees_with_single_comparisons(seeds in prop::collection::vec(any::<u32>(), 1..40), k in 0usize..50) {
        let vectors: Vec<Vector> = seeds.iter().map(|seed| Vector::from_sum(&row(*seed))).collect();
        let stored = Vectors::of(1, &vectors);
        let query = Vector::from_sum(&row(5));
        let mut expected: Vec<(usize, f32)> =
            vectors.iter().map(|vector| vector.quantise().cosine(&query)).enumerate().collect();
        expected.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        expected.truncate(k);
        let found = stored.nearest(&query, k, &Cancel::new(), |_| true).expect("not cancelled");
        prop_assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), expected.iter().map(|(number, _)| *number).collect::<Vec<_>>());
        let cosines: Vec<f32> = stored.cosines(&query, 0..vectors.len()).collect();
        for (number, cosine) in found {
            prop_assert_eq!(cosines[number], cosine);
        }
    }
}
