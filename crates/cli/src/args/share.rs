//! Arguments of the commands that `m1nd-fleet` has a part in.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// CI pushes the index of a commit once; everybody else starts from the nearest one and links only the difference. An
/// index is signed, and one that is not signed by a trusted key is refused. It says as much about the code as the code.
#[derive(Debug, Args)]
#[command(disable_help_subcommand = true)]
pub(crate) struct ShareArgs {
    #[command(subcommand)]
    pub command: ShareCommand,
}

/// Commands of `m1nd share`.
#[derive(Debug, Subcommand)]
pub(crate) enum ShareCommand {
    /// Index the checked-out commit and push the index. The work tree must be clean
    Push {
        #[command(flatten)]
        place: SharePlaceArgs,
        /// Also write the parts that the store has, if some of them are damaged
        #[arg(long)]
        rewrite: bool,
    },
    /// Start from the index of the nearest ancestor that the store has, and bring it up to date
    Pull {
        #[command(flatten)]
        place: SharePlaceArgs,
        /// A public key to trust this time; can be repeated
        #[arg(long, value_name = "KEY")]
        trust: Vec<String>,
        /// Also replace an index here that is as near, or that holds imported data
        #[arg(long)]
        force: bool,
    },
    /// Say which index the store has, and which one is here
    Status {
        #[command(flatten)]
        place: SharePlaceArgs,
        /// A public key to trust this time; can be repeated
        #[arg(long, value_name = "KEY")]
        trust: Vec<String>,
    },
    /// Make the key that signs what is pushed, unless there is one, and print its public key
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
        #[arg(value_name = "NAME")]
        name: Option<String>,
        /// Trust it no longer
        #[arg(long, conflicts_with = "name")]
        remove: bool,
    },
    /// List the trusted keys
    Keys,
}

/// The store and the repository of `m1nd share`.
#[derive(Debug, Args)]
pub(crate) struct SharePlaceArgs {
    /// The store: file:///FOLDER, s3://BUCKET/PATH, gs://…, az://…, or https://… to pull [default: M1ND_SHARE_STORE]
    #[arg(long, value_name = "URL", env = "M1ND_SHARE_STORE", hide_env = true)]
    pub store: String,
    /// Name of the repository, the same for all [default: host and path that it was cloned from]
    #[arg(long, value_name = "NAME")]
    pub repository: Option<String>,
    /// The repository [default: the one around the current folder]
    #[arg(long, value_name = "PATH")]
    pub root: Option<PathBuf>,
}

/// Arguments for `m1nd-fleet team`, as they are.
#[derive(Debug, Args)]
pub(crate) struct TeamArgs {
    /// A command and its arguments; `--help` lists them
    #[arg(value_name = "ARGUMENTS", trailing_var_arg = true, allow_hyphen_values = true, num_args = 0..)]
    pub arguments: Vec<OsString>,
}
