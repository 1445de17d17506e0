//! Limits of what is read from a store.

use std::time::Duration;

/// Smallest part, except for the last one of a file, in bytes.
pub const LEAST_PART: usize = 64 << 10;
/// Largest part, in bytes.
pub const MAX_PART: usize = 1 << 20;
/// Largest compressed part, in bytes: what does not compress becomes a little larger.
pub const MAX_STORED_PART: u64 = (MAX_PART + MAX_PART / 128 + 1024) as u64;
/// Largest manifest, in bytes.
pub const MAX_MANIFEST: u64 = 16 << 20;
/// Maximum number of parts of one file.
pub const MAX_PARTS: usize = 64 << 10;
/// Maximum size of one file, in bytes.
pub const MAX_FILE: u64 = 16 << 30;
/// Maximum number of ancestors of which a store is asked for an index.
pub const MAX_ANCESTORS: usize = 512;
/// Maximum length of the name of a repository, in bytes.
pub const MAX_NAME: usize = 512;
/// Number of requests that run at the same time.
pub const REQUESTS: usize = 16;
/// Number of repetitions of a request that failed.
pub const RETRIES: usize = 2;
/// Maximum time in which a failed request is repeated.
pub const RETRY_TIME: Duration = Duration::from_secs(20);
/// Longest wait for a connection.
pub const CONNECT_TIME: Duration = Duration::from_secs(5);
