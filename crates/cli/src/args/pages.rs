//! The commands of pages: each is one that this program takes.

use std::path::{Path, PathBuf};

/// Languages of blocks that hold commands.
const LANGUAGES: &[&str] = &["sh", "console", "bash", "", "yaml"];
/// What stands in front of a command.
const PROMPTS: &[&str] = &["$ ", "- run: ", "uvx ", "npx -y "];

/// The pages for people and agents.
fn list_pages() -> Vec<PathBuf> {
    let top = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut pages = vec![top.join("README.md")];
    let mut open = vec![top.join("docs"), top.join("plugin")];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of pages") {
            let path = entry.expect("an entry").path();
            match path.extension().and_then(|end| end.to_str()) {
                None if path.is_dir() => open.push(path),
                Some("md") => pages.push(path),
                _ => {}
            }
        }
    }
    pages
}

/// The commands of m1nd in the blocks of a page, each as one line.
fn list_commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut language: Option<&str> = None;
    let page = page.replace("\\\n", " ");
    for line in page.lines().map(str::trim) {
        if let Some(opened) = line.strip_prefix("```") {
            language = if language.is_none() { Some(opened) } else { None };
        } else if language.is_some_and(|language| LANGUAGES.contains(&language)) {
            let line = PROMPTS.iter().fold(line, |line, prompt| line.strip_prefix(prompt).unwrap_or(line));
            commands
                .extend(split_commands(line).filter(|command| command.starts_with("m1nd ") && !command.contains('…')));
        }
    }
    commands
}

/// The commands of a line of a shell. Quoted text is not searched for the end of one.
fn split_commands(line: &str) -> impl Iterator<Item = String> {
    let mut commands = vec![String::new()];
    let (mut quote, mut before) = (None, ' ');
    for char in line.chars() {
        match (quote, char) {
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, '#') if before == ' ' => break,
            (None, '|' | '&' | ';' | '>' | '·') => {
                commands.push(String::new());
                continue;
            }
            _ => {}
        }
        before = char;
        commands.last_mut().expect("is never empty").push(char);
    }
    commands.into_iter().map(|command| command.trim().to_owned())
}

/// The words of a command.
fn split_words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for char in command.chars() {
        match (quote, char) {
            (None, '\'' | '"') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, ' ') => words.push(String::new()),
            _ => words.last_mut().expect("is never empty").push(char),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[test]
fn every_command_of_every_page_is_one_that_the_program_takes() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in list_pages() {
        let text = std::fs::read_to_string(&page).expect("a page");
        for command in list_commands(&text) {
            count += 1;
            if let Err(error) = super::command().try_get_matches_from(split_words(&command))
                && error.use_stderr()
            {
                wrong.push(format!("{}: {command}: {error}", page.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} commands were found");
}

#[test]
fn commands_are_found_in_lines() {
    let page = "```sh\nm1nd ingest && m1nd callers 'a | b'   # m1nd no\n$ cd x; m1nd status\n```\nm1nd none\n```json\nm1nd no\n```\n";
    assert_eq!(list_commands(page), ["m1nd ingest", "m1nd callers 'a | b'", "m1nd status"]);
    assert_eq!(split_words("m1nd seek 'a  b' \"c\""), ["m1nd", "seek", "a  b", "c"]);
}
