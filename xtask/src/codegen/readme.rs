//! The table of tools in the README.

use super::by_toolset;
use crate::Outcome;

/// Line before the table.
const START: &str = "<!-- The table is written by `cargo xtask codegen` from the registry of tools. -->";
/// Line behind it.
const END: &str = "<!-- End of the table. -->";

/// The README with the table as the registry has it; everything outside of the marks stays.
pub(super) fn with_table(readme: &str) -> Outcome<String> {
    let missing = |mark| format!("has no line `{mark}`");
    let (before, rest) = readme.split_once(START).ok_or_else(|| missing(START))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| missing(END))?;
    Ok(format!("{before}{START}\n\n{}\n{END}{after}", table()))
}

fn table() -> String {
    let mut table = "| tool | answers |\n|---|---|\n".to_owned();
    for tool in by_toolset().flat_map(|(_, tools)| tools) {
        table.push_str(&format!("| `{}` | {} |\n", tool.name, tool.answers));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_outside_of_the_marks_stays() {
        let text = format!("above\n{START}\nOUTDATED\n{END}\nbelow\n");
        let with = with_table(&text).expect("both marks");
        assert!(with.starts_with(&format!("above\n{START}\n\n| tool |")) && with.ends_with(&format!("{END}\nbelow\n")));
        assert!(!with.contains("OUTDATED"));
        assert_eq!(with_table(&with).expect("both marks"), with);
        assert!(with_table("no marks").is_err() && with_table(START).is_err());
    }
}
