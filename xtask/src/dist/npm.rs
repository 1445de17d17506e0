//! The npm packages, for `npx m1nd`: one with the program for each platform, and `m1nd`, which starts the one that npm
//! installed. Nothing runs or is downloaded at installation.

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::product::DESCRIPTION;

use super::Product;
use super::container::{Entry, write_tar};
use super::release::Release;
use super::targets::TARGETS;

/// The script that starts the program.
const LAUNCHER: &str = include_str!("launcher.js");
/// The script of `mind`.
const MIND: &str = "#!/usr/bin/env node\nrequire(\"./launch.js\")(\"mind\");\n";
/// The script of `m1nd`.
const M1ND: &str = "#!/usr/bin/env node\nrequire(\"./launch.js\")(\"m1nd\");\n";
/// Oldest version of Node.
const NODE: &str = ">=18";

pub(super) fn build(release: &Release) -> Outcome<Vec<Product>> {
    Ok(vec![build_platform(release)?, build_launcher(release)?])
}

/// The package with the program of one platform.
fn build_platform(release: &Release) -> Outcome<Product> {
    let target = release.target;
    let (system, architecture, library) = target.node;
    let name = target.npm_package();
    let mut manifest = describe(release, &name);
    manifest["description"] = format!("The program of the package m1nd for {}", target.triple).into();
    manifest["os"] = json!([system]);
    manifest["cpu"] = json!([architecture]);
    // A static binary runs with any C library, but glibc has a package of its own.
    if let Some(library) = library {
        manifest["libc"] = json!([library]);
    }
    manifest["preferUnplugged"] = true.into();
    let manifest = format!("{manifest:#}\n");
    let mut entries = vec![
        Entry::file("package/package.json", manifest.as_bytes()),
        Entry::program(format!("package/bin/{}", target.program("m1nd")), &release.binary),
        Entry::file("package/THIRD-PARTY.txt", release.third_party.as_bytes()),
        Entry::file("package/sbom.cdx.json", release.sbom.as_bytes()),
    ];
    entries.extend(release.licences.iter().map(|(name, text)| Entry::file(format!("package/{name}"), text)));
    let bytes = write_tar(entries, release.epoch, release.level)?;
    Ok(Product { name: format!("{name}-{}.tgz", release.version), bytes })
}

/// The package `m1nd`. It is the same for all platforms.
fn build_launcher(release: &Release) -> Outcome<Product> {
    let mut manifest = describe(release, "m1nd");
    manifest["mcpName"] = release.mcp_name().into();
    manifest["bin"] = json!({"m1nd": "bin/m1nd.js", "mind": "bin/mind.js"});
    let platforms = TARGETS.iter().map(|target| (target.npm_package(), Value::from(release.version.as_str())));
    manifest["optionalDependencies"] = platforms.collect::<Map<_, _>>().into();
    let (manifest, page) = (format!("{manifest:#}\n"), release.page());
    let mut entries = vec![
        Entry::file("package/package.json", manifest.as_bytes()),
        Entry::file("package/README.md", page.as_bytes()),
        Entry::file("package/bin/launch.js", LAUNCHER.as_bytes()),
        Entry::program("package/bin/m1nd.js", M1ND.as_bytes()),
        Entry::program("package/bin/mind.js", MIND.as_bytes()),
    ];
    entries.extend(release.licences.iter().map(|(name, text)| Entry::file(format!("package/{name}"), text)));
    let bytes = write_tar(entries, release.epoch, release.level)?;
    Ok(Product { name: format!("m1nd-{}.tgz", release.version), bytes })
}

/// What all packages say about themselves.
fn describe(release: &Release, name: &str) -> Value {
    json!({
        "name": name,
        "version": release.version,
        "description": DESCRIPTION,
        "license": "MIT OR Apache-2.0",
        "repository": {"type": "git", "url": format!("git+{}.git", release.repository)},
        "homepage": release.repository,
        "keywords": ["mcp", "mcp-server", "agents", "code-graph", "code-search"],
        "engines": {"node": NODE},
    })
}
