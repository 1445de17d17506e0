use rustc_hash::FxHashMap;

/// An interned text of the whole project: names in facts are local to their file, this makes them comparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Name(pub(crate) u32);

/// The interner. Never shrinks while a linker lives, so no answer may depend on whether a name is in it.
#[derive(Debug)]
pub(crate) struct Names {
    ids: FxHashMap<Box<str>, Name>,
    texts: Vec<Box<str>>,
    /// `default`, the name of a module's default export.
    pub(crate) default_export: Name,
    /// The name of the export that stands for the whole module.
    pub(crate) whole_export: Name,
}

impl Default for Names {
    fn default() -> Self {
        let (ids, texts) = (FxHashMap::default(), Vec::new());
        let mut names = Self { ids, texts, default_export: Name(0), whole_export: Name(0) };
        names.default_export = names.intern("default");
        names.whole_export = names.intern(m1nd_lang::FileFacts::EXPORT_ASSIGN);
        names
    }
}

impl Names {
    pub(crate) fn intern(&mut self, text: &str) -> Name {
        if let Some(&name) = self.ids.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.ids.insert(text.into(), name);
        name
    }

    pub(crate) fn get(&self, text: &str) -> Option<Name> {
        self.ids.get(text).copied()
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
