//! What a Linux binary needs from the machine it runs on: shared libraries, and the version of the C library.

use crate::Outcome;

/// Number at the start of every ELF file, for 64 bits and little-endian numbers.
const MAGIC: &[u8] = b"\x7fELF\x02\x01";
/// Types of sections: the dynamic table, and the versions of symbols that are needed.
const DYNAMIC: u32 = 6;
const VERSIONS_NEEDED: u32 = 0x6fff_fffe;
/// Tag of a row of the dynamic table that names a library.
const NEEDED: u64 = 1;
/// Size of a row of the dynamic table.
const DYNAMIC_ROW: usize = 16;
/// What versions of glibc begin with.
const GLIBC: &str = "GLIBC_";

/// Libraries that every Linux with glibc has: those of PEP 600 that a Rust program may need.
const COMMON: &[&str] = &[
    "libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1", "ld-linux-x86-64.so.2",
    "ld-linux-aarch64.so.1",
];

/// What a binary needs.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Needs {
    /// The newest version of glibc of all symbols. `None` if the binary is static.
    pub(super) glibc: Option<(u32, u32)>,
    /// Its shared libraries.
    pub(super) libraries: Vec<String>,
}

/// A section of the file.
struct Section {
    kind: u32,
    start: usize,
    size: usize,
    /// Number of the section that holds its texts.
    texts: usize,
    /// Number of its rows.
    rows: usize,
}

impl Needs {
    /// Reads what a binary needs.
    ///
    /// # Errors
    /// It is not a 64-bit little-endian ELF file, or it needs a library that not every Linux has.
    pub(super) fn read(bytes: &[u8]) -> Outcome<Self> {
        if !bytes.starts_with(MAGIC) {
            return Err("the binary is not a 64-bit little-endian ELF file".into());
        }
        let sections = read_sections(bytes).ok_or("the table of sections of the binary is damaged")?;
        let damaged = "the dynamic section of the binary is damaged";
        let mut needs = Self { glibc: None, libraries: Vec::new() };
        for section in &sections {
            match section.kind {
                DYNAMIC => needs.libraries = read_libraries(bytes, section, &sections).ok_or(damaged)?,
                VERSIONS_NEEDED => needs.glibc = read_glibc(bytes, section, &sections).ok_or(damaged)?,
                _ => {}
            }
        }
        if let Some(other) = needs.libraries.iter().find(|library| !COMMON.contains(&library.as_str())) {
            return Err(format!("the binary needs {other}, which not every Linux has; link it statically").into());
        }
        Ok(needs)
    }

    /// The platform tag of Python for this binary.
    pub(super) fn python_tag(&self, architecture: &str) -> String {
        match self.glibc {
            Some((major, minor)) => format!("manylinux_{major}_{minor}_{architecture}"),
            // Runs with any C library.
            None => format!("manylinux_2_17_{architecture}.manylinux2014_{architecture}.musllinux_1_1_{architecture}"),
        }
    }
}

fn read_sections(bytes: &[u8]) -> Option<Vec<Section>> {
    let table = usize::try_from(number(bytes, 40, 8)?).ok()?;
    let (size, count) = (usize::try_from(number(bytes, 58, 2)?).ok()?, usize::try_from(number(bytes, 60, 2)?).ok()?);
    let read = |at: usize| {
        Some(Section {
            kind: u32::try_from(number(bytes, at + 4, 4)?).ok()?,
            start: usize::try_from(number(bytes, at + 24, 8)?).ok()?,
            size: usize::try_from(number(bytes, at + 32, 8)?).ok()?,
            texts: usize::try_from(number(bytes, at + 40, 4)?).ok()?,
            rows: usize::try_from(number(bytes, at + 44, 4)?).ok()?,
        })
    };
    (0..count).map(|index| read(table.checked_add(index * size)?)).collect()
}

fn read_libraries(bytes: &[u8], section: &Section, sections: &[Section]) -> Option<Vec<String>> {
    let texts = sections.get(section.texts)?;
    let mut libraries = Vec::new();
    for row in 0..section.size / DYNAMIC_ROW {
        let at = section.start.checked_add(row * DYNAMIC_ROW)?;
        if number(bytes, at, 8)? == NEEDED {
            libraries.push(text(bytes, texts, number(bytes, at + 8, 8)?)?);
        }
    }
    Some(libraries)
}

/// The newest version of glibc that the section names: a chain of libraries, each with a chain of versions.
fn read_glibc(bytes: &[u8], section: &Section, sections: &[Section]) -> Option<Option<(u32, u32)>> {
    let texts = sections.get(section.texts)?;
    let mut newest = None;
    let mut library = section.start;
    for _ in 0..section.rows {
        let count = number(bytes, library + 2, 2)?;
        let mut version = library.checked_add(usize::try_from(number(bytes, library + 8, 4)?).ok()?)?;
        for _ in 0..count {
            let name = text(bytes, texts, number(bytes, version + 8, 4)?)?;
            newest = newest.max(name.strip_prefix(GLIBC).and_then(parse_version));
            version = version.checked_add(usize::try_from(number(bytes, version + 12, 4)?).ok()?)?;
        }
        library = library.checked_add(usize::try_from(number(bytes, library + 12, 4)?).ok()?)?;
    }
    Some(newest)
}

/// Major and minor version: `2.2.5` is 2.2.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut parts = text.split('.').map(str::parse);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// The text at an offset of a section, up to its zero byte.
fn text(bytes: &[u8], section: &Section, offset: u64) -> Option<String> {
    let start = section.start.checked_add(usize::try_from(offset).ok()?)?;
    let rest = bytes.get(start..section.start.checked_add(section.size)?)?;
    let end = rest.iter().position(|byte| *byte == 0)?;
    String::from_utf8(rest[..end].to_vec()).ok()
}
