//! The only place in this crate that maps a file into memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use memmap2::Mmap;

/// Bytes read at a time.
const PIECE: usize = 1 << 20;

/// Bytes of a mapped file.
#[derive(Debug)]
pub(crate) struct Mapping {
    map: Mmap,
    #[cfg(unix)]
    file: File,
}

impl Mapping {
    /// Maps the whole file for reading.
    #[expect(unsafe_code, reason = "mapping a file is the only way to open a large index without reading it")]
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "the one file that this crate opens")]
        let file = File::open(path)?;
        // SAFETY: the map is only sound while no process shortens or rewrites the file in place. Snapshot files are
        // written under a temporary name, renamed when complete and never written again; a newer snapshot gets a new
        // name, and a removed file lives on while it is mapped. All readers treat the bytes as untrusted: numbers are
        // bounds-checked and texts validated as UTF-8 on every access, so even bytes that change underneath (another
        // program writing to the store) yield wrong answers at worst, never an invalid memory access by this crate.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self {
            map,
            #[cfg(unix)]
            file,
        })
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// Passes the bytes of a range to `take`, piece by piece, until it returns `false`. Reads the file rather than
    /// the map if possible, because touched pages of a map count as memory of this process.
    pub(crate) fn read_through(&self, range: Range<usize>, take: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<()> {
        #[cfg(unix)]
        {
            let mut piece = vec![0; PIECE.min(range.len())];
            let mut at = range.start;
            while at < range.end {
                let len = piece.len().min(range.end - at);
                std::os::unix::fs::FileExt::read_exact_at(&self.file, &mut piece[..len], at as u64)?;
                if !take(&piece[..len]) {
                    break;
                }
                at += len;
            }
        }
        #[cfg(not(unix))]
        for piece in self.bytes().get(range).unwrap_or_default().chunks(PIECE) {
            if !take(piece) {
                break;
            }
        }
        Ok(())
    }
}
