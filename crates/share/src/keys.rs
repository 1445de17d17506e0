//! Keys that sign manifests, and the public keys that a user trusts. Both are in the folder of the store, never in a
//! repository.

use std::fmt;
use std::path::{Path, PathBuf};

use m1nd_base::System;
use m1nd_store::{RealSystem, durable_write};
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};

use crate::ShareError;

/// Variable of the environment that holds the key to sign with, for machines that keep no files.
pub const KEY_VARIABLE: &str = "M1ND_SHARE_KEY";
/// Folder in that of all state.
const FOLDER: &str = "share";
/// The key to sign with.
const SECRET: &str = "key";
/// The trusted keys, one in a line.
const TRUSTED: &str = "trusted-keys";
/// Maximum size of either file, in bytes.
const MAX_FILE: u64 = 1 << 20;
/// What a public key begins with.
const PUBLIC_PREFIX: &str = "ed25519:";
/// What a secret key begins with.
const SECRET_PREFIX: &str = "ed25519-secret:";
/// Maximum length of a name, in characters.
const MAX_NAME: usize = 80;

/// A public key. Its text is `ed25519:` and 64 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Parses the text of a key.
    ///
    /// # Errors
    /// [`ShareError::BadKey`].
    pub fn parse(text: &str) -> Result<Self, ShareError> {
        let digits = text.trim().strip_prefix(PUBLIC_PREFIX).and_then(decode_hex);
        let bytes = digits.and_then(|bytes| bytes.try_into().ok());
        let shown = || text.chars().take(MAX_NAME).collect::<String>();
        bytes.map(Self).ok_or_else(|| ShareError::BadKey(format!("`{}`", shown())))
    }

    /// Returns whether the signature of a message is of this key.
    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.0).verify(message, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC_PREFIX}{}", encode_hex(&self.0))
    }
}

/// A key to sign with.
pub struct SecretKey {
    pair: Ed25519KeyPair,
    text: String,
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretKey(of {})", self.public())
    }
}

impl SecretKey {
    /// Creates a new key.
    ///
    /// # Errors
    /// [`ShareError::BadKey`] if the system has no random numbers.
    pub fn generate() -> Result<Self, ShareError> {
        let failed = |_| ShareError::BadKey("the system has no random numbers".into());
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(failed)?;
        Self::parse(&format!("{SECRET_PREFIX}{}", encode_hex(document.as_ref())))
    }

    /// Parses the text of a key.
    ///
    /// # Errors
    /// [`ShareError::BadKey`], which does not repeat the text.
    pub fn parse(text: &str) -> Result<Self, ShareError> {
        let bad = || ShareError::BadKey(format!("a secret key begins with `{SECRET_PREFIX}`, then hexadecimal digits"));
        let text = text.trim();
        let document = text.strip_prefix(SECRET_PREFIX).and_then(decode_hex).ok_or_else(bad)?;
        let pair = Ed25519KeyPair::from_pkcs8(&document).map_err(|_| bad())?;
        Ok(Self { pair, text: text.to_owned() })
    }

    /// The text of the key. Whoever has it can sign.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.pair.public_key().as_ref());
        PublicKey(bytes)
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// A key that the user trusts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    /// The key.
    pub key: PublicKey,
    /// The name that the user gave it; empty if none.
    pub name: String,
}

/// The keys of a user.
#[derive(Debug, Clone)]
pub struct KeyFolder {
    path: PathBuf,
}

impl KeyFolder {
    /// The keys below the folder of all state. Creates nothing.
    pub fn of(home: &Path) -> Self {
        Self { path: home.join(FOLDER) }
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The key to sign with: that of the environment, else that of the file; `None` if there is neither.
    ///
    /// # Errors
    /// [`ShareError::BadKey`], [`ShareError::OpenKey`], [`ShareError::Io`].
    pub fn find_secret(&self) -> Result<Option<SecretKey>, ShareError> {
        match std::env::var(KEY_VARIABLE) {
            Ok(text) if !text.trim().is_empty() => SecretKey::parse(&text).map(Some),
            _ => self.read_secret(),
        }
    }

    fn read_secret(&self) -> Result<Option<SecretKey>, ShareError> {
        let path = self.path.join(SECRET);
        let Some(text) = read_text(&path)? else { return Ok(None) };
        check_mode(&path)?;
        SecretKey::parse(&text).map(Some)
    }

    /// The key of the file; creates one, readable by its owner only, if there is none.
    ///
    /// # Errors
    /// Those of [`KeyFolder::find_secret`].
    pub fn create_secret(&self) -> Result<SecretKey, ShareError> {
        if let Some(known) = self.read_secret()? {
            return Ok(known);
        }
        let key = SecretKey::generate()?;
        self.write(SECRET, &format!("{}\n", key.text()))?;
        Ok(key)
    }

    /// The keys that the user trusts, and their own, if they have one.
    ///
    /// # Errors
    /// [`ShareError::BadKey`] with the line that cannot be read; [`ShareError::Io`].
    pub fn list_trusted(&self) -> Result<Vec<TrustedKey>, ShareError> {
        let text = read_text(&self.path.join(TRUSTED))?.unwrap_or_default();
        let mut keys = Vec::new();
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (key, name) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            keys.push(TrustedKey { key: PublicKey::parse(key)?, name: name.trim().to_owned() });
        }
        if let Some(own) = self.find_secret()?.map(|key| key.public())
            && !keys.iter().any(|known| known.key == own)
        {
            keys.push(TrustedKey { key: own, name: "your own".to_owned() });
        }
        Ok(keys)
    }

    /// Trusts a key from now on. A known key gets the new name.
    ///
    /// # Errors
    /// Those of [`KeyFolder::list_trusted`].
    pub fn trust(&self, key: PublicKey, name: &str) -> Result<(), ShareError> {
        let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        self.change(key, Some(&name))
    }

    /// Trusts a key no longer.
    ///
    /// # Errors
    /// Those of [`KeyFolder::list_trusted`].
    pub fn distrust(&self, key: PublicKey) -> Result<(), ShareError> {
        self.change(key, None)
    }

    fn change(&self, key: PublicKey, name: Option<&str>) -> Result<(), ShareError> {
        let text = read_text(&self.path.join(TRUSTED))?.unwrap_or_default();
        let is_of_key = |line: &&str| line.split_whitespace().next() == Some(key.to_string().as_str());
        let mut lines: Vec<String> = text.lines().filter(|line| !is_of_key(line)).map(str::to_owned).collect();
        lines.extend(name.map(|name| format!("{key} {name}").trim_end().to_owned()));
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        self.write(TRUSTED, &lines)
    }

    fn write(&self, name: &str, text: &str) -> Result<(), ShareError> {
        RealSystem.create_folder(&self.path).map_err(ShareError::io("create the folder", &self.path))?;
        let path = self.path.join(name);
        let written = durable_write(&RealSystem, &path, text.as_bytes());
        written.map_err(|error| ShareError::io("write", &path)(std::io::Error::other(error)))
    }
}

fn read_text(path: &Path) -> Result<Option<String>, ShareError> {
    match RealSystem.read(path, MAX_FILE) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ShareError::io("read", path)(error)),
    }
}

#[cfg(unix)]
fn check_mode(path: &Path) -> Result<(), ShareError> {
    use std::os::unix::fs::PermissionsExt;

    let mode = std::fs::metadata(path).map_err(ShareError::io("read", path))?.permissions().mode();
    if mode & 0o077 == 0 { Ok(()) } else { Err(ShareError::OpenKey(path.to_owned())) }
}

#[cfg(not(unix))]
fn check_mode(_path: &Path) -> Result<(), ShareError> {
    Ok(())
}

pub(crate) fn encode_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn decode_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect::<Option<_>>()?;
    digits.len().is_multiple_of(2).then(|| digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_kept_and_trusted() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = KeyFolder::of(home.path());
        assert!(folder.list_trusted().expect("reads").is_empty());
        let other = SecretKey::generate().expect("a key").public();
        folder.trust(other, "CI of\nthe team").expect("writes");
        folder.trust(other, "CI").expect("writes");
        let own = folder.create_secret().expect("writes");
        assert_eq!(folder.create_secret().expect("is kept").public(), own.public());
        let names: Vec<(PublicKey, String)> =
            folder.list_trusted().expect("reads").into_iter().map(|known| (known.key, known.name)).collect();
        assert_eq!(names, [(other, "CI".to_owned()), (own.public(), "your own".to_owned())]);
        folder.distrust(other).expect("writes");
        assert_eq!(folder.list_trusted().expect("reads").len(), 1);
        assert!(!format!("{own:?}").contains(own.text()), "a secret must not get into a log");
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;

        let home = tempfile::tempdir().expect("a folder");
        let folder = KeyFolder::of(home.path());
        folder.create_secret().expect("writes");
        let path = folder.path().join(SECRET);
        let mode = std::fs::metadata(&path).expect("is there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).expect("is set");
        assert!(matches!(folder.find_secret(), Err(ShareError::OpenKey(_))));
    }

    #[test]
    fn texts_that_are_not_keys_are_refused() {
        let digits = "0".repeat(64);
        for text in ["", "ed25519:", "ed25519:00", &digits, &format!("rsa:{digits}"), &format!("ed25519:{digits}00")] {
            assert!(PublicKey::parse(text).is_err(), "{text}");
            assert!(SecretKey::parse(text).is_err(), "{text}");
        }
        let secret = format!("{SECRET_PREFIX}{}", "12".repeat(40));
        let error = SecretKey::parse(&secret).expect_err("it is not a document").to_string();
        assert!(!error.contains("1212"), "{error}");
    }
}
