//! Descriptions of a release for the catalogues that point to its files: the MCP registry, Homebrew, Scoop and winget.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::product::DESCRIPTION;

use super::container::hash;
use super::release::{mcp_name, read_owner};
use super::targets::{TARGETS, Target};

/// The schema of `server.json`.
const SERVER_SCHEMA: &str = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json";
/// Version of winget's manifests.
const WINGET: &str = "1.6.0";

/// A file of the release: its platform, address and checksum.
struct Asset {
    target: &'static Target,
    url: String,
    checksum: String,
}

/// Writes all descriptions of the archives of a version in a folder.
///
/// # Errors
/// The folder holds no archive of that version.
pub(super) fn write(folder: &Path, version: &str, repository: &str) -> Outcome<()> {
    let archives = list_assets(folder, version, repository, Target::archive)?;
    if archives.is_empty() {
        return Err(format!("{} holds no archive of version {version}", folder.display()).into());
    }
    write_server(folder, version, repository)?;
    let mut files = vec![("homebrew/m1nd.rb".to_owned(), write_formula(&archives, version, repository))];
    let windows: Vec<&Asset> = archives.iter().filter(|asset| asset.target.is_windows()).collect();
    if !windows.is_empty() {
        files.push(("scoop/m1nd.json".to_owned(), write_scoop(&windows, version, repository)));
        files.extend(write_winget(&windows, version, repository));
    }
    for (name, text) in files {
        let path = folder.join(&name);
        std::fs::create_dir_all(path.parent().unwrap_or(folder))?;
        std::fs::write(path, text)?;
        println!("{:>11}  {name}", "manifest");
    }
    Ok(())
}

/// Writes `server.json` for the MCP registry, with the bundles that are in the folder.
pub(super) fn write_server(folder: &Path, version: &str, repository: &str) -> Outcome<()> {
    let arguments = json!([
        {"type": "positional", "value": "serve"},
        {"type": "named", "name": "--stdio"},
        {"type": "named", "name": "--format", "value": "text"},
        {"type": "named", "name": "--toolset", "value": "agent"},
    ]);
    let stdio = json!({"type": "stdio"});
    let mut packages = Vec::new();
    for (kind, address, runtime) in [("pypi", "https://pypi.org", "uvx"), ("npm", "https://registry.npmjs.org", "npx")]
    {
        packages.push(json!({
            "registryType": kind, "registryBaseUrl": address, "identifier": "m1nd", "version": version,
            "runtimeHint": runtime, "transport": stdio, "packageArguments": arguments,
        }));
    }
    for asset in list_assets(folder, version, repository, Target::bundle)? {
        packages.push(json!({
            "registryType": "mcpb", "identifier": asset.url, "version": version, "fileSha256": asset.checksum,
            "transport": stdio,
        }));
    }
    let server = json!({
        "$schema": SERVER_SCHEMA,
        "name": mcp_name(repository),
        "title": "m1nd",
        "description": DESCRIPTION,
        "repository": {"url": repository, "source": "github"},
        "version": version,
        "packages": packages,
    });
    Ok(std::fs::write(folder.join("server.json"), format!("{server:#}\n"))?)
}

/// The files in a folder that `name` names for any platform.
fn list_assets(
    folder: &Path,
    version: &str,
    repository: &str,
    name: fn(&Target, &str) -> String,
) -> Outcome<Vec<Asset>> {
    let mut assets = Vec::new();
    for target in TARGETS {
        let name = name(target, version);
        let path = folder.join(&name);
        if path.is_file() {
            let url = format!("{repository}/releases/download/v{version}/{name}");
            assets.push(Asset { target, url, checksum: hash(&std::fs::read(path)?) });
        }
    }
    Ok(assets)
}

/// The formula of Homebrew. Of two programs for Linux, that with glibc is used, as Homebrew brings one.
fn write_formula(archives: &[Asset], version: &str, repository: &str) -> String {
    let systems = [("on_macos", "darwin"), ("on_linux", "linux")];
    let processors = [("on_intel", "x64"), ("on_arm", "arm64")];
    let mut blocks = String::new();
    for (block, system) in systems {
        let mut inner = String::new();
        for (processor, architecture) in processors {
            let find = |asset: &&Asset| {
                let node = asset.target.node;
                node.0 == system && node.1 == architecture && node.2 != Some("musl")
            };
            if let Some(Asset { url, checksum, .. }) = archives.iter().find(find) {
                inner += &format!("    {processor} do\n      url \"{url}\"\n      sha256 \"{checksum}\"\n    end\n");
            }
        }
        if !inner.is_empty() {
            blocks += &format!("  {block} do\n{inner}  end\n\n");
        }
    }
    format!(
        r##"class M1nd < Formula
  desc "Graph of your code for coding agents"
  homepage "{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{blocks}  def install
    bin.install "m1nd"
    bin.install_symlink "m1nd" => "mind"
    man1.install "man/man1/m1nd.1"
    bash_completion.install "completions/m1nd.bash" => "m1nd"
    zsh_completion.install "completions/_m1nd"
    fish_completion.install "completions/m1nd.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/m1nd --version")
  end
end
"##
    )
}

/// The manifest of Scoop.
fn write_scoop(archives: &[&Asset], version: &str, repository: &str) -> String {
    let name = |asset: &Asset| if asset.target.windows == Some("arm64") { "arm64" } else { "64bit" };
    let top = |asset: &Asset, version: &str| format!("m1nd-{version}-{}", asset.target.triple);
    let rows = archives.iter().map(|asset| {
        let row = json!({"url": asset.url, "hash": asset.checksum, "extract_dir": top(asset, version)});
        (name(asset).to_owned(), row)
    });
    let updates = archives.iter().map(|asset| {
        let url = asset.url.replace(version, "$version");
        (name(asset).to_owned(), json!({"url": url, "extract_dir": top(asset, "$version")}))
    });
    let manifest = json!({
        "version": version,
        "description": DESCRIPTION,
        "homepage": repository,
        "license": "MIT|Apache-2.0",
        "architecture": Value::Object(rows.collect::<Map<_, _>>()),
        "bin": ["m1nd.exe", "mind.exe"],
        "checkver": {"github": repository},
        "autoupdate": {
            "architecture": Value::Object(updates.collect::<Map<_, _>>()),
            "hash": {"url": "$baseurl/SHA256SUMS"},
        },
    });
    format!("{manifest:#}\n")
}

/// The three manifests of winget, with their paths in its repository.
fn write_winget(archives: &[&Asset], version: &str, repository: &str) -> Vec<(String, String)> {
    let owner = read_owner(repository);
    let id = format!("{owner}.m1nd");
    let first = owner.chars().next().unwrap_or('m').to_ascii_lowercase();
    let folder = format!("winget/manifests/{first}/{owner}/m1nd/{version}");
    let write = |kind: &str, body: &str| {
        format!(
            "# yaml-language-server: $schema=https://aka.ms/winget-manifest.{kind}.{WINGET}.schema.json\n\
             PackageIdentifier: {id}\nPackageVersion: {version}\n{body}ManifestType: {kind}\nManifestVersion: {WINGET}\n"
        )
    };
    let mut installers = String::from("InstallerType: zip\nNestedInstallerType: portable\nInstallers:\n");
    for asset in archives {
        let Asset { target, url, checksum } = asset;
        let top = format!("m1nd-{version}-{}", target.triple);
        let (architecture, sum) = (target.windows.unwrap_or_default(), checksum.to_uppercase());
        installers += &format!(
            "- Architecture: {architecture}\n  NestedInstallerFiles:\n  - RelativeFilePath: {top}\\m1nd.exe\n    \
             PortableCommandAlias: m1nd\n  - RelativeFilePath: {top}\\mind.exe\n    PortableCommandAlias: mind\n  \
             InstallerUrl: {url}\n  InstallerSha256: {sum}\n"
        );
    }
    let locale = format!(
        "PackageLocale: en-US\nPublisher: {owner}\nPackageName: m1nd\nPackageUrl: {repository}\nLicense: MIT OR Apache-2.0\n\
         ShortDescription: {DESCRIPTION}\n"
    );
    vec![
        (format!("{folder}/{id}.yaml"), write("version", "DefaultLocale: en-US\n")),
        (format!("{folder}/{id}.installer.yaml"), write("installer", &installers)),
        (format!("{folder}/{id}.locale.en-US.yaml"), write("defaultLocale", &locale)),
    ]
}
