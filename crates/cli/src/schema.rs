//! The schema of the arguments of a tool, as the command line reads it.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The arguments of a tool.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Schema {
    /// Each argument by its name, in their order.
    pub(crate) properties: Map<String, Value>,
    /// Those that a call must have.
    pub(crate) required: Vec<String>,
}

/// One argument.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Property {
    #[serde(rename = "type")]
    kind: Value,
    #[serde(rename = "enum")]
    words: Vec<Value>,
    /// What it is for, if the schema says so.
    pub(crate) description: Option<String>,
    items: Value,
}

impl Schema {
    /// Reads the schema of a tool.
    pub(crate) fn of(schema: &Value) -> Self {
        Self::deserialize(schema).unwrap_or_default()
    }
}

impl Property {
    /// Reads the schema of an argument.
    pub(crate) fn of(schema: &Value) -> Self {
        Self::deserialize(schema).unwrap_or_default()
    }

    /// Its type; `None` if it has several.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.kind.as_str()
    }

    /// The type that words of the command line are read as.
    pub(crate) fn kind_of_words(&self) -> &str {
        self.kind().unwrap_or("string")
    }

    /// The words that it accepts; none if it accepts any.
    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().filter_map(Value::as_str)
    }

    /// The elements of a list.
    pub(crate) fn items(&self) -> Self {
        Self::of(&self.items)
    }
}
