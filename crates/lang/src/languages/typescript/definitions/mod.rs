//! What declares a name.

pub(in crate::languages::typescript) mod assignments;
pub(in crate::languages::typescript) mod classes;
pub(in crate::languages::typescript) mod functions;
pub(in crate::languages::typescript) mod jsdoc;
pub(in crate::languages::typescript) mod objects;
pub(in crate::languages::typescript) mod options;
pub(in crate::languages::typescript) mod types;
pub(in crate::languages::typescript) mod variables;
