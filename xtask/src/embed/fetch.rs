//! Fetches packages from their registries with the usual clients. Existing ones are not fetched again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::packages::{Package, Registry};
use super::sources;
use crate::{Outcome, must_succeed};

/// Fetches and unpacks missing packages. A package that is unavailable is skipped with a message.
pub(super) fn all(cache: &Path, packages: &[Package]) -> Outcome<()> {
    let cache = std::path::absolute(cache)?;
    let missing = |registry| {
        let of_registry = packages.iter().filter(move |package| package.registry == registry);
        of_registry.filter(|package| !sources(&cache, registry, &package.name).exists()).collect::<Vec<_>>()
    };
    crates(&cache, &missing(Registry::Crates))?;
    type Get = fn(&Path, &Package, &Path) -> Outcome<()>;
    let others: [(Registry, Get); 4] = [
        (Registry::Pypi, pypi),
        (Registry::Npm, npm),
        (Registry::Debian, debian),
        (Registry::DebianSource, debian_source),
    ];
    for (registry, get) in others {
        for package in missing(registry) {
            let archives = cache.join("archives").join(registry.word()).join(package.name.replace('/', "+"));
            fs::create_dir_all(&archives)?;
            let target = sources(&cache, registry, &package.name);
            fs::create_dir_all(&target)?;
            if let Err(error) = get(&archives, package, &target) {
                println!("left out: {} {}: {error}", registry.word(), package.name);
                fs::remove_dir_all(&target)?;
            }
        }
    }
    Ok(())
}

/// `name`, followed by `separator` and the version if one is requested.
fn with_version(package: &Package, separator: &str) -> String {
    package
        .version
        .as_ref()
        .map_or_else(|| package.name.clone(), |version| format!("{}{separator}{version}", package.name))
}

fn archive(folder: &Path, endings: &[&str]) -> Outcome<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path()).collect();
    files.sort();
    let found = files.into_iter().find(|path| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| endings.iter().any(|end| name.contains(end)))
    });
    found.ok_or_else(|| format!("no {} was fetched", endings.join(", ")).into())
}

fn pypi(archives: &Path, package: &Package, target: &Path) -> Outcome<()> {
    if archive(archives, &[".whl"]).is_err() {
        let options = ["-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d"];
        must_succeed(Command::new("python3").args(options).arg(archives).arg(with_version(package, "==")))?;
    }
    let wheel = archive(archives, &[".whl"])?;
    must_succeed(Command::new("python3").args(["-m", "zipfile", "-e"]).arg(wheel).arg(target))
}

fn npm(archives: &Path, package: &Package, target: &Path) -> Outcome<()> {
    if archive(archives, &[".tgz"]).is_err() {
        let mut pack = Command::new("npm");
        pack.args(["pack", "--silent", &with_version(package, "@"), "--pack-destination"]).arg(archives);
        must_succeed(&mut pack)?;
    }
    unpack(&archive(archives, &[".tgz"])?, target)?;
    // A few packages have another top folder.
    let top = target.join("package");
    if !top.exists() {
        let first = fs::read_dir(target)?.next().ok_or("an empty package")??;
        fs::rename(first.path(), top)?;
    }
    Ok(())
}

fn debian(archives: &Path, package: &Package, target: &Path) -> Outcome<()> {
    if archive(archives, &[".deb"]).is_err() {
        must_succeed(
            Command::new("apt-get").args(["download", "-qq", &with_version(package, "=")]).current_dir(archives),
        )?;
    }
    let file = archive(archives, &[".deb"])?;
    must_succeed(Command::new("dpkg-deb").arg("-x").arg(&file).arg(target))?;
    let copyright = target.join("usr/share/doc").join(&package.name).join("copyright");
    fs::copy(&copyright, target.join("copyright")).map_err(|error| format!("{}: {error}", copyright.display()))?;
    keep_version(&file, target)
}

fn debian_source(archives: &Path, package: &Package, target: &Path) -> Outcome<()> {
    if archive(archives, &[".dsc"]).is_err() {
        let mut get = Command::new("apt-get");
        get.args(["source", "-qq", "--download-only", &with_version(package, "=")]);
        must_succeed(get.current_dir(archives))?;
    }
    unpack(&archive(archives, &[".orig.tar."])?, target)?;
    let packaging = archives.join("packaging");
    fs::create_dir_all(&packaging)?;
    unpack(&archive(archives, &[".debian.tar."])?, &packaging)?;
    fs::copy(packaging.join("debian/copyright"), target.join("copyright"))?;
    keep_version(&archive(archives, &[".dsc"])?, target)
}

/// Stores the version contained in a file name: `name_version_arch.deb`, `name_version.dsc`.
fn keep_version(file: &Path, target: &Path) -> Outcome<()> {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let version = name.split('_').nth(1).unwrap_or_default();
    fs::write(target.join("version"), version.trim_end_matches(".dsc").replace("%3a", ":"))?;
    Ok(())
}

fn unpack(archive: &Path, target: &Path) -> Outcome<()> {
    must_succeed(Command::new("tar").arg("-xf").arg(archive).arg("-C").arg(target).arg("--no-same-owner"))
}

/// Fetches all crates at once, as dependencies of an empty package.
fn crates(cache: &Path, packages: &[&Package]) -> Outcome<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let folder = cache.join("archives").join(Registry::Crates.word());
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let mut manifest =
        "[package]\nname = \"cache\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[workspace]\n[dependencies]\n"
            .to_owned();
    for package in packages {
        let version = package.version.as_ref().map_or_else(|| "*".to_owned(), |version| format!("={version}"));
        manifest.push_str(&format!("{} = {{ version = \"{version}\", default-features = false }}\n", package.name));
    }
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let cargo = std::env::var_os("CARGO").map_or_else(|| PathBuf::from("cargo"), PathBuf::from);
    must_succeed(Command::new(cargo).args(["vendor", "-q", "vendor"]).current_dir(&folder))?;
    for package in packages {
        let target = sources(cache, Registry::Crates, &package.name);
        fs::create_dir_all(target.parent().expect("it lies in the cache"))?;
        fs::rename(folder.join("vendor").join(&package.name), &target)?;
    }
    Ok(())
}
