//! Objects for programs.

use serde_json::Value;

/// Adds a member to an object, or replaces it.
pub(crate) fn with_member(mut object: Value, name: &str, member: impl Into<Value>) -> Value {
    if let Value::Object(members) = &mut object {
        members.insert(name.to_owned(), member.into());
    }
    object
}
