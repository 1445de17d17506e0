//! `cargo xtask new language NAME EXTENSION GRAMMAR@VERSION`: the files and rows of an outlined language whose rules
//! say nothing yet.

use m1nd_lang::Language;

use super::{camel, change, is_snake_case, write_new};
use crate::{Outcome, cargo, must_succeed, repository};

const EXTRACTOR: &str = include_str!("language.rs.txt");

/// A line that is put into a file of the repository.
struct Insertion {
    /// From the top of the repository.
    path: &'static str,
    /// Where the list begins that gets the line.
    list: &'static str,
    /// The text in the list that the line is put in front of.
    before: &'static str,
    line: String,
}

pub(super) fn create(name: &str, extension: &str, grammar: &str) -> Outcome<()> {
    if !is_snake_case(name) {
        return Err(format!("`{name}` cannot be the name of a language, expected snake case").into());
    }
    if let Some(known) = Language::all().find(|known| known.name() == name) {
        return Err(format!("there is a language `{}`", known.name()).into());
    }
    if let Some(known) = Language::all().find(|known| known.extensions().contains(&extension)) {
        return Err(format!("the extension `{extension}` belongs to {}", known.name()).into());
    }
    let (package, version) =
        grammar.split_once('@').ok_or_else(|| format!("expected GRAMMAR@VERSION, found `{grammar}`"))?;

    // The files of the language, then the rows that name it.
    let lang = repository().join("crates/lang");
    let folder = lang.join("src/languages").join(name);
    let sample = lang.join("tests/golden").join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::create_dir_all(&sample)?;
    let module = package.replace('-', "_");
    let text = EXTRACTOR.replace("{TYPE}", &camel(name)).replace("{CRATE}", &module);
    write_new(&folder.join("mod.rs"), &text)?;
    write_new(&sample.join(format!("sample.{extension}")), "")?;
    for insertion in list_insertions(name, extension, (package, version)) {
        let path = repository().join(insertion.path);
        change(&path, |text| insert(text, &insertion))?;
    }
    must_succeed(&mut cargo(&["fmt", "--package", "m1nd-lang"]))?;
    println!(
        "next:\n\
         1. write crates/lang/tests/golden/{name}/sample.{extension}: a real file of some 50 lines\n\
         2. fill the rules in crates/lang/src/languages/{name}/mod.rs (kinds of nodes: src/node-types.json of {package})\n\
         3. UPDATE_EXPECT=1 cargo test -p m1nd-lang --test golden, and read sample.expected\n\
         4. choose its comments and quotes in `syntax` of crates/lang/src/strings.rs\n\
         5. raise EXTRACTOR_VERSION in crates/lang/src/lib.rs"
    );
    Ok(())
}

fn list_insertions(name: &str, extension: &str, (package, version): (&str, &str)) -> Vec<Insertion> {
    let (kind, module) = (camel(name), package.replace('-', "_"));
    let row = |path, list, before, line| Insertion { path, list, before, line };
    vec![
        row("Cargo.toml", "[workspace.dependencies]", "tree-sitter-typescript", format!("{package} = \"{version}\"\n")),
        row(
            "crates/lang/Cargo.toml",
            "[dependencies]",
            "tree-sitter-typescript",
            format!("{package}.workspace = true\n"),
        ),
        row("crates/lang/src/language.rs", "pub enum Language {", "}\n", format!("    /// {kind}.\n    {kind},\n")),
        row(
            "crates/lang/src/language.rs",
            "ROWS: &[LanguageRow]",
            "];\n",
            format!(
                "Row {{ language: Language::{kind}, name: \"{name}\", tier: Tier::Outlined, \
                 extensions: &[\"{extension}\"], names: &[] }},\n"
            ),
        ),
        row("crates/lang/src/languages/mod.rs", "mod bash;", "mod c;", format!("mod {name};\n")),
        row(
            "crates/lang/src/languages/mod.rs",
            "READERS: &[Reader]",
            "];\n",
            format!(
                "Reader {{ language: Language::{kind}, extract: |input| {name}::EXTRACTOR.extract(input), \
                 grammar: Some(|| {module}::LANGUAGE.into()) }},\n"
            ),
        ),
        row("crates/lang/src/strings.rs", "fn syntax(", "        Lua =>", format!("        {kind} => &JAVA,\n")),
        row(
            "crates/lang/tests/common/samples.rs",
            "fn sample(",
            "        Language::Lua =>",
            format!("        Language::{kind} => include_str!(\"../golden/{name}/sample.{extension}\"),\n"),
        ),
    ]
}

fn insert(text: &str, insertion: &Insertion) -> Outcome<String> {
    let missing = |what: &str| format!("{}: has no `{}`", insertion.path, what.trim());
    let list = text.find(insertion.list).ok_or_else(|| missing(insertion.list))?;
    // A mark at the end of a list stands at the start of a line.
    let mark = format!("\n{}", insertion.before);
    let at = text[list..].find(&mark).ok_or_else(|| missing(insertion.before))? + list + 1;
    Ok(format!("{}{}{}", &text[..at], insertion.line, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists that get rows are found in the files of today.
    #[test]
    fn every_row_has_its_place() {
        for insertion in list_insertions("zig", "zig", ("tree-sitter-zig", "1.1.2")) {
            let text = std::fs::read_to_string(repository().join(insertion.path)).expect("a file");
            let changed = insert(&text, &insertion).expect("a place");
            assert_eq!(changed.lines().count(), text.lines().count() + insertion.line.lines().count());
            assert!(changed.contains(&format!("\n{}", insertion.line)), "{}", insertion.path);
        }
    }
}
