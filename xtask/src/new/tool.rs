//! `cargo xtask new tool TOOLSET NAME`: the files and rows of a tool that does nothing yet.

use m1nd_tools::{TOOLS, Toolset, canonical_name};

use super::{camel, change, is_snake_case, write_new};
use crate::{Outcome, cargo, must_succeed, repository};

const TOOL: &str = include_str!("tool.rs.txt");
const TEST: &str = include_str!("test.rs.txt");

pub(super) fn create(set: &str, name: &str) -> Outcome<()> {
    let toolset = Toolset::parse(set).ok_or_else(|| {
        let sets: Vec<&str> = Toolset::ALL.iter().map(|set| set.word()).collect();
        format!("no toolset is called `{set}`, expected one of {}", sets.join(", "))
    })?;
    if !is_snake_case(name) || canonical_name(name) != name {
        return Err(format!("`{name}` cannot be the name of a tool, expected snake case").into());
    }
    if TOOLS.find(name).is_some() {
        return Err(format!("there is a tool `{name}`").into());
    }
    let tools = repository().join("crates/tools");
    let folder = tools.join("src").join(toolset.word());
    if !folder.join("mod.rs").is_file() {
        return Err(format!("there is no {}/mod.rs: make it, with its `mod` line in lib.rs", folder.display()).into());
    }
    let filled = |template: &str| {
        let variant = camel(toolset.word());
        template.replace("{NAME}", name).replace("{TYPE}", &camel(name)).replace("{TOOLSET}", &variant)
    };
    write_new(&folder.join(format!("{name}.rs")), &filled(TOOL))?;
    write_new(&tools.join(format!("tests/tools/{name}.rs")), &filled(TEST))?;
    change(&folder.join("mod.rs"), |text| Ok(with_module(text, name)))?;
    change(&tools.join("src/registry.rs"), |text| with_row(text, toolset.word(), name))?;
    // Puts the lines where they belong.
    must_succeed(&mut cargo(&["fmt", "--package", "m1nd-tools"]))?;
    println!("fill in {}/{name}.rs and its tests, then run `cargo xtask codegen`", folder.display());
    Ok(())
}

/// The `mod.rs` with one more file; the formatter sorts the lines.
fn with_module(text: &str, name: &str) -> String {
    let module = format!("mod {name};\n");
    let export = format!("pub(crate) use {name}::{};\n", camel(name));
    let at = text.find("mod ").unwrap_or(text.len());
    let with = format!("{}{module}{}", &text[..at], &text[at..]);
    match with.find("pub(crate) use ") {
        Some(at) => format!("{}{export}{}", &with[..at], &with[at..]),
        None => format!("{with}\n{export}"),
    }
}

/// The registry with one more row, behind those of its toolset where the last line of `ALL` is.
fn with_row(text: &str, set: &str, name: &str) -> Outcome<String> {
    let (import, kind) = (format!("use crate::{set}::{{"), camel(name));
    let with = match text.find(&import) {
        Some(at) => {
            let at = at + import.len();
            format!("{}{kind}, {}", &text[..at], &text[at..])
        }
        None => format!("use crate::{set}::{{{kind}}};\n{text}"),
    };
    let end = with.find("\n];").ok_or("the registry has no end of `ALL`")? + 1;
    Ok(format!("{}    ToolDef::read::<{kind}>(),\n{}", &with[..end], &with[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_added_where_the_formatter_sorts_them() {
        let module = with_module("//! Page.\n\nmod why;\n\npub(crate) use why::Why;\n", "trail_save");
        let expected = "//! Page.\n\nmod trail_save;\nmod why;\n\npub(crate) use trail_save::TrailSave;\npub(crate) use why::Why;\n";
        assert_eq!(module, expected);
        let registry = "use crate::core::{View};\n\nALL = &[\n    ToolDef::read::<View>(),\n];\n";
        let with = with_row(registry, "core", "audit").expect("an end");
        assert_eq!(
            with,
            "use crate::core::{Audit, View};\n\nALL = &[\n    ToolDef::read::<View>(),\n    ToolDef::read::<Audit>(),\n];\n"
        );
        assert!(with_row(registry, "edit", "apply").expect("an end").starts_with("use crate::edit::{Apply};\n"));
    }
}
