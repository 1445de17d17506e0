//! The operations on a project, each behind a gate so that tests can stop between any two of them.

use std::fmt::Debug;
use std::io::{self, Read, Write};

use cap_std::fs::{Dir, Metadata, OpenOptions};
use m1nd_base::ContentHash;
use m1nd_vfs::Folder;

use crate::attributes::set_attributes;

/// An operation on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Open a folder, look at a name, or read a file.
    Read,
    /// Create a folder.
    CreateFolder,
    /// Create the file for new content.
    Create,
    /// Write its content.
    Write,
    /// Wait until it is on the disk.
    SyncFile,
    /// Put a file in its place.
    Place,
    /// Wait until names are on the disk.
    SyncFolder,
    /// Remove a file or folder.
    Remove,
}

/// Decides before each step whether it happens: only tests refuse one.
pub trait Gate: Debug + Send + Sync {
    /// Lets the step happen, or fails in its place.
    fn pass(&self, step: Step) -> io::Result<()>;

    /// Returns whether to wait for the disk: tests that count steps need not.
    fn waits(&self) -> bool {
        true
    }
}

/// Lets everything happen.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenGate;

impl Gate for OpenGate {
    fn pass(&self, _: Step) -> io::Result<()> {
        Ok(())
    }
}

/// What lies at a name.
#[derive(Debug)]
pub(crate) enum Found {
    Nothing,
    /// A regular file.
    File(Metadata),
    /// Something else, with its article.
    Other(&'static str),
}

/// Looks at a name without following a link.
pub(crate) fn look(gate: &dyn Gate, folder: &Folder, name: &str) -> io::Result<Found> {
    gate.pass(Step::Read)?;
    match folder.dir().symlink_metadata(name) {
        Ok(meta) if meta.is_file() => Ok(Found::File(meta)),
        Ok(meta) if meta.is_symlink() => Ok(Found::Other("a link")),
        Ok(meta) if meta.is_dir() => Ok(Found::Other("a folder")),
        Ok(_) => Ok(Found::Other("a device, pipe or socket")),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound) => Ok(Found::Nothing),
        Err(error) => Err(error),
    }
}

/// Reads a regular file, which must still be the one that was looked at.
pub(crate) fn read(gate: &dyn Gate, folder: &Folder, name: &str, meta: &Metadata, limit: u64) -> io::Result<Vec<u8>> {
    gate.pass(Step::Read)?;
    let mut file = folder.dir().open_with(name, &read_options())?;
    if !same_file(meta, &file.metadata()?) {
        return Err(io::Error::other("it was replaced while it was read"));
    }
    let mut bytes = Vec::new();
    (&mut file).take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

/// Content of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    /// There is nothing.
    Nothing,
    /// A regular file with these bytes.
    Bytes(Vec<u8>),
    /// Something else, with its article, or a file larger than the limit.
    Other(&'static str),
}

impl Content {
    /// Hash of the bytes; `None` if there are none.
    pub(crate) fn hash(&self) -> Option<ContentHash> {
        match self {
            Self::Bytes(bytes) => Some(ContentHash::of(bytes)),
            Self::Nothing | Self::Other(_) => None,
        }
    }
}

/// Reads what is at a name. An error means that it is not known.
pub(crate) fn content_of(gate: &dyn Gate, folder: &Folder, name: &str, limit: u64) -> io::Result<Content> {
    match look(gate, folder, name)? {
        Found::Nothing => Ok(Content::Nothing),
        Found::Other(what) => Ok(Content::Other(what)),
        Found::File(meta) if meta.len() > limit => Ok(Content::Other("a larger file")),
        Found::File(meta) => match read(gate, folder, name, &meta, limit) {
            Ok(bytes) => Ok(Content::Bytes(bytes)),
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => Ok(Content::Other("a larger file")),
            Err(error) => Err(error),
        },
    }
}

/// Hash of the regular file at a name; `None` if there is nothing, an error for anything else.
pub(crate) fn hash_of(gate: &dyn Gate, folder: &Folder, name: &str, limit: u64) -> io::Result<Option<ContentHash>> {
    match content_of(gate, folder, name, limit)? {
        Content::Other(what) => Err(io::Error::other(format!("it is {what} now"))),
        content => Ok(content.hash()),
    }
}

/// Writes a new file and waits until its content is on the disk. It gets the owner and the attributes of the file at
/// the name `like`, if there is one; its mode is given, with whether it is a program if that changes.
pub(crate) fn write_new(
    gate: &dyn Gate,
    folder: &Folder,
    name: &str,
    bytes: &[u8],
    (mode, executable): (Option<u32>, Option<bool>),
    like: Option<&str>,
) -> io::Result<()> {
    gate.pass(Step::Create)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = folder.dir().open_with(name, &options)?;
    gate.pass(Step::Write)?;
    file.write_all(bytes)?;
    let like = like.and_then(|like| folder.dir().open_with(like, &read_options()).ok());
    set_attributes(&file, mode, executable, like.as_ref())?;
    gate.pass(Step::SyncFile)?;
    if gate.waits() { file.sync_all() } else { Ok(()) }
}

/// Puts a new file at a name that must be free.
pub(crate) fn place_new(gate: &dyn Gate, folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    gate.pass(Step::Place)?;
    match rename_to_free(folder.dir(), from, to) {
        Err(error) if is_unsupported(&error) => {
            folder.dir().hard_link(from, folder.dir(), to)?;
            folder.dir().remove_file(from)
        }
        done => done,
    }
}

/// Exchanges two files in one step; `false` if the file system cannot, and nothing happened.
pub(crate) fn exchange(gate: &dyn Gate, folder: &Folder, one: &str, other: &str) -> io::Result<bool> {
    gate.pass(Step::Place)?;
    match swap(folder.dir(), one, other) {
        Ok(()) => Ok(true),
        Err(error) if is_unsupported(&error) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Renames a file, replacing what is at the new name.
pub(crate) fn place_over(gate: &dyn Gate, folder: &Folder, from: &str, to: &str) -> io::Result<()> {
    gate.pass(Step::Place)?;
    folder.dir().rename(from, folder.dir(), to)
}

/// Removes a regular file; nothing if there is none.
pub(crate) fn remove(gate: &dyn Gate, folder: &Folder, name: &str) -> io::Result<()> {
    if !matches!(look(gate, folder, name)?, Found::File(_)) {
        return Ok(());
    }
    gate.pass(Step::Remove)?;
    folder.dir().remove_file(name)
}

/// Creates a folder; nothing if it is there.
pub(crate) fn create_folder(gate: &dyn Gate, folder: &Folder, name: &str) -> io::Result<()> {
    gate.pass(Step::CreateFolder)?;
    match folder.dir().create_dir(name) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

/// Removes a folder if it is empty.
pub(crate) fn remove_empty_folder(gate: &dyn Gate, folder: &Folder, name: &str) -> io::Result<()> {
    gate.pass(Step::Remove)?;
    match folder.dir().remove_dir(name) {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::DirectoryNotEmpty) => Ok(()),
        done => done,
    }
}

/// Waits until the names in a folder are on the disk.
pub(crate) fn sync_folder(gate: &dyn Gate, folder: &Folder) -> io::Result<()> {
    gate.pass(Step::SyncFolder)?;
    if gate.waits() { sync(folder.dir()) } else { Ok(()) }
}

#[cfg(unix)]
pub(crate) fn mode_of(meta: &Metadata) -> Option<u32> {
    use cap_std::fs::PermissionsExt;
    Some(meta.permissions().mode() & 0o7777)
}

#[cfg(not(unix))]
pub(crate) fn mode_of(_: &Metadata) -> Option<u32> {
    None
}

/// The number of a file under all its names.
#[cfg(unix)]
pub(crate) fn number_of(meta: &Metadata) -> Option<(u64, u64)> {
    use cap_std::fs::MetadataExt;
    Some((meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
pub(crate) fn number_of(_: &Metadata) -> Option<(u64, u64)> {
    None
}

fn same_file(one: &Metadata, other: &Metadata) -> bool {
    other.is_file() && number_of(one) == number_of(other)
}

/// Options with which opening neither blocks nor has side effects.
fn read_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NOFOLLOW;
        options.custom_flags(i32::try_from(flags.bits()).expect("flags of open fit in a C int"));
    }
    options
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn swap(dir: &Dir, one: &str, other: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(dir, one, dir, other, rustix::fs::RenameFlags::EXCHANGE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn swap(_: &Dir, _: &str, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename_to_free(dir: &Dir, from: &str, to: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(dir, from, dir, to, rustix::fs::RenameFlags::NOREPLACE)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename_to_free(_: &Dir, _: &str, _: &str) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn sync(dir: &Dir) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::fsync(rustix::fs::openat(dir, ".", flags, Mode::empty())?)?)
}

/// Such systems keep names with the journal of the file system.
#[cfg(not(unix))]
fn sync(_: &Dir) -> io::Result<()> {
    Ok(())
}
