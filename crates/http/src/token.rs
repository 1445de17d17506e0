//! The secret that clients send with each request.

use std::path::Path;
use std::time::Duration;

use m1nd_store::{SharedFolder, StoreError};

/// Folder of tokens and instances in the home of m1nd.
pub(crate) const FOLDER: &str = "http";
/// The file of the token in the home of m1nd.
pub const TOKEN_FILE: &str = "http/token";
/// Its name in the folder.
const FILE: &str = "token";
/// Random bytes of a token.
const BYTES: usize = 32;
/// Maximum size of the file, in bytes.
const MAX_BYTES: u64 = 1024;
/// How long another process may take to create the token.
const WAIT: Duration = Duration::from_secs(5);

/// The token: 256 random bits, as hexadecimal digits. Neither shown in errors nor in logs.
#[derive(Clone)]
pub struct Token {
    text: String,
    hash: blake3::Hash,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

impl Token {
    /// Reads the token of a home, which the first start creates with access for its owner only. A token that others can
    /// read is replaced.
    ///
    /// # Errors
    /// The folder is not this user's, or the file cannot be read or written.
    pub fn load(home: &Path) -> Result<Self, StoreError> {
        let folder = SharedFolder::new(home.join(FOLDER));
        folder.system().create_folder(folder.path()).map_err(|source| StoreError::Io {
            action: "create the folder",
            path: folder.path().to_owned(),
            source,
        })?;
        #[cfg(unix)]
        m1nd_store::check_private_folder(folder.path())?;
        let path = folder.path().join(FILE);
        let is_private = is_private(&path);
        folder.change(FILE, MAX_BYTES, WAIT, |found| {
            let kept = found.filter(|_| is_private).and_then(|bytes| String::from_utf8(bytes).ok());
            let kept = kept.map(|text| text.trim().to_owned()).filter(|text| is_token(text));
            if let Some(text) = kept {
                return Ok((Self::of(text), None));
            }
            let text = draw(BYTES).map_err(|source| StoreError::Io {
                action: "draw random numbers for",
                path: path.clone(),
                source,
            })?;
            let line = format!("{text}\n").into_bytes();
            Ok((Self::of(text), Some(line)))
        })
    }

    fn of(text: String) -> Self {
        Self { hash: blake3::hash(text.as_bytes()), text }
    }

    /// The token itself.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether a text is the token. Compares hashes, in constant time.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        blake3::hash(given) == self.hash
    }
}

/// Random bytes as hexadecimal digits.
pub(crate) fn draw(bytes: usize) -> std::io::Result<String> {
    let mut random = vec![0; bytes];
    getrandom::fill(&mut random).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_token(text: &str) -> bool {
    text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Returns whether only the owner can read a file, or there is none.
#[cfg(unix)]
fn is_private(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::symlink_metadata(path).map_or(true, |meta| meta.is_file() && meta.mode() & 0o077 == 0)
}

#[cfg(not(unix))]
fn is_private(_: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};

    use super::*;

    #[test]
    fn the_token_is_made_once_and_only_its_owner_reads_it() {
        let home = tempfile::tempdir().unwrap();
        let token = Token::load(home.path()).unwrap();
        let path = home.path().join("http/token");
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert_eq!(std::fs::metadata(home.path().join("http")).unwrap().mode() & 0o777, 0o700);
        assert_eq!(Token::load(home.path()).unwrap().text(), token.text());
        assert!(token.is(token.text().as_bytes()));
        assert!(!token.is(b"") && !token.is(&token.text().as_bytes()[1..]));
        assert!(!format!("{token:?}").contains(token.text()));
    }

    #[test]
    fn a_token_that_others_read_or_that_is_damaged_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("http/token");
        let first = Token::load(home.path()).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let second = Token::load(home.path()).unwrap();
        assert_ne!(first.text(), second.text());
        assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        std::fs::write(&path, "guess").unwrap();
        assert_eq!(Token::load(home.path()).unwrap().text().len(), 64);
        std::fs::set_permissions(home.path().join("http"), std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(Token::load(home.path()), Err(StoreError::NotPrivate { .. })));
    }
}
