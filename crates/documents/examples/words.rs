use m1nd_documents::{DocumentLimits, parse};
fn main() {
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path).expect("a file");
        match parse(&path, &bytes, &DocumentLimits::default()) {
            Ok(d) => {
                let mut items: Vec<(u32, usize, String)> = Vec::new();
                let _ = &mut items;
                // sections and blocks in order: sections by index of first block
                let mut next = 0usize;
                for b in &d.blocks {
                    if let Some(s) = b.section { while next <= s as usize { println!("# {}", d.sections[next].heading); next += 1; } }
                    println!("{}", b.text);
                }
                while next < d.sections.len() { println!("# {}", d.sections[next].heading); next += 1; }
                for t in &d.tables { println!("{}", t.header.join(" ")); for r in &t.rows { println!("{}", r.join(" ")); } }
                for p in &d.problems { eprintln!("{path}: {p}"); }
            }
            Err(e) => eprintln!("{path}: refused: {e}"),
        }
    }
}
