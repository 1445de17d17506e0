//! The one place of this crate that maps a file into memory.

use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// Bytes of a mapped file.
#[derive(Debug)]
pub(crate) struct Mapping(Mmap);

impl Mapping {
    /// Maps the whole file for reading.
    #[expect(unsafe_code, reason = "mapping a file is the only way to open a large index without reading it")]
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "the one file that this crate opens")]
        let file = File::open(path)?;
        // SAFETY: the map is only sound while nobody shortens or rewrites the file in place. Snapshot files are written
        // under a temporary name, renamed into place once complete and never written again; a newer snapshot gets a new
        // name and a removed file lives on while it is mapped. All readers treat the bytes as untrusted: numbers are
        // checked against bounds and texts for UTF-8 on every access, so even bytes that change underneath (another
        // program writing to the store) yield wrong answers at worst, never a wrong memory access by this crate.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self(map))
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }
}
