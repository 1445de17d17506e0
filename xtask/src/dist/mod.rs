//! `cargo xtask dist`: makes the packages of one release build. Two runs over the same binary write the same bytes:
//! entries are sorted, modes and owners are fixed, and all times are `SOURCE_DATE_EPOCH`.
//!
//! A format of packages is a file of this folder and a row in [`FORMATS`].

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::{Outcome, cargo, must_succeed, repository};

mod archive;
mod bundle;
mod container;
mod debian;
mod dependencies;
mod elf;
mod fleet;
mod licences;
mod manifests;
mod npm;
mod python_fleet;
mod release;
mod sbom;
mod targets;
#[cfg(test)]
mod tests;
mod wheel;

use container::hash;
use release::Release;
use targets::Target;

/// Where packages are written, unless `--out` says otherwise.
const OUT: &str = "target/dist-packages";
/// The checksums of all packages in a folder.
const SUMS: &str = "SHA256SUMS";
/// Compression levels of a release, and of `--fast`.
const LEVEL: u32 = 6;
const FAST_LEVEL: u32 = 1;
/// Environment variable that names the repository in GitHub Actions, as `OWNER/NAME`.
const GITHUB_REPOSITORY: &str = "GITHUB_REPOSITORY";

const USAGE: &str = "takes [--binary PATH] [--target TRIPLE] [--out DIR] [--fast], or --manifests VERSION [--out DIR]";

/// A file of a release.
pub(super) struct Product {
    name: String,
    bytes: Vec<u8>,
}

/// Name of a package format, and the function that makes its files. No file if the target has no such packages.
type Format = (&'static str, fn(&Release) -> Outcome<Vec<Product>>);

/// Every package format.
const FORMATS: &[Format] = &[
    ("archive", archive::build),
    ("Python wheel", wheel::build),
    ("npm packages", npm::build),
    ("Debian package", debian::build),
    ("MCP bundle", bundle::build),
    ("bill of materials", sbom::build),
    ("archive of m1nd-fleet", fleet::build),
    ("Python wheel of m1nd-fleet", python_fleet::build),
];

/// Options of the command.
struct Options {
    binary: Option<PathBuf>,
    target: Option<String>,
    out: PathBuf,
    level: u32,
    manifests: Option<String>,
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let options = read_options(args)?;
    std::fs::create_dir_all(&options.out)?;
    if let Some(version) = &options.manifests {
        manifests::write(&options.out, version, &repository_url())?;
        return write_sums(&options.out);
    }
    let target = targets::find(&options.target.map_or_else(targets::read_host, Ok)?)?;
    let binary = options.binary.map_or_else(|| build_binary(target), Ok)?;
    let release = Release::read(&binary, target, options.level, repository_url())?;
    let products = FORMATS.par_iter().map(|(name, build)| build(&release).map_err(|error| format!("{name}: {error}")));
    let products: Vec<Product> = products.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect();
    for product in products {
        println!("{:>11}  {}", product.bytes.len(), product.name);
        std::fs::write(options.out.join(&product.name), &product.bytes)?;
    }
    manifests::write_server(&options.out, &release.version, &release.repository)?;
    write_sums(&options.out)
}

fn read_options(args: &[String]) -> Outcome<Options> {
    let out = repository().join(OUT);
    let mut options = Options { binary: None, target: None, out, level: LEVEL, manifests: None };
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        let mut value = || args.next().cloned().ok_or_else(|| format!("{arg} needs a value; {USAGE}"));
        match arg.as_str() {
            "--binary" => options.binary = Some(value()?.into()),
            "--target" => options.target = Some(value()?),
            "--out" => options.out = value()?.into(),
            "--manifests" => options.manifests = Some(value()?),
            "--fast" => options.level = FAST_LEVEL,
            _ => return Err(format!("unknown argument {arg}; {USAGE}").into()),
        }
    }
    Ok(options)
}

/// Builds `m1nd`, `mind` and `m1nd-fleet` with the profile of packages, and returns the path of the first.
fn build_binary(target: &Target) -> Outcome<PathBuf> {
    // Paths of this machine would be in the messages of panics.
    let here = repository().to_string_lossy().into_owned();
    let flags = format!("{} --remap-path-prefix={here}=.", std::env::var("RUSTFLAGS").unwrap_or_default());
    // One after the other: built at once, `m1nd` would contain the features of packages that only `m1nd-fleet` needs.
    for package in [release::PACKAGE, fleet::PROGRAM] {
        let arguments = ["build", "--locked", "--profile", "dist", "--package", package, "--target", target.triple];
        must_succeed(cargo(&arguments).env("RUSTFLAGS", flags.trim()))?;
    }
    let folder = dependencies::read_target_folder()?;
    Ok(folder.join(target.triple).join("dist").join(target.program("m1nd")))
}

/// The address of the repository: that of GitHub Actions, or the one in Cargo.toml.
fn repository_url() -> String {
    match std::env::var(GITHUB_REPOSITORY) {
        Ok(name) if !name.is_empty() => format!("https://github.com/{name}"),
        _ => env!("CARGO_PKG_REPOSITORY").to_owned(),
    }
}

/// Writes the checksums of all files in a folder, in the form of `sha256sum`.
fn write_sums(folder: &Path) -> Outcome<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_file() && name != SUMS {
            names.push(name);
        }
    }
    names.sort_unstable();
    let lines = names.par_iter().map(|name| Ok(format!("{}  {name}\n", hash(&std::fs::read(folder.join(name))?))));
    let lines: Vec<String> = lines.collect::<std::io::Result<_>>()?;
    std::fs::write(folder.join(SUMS), lines.concat())?;
    println!("{:>11}  {SUMS} of {} files in {}", lines.concat().len(), names.len(), folder.display());
    Ok(())
}
