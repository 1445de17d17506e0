use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType, Metadata, OpenOptions};
use m1nd_base::RepoPath;

use crate::{VfsError, control};

/// An open folder of a project. Cheap to clone; clones share the handle.
#[derive(Debug, Clone)]
pub struct Root {
    dir: Arc<Dir>,
    path: Arc<Path>,
}

/// Metadata that reveals a change of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FileMeta {
    /// Size in bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970; negative before, 0 if unknown.
    pub mtime_ns: i64,
    /// Inode number, 0 if the file system has none.
    pub ino: u64,
}

impl Root {
    /// Opens the folder at `path`, which must come from the user's command line or configuration, never from a
    /// project.
    ///
    /// # Errors
    /// [`VfsError::NotFound`], [`VfsError::NotAFolder`], [`VfsError::Unreadable`] or [`VfsError::VersionControl`].
    pub fn open(path: &Path) -> Result<Self, VfsError> {
        let shown = path.to_string_lossy();
        let canonical: PathBuf = std::fs::canonicalize(path).map_err(|error| VfsError::from_io(&shown, error))?;
        control::check_not_version_control(&canonical)?;
        let meta = std::fs::metadata(&canonical).map_err(|error| VfsError::from_io(&shown, error))?;
        if !meta.is_dir() {
            return Err(VfsError::NotAFolder { path: shown.into_owned() });
        }
        let dir =
            Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(|error| VfsError::from_io(&shown, error))?;
        // A folder that can be opened but not listed would look empty, and the index would be wrong.
        dir.entries().map_err(|error| VfsError::from_io(&shown, error))?;
        Ok(Self { dir: Arc::new(dir), path: canonical.into() })
    }

    /// Canonical path of the folder, for display and comparison only: it must not be opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory handle.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Reads a regular file of at most `max_bytes` bytes. Follows a link only within the root.
    ///
    /// # Errors
    /// Any [`VfsError`] except those of folders and watching.
    pub fn read(&self, path: &RepoPath, max_bytes: u64) -> Result<Vec<u8>, VfsError> {
        self.check_target(path)?;
        self.read_any(path, max_bytes)
    }

    /// Like [`Root::read`], for a path that a walk of this root has listed: it leads through no link, so no folder on
    /// its way is looked at.
    ///
    /// # Errors
    /// Those of [`Root::read`].
    pub fn read_listed(&self, path: &RepoPath, max_bytes: u64) -> Result<Vec<u8>, VfsError> {
        control::check_inner(path.as_str())?;
        self.read_any(path, max_bytes)
    }

    /// Like [`Root::read`], also inside of a folder of version control.
    pub(crate) fn read_any(&self, path: &RepoPath, max_bytes: u64) -> Result<Vec<u8>, VfsError> {
        let shown = path.as_str();
        // Checked before opening, because opening a device can have side effects, and again on the open handle,
        // because the name may refer to another file by then.
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

    /// Returns size and time of a regular file, without opening it.
    ///
    /// # Errors
    /// Those of [`Root::read`] except [`VfsError::TooLarge`].
    pub fn metadata(&self, path: &RepoPath) -> Result<FileMeta, VfsError> {
        self.check_target(path)?;
        let meta = self.stat(path)?;
        regular(path.as_str(), &meta)?;
        Ok(FileMeta::of(&meta))
    }

    /// Returns size and time of a regular file without following links, as the walk does.
    ///
    /// # Errors
    /// Those of [`Root::metadata`]. A link is [`VfsError::NotRegular`]; a path through a linked folder is
    /// [`VfsError::NotFound`], because the walk does not reach it.
    pub fn own_metadata(&self, path: &RepoPath) -> Result<FileMeta, VfsError> {
        let shown = path.as_str();
        control::check_inner(shown)?;
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

    /// The regular files directly in a folder, sorted; none if it cannot be listed or leads through a link.
    pub fn files_in(&self, folder: &RepoPath) -> Vec<RepoPath> {
        if control::check_inner(folder.as_str()).is_err() || self.has_link(folder) {
            return Vec::new();
        }
        let Ok(entries) = self.dir.read_dir(folder.as_str()) else { return Vec::new() };
        let regular = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
        let path = |name: std::ffi::OsString| RepoPath::new(&format!("{folder}/{}", name.to_str()?)).ok();
        let mut found: Vec<RepoPath> = regular.filter_map(|entry| path(entry.file_name())).collect();
        found.sort_unstable();
        found
    }

    /// Returns whether the path itself is a symbolic link, wherever that leads.
    pub fn is_link(&self, path: &RepoPath) -> bool {
        self.dir.symlink_metadata(path.as_str()).is_ok_and(|meta| meta.is_symlink())
    }

    /// Returns whether the path itself or a folder on the way to it is a symbolic link.
    pub fn has_link(&self, path: &RepoPath) -> bool {
        let shown = path.as_str();
        let ends = shown.match_indices('/').map(|(end, _)| end).chain([shown.len()]);
        ends.into_iter().any(|end| self.dir.symlink_metadata(&shown[..end]).is_ok_and(|meta| meta.is_symlink()))
    }

    /// Returns whether the folder is still the one at its path: not removed, moved away or replaced by another.
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
            // On this platform an open folder cannot be removed.
            open.is_dir() && there.is_dir()
        }
    }

    /// Returns whether both are clones of one handle.
    pub fn is_same_handle(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.dir, &other.dir)
    }

    /// Refuses a path into a folder of version control, also through a link inside the root.
    fn check_target(&self, path: &RepoPath) -> Result<(), VfsError> {
        let shown = path.as_str();
        control::check_inner(shown)?;
        if !self.has_link(path) {
            return Ok(());
        }
        let target = self.dir.canonicalize(shown).map_err(|error| VfsError::from_io(shown, error))?;
        control::check_not_version_control(&target).map_err(|_| VfsError::VersionControl { path: shown.to_owned() })
    }

    fn stat(&self, path: &RepoPath) -> Result<Metadata, VfsError> {
        self.dir.metadata(path.as_str()).map_err(|error| VfsError::from_io(path.as_str(), error))
    }
}

impl FileMeta {
    /// Extracts the fields from the system's metadata.
    #[cfg(unix)]
    pub(crate) fn of(meta: &Metadata) -> Self {
        use cap_std::fs::MetadataExt;
        let mtime_ns = meta.mtime().saturating_mul(1_000_000_000).saturating_add(meta.mtime_nsec());
        Self { size: meta.len(), mtime_ns, ino: meta.ino() }
    }

    /// Extracts the fields from the system's metadata.
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

/// Describes a file that is not regular, with its article; `None` for a regular file.
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

/// Options for non-blocking reading: a pipe that replaced the file must not block the open.
fn read_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(open_flags());
    }
    options
}

/// Flags of `open` with which neither a pipe blocks nor a terminal takes over this process.
#[cfg(unix)]
pub(crate) fn open_flags() -> i32 {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    i32::try_from(flags.bits()).expect("flags of open fit in a C int")
}
