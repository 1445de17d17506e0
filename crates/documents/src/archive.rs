//! Parts of an office file, with bounds on what they unpack to.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::formats::report_malformed;
use crate::text::decode;
use crate::xml::Tree;
use crate::{DocumentLimits, Format, Unreadable};

/// First bytes of a file of the older format, in which encrypted documents are stored.
const COMPOUND_FILE: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0];

/// An archive.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    format: Format,
    limits: DocumentLimits,
    /// Bytes that may still be unpacked.
    left: u64,
}

impl<'b> Archive<'b> {
    pub(crate) fn open(bytes: &'b [u8], format: Format, limits: &DocumentLimits) -> Result<Self, Unreadable> {
        if bytes.starts_with(COMPOUND_FILE) {
            return Err(Unreadable::Encrypted);
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| report_malformed(format, error))?;
        if zip.len() > limits.parts {
            return Err(report_malformed(format, format_args!("{} parts, limit {}", zip.len(), limits.parts)));
        }
        Ok(Self { zip, format, limits: limits.clone(), left: limits.unpacked })
    }

    /// Names of the parts, sorted by their numbers: `slide2.xml` before `slide10.xml`.
    pub(crate) fn names(&self, prefix: &str, suffix: &str) -> Vec<String> {
        let fits = |name: &String| name.starts_with(prefix) && name.ends_with(suffix);
        let mut names: Vec<String> =
            self.zip.file_names().flatten().map(|name| name.into_owned()).filter(fits).collect();
        names.sort_by_cached_key(|name| {
            let digits: String = name.chars().filter(char::is_ascii_digit).take(9).collect();
            (digits.parse::<u64>().unwrap_or(0), name.clone())
        });
        names
    }

    /// A part as a tree; `None` if the archive has no such part.
    pub(crate) fn tree(&mut self, name: &str) -> Result<Option<Tree>, Unreadable> {
        let mut file = match self.zip.by_name(name) {
            Ok(file) => file,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(ZipError::UnsupportedArchive(why)) if why.to_lowercase().contains("password") => {
                return Err(Unreadable::Encrypted);
            }
            Err(error) => return Err(report_malformed(self.format, error)),
        };
        let mut bytes = Vec::new();
        // The size in the header is a claim of the file: what is unpacked is counted.
        let read = (&mut file)
            .take(self.left + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| report_malformed(self.format, error))?;
        let bomb = Unreadable::Bomb { limit: self.limits.unpacked };
        self.left = self.left.checked_sub(read as u64).ok_or(bomb)?;
        let (text, _) = decode(&bytes);
        Tree::parse(&text, self.format, &self.limits).map(Some)
    }

    /// A part that the format requires.
    pub(crate) fn require_part(&mut self, name: &str) -> Result<Tree, Unreadable> {
        self.tree(name)?.ok_or_else(|| report_malformed(self.format, format_args!("it has no part `{name}`")))
    }
}
