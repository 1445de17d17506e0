//! `m1nd-fleet share`: what `m1nd share` does with a store. Requests and answers are JSON, on standard input and
//! output.

use std::io::{Read, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use m1nd_share::{
    FileKind, Found, KeyFolder, Origin, PublicKey, Remote, Search, SecretKey, ShareError, SourceFile, TrustedKey, find,
    pull, push,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Common;
use crate::error::FleetError;

/// Largest request, in bytes.
const MAX_REQUEST: u64 = 1 << 20;
/// Folder of the parts that were fetched before, below that of all state.
const PARTS: &str = "share/parts";

#[derive(Debug, Args)]
pub(crate) struct ShareArgs {
    #[command(subcommand)]
    command: ShareCommand,
}

#[derive(Debug, Subcommand)]
enum ShareCommand {
    /// Push the files of an index, as `m1nd share push` asks for it
    Push,
    /// Fetch the files of the nearest index, as `m1nd share pull` asks for it
    Pull,
    /// Find the nearest index, as `m1nd share status` asks for it
    Find,
    /// Make the key to sign with, unless there is one, and print the public key
    Keygen {
        /// Print the secret key, for the secrets of CI (M1ND_SHARE_KEY), and keep it nowhere
        #[arg(long)]
        print: bool,
    },
    /// Trust a public key from now on: indexes that it signed are used
    Trust {
        /// The key: `ed25519:…`
        #[arg(value_name = "KEY")]
        key: String,
        /// A name for it
        #[arg(value_name = "NAME", default_value = "")]
        name: String,
        /// Trust it no longer
        #[arg(long, conflicts_with = "name")]
        remove: bool,
    },
    /// List the trusted keys
    Keys,
}

/// A request to push.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PushRequest {
    store: String,
    repository: String,
    versions: String,
    commit: String,
    snapshot: PathBuf,
    facts: PathBuf,
    rewrite: bool,
}

/// A request to pull or to find.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PullRequest {
    store: String,
    repository: String,
    versions: String,
    commits: Vec<String>,
    /// Keys that are trusted besides those of the user.
    trust: Vec<String>,
    /// Where the files are written; `None` only to find.
    folder: Option<PathBuf>,
}

impl From<ShareError> for FleetError {
    fn from(error: ShareError) -> Self {
        Self::new(error.code(), error.to_string(), error.next())
    }
}

/// Runs the command.
pub(crate) fn run(args: &ShareArgs, common: &Common) -> Result<(), FleetError> {
    let keys = KeyFolder::of(&common.home);
    let answer = match &args.command {
        ShareCommand::Push => run_push(&keys)?,
        ShareCommand::Pull | ShareCommand::Find => run_pull(&keys, common)?,
        ShareCommand::Keygen { print: true } => {
            let key = SecretKey::generate()?;
            json!({"secret": key.text(), "key": key.public().to_string()})
        }
        ShareCommand::Keygen { print: false } => json!({"key": keys.create_secret()?.public().to_string()}),
        ShareCommand::Trust { key, name, remove } => {
            let key = PublicKey::parse(key)?;
            if *remove {
                keys.distrust(key)?
            } else {
                keys.trust(key, name)?
            }
            describe_keys(&keys)?
        }
        ShareCommand::Keys => describe_keys(&keys)?,
    };
    let text = if common.json { format!("{answer}\n") } else { describe(&answer) };
    let written = std::io::stdout().write_all(text.as_bytes());
    written.map_err(|error| FleetError::new("output", format!("cannot write the answer: {error}"), "try again"))
}

fn run_push(keys: &KeyFolder) -> Result<Value, FleetError> {
    let request: PushRequest = read_request()?;
    let key = keys.find_secret()?.ok_or(ShareError::NoKey)?;
    let remote = Remote::open(&request.store, true)?;
    let PushRequest { repository, versions, commit, .. } = request;
    let origin = Origin { repository, versions, commit };
    let files = [(FileKind::Snapshot, request.snapshot), (FileKind::Facts, request.facts)];
    let files = files.map(|(kind, path)| SourceFile { kind, path });
    let pushed = start_runtime()?.block_on(push(&remote, &origin, &files, &key, request.rewrite))?;
    Ok(json!({
        "store": remote.address(), "commit": origin.commit, "key": pushed.key.to_string(), "parts": pushed.parts,
        "new_parts": pushed.new_parts, "bytes": pushed.bytes, "sent_bytes": pushed.sent_bytes,
    }))
}

/// Finds the nearest index, and fetches it if a folder is named.
fn run_pull(keys: &KeyFolder, common: &Common) -> Result<Value, FleetError> {
    let request: PullRequest = read_request()?;
    let mut trusted = keys.list_trusted()?;
    for key in &request.trust {
        trusted.push(TrustedKey { key: PublicKey::parse(key)?, name: String::new() });
    }
    let remote = Remote::open(&request.store, false)?;
    let PullRequest { repository, versions, commits, folder, .. } = request;
    let search = Search { repository, versions, commits };
    start_runtime()?.block_on(async {
        let found = find(&remote, &search, &trusted).await?;
        let answer = describe_found(&remote, &found, &trusted);
        let Some(folder) = folder else { return Ok(answer) };
        let pulled = pull(&remote, &found, &folder, &common.home.join(PARTS)).await?;
        let files = pulled.files.iter().map(|(kind, path)| (kind.name().to_owned(), json!(path)));
        let mut answer = answer;
        answer["files"] = Value::Object(files.collect());
        answer["fetched_parts"] = pulled.fetched_parts.into();
        answer["fetched_bytes"] = pulled.fetched_bytes.into();
        Ok(answer)
    })
}

fn describe_found(remote: &Remote, found: &Found, trusted: &[TrustedKey]) -> Value {
    let Found { origin, distance, signed } = found;
    let name = trusted.iter().find(|known| known.key == signed.key).map_or("", |known| known.name.as_str());
    json!({
        "store": remote.address(), "commit": origin.commit, "distance": distance, "key": signed.key.to_string(),
        "key_name": name, "parts": signed.manifest.parts().count(), "bytes": signed.manifest.size(),
    })
}

fn describe_keys(keys: &KeyFolder) -> Result<Value, FleetError> {
    let row = |known: &TrustedKey| json!({"key": known.key.to_string(), "name": known.name});
    Ok(json!({"trusted": keys.list_trusted()?.iter().map(row).collect::<Vec<_>>()}))
}

/// An answer for people: keys, a row each.
fn describe(answer: &Value) -> String {
    if let Some(rows) = answer["trusted"].as_array() {
        if rows.is_empty() {
            return "no key is trusted; add one: m1nd share trust KEY NAME\n".to_owned();
        }
        let text = |row: &Value, name: &str| row[name].as_str().unwrap_or_default().to_owned();
        return rows.iter().map(|row| format!("{}  {}\n", text(row, "key"), text(row, "name"))).collect();
    }
    match (answer["secret"].as_str(), answer["key"].as_str()) {
        (Some(secret), Some(key)) => format!("{secret}\n{key}\n"),
        (None, Some(key)) if answer.as_object().is_some_and(|members| members.len() == 1) => format!("{key}\n"),
        _ => format!("{answer}\n"),
    }
}

fn read_request<T: for<'d> Deserialize<'d>>() -> Result<T, FleetError> {
    let bad = |why: String| FleetError::new("bad_request", why, "use `m1nd share` of the same release");
    let mut text = Vec::new();
    let read = std::io::stdin().take(MAX_REQUEST).read_to_end(&mut text);
    read.map_err(|error| bad(format!("cannot read the request: {error}")))?;
    serde_json::from_slice(&text).map_err(|error| bad(format!("the request cannot be read: {error}")))
}

fn start_runtime() -> Result<tokio::runtime::Runtime, FleetError> {
    let started = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    started.map_err(|error| FleetError::new("threads", format!("threads do not start: {error}"), "try again"))
}
