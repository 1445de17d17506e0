//! Operating system and processor in the names of files (`open_linux.go`), which limit the builds that have the file.

/// Operating systems, as `GOOS` names them.
const SYSTEMS: &[&str] = &[
    "aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd",
    "openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
];
/// Processors, as `GOARCH` names them.
const PROCESSORS: &[&str] = &[
    "386", "amd64", "arm", "arm64", "armbe", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
    "riscv", "riscv64", "s390x", "sparc64", "wasm",
];
/// Systems that also have the files of another.
const ALSO: &[(&str, &str)] = &[("android", "linux"), ("illumos", "solaris"), ("ios", "darwin")];

/// What the name of a file asks of a build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Platform<'a> {
    system: Option<&'a str>,
    processor: Option<&'a str>,
}

impl<'a> Platform<'a> {
    pub(super) fn of_file(path: &'a str) -> Self {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.strip_suffix(".go").unwrap_or(name);
        let stem = stem.strip_suffix("_test").unwrap_or(stem);
        // What stands before the first line is never a platform.
        let mut parts = stem.split('_').skip(1).collect::<Vec<_>>();
        let mut take = |known: &[&str]| parts.pop_if(|part| known.contains(part));
        let processor = take(PROCESSORS);
        Self { processor, system: take(SYSTEMS) }
    }

    /// Returns whether the name leaves the file out of some builds.
    pub(super) fn is_limited(self) -> bool {
        self != Self::default()
    }

    /// Returns whether a build may have both files.
    pub(super) fn fits(self, other: Self) -> bool {
        let same_system =
            |one: &str, other: &str| one == other || ALSO.contains(&(one, other)) || ALSO.contains(&(other, one));
        let systems = self.system.zip(other.system).is_none_or(|(one, other)| same_system(one, other));
        systems && self.processor.zip(other.processor).is_none_or(|(one, other)| one == other)
    }
}

#[cfg(test)]
mod tests {
    use super::Platform;

    #[test]
    fn names_of_files() {
        let show = |path: &str| {
            let Platform { system, processor } = Platform::of_file(path);
            format!("{} {}", system.unwrap_or("-"), processor.unwrap_or("-"))
        };
        assert_eq!(show("a/open_linux.go"), "linux -");
        assert_eq!(show("open_windows_amd64_test.go"), "windows amd64");
        assert_eq!(show("open_arm64.go"), "- arm64");
        assert_eq!(show("linux.go"), "- -");
        assert_eq!(show("open_unix.go"), "- -");
        let fits = |one: &'static str, other: &'static str| Platform::of_file(one).fits(Platform::of_file(other));
        assert!(fits("a_linux.go", "b_amd64.go") && fits("a_linux.go", "b.go") && fits("a_android.go", "b_linux.go"));
        assert!(!fits("a_linux.go", "b_windows.go") && !fits("a_arm.go", "b_linux_amd64.go"));
    }
}
