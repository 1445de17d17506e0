use std::fmt::Debug;
use std::io::{self, Write};
use std::path::Path;

/// The file operations behind durable state. `store` has the real implementation; tests use one that injects faults.
///
/// Each method either does everything it documents or returns an error; the state after an error is documented per
/// method.
pub trait System: Debug + Send + Sync {
    /// Makes a file that only its owner can read and opens it for writing. Fails if the name is taken.
    fn create_new(&self, path: &Path) -> io::Result<Box<dyn SystemFile>>;

    /// Reads a whole file; fails with [`io::ErrorKind::FileTooLarge`] if it has more than `max_bytes` bytes.
    fn read(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>>;

    /// Renames `from` to `to` atomically, replacing an existing file. Durable after [`System::sync_folder`].
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a file. Durable after [`System::sync_folder`].
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a folder that only its owner can enter, and those above it. Does nothing if it is there.
    fn create_folder(&self, path: &Path) -> io::Result<()>;

    /// Sets the permission bits of a file, where the system has such. Durable with the next synchronisation of the
    /// file or its folder.
    fn set_mode(&self, path: &Path, mode: u32) -> io::Result<()>;

    /// Waits until the names in the folder are on the disk.
    fn sync_folder(&self, path: &Path) -> io::Result<()>;

    /// Names of what lies directly in the folder, sorted; those that are not UTF-8 are left out.
    fn list(&self, path: &Path) -> io::Result<Vec<String>>;

    /// Seconds since 1970.
    fn unix_seconds(&self) -> u64;
}

/// A file being written.
pub trait SystemFile: Write + Send {
    /// Waits until the content is on the disk. After an error part of the content may be lost: write the file again.
    fn sync(&mut self) -> io::Result<()>;
}
