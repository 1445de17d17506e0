//! Speed and memory of reading Markdown: the files of a folder, on one thread.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use m1nd_documents::{DocumentLimits, parse};

use crate::Outcome;

/// Files that are read.
const MAX_FILES: usize = 10_000;

/// Reads the Markdown files of a folder, again from the start until there were as many as wanted.
pub(super) fn run(folder: &Path) -> Outcome<()> {
    let mut files: Vec<PathBuf> = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                files.push(path);
            }
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(format!("{} has no Markdown files", folder.display()).into());
    }
    let limits = DocumentLimits::default();
    let (mut bytes, mut time, mut mentions, mut refused) = (0usize, Duration::ZERO, 0, 0);
    for path in files.iter().cycle().take(MAX_FILES) {
        let content = fs::read(path)?;
        let name = path.to_string_lossy();
        let started = Instant::now();
        match parse(&name, &content, &limits) {
            Ok(document) => mentions += document.mentions.len(),
            Err(_) => refused += 1,
        }
        time += started.elapsed();
        bytes += content.len();
    }
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{MAX_FILES} files ({} different), {megabytes:.1} MB, {:.0} MB/s on one thread, {mentions} names of code, {refused} refused, \
         peak memory {} MB",
        files.len(),
        megabytes / time.as_secs_f64(),
        peak() >> 20
    );
    Ok(())
}

/// Most memory that the process had, in bytes; 0 if the system does not say.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) << 10
}
