//! Texts that cost a careless extractor or linker more than their size, in every language: the memory taken and the
//! things looked at grow no faster than the text.
//!
//! Everything is counted, so a busy machine changes nothing. Larger texts, times and the whole program:
//! `cargo xtask bench torture`. `TORTURE_ONLY=java,c` and `TORTURE_SHAPE=calls` choose cases, `TORTURE_BYTES=65536` the
//! size; with any of them the figures are printed.

#![expect(clippy::print_stdout, reason = "figures of chosen cases, for people")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use m1nd_base::{Cancel, Limits, NoProgress};
use m1nd_lang::{Language, extract};
use m1nd_link::Linker;
use m1nd_testkit::torture::{SHAPES, Shape};

/// Bytes of the smaller text; the larger is four times as large.
const BYTES: usize = 1 << 10;
/// Growth that is allowed from one to the other. Twice the linear one: tables double their size.
const GROWTH: usize = 8;
/// Costs below these are not compared, in bytes and things: the latter is quadratic in the depth of functions in
/// functions, which the parser bounds.
const SMALL: (usize, usize) = (2 << 20, 400_000);

/// Counts what is allocated, whether or not it is given back.
struct Counting;

static ALLOCATED: AtomicUsize = AtomicUsize::new(0);

#[expect(unsafe_code, reason = "an allocator that counts")]
// SAFETY: everything is passed on to the allocator of the system.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        unsafe { System.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATED.fetch_add(size, Ordering::Relaxed);
        unsafe { System.realloc(block, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[derive(Debug, Clone, Copy)]
struct Cost {
    allocated: usize,
    looked_at: usize,
}

fn cost(language: Language, shape: &Shape, bytes: usize, prints: bool) -> Cost {
    let extension = language.extensions()[0];
    let (path, text) = shape.file(extension, bytes);
    let (before, start) = (ALLOCATED.load(Ordering::Relaxed), Instant::now());
    let facts = extract(language, text.as_bytes(), &Limits::default(), &Cancel::new());
    let (extracted, extracting) = (ALLOCATED.load(Ordering::Relaxed) - before, start.elapsed());
    let (problems, count) = (facts.problems.clone(), facts.len());
    let mut linker = Linker::new(Limits::default());
    linker.set_file(&path, Arc::new(facts));
    let delta = linker.link(&Cancel::new(), &NoProgress).expect("not cancelled");
    let allocated = ALLOCATED.load(Ordering::Relaxed) - before;
    if prints {
        let (problems, linking) = (problems.iter().chain(&delta.changed[0].problems), start.elapsed() - extracting);
        let problems: Vec<_> = problems.map(|problem| problem.kind).collect();
        println!(
            "{extension:6} {:32} {:8} B {extracting:8.1?} {:6} kB, {count:6} facts, {linking:8.1?} {:6} kB, {:8} things {problems:?}",
            shape.name,
            text.len(),
            extracted >> 10,
            (allocated - extracted) >> 10,
            delta.work,
        );
    }
    Cost { allocated, looked_at: delta.work as usize }
}

#[test]
fn costs_grow_with_the_text() {
    let chosen = |variable: &str| std::env::var(variable).ok();
    let (only, shape, bytes) = (chosen("TORTURE_ONLY"), chosen("TORTURE_SHAPE"), chosen("TORTURE_BYTES"));
    let prints = only.is_some() || shape.is_some() || bytes.is_some();
    let bytes = bytes.map_or(BYTES, |bytes| bytes.parse().expect("a number"));
    let is_chosen =
        |list: &Option<String>, name: &str| list.as_ref().is_none_or(|list| list.split(',').any(|one| one == name));
    let mut failed = Vec::new();
    for language in Language::all().filter(|language| is_chosen(&only, language.name()) && *language != Language::Text)
    {
        for row in SHAPES.iter().filter(|row| is_chosen(&shape, row.name)) {
            let (small, large) = (cost(language, row, bytes, prints), cost(language, row, bytes * 4, prints));
            if large.allocated > SMALL.0.max(small.allocated * GROWTH)
                || large.looked_at > SMALL.1.max(small.looked_at * GROWTH)
            {
                failed.push(format!("{} {}: {small:?}, then {large:?}", language.name(), row.name));
            }
        }
    }
    assert_eq!(failed, Vec::<String>::new());
}
