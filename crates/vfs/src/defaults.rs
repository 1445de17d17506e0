//! What is left out by default, as tables. `.gitignore` and `.ignore` of the project can take each of it back with
//! `!name`, but for [`NEVER`].

/// Folders of version control, whatever the options say.
const NEVER: &[&str] = &[".git", ".hg", ".svn", ".jj", ".bzr"];

/// Folders of installed packages and caches.
const FOLDERS: &[&str] = &[
    "node_modules",
    "bower_components",
    "__pycache__",
    "__pypackages__",
    "venv",
    ".venv",
    ".tox",
    ".nox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".eggs",
    ".next",
    ".nuxt",
    ".svelte-kit",
    ".turbo",
    ".parcel-cache",
    ".gradle",
    ".terraform",
    ".cache",
    ".direnv",
];

/// Folders that mostly hold the output of a build or the sources of others, but that some projects name their own
/// sources with: left out unless they directly hold a file that only people write ([`is_own_source`]).
const OUTPUT_FOLDERS: &[&str] = &["target", "dist", "build", "vendor"];

/// Files that a package manager writes: large, and without code.
const LOCK_FILES: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "composer.lock",
    "Gemfile.lock",
];

/// Files that say how the code beside them is found. They count wherever their folder does: some projects keep rules
/// against generated ones (`**/package.json`) that fit the written ones too, which version control follows regardless.
const MANIFESTS: &[&str] =
    &["package.json", "tsconfig.json", "jsconfig.json", "Cargo.toml", "pyproject.toml", "go.mod", "go.work"];

/// File names that hold secrets; `*` at the start or end stands for anything.
const SECRETS: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    ".pgpass",
    ".htpasswd",
    ".pypirc",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
];

/// Endings of `.env.…` files that are written to be read: they hold no secrets.
const ENV_TEMPLATES: &[&str] = &[".example", ".sample", ".template", ".dist", ".defaults"];

/// Whether the folder belongs to version control.
pub(crate) fn is_never_walked(name: &str) -> bool {
    NEVER.contains(&name)
}

/// Whether a folder of this name holds packages or caches.
pub(crate) fn is_skipped_folder(name: &str) -> bool {
    FOLDERS.contains(&name)
}

/// Whether a folder of this name most likely holds output.
pub(crate) fn is_output_folder(name: &str) -> bool {
    OUTPUT_FOLDERS.contains(&name)
}

/// Whether a file of this name, lying directly in a folder named like output, shows that people write there.
/// JavaScript, C and headers do not: tools emit them.
pub(crate) fn is_own_source(name: &str) -> bool {
    if name == "__init__.py" {
        return true;
    }
    match name.rsplit_once('.') {
        Some((stem, "ts")) => !stem.ends_with(".d"),
        Some((_, ending)) => matches!(ending, "rs" | "go" | "tsx" | "java" | "kt" | "scala" | "swift" | "cs"),
        None => false,
    }
}

/// Whether the file says how the code beside it is found.
pub(crate) fn is_manifest(name: &str) -> bool {
    MANIFESTS.contains(&name)
}

/// Whether the file is written by a package manager.
pub(crate) fn is_lock_file(name: &str) -> bool {
    LOCK_FILES.contains(&name)
}

/// Whether a file of this name is likely to hold a password, token or private key. `SERVER.PEM` is one too.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.as_str();
    if let Some(rest) = name.strip_prefix(".env.") {
        return !ENV_TEMPLATES.iter().any(|ending| rest == &ending[1..] || rest.ends_with(ending));
    }
    SECRETS.iter().any(|pattern| match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(ending), _) => name.ends_with(ending),
        (_, Some(start)) => name.starts_with(start),
        _ => name == *pattern,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_case_of_a_secret_name_does_not_matter() {
        assert!(is_secret("server.PEM") && is_secret("ID_RSA") && !is_secret("keyboard.rs"));
    }

    #[test]
    fn secrets_by_name() {
        for name in [".env", ".env.local", ".env.production", "server.pem", "tls.key", "id_rsa", "id_ed25519.pub"] {
            assert!(is_secret(name), "{name}");
        }
        for name in [".env.example", ".env.local.sample", "environment.py", "keys.py", "key", "pem.rs", "my_id_rsa"] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn own_sources_in_output_folders() {
        for name in ["__init__.py", "mod.rs", "build.go", "index.ts", "App.tsx"] {
            assert!(is_own_source(name), "{name}");
        }
        for name in ["index.js", "index.d.ts", "setup.py", "a.c", "a.h", "Makefile", "ts"] {
            assert!(!is_own_source(name), "{name}");
        }
    }
}
