//! `go.mod` and `go.work`: line by line, as the two share their grammar.

/// A `replace` line.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Replacement {
    /// Module path that is replaced.
    pub(super) module: String,
    /// Replacement: a folder (starts with `.` or `/`) or another module path.
    pub(super) target: String,
}

/// The parts of a manifest that determine where packages are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(super) struct Manifest {
    /// Module path.
    pub(super) module: Option<String>,
    /// Module paths that are required.
    pub(super) requires: Vec<String>,
    /// Replacements in order.
    pub(super) replaces: Vec<Replacement>,
    /// Folders of a workspace's modules.
    pub(super) uses: Vec<String>,
}

/// Most lines read of one manifest.
const MAX_LINES: usize = 20_000;

impl Manifest {
    /// Reads a manifest; lines that are not understood are passed over.
    pub(super) fn read(text: &str) -> Self {
        let mut manifest = Self::default();
        let mut block: Option<String> = None;
        for line in text.lines().take(MAX_LINES) {
            let line = line.split("//").next().unwrap_or(line).trim();
            let mut words: Vec<&str> = line.split_whitespace().map(|word| word.trim_matches(['"', '`'])).collect();
            match (&block, words.as_slice()) {
                (_, []) => continue,
                (Some(_), [")"]) => {
                    block = None;
                    continue;
                }
                (None, [verb, "("]) => {
                    block = Some((*verb).to_owned());
                    continue;
                }
                (None, [verb]) if verb.ends_with('(') => {
                    block = Some(verb.trim_end_matches('(').to_owned());
                    continue;
                }
                _ => {}
            }
            let verb = match &block {
                Some(verb) => verb.clone(),
                None => words.remove(0).to_owned(),
            };
            manifest.line(&verb, &words);
        }
        manifest
    }

    fn line(&mut self, verb: &str, words: &[&str]) {
        match (verb, words) {
            ("module", [path, ..]) => self.module = Some((*path).to_owned()),
            ("require", [path, ..]) => self.requires.push((*path).to_owned()),
            ("use", [folder, ..]) => self.uses.push((*folder).to_owned()),
            ("replace", words) => {
                let arrow = words.iter().position(|word| *word == "=>");
                if let Some(arrow) = arrow
                    && let (Some(module), Some(target)) = (words.first(), words.get(arrow + 1))
                {
                    let replacement = Replacement { module: (*module).to_owned(), target: (*target).to_owned() };
                    self.replaces.push(replacement);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Manifest, Replacement};

    #[test]
    fn modules_and_workspaces() {
        let text = "// comment\nmodule \"example.com/a\" // is a\n\ngo 1.22\nrequire x.org/one v1.0.0\nrequire (\n\tx.org/two v2.0.0 // indirect\n\n\ty.org/three v0.1.0\n)\nreplace x.org/one => ../one\nreplace(\n\tx.org/two v2.0.0 => z.org/two v2.1.0\n)\nretract v1.0.0\n";
        let manifest = Manifest::read(text);
        assert_eq!(manifest.module.as_deref(), Some("example.com/a"));
        assert_eq!(manifest.requires, ["x.org/one", "x.org/two", "y.org/three"]);
        let replaces = [("x.org/one", "../one"), ("x.org/two", "z.org/two")];
        let replaces = replaces.map(|(module, target)| Replacement { module: module.into(), target: target.into() });
        assert_eq!(manifest.replaces, replaces);
        assert_eq!(Manifest::read("go 1.22\nuse ./a\nuse (\n\t./b\n\t.\n)\n").uses, ["./a", "./b", "."]);
        assert_eq!(Manifest::read("nonsense (\nreplace => \n"), Manifest::default());
    }
}
