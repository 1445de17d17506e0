//! Embeds the files of `page/dist` as a table of paths and contents.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?).join("page/dist");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                println!("cargo::rerun-if-changed={}", path.display());
                folders.push(path);
            } else {
                files.push((url_of(&root, &path), path));
            }
        }
    }
    files.sort();
    let mut table = String::from("pub(crate) static FILES: &[(&str, &[u8])] = &[\n");
    for (url, path) in files {
        let _ = writeln!(table, "    ({url:?}, include_bytes!({:?})),", path.display().to_string());
    }
    table.push_str("];\n");
    fs::write(PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?).join("files.rs"), table)
}

/// The path of a file in addresses.
fn url_of(root: &Path, path: &Path) -> String {
    let parts = path.strip_prefix(root).unwrap_or(path).components();
    parts.map(|part| format!("/{}", part.as_os_str().to_string_lossy())).collect()
}
