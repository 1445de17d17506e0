//! A store: a folder, a bucket, or a web server that is only read.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt};
use m1nd_base::ContentHash;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientOptions, Error, ObjectStore, ObjectStoreExt, ObjectStoreScheme, RetryConfig};
use reqwest::Url;

use crate::ShareError;
use crate::limits::{CONNECT_TIME, RETRIES, RETRY_TIME};

/// Maximum length of a reason that a store gives, in characters.
const MAX_REASON: usize = 300;

/// A store. Clones share its connections.
#[derive(Clone)]
pub struct Remote {
    store: Arc<dyn ObjectStore>,
    base: Path,
    /// The address, without credentials.
    shown: String,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("url", &self.shown).finish_non_exhaustive()
    }
}

impl Remote {
    /// Opens a store by its address: `file:///…` or an absolute path, `s3://…`, `gs://…`, `az://…`, `https://…`.
    /// Credentials are those of the environment, as the tools of each provider read them. Connects to nothing yet.
    ///
    /// # Errors
    /// [`ShareError::BadUrl`]; [`ShareError::Unreachable`] for a folder that does not exist.
    pub fn open(address: &str, creates: bool) -> Result<Self, ShareError> {
        let shown = strip_credentials(address);
        let bad = |why: String| ShareError::BadUrl { url: shown.clone(), why };
        let folder = PathBuf::from(address);
        let url = match folder.is_absolute() {
            true => Url::from_file_path(&folder).map_err(|()| bad("it is not a path".into()))?,
            false => Url::parse(address).map_err(|error| bad(error.to_string()))?,
        };
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("credentials in an address get into logs; put them into the environment".into()));
        }
        let (scheme, base) = ObjectStoreScheme::parse(&url).map_err(|error| bad(error.to_string()))?;
        if scheme == ObjectStoreScheme::Local {
            let folder = url.to_file_path().map_err(|()| bad("it is not a path".into()))?;
            if creates {
                std::fs::create_dir_all(&folder).map_err(ShareError::io("create the folder", &folder))?;
            }
            let opened = LocalFileSystem::new_with_prefix(&folder);
            let store = opened.map_err(|error| unreachable(&shown, &error))?;
            return Ok(Self { store: Arc::new(store), base: Path::default(), shown });
        }
        let store = build_client(&scheme, &url).map_err(|error| bad(reason_of(&error)))?;
        Ok(Self { store, base, shown })
    }

    /// The address, without credentials.
    pub fn address(&self) -> &str {
        &self.shown
    }

    fn place(&self, path: &str) -> Path {
        path.split('/').fold(self.base.clone(), |place, name| place.join(name))
    }

    /// Returns whether there is an object.
    pub(crate) async fn has(&self, path: &str) -> Result<bool, ShareError> {
        match self.store.head(&self.place(path)).await {
            Ok(_) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(unreachable(&self.shown, &error)),
        }
    }

    /// The bytes of an object of at most `limit` bytes; `None` if there is none.
    pub(crate) async fn get(&self, path: &str, what: &'static str, limit: u64) -> Result<Option<Vec<u8>>, ShareError> {
        let failed = |error| unreachable(&self.shown, &error);
        let found = match self.store.get(&self.place(path)).await {
            Ok(found) => found,
            Err(Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let too_large = |found| ShareError::TooLarge { what, found, limit };
        if found.meta.size > limit {
            return Err(too_large(found.meta.size));
        }
        let mut bytes = Vec::new();
        let mut pieces = found.into_stream();
        while let Some(piece) = pieces.try_next().await.map_err(failed)? {
            // A server may send more than it said.
            if (bytes.len() + piece.len()) as u64 > limit {
                return Err(too_large((bytes.len() + piece.len()) as u64));
            }
            bytes.extend_from_slice(&piece);
        }
        Ok(Some(bytes))
    }

    /// Writes an object.
    pub(crate) async fn put(&self, path: &str, bytes: Vec<u8>) -> Result<(), ShareError> {
        match self.store.put(&self.place(path), bytes.into()).await {
            Ok(_) => Ok(()),
            Err(
                error @ (Error::PermissionDenied { .. }
                | Error::Unauthenticated { .. }
                | Error::NotImplemented { .. }
                | Error::NotSupported { .. }),
            ) => Err(ShareError::ReadOnly { url: self.shown.clone(), why: reason_of(&error) }),
            Err(error) => Err(unreachable(&self.shown, &error)),
        }
    }

    /// Hashes that name the objects below a folder.
    pub(crate) async fn list_hashes(&self, folder: &str) -> Result<BTreeSet<[u8; 32]>, ShareError> {
        let mut found = BTreeSet::new();
        let mut objects = self.store.list(Some(&self.place(folder))).boxed();
        while let Some(object) = objects.try_next().await.map_err(|error| unreachable(&self.shown, &error))? {
            let hash = object.location.filename().and_then(ContentHash::parse);
            found.extend(hash.map(|hash| *hash.as_bytes()));
        }
        Ok(found)
    }
}

/// A client of a store behind the network.
fn build_client(scheme: &ObjectStoreScheme, url: &Url) -> Result<Arc<dyn ObjectStore>, Error> {
    // The libraries for TLS are linked without a choice of theirs; a second call changes nothing.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let retry = RetryConfig { max_retries: RETRIES, retry_timeout: RETRY_TIME, ..RetryConfig::default() };
    let text = url.as_str();
    Ok(match scheme {
        ObjectStoreScheme::AmazonS3 => Arc::new(AmazonS3Builder::from_env().with_url(text).with_retry(retry).build()?),
        ObjectStoreScheme::GoogleCloudStorage => {
            Arc::new(GoogleCloudStorageBuilder::from_env().with_url(text).with_retry(retry).build()?)
        }
        ObjectStoreScheme::MicrosoftAzure => {
            Arc::new(MicrosoftAzureBuilder::from_env().with_url(text).with_retry(retry).build()?)
        }
        ObjectStoreScheme::Http => {
            // What is signed may come without TLS if the user wrote such an address.
            let options =
                ClientOptions::new().with_allow_http(url.scheme() == "http").with_connect_timeout(CONNECT_TIME);
            let base = url.origin().ascii_serialization();
            Arc::new(HttpBuilder::new().with_url(base).with_client_options(options).with_retry(retry).build()?)
        }
        _ => {
            let source = format!("`{}:` is not supported", url.scheme()).into();
            return Err(Error::Generic { store: "m1nd", source });
        }
    })
}

fn unreachable(shown: &str, error: &Error) -> ShareError {
    ShareError::Unreachable { url: shown.to_owned(), why: reason_of(error) }
}

/// The reason that is at the root of an error, in one line.
fn reason_of(error: &Error) -> String {
    let mut reason: &dyn std::error::Error = error;
    while let Some(source) = reason.source() {
        reason = source;
    }
    let line = reason.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().filter(|c| !c.is_control()).take(MAX_REASON).collect()
}

/// An address as it may be shown.
fn strip_credentials(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (host, path) = rest.split_once('/').map_or((rest, ""), |(host, path)| (host, path));
    let host = host.rsplit('@').next().unwrap_or(host);
    format!("{scheme}://{host}/{path}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_cannot_be_stores_are_refused_without_their_secrets() {
        let rows = ["", "x", "ftp://a/b", "s3://", "https://", "https://user:secret@example.org/x", "memory:///x"];
        for row in rows {
            let refused = Remote::open(row, false).expect_err(row);
            assert!(matches!(refused, ShareError::BadUrl { .. }), "{row}: {refused}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
        assert_eq!(strip_credentials("https://a:b@h/p?sig=secret"), "https://h/p");
    }

    #[test]
    fn a_folder_that_does_not_exist_is_created_only_to_push() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = folder.path().join("a").join("b");
        let address = store.display().to_string();
        assert!(matches!(Remote::open(&address, false), Err(ShareError::Unreachable { .. })));
        assert!(Remote::open(&address, true).is_ok() && store.is_dir());
    }
}
