//! The layers that a project declares: the file `m1nd-layers.toml` at its top.

use serde::Deserialize;

use crate::scope::Scope;

/// The name of the file, at the top of a root.
pub const FILE: &str = "m1nd-layers.toml";
/// Layers that can be declared.
const MAX_LAYERS: usize = 200;
/// Paths of one layer.
const MAX_PATHS: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    strict: bool,
    #[serde(default)]
    layer: Vec<LayerRow>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct LayerRow {
    name: String,
    #[serde(default)]
    description: String,
    paths: Vec<String>,
    may_use: Option<Vec<String>>,
}

/// A declared layer.
#[derive(Debug)]
pub struct DeclaredLayer {
    /// Its name.
    pub name: String,
    /// What it is for; may be empty.
    pub description: String,
    paths: Vec<Scope>,
    /// The layers that it may use, by level.
    allowed: Vec<bool>,
}

/// The layers of a project, from the top (users) to the bottom (used).
#[derive(Debug)]
pub struct Declared {
    /// The layers.
    pub layers: Vec<DeclaredLayer>,
    /// A layer may use the next one only, unless it says otherwise.
    pub strict: bool,
}

/// The reason why a declaration cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeclaredError {
    /// It is no valid TOML, or has a member that is not known.
    #[error("`{FILE}` cannot be read: {0}")]
    Invalid(String),
    /// It declares nothing, or too much.
    #[error("`{FILE}` declares {0}, expected 1 to {MAX_LAYERS} tables `[[layer]]` with 1 to {MAX_PATHS} `paths` each")]
    Count(String),
    /// Two layers have one name.
    #[error("`{FILE}` declares the layer `{0}` twice")]
    Twice(String),
    /// A layer may use one that is not declared.
    #[error("`{FILE}`: layer `{layer}` may use `{unknown}`, which is not declared")]
    Unknown {
        /// The layer.
        layer: String,
        /// The name that no layer has.
        unknown: String,
    },
    /// A path is no valid glob.
    #[error("`{FILE}`: layer `{layer}` has the path `{path}`: {reason}")]
    Path {
        /// The layer.
        layer: String,
        /// The path.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

impl Declared {
    /// Reads a declaration. `prefix` is that of the root it belongs to.
    ///
    /// # Errors
    /// [`DeclaredError`], with what was expected.
    pub fn parse(text: &str, prefix: &str) -> Result<Self, DeclaredError> {
        let file: File = toml::from_str(text).map_err(|error| DeclaredError::Invalid(error.to_string()))?;
        if file.layer.is_empty() || file.layer.len() > MAX_LAYERS {
            return Err(DeclaredError::Count(format!("{} layers", file.layer.len())));
        }
        let names: Vec<String> = file.layer.iter().map(|row| row.name.clone()).collect();
        if let Some(at) = (1..names.len()).find(|at| names[..*at].contains(&names[*at])) {
            return Err(DeclaredError::Twice(names[at].clone()));
        }
        let rows = file.layer.into_iter().enumerate();
        let layers =
            rows.map(|(level, row)| layer(row, level, &names, file.strict, prefix)).collect::<Result<_, _>>()?;
        Ok(Self { layers, strict: file.strict })
    }

    /// The level of a path: that of the first layer that has it. `None` if no layer does.
    pub fn level(&self, path: &str) -> Option<usize> {
        self.layers.iter().position(|layer| layer.paths.iter().any(|scope| scope.has(path)))
    }

    /// Returns whether code at one level may use code at another.
    pub fn allows(&self, from: usize, to: usize) -> bool {
        from == to || self.layers.get(from).is_some_and(|layer| layer.allowed.get(to).copied().unwrap_or(false))
    }
}

fn layer(
    row: LayerRow,
    level: usize,
    names: &[String],
    strict: bool,
    prefix: &str,
) -> Result<DeclaredLayer, DeclaredError> {
    if row.paths.is_empty() || row.paths.len() > MAX_PATHS {
        return Err(DeclaredError::Count(format!("the layer `{}` with {} paths", row.name, row.paths.len())));
    }
    let allowed = match &row.may_use {
        None if strict => (0..names.len()).map(|other| other == level + 1).collect(),
        None => (0..names.len()).map(|other| other > level).collect(),
        Some(may_use) => {
            if let Some(unknown) = may_use.iter().find(|name| !names.contains(name)) {
                return Err(DeclaredError::Unknown { layer: row.name, unknown: unknown.clone() });
            }
            names.iter().map(|name| may_use.contains(name)).collect()
        }
    };
    let scope = |path: &String| {
        let inner = path.trim_start_matches("./");
        let whole = if inner == "**" && prefix.is_empty() { String::new() } else { format!("{prefix}{inner}") };
        Scope::parse(&whole).map_err(|reason| DeclaredError::Path {
            layer: row.name.clone(),
            path: path.clone(),
            reason,
        })
    };
    let paths = row.paths.iter().map(scope).collect::<Result<_, _>>()?;
    Ok(DeclaredLayer { name: row.name, description: row.description, paths, allowed })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
        [[layer]]
        name = "web"
        paths = ["src/web", "src/api/**"]
        [[layer]]
        name = "core"
        description = "rules of the business"
        paths = ["src/core"]
        may_use = []
        [[layer]]
        name = "base"
        paths = ["src"]
    "#;

    #[test]
    fn the_first_layer_with_a_path_has_it() {
        let found = Declared::parse(TEXT, "").expect("is valid");
        let level = |path| found.level(path);
        assert_eq!(
            [level("src/web/a.py"), level("src/core/b.py"), level("src/x.py"), level("y.py")],
            [Some(0), Some(1), Some(2), None]
        );
        assert_eq!(Declared::parse(TEXT, "app/").expect("is valid").level("app/src/web/a.py"), Some(0));
    }

    #[test]
    fn a_layer_may_use_those_below_or_those_it_names() {
        let found = Declared::parse(TEXT, "").expect("is valid");
        assert!(found.allows(0, 1) && found.allows(0, 2) && found.allows(1, 1));
        assert!(!found.allows(1, 0) && !found.allows(1, 2) && !found.allows(2, 0));
        let strict = Declared::parse(&format!("strict = true\n{TEXT}"), "").expect("is valid");
        assert!(strict.allows(0, 1) && !strict.allows(0, 2));
    }

    #[test]
    fn faults_are_named() {
        let cases = [
            ("", "declares 0 layers"),
            ("[[layer]]\nname = 'a'\npaths = []", "`a` with 0 paths"),
            ("[[layer]]\nname = 'a'\npaths = ['x']\nmay_use = ['b']", "may use `b`"),
            ("[[layer]]\nname = 'a'\npaths = ['x[']", "the path `x[`"),
            ("[[layer]]\nname = 'a'\npaths = ['x']\n[[layer]]\nname = 'a'\npaths = ['y']", "`a` twice"),
            ("[[layer]]\nname = 'a'\npath = 'x'", "unknown field"),
        ];
        for (text, expected) in cases {
            let error = Declared::parse(text, "").expect_err("is invalid").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
