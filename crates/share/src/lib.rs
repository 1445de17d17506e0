//! Parts of an index in an object store: pushed once, signed, and pulled by everyone else.
//!
//! ```text
//! <store>/<repository>/<versions>/<commit>       manifest: key, signature, and the list of parts
//!         <repository>/parts/<two digits>/<hash> part: compressed, named by the BLAKE3 of its content
//! ```
//! This crate handles bytes and knows nothing of what is in them. A file is cut where its content says so
//! ([`chunks`]), so that the files of neighbouring commits share most parts. The manifest is written last, and is read
//! only if its signature is that of a key which the user trusts: whoever can write to the store can withhold an index
//! or offer an older one, and cannot change one.
//!
//! # Limitations
//! Nothing is removed from a store: rules of the store for old objects do that. A manifest whose parts are gone is
//! reported as incomplete.

mod chunks;
mod error;
mod keys;
pub mod limits;
mod manifest;
mod parts;
mod pull;
mod push;
mod remote;

pub use error::ShareError;
pub use keys::{KEY_VARIABLE, KeyFolder, PublicKey, SecretKey, TrustedKey};
pub use manifest::{FileKind, FileParts, Manifest, Origin, Part, Signed};
pub use pull::{Found, Pulled, Search, find, pull};
pub use push::{Pushed, SourceFile, push};
pub use remote::Remote;
