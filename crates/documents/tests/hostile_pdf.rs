//! Hostile PDF files: circles, bombs, drawings inside of themselves, damaged and cut files. Reading ends soon, with a
//! document or a reason.

use std::io::Write as _;
use std::time::Instant;

use m1nd_base::Cancel;
use m1nd_documents::{DocumentLimits, Format, Unreadable, parse_as};
use proptest::prelude::*;

/// Most seconds that a file of these may take, in a build without optimisation.
const MAX_SECONDS: f64 = 20.0;

/// A file with these objects, the first of which is the catalog.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut out = b"%PDF-1.5\n".to_vec();
    for (object, number) in objects.iter().zip(1..) {
        out.extend(format!("{number} 0 obj\n").into_bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    out.extend(b"trailer << /Root 1 0 R >>\n");
    out
}

fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let mut out = format!("<< {dict} /Length {} >>\nstream\n", data.len()).into_bytes();
    out.extend(data);
    out.extend(b"\nendstream");
    out
}

fn pack_stream(data: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(data).expect("written");
    packer.finish().expect("packed")
}

/// A page whose instructions are these, with a font `F`.
fn page(contents: Vec<u8>) -> Vec<Vec<u8>> {
    vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>"
            .to_vec(),
        contents,
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
    ]
}

const HELLO: &[u8] = b"BT /F 12 Tf 72 700 Td (Hello) Tj 40 0 Td (world) Tj ET";

fn read(bytes: &[u8]) -> Result<Vec<String>, Unreadable> {
    let started = Instant::now();
    let limits = DocumentLimits { unpacked: 1 << 20, ..DocumentLimits::default() };
    let read = parse_as(Format::Pdf, bytes, &limits);
    let seconds = started.elapsed().as_secs_f64();
    assert!(seconds < MAX_SECONDS, "took {seconds} s");
    Ok(read?.blocks.into_iter().map(|block| block.text).collect())
}

#[test]
fn a_page_has_its_words() {
    assert_eq!(read(&pdf(&page(stream("", HELLO)))), Ok(vec!["Hello world".to_owned()]));
    let content = stream("/Filter /FlateDecode", &pack_stream(HELLO));
    assert_eq!(read(&pdf(&page(content))), Ok(vec!["Hello world".to_owned()]));
}

#[test]
fn character_sets_before_unicode_are_read() {
    for (name, bytes, wanted) in [
        ("GBK-EUC-H", "<b2e2cad4204120>", "测试 A"),
        ("90ms-RKSJ-V", "<8356836e95b6b1>", "シハ文ｱ"),
        ("ETen-B5-H", "<b4fab8d531>", "測試1"),
        ("EUC-H", "<cac6>", "米"),
        ("KSCms-UHC-H", "<bdc3c7e8>", "시험"),
        ("GBK-EUC-H", "<b2e2ff>", "测"),
    ] {
        let mut objects = page(stream("", format!("BT /F 12 Tf 72 700 Td {bytes} Tj ET").as_bytes()));
        objects[4] = format!("<< /Type /Font /Subtype /Type0 /Encoding /{name} /DescendantFonts [<< /DW 1000 >>] >>")
            .into_bytes();
        assert_eq!(read(&pdf(&objects)), Ok(vec![wanted.to_owned()]), "{name}");
    }
}

#[test]
fn the_values_of_form_fields_are_read_where_they_stand() {
    let value = |text: &str, rest: &str| {
        let dict =
            format!("/Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources << /Font << /F 5 0 R >> >> {rest}");
        stream(&dict, format!("BT /F 12 Tf 2 5 Td ({text}) Tj ET").as_bytes())
    };
    let mut objects = page(stream("", HELLO));
    objects[2] = b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> \
                   /Annots [6 0 R 7 0 R 8 0 R 6 0 R << /Subtype /Widget /AP << /N 9 0 R >> >> null 4 0 R 99 0 R] >>"
        .to_vec();
    objects.push(b"<< /Subtype /Widget /Rect [70 600 170 620] /AP << /N 9 0 R >> >>".to_vec());
    objects.push(b"<< /Subtype /Widget /F 2 /Rect [70 500 170 520] /AP << /N 9 0 R >> >>".to_vec());
    let states = b"<< /Subtype /Widget /Rect [70 400 170 420] /AS /On /AP << /N << /On 10 0 R /Off 9 0 R >> >> >>";
    objects.push(states.to_vec());
    objects.push(value("Ada", ""));
    objects.push(value("chosen", "/Matrix [2 0 0 2 0 0]"));
    let texts = read(&pdf(&objects)).expect("a document");
    assert_eq!(texts, ["Hello world", "Ada Ada", "chosen"]);
}

#[test]
fn a_drawing_that_many_annotations_share_counts_each_time() {
    let mut objects = page(stream("", HELLO));
    let all = "6 0 R ".repeat(40_000);
    objects[2] = format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [{all}] >>").into_bytes();
    objects.push(b"<< /Subtype /Widget /Rect [0 0 9 9] /AP << /N 7 0 R >> >>".to_vec());
    objects.push(stream("/BBox [0 0 9 9]", &b" ".repeat(1 << 20)));
    assert!(matches!(read(&pdf(&objects)), Err(Unreadable::Bomb { .. })));
}

/// Bytes of text of a file that stands for much more, and what it says of the rest.
fn read_in_part(bytes: &[u8]) -> (usize, String) {
    let document = parse_as(Format::Pdf, bytes, &DocumentLimits::default()).expect("a document");
    (document.blocks.iter().map(|block| block.text.len()).sum(), document.problems.join("\n"))
}

/// Ten drawings, each of which draws the next one ten times.
fn nested_drawings() -> Vec<u8> {
    let mut objects = page(stream("", b"/X Do"));
    let line = "BT /F 9 Tf 9 9 Td (word) Tj ET ";
    for next in 7..=16 {
        let dict = format!(
            "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F 5 0 R >> /XObject << /X {next} 0 R >> >>"
        );
        objects.push(stream(&dict, format!("{line}{}", "/X Do ".repeat(10)).as_bytes()));
    }
    objects.push(stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", line.as_bytes()));
    pdf(&objects)
}

/// A small file draws what its size allows, however it repeats itself.
#[test]
fn what_is_drawn_follows_from_the_size_of_the_file() {
    let most = 600_000;
    let file = nested_drawings();
    let (drawn, problems) = read_in_part(&file);
    assert!(drawn < most && problems.contains("left out"), "{} bytes: {drawn}, {problems}", file.len());

    // One text of many codes, in a file of a few thousand bytes.
    let text = [b"BT /F 9 Tf <".to_vec(), b"41".repeat(2 << 20), b"> Tj ET".to_vec()].concat();
    let file = pdf(&page(stream("/Filter /FlateDecode", &pack_stream(&text))));
    let (drawn, problems) = read_in_part(&file);
    assert!(drawn < 100_000 && problems.contains("left out"), "{} bytes: {drawn}, {problems}", file.len());

    // One text that 5,000 pages share.
    let text = [b"BT /F 9 Tf 9 9 Td (".to_vec(), b"word ".repeat(200), b") Tj ET".to_vec()].concat();
    let mut objects = page(stream("/Filter /FlateDecode", &pack_stream(&text)));
    objects[1] = format!(
        "<< /Type /Pages /Kids [{}] /Count 1 >>",
        "<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >> ".repeat(5_000)
    )
    .into_bytes();
    let file = pdf(&objects);
    let (drawn, _) = read_in_part(&file);
    assert!(drawn <= 250_000 + 16 * file.len(), "{} bytes: {drawn}", file.len());
}

#[test]
fn reading_stops_when_it_is_cancelled() {
    let file = nested_drawings();
    for poll in [1, 10, 50] {
        let cancel = Cancel::at_poll(poll);
        let limits = DocumentLimits { cancel: cancel.clone(), ..DocumentLimits::default() };
        assert!(matches!(parse_as(Format::Pdf, &file, &limits), Err(Unreadable::Cancelled(_))), "{poll}");
        assert_eq!(cancel.polls(), poll, "it stops at once");
    }
}

/// A text of spaces as LZW packs it: each code stands for one more space than the one before.
fn packed_by_lzw(bytes: usize) -> Vec<u8> {
    let (mut out, mut held, mut bits) = (Vec::new(), 0u32, 0u32);
    let mut put = |code: u32, width: u32| {
        held = held << width | code;
        bits += width;
        while bits >= 8 {
            bits -= 8;
            out.push((held >> bits) as u8);
        }
    };
    let mut made = 0;
    while made < bytes {
        // The table is emptied before its codes need more than nine bits.
        put(256, 9);
        put(u32::from(b' '), 9);
        for code in 258..500 {
            put(code, 9);
            made += code as usize - 256;
        }
    }
    put(257, 9);
    put(0, 7);
    out
}

/// One stream is unpacked in steps, however large it becomes.
#[test]
fn unpacking_one_stream_stops_when_it_is_cancelled() {
    let spaces = vec![b' '; 8 << 20];
    let cases = [
        ("/FlateDecode", "", pack_stream(&spaces)),
        ("/FlateDecode", "/DecodeParms << /Predictor 12 /Columns 4 >>", pack_stream(&spaces)),
        ("/FlateDecode", "/DecodeParms << /Predictor 2 /Columns 4 >>", pack_stream(&spaces)),
        ("/LZWDecode", "", packed_by_lzw(8 << 20)),
        ("/RunLengthDecode", "", [129, b' '].repeat(64 << 10)),
    ];
    for (filter, more, data) in cases {
        let file = pdf(&page(stream(&format!("/Filter {filter} {more}"), &data)));
        let polls_of = |at: u64| {
            let cancel = Cancel::at_poll(at);
            let limits = DocumentLimits { cancel: cancel.clone(), ..DocumentLimits::default() };
            (parse_as(Format::Pdf, &file, &limits), cancel.polls())
        };
        let (_, polls) = polls_of(u64::MAX);
        assert!(polls >= 30, "{filter} {more}: {polls} polls for 8 MB");
        let (read, after) = polls_of(polls / 2);
        assert!(matches!(read, Err(Unreadable::Cancelled(_))), "{filter} {more}: {read:?}");
        assert!(after <= polls / 2 + 1, "{filter} {more}: it stops at once");
    }
}

#[test]
fn one_stream_has_a_limit_of_its_own() {
    let bomb = pack_stream(&vec![b' '; 65 << 20]);
    let file = pdf(&page(stream("/Filter /FlateDecode", &bomb)));
    assert_eq!(parse_as(Format::Pdf, &file, &DocumentLimits::default()), Err(Unreadable::Bomb { limit: 64 << 20 }));
}

#[test]
fn looking_through_a_file_stops_when_it_is_cancelled() {
    let file = pdf(&page(format!("[{}]", "1 ".repeat(1 << 20)).into_bytes()));
    let cancel = Cancel::at_poll(3);
    let limits = DocumentLimits { cancel: cancel.clone(), ..DocumentLimits::default() };
    assert!(matches!(parse_as(Format::Pdf, &file, &limits), Err(Unreadable::Cancelled(_))));
    assert!(cancel.polls() <= 4, "{}", cancel.polls());
}

#[test]
fn what_has_no_text_or_is_locked_says_so() {
    assert_eq!(read(&pdf(&page(stream("", b"0 0 100 100 re f")))), Err(Unreadable::NoText { pages: 1 }));
    let mut locked = pdf(&page(stream("", HELLO)));
    locked.extend(b"trailer << /Root 1 0 R /Encrypt << /Filter /Standard >> >>\n");
    assert_eq!(read(&locked), Err(Unreadable::Encrypted));
    for broken in [&b"%PDF-1.4"[..], b"", b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj", b"<html>"] {
        assert!(matches!(read(broken), Err(Unreadable::Malformed { .. })), "{broken:?}");
    }
}

#[test]
fn circles_end() {
    // A tree of pages, a page's contents, a font and a drawing that contain themselves.
    let mut objects = page(stream("", b"BT /F 12 Tf (a) Tj ET /X Do /X Do /X Do"));
    objects[1] = b"<< /Type /Pages /Kids [2 0 R 3 0 R 2 0 R 3 0 R] /Count 9 >>".to_vec();
    objects.push(stream(
        "/Subtype /Form /Resources << /XObject << /X 6 0 R >> /Font << /F 5 0 R >> >>",
        b"/X Do BT /F 9 Tf (b) Tj ET",
    ));
    assert!(read(&pdf(&objects)).is_ok());
    objects[3] = b"4 0 R".to_vec();
    assert!(read(&pdf(&objects)).is_err());
    objects[4] =
        b"<< /Type /Font /Subtype /Type0 /ToUnicode 5 0 R /DescendantFonts [5 0 R] /Encoding 5 0 R /W 5 0 R >>"
            .to_vec();
    assert!(read(&pdf(&objects)).is_err());
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R /Outlines 7 0 R >>".to_vec();
    objects.push(b"<< /First 8 0 R >>".to_vec());
    objects.push(b"<< /Title (x) /Next 8 0 R /First 7 0 R >>".to_vec());
    objects[3] = stream("", HELLO);
    objects[4] = b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_vec();
    assert!(read(&pdf(&objects)).is_ok());
}

#[test]
fn drawings_that_multiply_end() {
    // Each level draws the next one ten times.
    let mut objects = page(stream("", b"/X Do"));
    for level in 6..30 {
        let next = level + 1;
        let dict = format!("/Subtype /Form /Resources << /XObject << /X {next} 0 R >> >>");
        objects.push(stream(&dict, &b"/X Do ".repeat(10)));
    }
    assert!(read(&pdf(&objects)).is_err(), "no text, or too much");
}

#[test]
fn bombs_are_refused() {
    let bomb = pack_stream(&vec![b' '; 64 << 20]);
    assert_eq!(read(&pdf(&page(stream("/Filter /FlateDecode", &bomb)))), Err(Unreadable::Bomb { limit: 1 << 20 }));
    // The same stream, small enough, many times.
    let part = stream("/Filter /FlateDecode", &pack_stream(&vec![b' '; 512 << 10]));
    let mut objects = page(b"[6 0 R 6 0 R 6 0 R 6 0 R 6 0 R]".to_vec());
    objects.push(part);
    assert_eq!(read(&pdf(&objects)), Err(Unreadable::Bomb { limit: 1 << 20 }));
    let twice = pack_stream(&pack_stream(&vec![b' '; 64 << 20]));
    let content = stream("/Filter [/FlateDecode /FlateDecode]", &twice);
    assert_eq!(read(&pdf(&page(content))), Err(Unreadable::Bomb { limit: 1 << 20 }));
    let objects_of_objects = stream("/Type /ObjStm /N 100000 /First 5 /Filter /FlateDecode", &bomb);
    let mut objects = page(stream("", HELLO));
    objects.push(objects_of_objects);
    assert_eq!(read(&pdf(&objects)), Err(Unreadable::Bomb { limit: 1 << 20 }));
}

#[test]
fn nesting_and_unclosed_brackets_end() {
    for unit in [
        "[", "<<", "<</A", "(", "<", "[<<", "1 0 obj", "1 0 obj(", "stream", "BT(", "q ", "BI ID ", "/X Do ", "{", "%",
        "1 0 R ",
    ] {
        let many = unit.repeat((256 << 10) / unit.len());
        _ = read(&pdf(&page(stream("", many.as_bytes()))));
        let mut raw = b"%PDF-1.4\n".to_vec();
        raw.extend(many.as_bytes());
        _ = read(&raw);
    }
}

#[test]
fn huge_numbers_do_no_harm() {
    let content =
        b"BT /F 1e30 Tf 1e300 0 0 1e300 1e308 1e308 Tm 99999999999999999999 Tc (Hello) Tj [(a) -1e300 (b)] TJ ET";
    _ = read(&pdf(&page(stream("", content))));
    let mut objects = page(stream("", HELLO));
    objects[4] = b"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /DescendantFonts [<< /W [0 4294967295 500 1e18 [1 2] -5 [3]] /DW -1e300 >>] >>".to_vec();
    _ = read(&pdf(&objects));
    objects[4] = b"<< /Type /Font /Subtype /TrueType /FirstChar 4294967295 /Widths [1 2 3] >>".to_vec();
    _ = read(&pdf(&objects));
    let predictor =
        "/Filter /FlateDecode /DecodeParms << /Predictor 12 /Columns 99999999999 /Colors 99 /BitsPerComponent 99 >>";
    _ = read(&pdf(&page(stream(predictor, &pack_stream(HELLO)))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn damaged_files_are_read_or_refused(at in 0usize..2_000, byte in any::<u8>(), cut in any::<bool>()) {
        let cmap = b"1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> <0020> endbfrange";
        let mut objects = page(stream("/Filter /FlateDecode", &pack_stream(HELLO)));
        objects[4] = b"<< /Type /Font /Subtype /Type1 /BaseFont /X /ToUnicode 6 0 R /FirstChar 32 /Widths [500 500] >>".to_vec();
        objects.push(stream("", cmap));
        let mut bytes = pdf(&objects);
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        _ = read(&bytes);
    }
}
