//! Languages whose names are only resolved inside their file.

use super::Family;
use crate::rules::{ModuleTarget, Resolver};
use crate::tables::files::{FileId, Files};

pub(super) const FAMILY: Family = Family {
    of: None,
    languages: &[],
    is_manifest: |_| false,
    check_manifest: |_, _| None,
    resolver: |_, _| Box::new(Outlined),
};

struct Outlined;

impl Resolver for Outlined {
    fn module(&self, _files: &Files<'_>, _from: FileId, _module: &str, _level: u16) -> ModuleTarget {
        ModuleTarget::NotFound
    }
}
