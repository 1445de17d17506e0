use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, Metadata, OpenOptions};
use m1nd_base::RepoPath;

use crate::VfsError;

/// An open folder of a project. Cheap to clone; clones share the handle.
#[derive(Debug, Clone)]
pub struct Root {
    dir: Arc<Dir>,
    path: Arc<Path>,
}

/// What tells whether a file has changed without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileMeta {
    /// Bytes.
    pub size: u64,
    /// Last change of the content, in nanoseconds since 1970; negative before, 0 if the system does not say.
    pub mtime_ns: i64,
    /// Number of the file in its file system, 0 if the system has none.
    pub ino: u64,
}

impl Root {
    /// Opens the folder at `path`, which comes from the user's command line or configuration, never from a project.
    ///
    /// # Errors
    /// [`VfsError::NotFound`], [`VfsError::NotAFolder`] or [`VfsError::Unreadable`].
    pub fn open(path: &Path) -> Result<Self, VfsError> {
        let shown = path.to_string_lossy();
        let canonical: PathBuf = std::fs::canonicalize(path).map_err(|error| VfsError::from_io(&shown, error))?;
        let meta = std::fs::metadata(&canonical).map_err(|error| VfsError::from_io(&shown, error))?;
        if !meta.is_dir() {
            return Err(VfsError::NotAFolder { path: shown.into_owned() });
        }
        let dir =
            Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(|error| VfsError::from_io(&shown, error))?;
        // A folder that can be opened but not listed would look empty, and an empty answer would be a wrong one.
        dir.entries().map_err(|error| VfsError::from_io(&shown, error))?;
        Ok(Self { dir: Arc::new(dir), path: canonical.into() })
    }

    /// The canonical path of the folder. To be shown and compared, not to be opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The handle itself.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Reads a regular file of at most `max_bytes` bytes. A link is followed only as far as it stays in the root.
    ///
    /// # Errors
    /// Any [`VfsError`] but the ones of folders and watching.
    pub fn read(&self, path: &RepoPath, max_bytes: u64) -> Result<Vec<u8>, VfsError> {
        let shown = path.as_str();
        // Looked at before it is opened, because the opening of a device can act; and again afterwards on the open
        // handle, because the name may by then belong to another file.
        regular(shown, &self.stat(path)?)?;
        let failed = |error| VfsError::from_io(shown, error);
        let mut file = self.dir.open_with(shown, &read_options()).map_err(failed)?;
        let meta = file.metadata().map_err(failed)?;
        regular(shown, &meta)?;
        let too_large = |size| VfsError::TooLarge { path: shown.to_owned(), size, limit: max_bytes };
        if meta.len() > max_bytes {
            return Err(too_large(meta.len()));
        }
        let expected = usize::try_from(meta.len()).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        if bytes.try_reserve_exact(expected.saturating_add(1)).is_err() {
            return Err(too_large(meta.len()));
        }
        // The file may grow while it is read.
        (&mut file).take(max_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() as u64 > max_bytes {
            return Err(too_large(bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// Size and time of a regular file, without opening it.
    ///
    /// # Errors
    /// Those of [`Root::read`] but [`VfsError::TooLarge`].
    pub fn metadata(&self, path: &RepoPath) -> Result<FileMeta, VfsError> {
        let meta = self.stat(path)?;
        regular(path.as_str(), &meta)?;
        Ok(FileMeta::of(&meta))
    }

    /// Size and time of a regular file as the walk sees it: through no link.
    ///
    /// # Errors
    /// Those of [`Root::metadata`]. A link is [`VfsError::NotRegular`]; what lies behind a link to a folder is
    /// [`VfsError::NotFound`], because the walk does not get there.
    pub fn own_metadata(&self, path: &RepoPath) -> Result<FileMeta, VfsError> {
        let shown = path.as_str();
        let failed = |error| VfsError::from_io(shown, error);
        for (end, _) in shown.match_indices('/') {
            if self.dir.symlink_metadata(&shown[..end]).map_err(failed)?.is_symlink() {
                return Err(VfsError::NotFound { path: shown.to_owned() });
            }
        }
        let meta = self.dir.symlink_metadata(shown).map_err(failed)?;
        regular(shown, &meta)?;
        Ok(FileMeta::of(&meta))
    }

    /// Whether the path itself or a folder on the way to it is a symbolic link.
    pub fn has_link(&self, path: &RepoPath) -> bool {
        let shown = path.as_str();
        let ends = shown.match_indices('/').map(|(end, _)| end).chain([shown.len()]);
        ends.into_iter().any(|end| self.dir.symlink_metadata(&shown[..end]).is_ok_and(|meta| meta.is_symlink()))
    }

    /// Whether the folder is still the one at its path: not removed, moved away or replaced by another.
    pub fn is_at_path(&self) -> bool {
        let Ok(there) = Dir::open_ambient_dir(&*self.path, ambient_authority()) else { return false };
        let (Ok(open), Ok(there)) = (self.dir.dir_metadata(), there.dir_metadata()) else { return false };
        #[cfg(unix)]
        {
            use cap_std::fs::MetadataExt;
            (open.dev(), open.ino()) == (there.dev(), there.ino())
        }
        #[cfg(not(unix))]
        {
            // Here an open folder cannot be removed.
            open.is_dir() && there.is_dir()
        }
    }

    /// Whether both are clones of one handle.
    pub fn is_same_handle(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.dir, &other.dir)
    }

    fn stat(&self, path: &RepoPath) -> Result<Metadata, VfsError> {
        self.dir.metadata(path.as_str()).map_err(|error| VfsError::from_io(path.as_str(), error))
    }
}

impl FileMeta {
    /// Takes the figures out of what the system says.
    #[cfg(unix)]
    pub(crate) fn of(meta: &Metadata) -> Self {
        use cap_std::fs::MetadataExt;
        let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        Self { size: meta.len(), mtime_ns, ino: meta.ino() }
    }

    /// Takes the figures out of what the system says.
    #[cfg(not(unix))]
    pub(crate) fn of(meta: &Metadata) -> Self {
        let since_1970 = meta.modified().ok().and_then(|time| {
            time.into_std()
                .duration_since(std::time::UNIX_EPOCH)
                .ok()
                .and_then(|time| i64::try_from(time.as_nanos()).ok())
        });
        Self { size: meta.len(), mtime_ns: since_1970.unwrap_or(0), ino: 0 }
    }
}

/// What a thing that is not a regular file is, with its article; `None` for a regular file.
pub(crate) fn irregular(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use cap_std::fs::FileTypeExt;
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
    }
    match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if kind.is_symlink() => Some("a link"),
        () => Some("of an unknown kind"),
    }
}

fn regular(path: &str, meta: &Metadata) -> Result<(), VfsError> {
    match irregular(meta.file_type()) {
        None => Ok(()),
        Some(what) => Err(VfsError::NotRegular { path: path.to_owned(), what }),
    }
}

/// Opens for reading without waiting: a pipe that took the name of a file must not hold us up.
fn read_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
        options.custom_flags(i32::try_from(flags.bits()).expect("flags of open fit in a C int"));
    }
    options
}
