//! Measures the memory of tree-sitter, so that a parse can be ended before a hostile file takes all of it.
//!
//! Two figures are needed. The memory in use says when a parse has taken too much. But at the end of a text that leaves
//! thousands of things open, the parser copies its stack for each of the alternatives that it still considers, in one
//! step that nothing can interrupt: a few kilobytes that always have two readings (`a<a<a<…`) take gigabytes. So the
//! depth of the stack is bounded, too.

use std::alloc::{Layout, handle_alloc_error};
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::Once;

use tree_sitter::{Allocator, Parser};

/// The parser's private `StackNode`, of which only the size matters. A test fails if it is another.
#[repr(C)]
struct StackNode {
    state: u16,
    position: [u32; 3],
    links: [StackLink; 8],
    link_count: u16,
    counts: [u32; 4],
}

#[repr(C)]
struct StackLink {
    node: *const StackNode,
    subtree: u64,
    is_pending: bool,
}

/// In front of each block: its size. As large as the alignment of all blocks.
const HEADER: usize = 16;

thread_local! {
    /// Bytes that this thread took, less those that it gave back.
    static BYTES: Cell<i64> = const { Cell::new(0) };
    /// The same for entries of parser stacks.
    static ENTRIES: Cell<i64> = const { Cell::new(0) };
}

/// A parser of which [`ParseMemory`] knows what it takes.
pub(crate) fn parser() -> Parser {
    measure();
    Parser::new()
}

/// Has tree-sitter allocate through the functions below. Called before anything of tree-sitter is made, because blocks
/// of other functions cannot be given back to these.
pub(crate) fn measure() {
    static ONCE: Once = Once::new();
    #[expect(unsafe_code, reason = "the only way to learn what a parse takes before it has taken all there is")]
    ONCE.call_once(|| {
        // SAFETY: the functions are of one family, return blocks aligned like those of the C library and never null,
        // and are set before anything else of tree-sitter runs: only this crate uses it.
        unsafe { tree_sitter::set_allocator(Some(Allocator { malloc, calloc, realloc, free })) };
    });
}

/// What the parsers of this thread have taken since the measuring began, less what was given back. Must be read on the
/// thread that created it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ParseMemory {
    bytes: i64,
    entries: i64,
}

impl ParseMemory {
    /// Starts to measure.
    pub(super) fn start() -> Self {
        Self { bytes: BYTES.get(), entries: ENTRIES.get() }
    }

    /// Bytes in use.
    pub(super) fn bytes(self) -> u64 {
        u64::try_from(BYTES.get().wrapping_sub(self.bytes)).unwrap_or(0)
    }

    /// Entries of the parser's stack: a few for each thing in the text that is not closed yet.
    pub(super) fn entries(self) -> u64 {
        u64::try_from(ENTRIES.get().wrapping_sub(self.entries)).unwrap_or(0)
    }
}

fn took(size: usize) {
    BYTES.set(BYTES.get().wrapping_add(size as i64));
    if size == size_of::<StackNode>() {
        ENTRIES.set(ENTRIES.get().wrapping_add(1));
    }
}

fn gave_back(size: usize) {
    BYTES.set(BYTES.get().wrapping_sub(size as i64));
    if size == size_of::<StackNode>() {
        ENTRIES.set(ENTRIES.get().wrapping_sub(1));
    }
}

/// Size of a block with its header. Nothing of such a size that it overflows can be allocated.
fn whole(size: usize) -> usize {
    size.saturating_add(HEADER)
}

/// Writes the header of a block that has `size` bytes after it, and returns these. tree-sitter does not check for null.
///
/// # Safety
/// The block is null or has `whole(size)` bytes that nothing else uses.
#[expect(unsafe_code, reason = "see `measure`")]
unsafe fn begin(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        handle_alloc_error(Layout::from_size_align(size, HEADER).unwrap_or(Layout::new::<u64>()));
    }
    took(size);
    // SAFETY: the block has room for the header, which is aligned as the C library aligns blocks.
    unsafe {
        block.cast::<usize>().write(size);
        block.byte_add(HEADER)
    }
}

#[expect(unsafe_code, reason = "see `measure`")]
unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    // SAFETY: a new block of this size.
    unsafe { begin(libc::malloc(whole(size)), size) }
}

#[expect(unsafe_code, reason = "see `measure`")]
unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let size = count.saturating_mul(size);
    // SAFETY: a new block of this size.
    unsafe { begin(libc::calloc(1, whole(size)), size) }
}

#[expect(unsafe_code, reason = "see `measure`")]
unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        // SAFETY: as for `malloc`.
        return unsafe { malloc(size) };
    }
    // SAFETY: the block came from one of these functions, so that its header is in front of it.
    unsafe {
        let block = block.byte_sub(HEADER);
        gave_back(block.cast::<usize>().read());
        begin(libc::realloc(block, whole(size)), size)
    }
}

#[expect(unsafe_code, reason = "see `measure`")]
unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: as for `realloc`.
    unsafe {
        let block = block.byte_sub(HEADER);
        gave_back(block.cast::<usize>().read());
        libc::free(block);
    }
}
