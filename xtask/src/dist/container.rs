//! Writers of tar, gzip, zip and ar. The same entries always give the same bytes.

use std::io::{Cursor, Write};

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipWriter};

use crate::Outcome;

/// Modes of programs, of other files, of folders and of links.
const PROGRAM: u32 = 0o755;
const FILE: u32 = 0o644;
const FOLDER: u32 = 0o755;
const LINK: u32 = 0o777;
/// Size of a block of tar.
const BLOCK: usize = 512;
/// Longest path and longest target of a link in a header of tar.
const TAR_NAME: usize = 100;
/// The first second that zip can store: 1980-01-01.
const ZIP_START: u64 = 315_532_800;

/// What an entry of an archive is.
enum Kind<'a> {
    File(&'a [u8]),
    Link(&'a str),
    Folder,
}

/// A file, link or folder of an archive.
pub(super) struct Entry<'a> {
    path: String,
    mode: u32,
    kind: Kind<'a>,
}

impl<'a> Entry<'a> {
    pub(super) fn program(path: impl Into<String>, bytes: &'a [u8]) -> Self {
        Self { path: path.into(), mode: PROGRAM, kind: Kind::File(bytes) }
    }

    pub(super) fn file(path: impl Into<String>, bytes: &'a [u8]) -> Self {
        Self { path: path.into(), mode: FILE, kind: Kind::File(bytes) }
    }

    /// A symbolic link.
    pub(super) fn link(path: impl Into<String>, target: &'a str) -> Self {
        Self { path: path.into(), mode: LINK, kind: Kind::Link(target) }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// The content of a file; empty for others.
    pub(super) fn bytes(&self) -> &'a [u8] {
        match self.kind {
            Kind::File(bytes) => bytes,
            Kind::Link(_) | Kind::Folder => &[],
        }
    }
}

/// The folders above the entries.
pub(super) fn list_folders(entries: &[Entry<'_>]) -> Vec<Entry<'static>> {
    let parents = |path: &str| path.match_indices('/').map(|(at, _)| path[..at].to_owned()).collect::<Vec<_>>();
    let mut paths: Vec<String> = entries.iter().flat_map(|entry| parents(&entry.path)).collect();
    paths.retain(|path| path != ".");
    paths.sort_unstable();
    paths.dedup();
    paths.into_iter().map(|path| Entry { path, mode: FOLDER, kind: Kind::Folder }).collect()
}

/// Writes a compressed tar archive. All entries belong to root and have the time `epoch`.
///
/// # Errors
/// A path is too long for the format.
pub(super) fn write_tar(mut entries: Vec<Entry<'_>>, epoch: u64, level: u32) -> Outcome<Vec<u8>> {
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let mut out = GzBuilder::new().write(Vec::new(), Compression::new(level));
    for entry in &entries {
        let bytes = entry.bytes();
        out.write_all(&tar_header(entry, bytes.len(), epoch)?)?;
        out.write_all(bytes)?;
        out.write_all(&[0; BLOCK][..bytes.len().next_multiple_of(BLOCK) - bytes.len()])?;
    }
    out.write_all(&[0; 2 * BLOCK])?;
    Ok(out.finish()?)
}

/// The header of an entry in the format `ustar`.
fn tar_header(entry: &Entry<'_>, size: usize, epoch: u64) -> Outcome<[u8; BLOCK]> {
    let (kind, path, target) = match entry.kind {
        Kind::File(_) => (b'0', entry.path.clone(), ""),
        Kind::Link(target) => (b'2', entry.path.clone(), target),
        Kind::Folder => (b'5', format!("{}/", entry.path), ""),
    };
    if path.len() > TAR_NAME || target.len() > TAR_NAME {
        return Err(format!("{path}: a path in a tar archive has at most {TAR_NAME} bytes").into());
    }
    let mut header = [0; BLOCK];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, path.as_bytes());
    put(100, format!("{:07o}", entry.mode).as_bytes());
    // User and group 0, by number and by name.
    put(108, b"0000000");
    put(116, b"0000000");
    put(124, format!("{size:011o}").as_bytes());
    put(136, format!("{epoch:011o}").as_bytes());
    put(148, b"        ");
    put(156, &[kind]);
    put(157, target.as_bytes());
    put(257, b"ustar\x0000");
    put(265, b"root");
    put(297, b"root");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(header)
}

/// Compresses a file as `gzip -n`.
pub(super) fn write_gzip(bytes: &[u8], level: u32) -> Outcome<Vec<u8>> {
    let mut out = GzBuilder::new().write(Vec::new(), Compression::new(level));
    out.write_all(bytes)?;
    Ok(out.finish()?)
}

/// Writes a zip archive with the entries in the given order. Folders are not written.
///
/// # Errors
/// There is a link, which installers of Python and of MCP bundles do not unpack.
pub(super) fn write_zip(entries: &[Entry<'_>], epoch: u64, level: u32) -> Outcome<Vec<u8>> {
    let time = jiff::Timestamp::from_second(i64::try_from(epoch.max(ZIP_START))?)?;
    let time = jiff::tz::Offset::UTC.to_datetime(time);
    let time = DateTime::from_date_and_time(
        u16::try_from(time.year())?,
        u8::try_from(time.month())?,
        u8::try_from(time.day())?,
        u8::try_from(time.hour())?,
        u8::try_from(time.minute())?,
        u8::try_from(time.second())?,
    )?;
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(i64::from(level)))
        .last_modified_time(time);
    let mut out = ZipWriter::new(Cursor::new(Vec::new()));
    for entry in entries {
        let Kind::File(bytes) = entry.kind else {
            return Err(format!("{}: only files can be in this archive", entry.path).into());
        };
        out.start_file(&*entry.path, options.unix_permissions(entry.mode))?;
        out.write_all(bytes)?;
    }
    Ok(out.finish()?.into_inner())
}

/// Writes an `ar` archive, which is the outer form of a Debian package.
pub(super) fn write_ar(members: &[(&str, &[u8])], epoch: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let header = format!("{name:<16}{epoch:<12}{:<6}{:<6}{:<8o}{:<10}`\n", 0, 0, 0o100_644, bytes.len());
        out.extend_from_slice(header.as_bytes());
        out.extend_from_slice(bytes);
        if bytes.len() % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

/// The SHA-256 of some bytes, in hexadecimal digits.
pub(super) fn hash(bytes: &[u8]) -> String {
    hash_bytes(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The SHA-256 of some bytes.
pub(super) fn hash_bytes(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}
