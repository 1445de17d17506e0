use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

/// An interned text of the whole project: names in facts are local to their file, this makes them comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(pub(crate) u32);

/// The interner. Never shrinks while a linker lives, so no answer may depend on whether a name is in it.
#[derive(Debug)]
pub(crate) struct Names {
    texts: IndexSet<Box<str>, FxBuildHasher>,
    /// `default`, the name of a module's default export.
    pub(crate) default_export: Name,
    /// The name of the export that represents the whole module.
    pub(crate) whole_export: Name,
}

impl Default for Names {
    fn default() -> Self {
        let mut names = Self { texts: IndexSet::default(), default_export: Name(0), whole_export: Name(0) };
        names.default_export = names.intern("default");
        names.whole_export = names.intern(m1nd_lang::FileFacts::EXPORT_ASSIGN);
        names
    }
}

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(index) = self.texts.get_index_of(text) {
            return Name(index as u32);
        }
        Name(self.texts.insert_full(text.into()).0 as u32)
    }

    pub(crate) fn get(&self, text: &str) -> Option<Name> {
        self.texts.get_index_of(text).map(|index| Name(index as u32))
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
