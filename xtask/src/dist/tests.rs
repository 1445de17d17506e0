use std::io::Read;

use super::container::{Entry, hash, list_folders, write_ar, write_tar, write_zip};
use super::elf::Needs;
use super::manifests;
use super::python_fleet::{read_project, write_metadata, write_page};
use super::targets::{self, TARGETS};

const EPOCH: u64 = 1_700_000_000;

/// The entries of a tar archive: path, mode, type, target of a link, size.
fn read_tar(bytes: &[u8]) -> Vec<(String, String, u8, String, usize)> {
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut tar).expect("is gzip");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\0').to_owned();
    let (mut rows, mut at) = (Vec::new(), 0);
    while tar[at] != 0 {
        let header = &tar[at..at + 512];
        let sum: u32 = header
            .iter()
            .enumerate()
            .map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) })
            .sum();
        assert_eq!(u32::from_str_radix(&text(&header[148..154]), 8), Ok(sum), "the checksum of the header");
        let size = usize::from_str_radix(&text(&header[124..135]), 8).expect("is octal");
        rows.push((text(&header[..100]), text(&header[100..107]), header[156], text(&header[157..257]), size));
        at += 512 + size.next_multiple_of(512);
    }
    assert_eq!(tar.len() - at, 1024, "two empty blocks end the archive");
    rows
}

#[test]
fn an_archive_is_the_same_in_any_order_of_entries() {
    let entries =
        || vec![Entry::program("top/m1nd", b"binary"), Entry::link("top/mind", "m1nd"), Entry::file("top/a/b", b"")];
    let mut turned = entries();
    turned.reverse();
    let write = |mut entries: Vec<Entry<'static>>| {
        entries.extend(list_folders(&entries));
        write_tar(entries, EPOCH, 6).expect("is written")
    };
    let bytes = write(entries());
    assert_eq!(bytes, write(turned));
    let row = |path: &str, mode: &str, kind: u8, target: &str, size| {
        (path.to_owned(), mode.to_owned(), kind, target.to_owned(), size)
    };
    let expected = [
        row("top/", "0000755", b'5', "", 0),
        row("top/a/", "0000755", b'5', "", 0),
        row("top/a/b", "0000644", b'0', "", 0),
        row("top/m1nd", "0000755", b'0', "", 6),
        row("top/mind", "0000777", b'2', "m1nd", 0),
    ];
    assert_eq!(read_tar(&bytes), expected);
    assert!(write_tar(vec![Entry::file("x".repeat(101), b"")], EPOCH, 6).is_err(), "a long path is not cut");
}

#[test]
fn a_zip_archive_keeps_modes_and_time_and_refuses_links() {
    let entries = [Entry::program("bin/m1nd", b"binary"), Entry::file("METADATA", b"text")];
    let bytes = write_zip(&entries, EPOCH, 6).expect("is written");
    assert_eq!(bytes, write_zip(&entries, EPOCH, 6).expect("is written"));
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).expect("is zip");
    let file = archive.by_name("bin/m1nd").expect("is there");
    assert_eq!(file.unix_mode().map(|mode| mode & 0o777), Some(0o755));
    assert_eq!(file.last_modified().map(|time| time.year()), Some(2023));
    drop(file);
    assert_eq!(archive.by_name("METADATA").expect("is there").unix_mode().map(|mode| mode & 0o777), Some(0o644));
    assert!(write_zip(&[Entry::link("mind", "m1nd")], EPOCH, 6).is_err());
    assert!(write_zip(&entries, 0, 6).is_ok(), "a time before 1980 becomes the first of the format");
}

#[test]
fn members_of_ar_begin_at_even_places() {
    let bytes = write_ar(&[("debian-binary", b"2.0\n"), ("odd", b"abc"), ("last", b"x")], EPOCH);
    let text = String::from_utf8(bytes).expect("is text");
    let header = "odd             1700000000  0     0     100644  3         `\nabc\nlast            ";
    assert!(text.starts_with("!<arch>\ndebian-binary   1700000000  ") && text.contains(header), "{text}");
}

#[test]
fn a_binary_says_what_it_needs() {
    let own = std::fs::read(std::env::current_exe().expect("is known")).expect("is read");
    if cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
        let needs = Needs::read(&own).expect("is understood");
        let (major, minor) = needs.glibc.expect("needs glibc");
        assert!(major == 2 && minor >= 17, "{needs:?}");
        assert!(needs.libraries.iter().any(|library| library == "libc.so.6"), "{needs:?}");
        assert_eq!(needs.python_tag("x86_64"), format!("manylinux_{major}_{minor}_x86_64"));
        // Damage is reported, never a panic.
        for end in [0, 6, 40, 64, own.len() / 2, own.len() - 64] {
            assert!(Needs::read(&own[..end]).is_err(), "{end}");
        }
    }
    assert!(Needs::read(b"MZ").is_err());
    let fixed = Needs { glibc: None, libraries: Vec::new() };
    assert!(fixed.python_tag("x86_64").ends_with(".musllinux_1_1_x86_64"));
}

#[test]
fn every_platform_has_names_of_its_own() {
    let names: std::collections::BTreeSet<String> = TARGETS.iter().map(targets::Target::npm_package).collect();
    assert_eq!(names.len(), TARGETS.len());
    assert!(targets::find("x86_64-unknown-linux-gnu").is_ok());
    let error = targets::find("z80-unknown-cpm").err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.contains("aarch64-apple-darwin"), "the error lists what there is: {error}");
}

#[test]
fn manifests_name_the_files_that_are_there() {
    let folder = tempfile::tempdir().expect("is made");
    let (out, url) = (folder.path(), "https://github.com/someone/m1nd");
    assert!(manifests::write(out, "1.2.3", url).is_err(), "nothing was built");
    for target in TARGETS {
        std::fs::write(out.join(target.archive("1.2.3")), target.triple).expect("is written");
    }
    std::fs::write(out.join(TARGETS[0].bundle("1.2.3")), "bundle").expect("is written");
    manifests::write(out, "1.2.3", url).expect("is written");
    let read = |name: &str| std::fs::read_to_string(out.join(name)).expect(name);
    let server: serde_json::Value = serde_json::from_str(&read("server.json")).expect("is JSON");
    assert_eq!(server["name"], "io.github.someone/m1nd");
    assert_eq!(server["packages"][2]["fileSha256"], hash(b"bundle"));
    let formula = read("homebrew/m1nd.rb");
    for target in TARGETS.iter().filter(|target| !target.is_windows()) {
        let is_named = formula.contains(&hash(target.triple.as_bytes()));
        assert_eq!(is_named, target.node.2 != Some("musl"), "{}: {formula}", target.triple);
    }
    let scoop: serde_json::Value = serde_json::from_str(&read("scoop/m1nd.json")).expect("is JSON");
    assert_eq!(scoop["architecture"]["64bit"]["hash"], hash(b"x86_64-pc-windows-msvc"));
    let update = "https://github.com/someone/m1nd/releases/download/v$version/m1nd-$version-x86_64-pc-windows-msvc.zip";
    assert_eq!(scoop["autoupdate"]["architecture"]["64bit"]["url"], update);
    let winget = read("winget/manifests/s/someone/m1nd/1.2.3/someone.m1nd.installer.yaml");
    assert!(winget.contains(&hash(b"aarch64-pc-windows-msvc").to_uppercase()), "{winget}");
    assert!(winget.contains("RelativeFilePath: m1nd-1.2.3-x86_64-pc-windows-msvc\\m1nd.exe"), "{winget}");
}

#[test]
fn each_archive_of_a_platform_has_a_name_of_its_own() {
    for target in TARGETS {
        let fleet = target.archive_of(super::fleet::PROGRAM, "1.2.3");
        assert!(fleet.starts_with("m1nd-fleet-1.2.3-") && fleet != target.archive("1.2.3"), "{fleet}");
    }
}

#[test]
fn the_python_package_says_what_pyproject_says() {
    let text = r#"
[project]
name = "m1nd-fleet"
version = "1.2.3"
description = "Runs m1nd"
requires-python = ">=3.10"
license = "MIT"
dependencies = ["pandas>=2.2,<3"]

[project.optional-dependencies]
spark = ["pyspark>=4.0"]
"#;
    let project = read_project(text).expect("is read");
    let url = "https://github.com/someone/m1nd";
    let metadata = write_metadata(&project, &write_page("[How to](../docs/a.md), [b](b.md)\n", url), url);
    let (rows, page) = metadata.split_once("\n\n").expect("has a page");
    let expected = [
        "Name: m1nd-fleet",
        "Version: 1.2.3",
        "Requires-Python: >=3.10",
        "Requires-Dist: pandas>=2.2,<3",
        "Provides-Extra: spark",
        "Requires-Dist: pyspark>=4.0; extra == \"spark\"",
    ];
    for row in expected {
        assert!(rows.lines().any(|line| line == row), "{row}: {rows}");
    }
    assert_eq!(page, "[How to](https://github.com/someone/m1nd/blob/main/docs/a.md), [b](b.md)\n");
    assert!(read_project("[project]\nname = \"m1nd-fleet\"\n").is_err(), "a field that is missing is an error");
}
