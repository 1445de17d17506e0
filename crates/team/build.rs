//! Finds the PostgreSQL server that the tests start. Without one they are ignored, and `cargo test` says so.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Names the folder of `initdb`, `pg_ctl` and `postgres`.
const VARIABLE: &str = "M1ND_TEST_POSTGRES";
/// Where Debian has its versions.
const DEBIAN: &str = "/usr/lib/postgresql";

fn main() {
    println!("cargo::rustc-check-cfg=cfg(postgres)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    println!("cargo::rerun-if-env-changed=PATH");
    if let Some(folder) = find_server() {
        println!("cargo::rustc-cfg=postgres");
        println!("cargo::rustc-env=M1ND_POSTGRES_FOLDER={}", folder.display());
    }
}

fn find_server() -> Option<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE) {
        return Some(PathBuf::from(named)).filter(|folder| is_server(folder));
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(DEBIAN).into_iter().flatten().flatten().map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    folders.extend(env::split_paths(&path));
    folders.into_iter().find(|folder| is_server(folder))
}

fn is_server(folder: &Path) -> bool {
    cfg!(unix) && ["initdb", "pg_ctl", "postgres"].iter().all(|name| folder.join(name).is_file())
}
