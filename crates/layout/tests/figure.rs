//! Figures: boxes that do not overlap, and texts that stay texts in every format.

use m1nd_layout::{
    Arrow, ArrowKind, Boxes, Figure, FigureBox, Rectangle, Role, draw, rank, write_dot, write_html, write_mermaid,
    write_svg,
};
use proptest::prelude::*;

/// Names of files as an attacker would choose them.
const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>.js",
    "\"]; click n0 \"javascript:alert(1)\"",
    "x\" onload=\"alert(1)",
    "]]><!--&amp;{{%}}",
    "a\u{202e}gnp.exe",
    "line\nbreak\0null\u{1b}[31m",
    "\\\"; } subgraph x { \\N",
    "end\n  %%{init: {'securityLevel': 'loose'}}%%",
];

fn overlaps(a: &Rectangle, b: &Rectangle) -> bool {
    const LEAST: f64 = 1e-6;
    a.x + a.width > b.x + LEAST && b.x + b.width > a.x + LEAST && a.bottom() > b.y + LEAST && b.bottom() > a.y + LEAST
}

fn hostile_figure() -> Figure {
    let own = |(at, name): (usize, &&str)| FigureBox {
        label: (*name).to_owned(),
        detail: (*name).to_owned(),
        band: at / 4,
        role: Role::MARKED[at % Role::MARKED.len()],
    };
    let kinds = [ArrowKind::Certain, ArrowKind::Possible, ArrowKind::Against];
    Figure {
        title: HOSTILE.join(" "),
        subtitle: HOSTILE.join(" "),
        bands: vec![HOSTILE[0].to_owned(), HOSTILE[1].to_owned()],
        boxes: HOSTILE.iter().enumerate().map(own).collect(),
        arrows: (1..8).map(|to| Arrow { from: to - 1, to, count: to as u32, kind: kinds[to % 3] }).collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn boxes_do_not_overlap(
        sizes in prop::collection::vec((10.0..300.0f64, 20.0..60.0f64, 0usize..4), 0..60),
        edges in prop::collection::vec((0usize..62, 0usize..62), 0..150),
        has_bands in any::<bool>(),
    ) {
        let mut bands: Vec<usize> = sizes.iter().map(|size| if has_bands { size.2 } else { 0 }).collect();
        bands.sort_unstable();
        let boxes = Boxes {
            sizes: sizes.iter().map(|size| (size.0, size.1)).collect(),
            bands: bands.clone(),
            edges,
            max_width: 900.0,
            band_header: if has_bands { 20.0 } else { 0.0 },
        };
        let placed = rank(&boxes);
        prop_assert_eq!(placed.boxes.len(), sizes.len());
        for (at, own) in placed.boxes.iter().enumerate() {
            prop_assert!(own.x >= 0.0 && own.y >= 0.0, "{own:?}");
            prop_assert!(own.x + own.width <= placed.width && own.bottom() <= placed.height, "{own:?}");
            prop_assert!(!placed.boxes[at + 1..].iter().any(|other| overlaps(own, other)));
        }
        // A box is in its band and in no other.
        for (own, band) in placed.boxes.iter().zip(&bands).filter(|_| has_bands) {
            let inside: Vec<usize> =
                placed.bands.iter().filter(|(_, frame)| overlaps(own, frame)).map(|(number, _)| *number).collect();
            prop_assert_eq!(inside, vec![*band]);
        }
        // An edge begins and ends at the boxes it joins.
        for ((from, to), route) in boxes.edges.iter().zip(&placed.routes) {
            let ends = (placed.boxes.get(*from), placed.boxes.get(*to), route.first(), route.last());
            if let (Some(from), Some(to), Some(start), Some(end)) = ends {
                for (own, (x, y)) in [(from, start), (to, end)] {
                    prop_assert!(*x >= own.x && *x <= own.x + own.width, "{route:?} {own:?}");
                    prop_assert!((y - own.y).abs() < 1e-6 || (y - own.bottom()).abs() < 1e-6, "{route:?} {own:?}");
                }
            } else {
                prop_assert!(route.is_empty());
            }
        }
        prop_assert_eq!(rank(&boxes), placed);
    }

    #[test]
    fn texts_stay_texts(label in "\\PC{0,60}|[<>&\"'\\\\#;%{}\\[\\]|\\n]{0,30}") {
        let own = FigureBox { label: label.clone(), detail: label.clone(), ..FigureBox::default() };
        let figure = Figure { title: label.clone(), subtitle: label, boxes: vec![own], ..Figure::default() };
        check_markup(&write_svg(&draw(&figure)));
        check_mermaid(&write_mermaid(&figure));
    }
}

/// Every tag is one that the writer knows, and every tag is closed in order.
fn check_markup(svg: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>'), "{text}");
        let name = tag.trim_end_matches('/').split_whitespace().next().unwrap_or_default();
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
            continue;
        }
        assert!(["svg", "title", "desc", "style", "rect", "path", "polygon", "text"].contains(&name), "{name}");
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(!svg.chars().any(|c| c.is_control() && c != '\n'));
}

/// Every line is one that the writer knows, and nothing in quotes can end them.
fn check_mermaid(text: &str) {
    for line in text.lines() {
        let line = line.trim();
        let is_known = line == "flowchart TD"
            || line == "end"
            || ["%% ", "subgraph b", "n", "classDef ", "linkStyle "].iter().any(|start| line.starts_with(start));
        assert!(is_known, "{line}");
        assert!(line.matches('"').count() == 2 || line.matches('"').count() == 0, "{line}");
        assert!(!line.replace("<br/>", "").contains('<'), "{line}");
        assert!(!line.starts_with("%%{"), "{line}");
    }
}

#[test]
fn hostile_names_change_no_picture() {
    let figure = hostile_figure();
    let svg = write_svg(&draw(&figure));
    check_markup(&svg);
    check_mermaid(&write_mermaid(&figure));
    for line in write_dot(&figure).lines().filter(|line| line.contains("[label=\"")) {
        // Quotes that are not escaped begin and end values.
        let plain = line.replace("\\\\", "").replace("\\\"", "");
        assert_eq!(plain.matches('"').count() % 2, 0, "{line}");
    }
    assert!(svg.contains("&lt;script&gt;"), "the name is shown as it is");
    let html = write_html(&draw(&figure));
    assert_eq!(html.matches("<script").count(), 1, "only our own");
}

#[test]
fn the_page_permits_its_own_script_and_no_network() {
    use sha2::Digest as _;
    let html = write_html(&draw(&hostile_figure()));
    let script = html.split("<script>").nth(1).and_then(|rest| rest.split("</script>").next()).expect("a script");
    let digest = sha2::Sha256::digest(script.as_bytes());
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).and_then(|rest| rest.split('"').next());
    let policy = policy.expect("a policy");
    let expected = format!("script-src 'sha256-{}'", encode_base64(&digest));
    assert!(policy.contains(&expected), "write {expected} into SCRIPT_HASH: {policy}");
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    for address in ["http:", "https:", "src=", "href="] {
        let count = html.replace("http://www.w3.org/2000/svg", "").matches(address).count();
        assert_eq!(count, 0, "{address}");
    }
}

fn encode_base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let number = part.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - part.len()));
        for place in 0..4 {
            let letter = LETTERS[(number >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= part.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

#[test]
fn an_arrow_against_the_layers_is_drawn_and_written_as_such() {
    let figure = hostile_figure();
    assert!(write_svg(&draw(&figure)).contains("edge-against line"));
    assert!(write_mermaid(&figure).contains(" ==>"));
    assert!(write_dot(&figure).contains("color=\"#cf222e\""));
    let empty = Figure::default();
    check_markup(&write_svg(&draw(&empty)));
    assert_eq!(write_mermaid(&empty), "flowchart TD\n");
}

#[test]
fn a_long_chain_with_edges_over_all_of_it_is_placed() {
    let count = 3_000;
    let boxes = Boxes {
        sizes: vec![(40.0, 20.0); count],
        edges: (1..count).flat_map(|at| [(at - 1, at), (0, at)]).collect(),
        max_width: 900.0,
        ..Boxes::default()
    };
    let placed = rank(&boxes);
    assert!(placed.boxes.windows(2).all(|pair| pair[0].bottom() < pair[1].y));
}
