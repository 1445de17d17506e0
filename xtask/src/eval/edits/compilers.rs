//! Compilers and type checkers as judges: the errors that are there after an edit and were not before it.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::Request;
use crate::Outcome;

/// A repository with the command that checks it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Checked {
    pub(super) repository: &'static str,
    pub(super) language: &'static str,
    /// For the shell, in the root. `$WORK` is a folder for what it writes, `$FOLDERS` are those that it checks.
    command: &'static str,
    /// Folders of what it checks, with a slash at the end.
    pub(super) folders: &'static [&'static str],
    /// Endings of its files.
    pub(super) endings: &'static [&'static str],
    /// Runs its tests, where that is cheap: for the shell, in the root. Empty for those that are only compiled.
    tests: &'static str,
}

const RUST: &str = "CARGO_TARGET_DIR=$WORK/target cargo check --offline --workspace --lib --bins --tests \
                    --keep-going --ignore-rust-version --message-format short";
const GO: &str = "GOCACHE=$WORK/go GOTOOLCHAIN=local go vet ./...";
const JAVA: &str = "javac -proc:none -nowarn -XDshould-stop.ifError=FLOW -Xmaxerrs 100000 -d $WORK/classes \
                    $(find src/main -name '*.java' ! -name '*-info.java')";
const GSON: &str = "javac -proc:none -nowarn -XDshould-stop.ifError=FLOW -Xmaxerrs 100000 -d $WORK/classes \
                    $(find gson/src/main -name '*.java' ! -name '*-info.java')";
const JAVASCRIPT: &str = "tsc --noEmit --pretty false --allowJs --checkJs --noImplicitAny false --skipLibCheck \
                          --module commonjs --moduleResolution bundler --target es2022 --types '' lib/*.js index.js test/*.js";
// Not those for other systems, and not the tests, whose framework is not there.
const LEVELDB: &str = "ls db/*.cc table/*.cc util/*.cc | grep -v -e _test.cc -e benchmark -e windows -e testutil | \
                       xargs -n 4 g++ -std=c++17 -fsyntax-only -DLEVELDB_PLATFORM_POSIX=1 -I. -Iinclude";
// Compiled one by one and linked: a name that two files define, or none, is an error as well.
const C_LINKED: &str = "mkdir -p $WORK/o; rm -f $WORK/o/*; \
                        for file in $(ls *.c | grep -v -e dict.c -e ssl.c -e onelua.c); do \
                        gcc -std=gnu99 -w -fPIC -DHAVE_UNISTD_H -c $file -o $WORK/o/$file.o; done; \
                        gcc -shared -Wl,-z,defs $WORK/o/*.o -lm -o $WORK/all 2>&1 | \
                        sed -e 's/multiple definition/error: &/' -e 's/undefined reference/error: &/'";
const JSONCPP: &str = "mkdir -p $WORK/o; rm -f $WORK/o/*; for file in src/lib_json/*.cpp; do \
                       g++ -std=c++17 -w -fPIC -Iinclude -c $file -o $WORK/o/$(basename $file).o; done; \
                       g++ -shared -Wl,-z,defs $WORK/o/*.o -o $WORK/all 2>&1 | \
                       sed -e 's/multiple definition/error: &/' -e 's/undefined reference/error: &/'";
const YAML_CPP: &str = "ls src/*.cpp src/contrib/*.cpp | xargs -n 8 g++ -std=c++17 -w -fsyntax-only -Iinclude -Isrc";
// Messages that are wrapped differ with the length of a name. That something has no annotation is not an error: a new
// function has those that are known.
const PYTHON: &str = "mypy --no-pretty --no-warn-return-any --disable-error-code var-annotated --allow-untyped-defs \
                      --allow-incomplete-defs --allow-untyped-calls --ignore-missing-imports --check-untyped-defs \
                      --no-error-summary --cache-dir $WORK/mypy $FOLDERS; pyflakes $FOLDERS";
const PYTEST: &str = "PYTHONPATH=src:. PYTHONDONTWRITEBYTECODE=1 python -m pytest -q -p no:cacheprovider --maxfail 30 \
                      --no-header -rfE tests";
const GO_TEST: &str = "GOCACHE=$WORK/go GOTOOLCHAIN=local go test -vet=off ./...";

/// Repositories that are checked, with what compiles them.
pub(super) const CHECKED: &[Checked] = &[
    Checked {
        repository: "go-chi/chi",
        language: "Go",
        command: GO,
        folders: &["middleware/", "chain.go", "chi.go", "context.go", "mux", "path_value", "pattern", "tree"],
        endings: &[".go"],
        tests: GO_TEST,
    },
    Checked {
        repository: "gorilla/mux",
        language: "Go",
        command: GO,
        folders: &[""],
        endings: &[".go"],
        tests: GO_TEST,
    },
    Checked {
        repository: "expressjs/express",
        language: "JavaScript",
        command: JAVASCRIPT,
        folders: &["lib/", "test/"],
        endings: &[".js"],
        tests: "",
    },
    Checked {
        repository: "pmndrs/zustand",
        language: "TypeScript",
        command: "tsc --noEmit --pretty false -p tsconfig.json --skipLibCheck",
        folders: &["src/", "tests/"],
        endings: &[".ts", ".tsx"],
        tests: "",
    },
    Checked {
        repository: "pallets/click",
        language: "Python",
        command: PYTHON,
        folders: &["src/", "tests/"],
        endings: &[".py"],
        tests: PYTEST,
    },
    Checked {
        repository: "google/gson",
        language: "Java",
        command: GSON,
        folders: &["gson/src/main/java/"],
        endings: &[".java"],
        tests: "",
    },
    Checked {
        repository: "google/leveldb",
        language: "C++",
        command: LEVELDB,
        folders: &[
            "db/builder.", "db/db_impl.", "db/db_iter.", "db/dbformat.", "db/filename.", "db/log_reader.",
            "db/log_writer.", "db/memtable.", "db/snapshot.", "db/table_cache.", "db/version_edit.", "db/version_set.",
            "db/write_batch.", "include/leveldb/", "table/block.", "table/block_builder.", "table/filter_block.",
            "table/format.", "table/merger.", "table/table.", "table/table_builder.", "table/two_level_iterator.",
            "util/arena.", "util/cache.", "util/coding.", "util/comparator.", "util/env.", "util/env_posix.",
            "util/histogram.", "util/logging.", "util/options.", "util/status.",
        ],
        endings: &[".cc", ".h"],
        tests: "",
    },
    Checked {
        repository: "leethomason/tinyxml2",
        language: "C++",
        command: "g++ -std=c++11 -fsyntax-only tinyxml2.cpp; g++ -std=c++11 -fsyntax-only xmltest.cpp",
        folders: &["tinyxml2."],
        endings: &[".cpp", ".h"],
        tests: "",
    },
    Checked {
        repository: "redis/hiredis",
        language: "C",
        command: C_LINKED,
        folders: &["alloc.", "async", "hiredis.", "net.", "read.", "sds", "sockcompat.", "test.", "fmacros."],
        endings: &[".c", ".h"],
        tests: "",
    },
    Checked {
        repository: "madler/zlib",
        language: "C",
        command: C_LINKED,
        folders: &[
            "adler32.", "compress.", "crc32.", "deflate.", "gz", "inf", "trees.", "uncompr.", "zlib.h", "zutil.",
        ],
        endings: &[".c", ".h"],
        tests: "",
    },
    Checked {
        repository: "lua/lua",
        language: "C",
        command: C_LINKED,
        folders: &["l"],
        endings: &[".c", ".h"],
        tests: "",
    },
    Checked {
        repository: "open-source-parsers/jsoncpp",
        language: "C++",
        command: JSONCPP,
        folders: &["src/lib_json/", "include/json/"],
        endings: &[".cpp", ".h"],
        tests: "",
    },
    Checked {
        repository: "jbeder/yaml-cpp",
        language: "C++",
        command: YAML_CPP,
        folders: &["src/", "include/yaml-cpp/"],
        endings: &[".cpp", ".h"],
        tests: "",
    },
    Checked {
        repository: "honojs/hono",
        language: "TypeScript",
        command: "tsc --noEmit --pretty false -p tsconfig.spec.json --types ''; \
                  tsc --noEmit --pretty false -p tsconfig.build.json --types ''",
        folders: &["src/"],
        endings: &[".ts", ".tsx"],
        tests: "",
    },
    Checked {
        repository: "colinhacks/zod",
        language: "TypeScript",
        command: "tsc --noEmit --pretty false -p packages/zod/tsconfig.json --types ''",
        folders: &["packages/zod/src/"],
        endings: &[".ts"],
        tests: "",
    },
    Checked {
        repository: "tokio-rs/bytes",
        language: "Rust",
        command: RUST,
        folders: &["src/"],
        endings: &[".rs"],
        tests: "",
    },
    Checked {
        repository: "BurntSushi/ripgrep",
        language: "Rust",
        command: RUST,
        folders: &["crates/"],
        endings: &[".rs"],
        tests: "",
    },
    Checked {
        repository: "psf/requests",
        language: "Python",
        command: PYTHON,
        folders: &["src/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "pallets/flask",
        language: "Python",
        command: PYTHON,
        folders: &["src/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "jhy/jsoup",
        language: "Java",
        command: JAVA,
        folders: &["src/main/java/"],
        endings: &[".java"],
        tests: "",
    },
    Checked {
        repository: "spf13/cobra",
        language: "Go",
        command: GO,
        folders: &[""],
        endings: &[".go"],
        tests: GO_TEST,
    },
    Checked {
        repository: "pallets/werkzeug",
        language: "Python",
        command: PYTHON,
        folders: &["src/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "marshmallow-code/marshmallow",
        language: "Python",
        command: PYTHON,
        folders: &["src/", "tests/"],
        endings: &[".py"],
        tests: PYTEST,
    },
    Checked {
        repository: "jpadilla/pyjwt",
        language: "Python",
        command: PYTHON,
        folders: &["jwt/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "square/javapoet",
        language: "Java",
        command: JAVA,
        folders: &["src/main/java/"],
        endings: &[".java"],
        tests: "",
    },
    Checked {
        repository: "encode/starlette",
        language: "Python",
        command: PYTHON,
        folders: &["starlette/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "encode/httpx",
        language: "Python",
        command: PYTHON,
        folders: &["httpx/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "pallets/jinja",
        language: "Python",
        command: PYTHON,
        folders: &["src/", "tests/"],
        endings: &[".py"],
        tests: "",
    },
    Checked {
        repository: "google/go-cmp",
        language: "Go",
        command: GO,
        folders: &["cmp/"],
        endings: &[".go"],
        tests: "",
    },
    Checked {
        repository: "emirpasic/gods",
        language: "Go",
        command: GO,
        folders: &["containers/", "lists/", "maps/", "queues/", "sets/", "stacks/", "trees/", "utils/"],
        endings: &[".go"],
        tests: "",
    },
    Checked {
        repository: "apache/commons-lang",
        language: "Java",
        command: JAVA,
        folders: &["src/main/java/"],
        endings: &[".java"],
        tests: "",
    },
    Checked {
        repository: "apache/commons-codec",
        language: "Java",
        command: JAVA,
        folders: &["src/main/java/"],
        endings: &[".java"],
        tests: "",
    },
    Checked {
        repository: "dtolnay/anyhow",
        language: "Rust",
        command: RUST,
        folders: &["src/"],
        endings: &[".rs"],
        tests: "",
    },
    Checked {
        repository: "sindresorhus/ky",
        language: "TypeScript",
        command: "tsc --noEmit --pretty false -p tsconfig.json --types ''",
        folders: &["source/"],
        endings: &[".ts"],
        tests: "",
    },
];

/// Errors without their places, with how often they occur.
pub(super) type Errors = BTreeMap<String, usize>;

impl Checked {
    /// Those that a request asks for.
    pub(super) fn of(request: &Request) -> Vec<Self> {
        let is_asked = |checked: &&Self| {
            request.repositories.is_empty() || request.repositories.iter().any(|name| name == checked.repository)
        };
        CHECKED.iter().filter(is_asked).copied().collect()
    }

    /// Returns whether the command checks a file.
    pub(super) fn covers(&self, path: &str) -> bool {
        self.folders.iter().any(|folder| path.starts_with(folder)) && self.endings.iter().any(|end| path.ends_with(end))
    }

    /// The errors of the project as it is.
    ///
    /// # Errors
    /// The compiler cannot be run, or says nothing about a file that is no program: then it is no judge.
    pub(super) fn first_errors(&self, request: &Request, root: &Path) -> Outcome<Errors> {
        let before = self.errors(request, root)?;
        let file = crate::eval::edits::project::git(root, &["ls-files"])?;
        let file = file.lines().find(|path| self.covers(path)).ok_or("no file is checked")?.to_owned();
        let text = std::fs::read(root.join(&file))?;
        std::fs::write(root.join(&file), "this is no program (\n")?;
        let after = self.errors(request, root);
        std::fs::write(root.join(&file), text)?;
        if new_errors(&before, &after?, None).is_empty() {
            return Err(format!("{}: `{}` finds no error in a broken {file}", self.repository, self.command).into());
        }
        Ok(before)
    }

    /// The tests that fail; `None` for a repository whose tests are not run.
    pub(super) fn failing_tests(&self, request: &Request, root: &Path) -> Outcome<Option<Errors>> {
        if self.tests.is_empty() {
            return Ok(None);
        }
        let mut failing = Errors::new();
        for line in self.run(self.tests, request, root)?.lines() {
            let is_failure =
                ["FAILED ", "ERROR ", "--- FAIL", "FAIL\t"].iter().any(|word| line.trim().starts_with(word));
            if is_failure {
                // Without the time that it took, and what it says.
                let name = line.trim().split(" (").next().unwrap_or_default().split(" - ").next().unwrap_or_default();
                let name = name.split('\t').take(2).collect::<Vec<_>>().join(" ");
                *failing.entry(name).or_default() += 1;
            }
        }
        Ok(Some(failing))
    }

    /// The errors of the project as it is now.
    pub(super) fn errors(&self, request: &Request, root: &Path) -> Outcome<Errors> {
        let text = self.run(self.command, request, root)?;
        let mut errors = Errors::new();
        for line in text.lines().filter(|line| is_error(line)) {
            *errors.entry(without_place(line)).or_default() += 1;
        }
        Ok(errors)
    }

    /// What a command prints.
    fn run(&self, command_line: &str, request: &Request, root: &Path) -> Outcome<String> {
        let work = request.work.join(format!(".out-{}", self.repository.replace('/', "+")));
        std::fs::create_dir_all(&work)?;
        let mut command = Command::new("sh");
        command.args(["-c", command_line]).current_dir(root).env("WORK", &work);
        command.env("FOLDERS", self.folders.join(" "));
        if let (Some(tools), Some(path)) = (&request.tools, std::env::var_os("PATH")) {
            let all = std::iter::once(tools.clone()).chain(std::env::split_paths(&path));
            command.env("PATH", std::env::join_paths(all)?);
        }
        let output = command.output()?;
        Ok(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
    }
}

/// Errors of one check that the one before does not have; `renamed` is the new name and the old one.
pub(super) fn new_errors(before: &Errors, after: &Errors, renamed: Option<(&str, &str)>) -> Vec<String> {
    let mut counts = Errors::new();
    for (line, count) in after {
        let line = renamed.map_or_else(|| line.clone(), |(new, old)| line.replace(new, old));
        *counts.entry(line).or_default() += count;
    }
    counts
        .into_iter()
        .filter(|(line, count)| before.get(line).copied().unwrap_or(0) < *count)
        .map(|row| row.0)
        .collect()
}

fn is_error(line: &str) -> bool {
    // Go prints `file.go:1:2: message`, after `vet: ` if it does not compile.
    let is_go = line.trim_start_matches("vet: ").split(':').next().is_some_and(|file| file.ends_with(".go"));
    is_go || ["error:", "error[", "error TS", "undefined name"].iter().any(|word| line.contains(word))
}

/// A line without the numbers of its line and column, and without those of other lines that it names.
fn without_place(line: &str) -> String {
    let line = &without_lines_named(line);
    let mut kept = String::with_capacity(line.len());
    for (index, part) in line.split([':', '(', ')']).enumerate() {
        if !part.is_empty() && part.chars().all(|c| c.is_ascii_digit() || c == ',') {
            continue;
        }
        if index > 0 {
            kept.push(':');
        }
        kept.push_str(part);
    }
    kept
}

/// A line with `on line` in place of `on line 7`.
fn without_lines_named(line: &str) -> String {
    const NAMES: &str = "on line ";
    let mut parts = line.split(NAMES);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| kept + NAMES + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_lines_are_not_compared() {
        assert_eq!(
            without_place("a.py:3: error: Name \"b\" already defined on line 12  [no-redef]"),
            without_place("a.py:9: error: Name \"b\" already defined on line 7  [no-redef]")
        );
    }

    #[test]
    fn errors_are_compared_without_their_places() {
        let errors = |lines: &[&str]| {
            let mut errors = Errors::new();
            for line in lines.iter().filter(|line| is_error(line)) {
                *errors.entry(without_place(line)).or_default() += 1;
            }
            errors
        };
        let before = errors(&["src/a.ts(3,4): error TS2304: Cannot find name 'old'.", "a.py:1: note: old"]);
        let after = errors(&["src/a.ts(5,4): error TS2304: Cannot find name 'new'.", "vet: ./a.go:1:2: undefined: x"]);
        assert_eq!(before.len(), 1);
        assert_eq!(new_errors(&before, &after, Some(("new", "old"))), ["vet: ./a.go: undefined: x"]);
        assert_eq!(new_errors(&before, &after, None).len(), 2);
    }
}
