//! `cargo xtask picture --program PATH --repo PATH`: draws docs/session.svg, the picture of the README, from what the
//! program writes to a terminal.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Outcome, repository};

const PICTURE: &str = "docs/session.svg";
const USAGE: &str = "takes `--program PATH --repo PATH`: a built m1nd, and a clean checkout of psf/requests";

/// What is typed, and the maximum number of lines of its answer that are drawn.
const SESSION: &[(&[&str], usize)] = &[
    (&["ingest", "."], 6),
    (&["seek", "strip the authorization header on redirect", "--top-k", "3"], 8),
    (&["callers", "extract_cookies_to_jar"], 12),
];

/// Columns of the terminal; longer lines are cut.
const COLUMNS: usize = 118;
/// Width of a letter and height of a line, in pixels.
const LETTER: f64 = 7.25;
const LINE: usize = 18;
/// Space around the text, in pixels, and that of the bar with the three dots.
const MARGIN: usize = 16;
const BAR: usize = 30;

/// Letters that look the same.
#[derive(Debug, PartialEq, Eq)]
struct Run {
    text: String,
    class: &'static str,
}

pub(crate) fn run(args: &[String]) -> Outcome<()> {
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let ["--program", program, "--repo", checkout] = words[..] else { return Err(USAGE.into()) };
    let (program, checkout) = (Path::new(program).canonicalize()?, Path::new(checkout).canonicalize()?);
    let home = tempfile::tempdir()?;
    let mut lines = Vec::new();
    for (args, shown) in SESSION {
        lines.push(vec![run_of("$ ", "dim"), run_of(&format!("m1nd {}", quote_arguments(args)), "bold")]);
        let answer = ask(&program, &checkout, home.path(), args)?;
        let answer: Vec<&str> = answer.lines().collect();
        lines.extend(answer.iter().take(*shown).map(|line| cut(runs_of(line), COLUMNS)));
        if answer.len() > *shown {
            lines.push(vec![run_of("…", "dim")]);
        }
        lines.push(Vec::new());
    }
    lines.pop();
    std::fs::write(repository().join(PICTURE), draw(&lines))?;
    println!("wrote {PICTURE}");
    Ok(())
}

/// The answer of the program as a terminal gets it, with the checkout as a folder of the user's home.
fn ask(program: &Path, checkout: &Path, home: &Path, args: &[&str]) -> Outcome<String> {
    let output = Command::new(program)
        .args(args)
        .args(["--color", "always"])
        .current_dir(checkout)
        .env("M1ND_HOME", home)
        .env("M1ND_NO_DAEMON", "1")
        .output()
        .map_err(|error| format!("{}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("`m1nd {}`: {}", quote_arguments(args), String::from_utf8_lossy(&output.stderr)).into());
    }
    let name = checkout.file_name().map(PathBuf::from).unwrap_or_default();
    let text = String::from_utf8(output.stdout)?;
    Ok(text.replace(&*checkout.to_string_lossy(), &format!("~/{}", name.display())))
}

fn quote_arguments(args: &[&str]) -> String {
    let quoted = |arg: &&str| if arg.contains(' ') { format!("\"{arg}\"") } else { (*arg).to_owned() };
    args.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn run_of(text: &str, class: &'static str) -> Run {
    Run { text: text.to_owned(), class }
}

/// The runs of a line with escape sequences (`ESC [ 3 5 m`).
fn runs_of(line: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut class = "";
    for (number, part) in line.split("\u{1b}[").enumerate() {
        let (code, text) = if number == 0 { ("", part) } else { part.split_once('m').unwrap_or(("", part)) };
        class = match code {
            "" => class,
            "1" => "bold",
            "2" => "dim",
            "31" => "red",
            "32" => "green",
            "33" => "yellow",
            "35" => "magenta",
            "36" => "cyan",
            _ => "",
        };
        if !text.is_empty() {
            runs.push(run_of(text, class));
        }
    }
    runs
}

/// The first columns, the last of them `…` if there are more.
fn cut(mut runs: Vec<Run>, columns: usize) -> Vec<Run> {
    let mut left = columns;
    for at in 0..runs.len() {
        let length = runs[at].text.chars().count();
        if length > left {
            runs[at].text = runs[at].text.chars().take(left.saturating_sub(1)).chain(['…']).collect();
            runs.truncate(at + 1);
            return runs;
        }
        left -= length;
    }
    runs
}

fn draw(lines: &[Vec<Run>]) -> String {
    let width = (COLUMNS as f64 * LETTER) as usize + 2 * MARGIN;
    let height = BAR + lines.len() * LINE + MARGIN;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" role=\"img\" \
         aria-label=\"A session of m1nd in a terminal\">\n<!-- Written by `cargo xtask picture`. -->\n<style>\
         text{{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#d7dae0;white-space:pre}}\
         .bold{{font-weight:700;fill:#fff}}.dim{{fill:#8b93a1}}.red{{fill:#f07178}}.green{{fill:#9ece6a}}\
         .yellow{{fill:#e0af68}}.magenta{{fill:#c792ea}}.cyan{{fill:#7dcfff}}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#1b1e26\"/>\n"
    );
    for (number, colour) in ["#ff5f57", "#febc2e", "#28c840"].iter().enumerate() {
        let _ = writeln!(picture, "<circle cx=\"{}\" cy=\"15\" r=\"5\" fill=\"{colour}\"/>", MARGIN + 4 + number * 17);
    }
    for (number, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let (mut column, bottom) = (0, BAR + (number + 1) * LINE - 4);
        // Every run has a place and a length of its own, so that columns stay in line in any font.
        for Run { text, class } in line {
            let length = text.chars().count();
            let (x, wide) = (MARGIN as f64 + column as f64 * LETTER, length as f64 * LETTER);
            let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            let _ = writeln!(
                picture,
                "<text x=\"{x:.1}\" y=\"{bottom}\" textLength=\"{wide:.1}\" class=\"{class}\" xml:space=\"preserve\">{text}</text>"
            );
            column += length;
        }
    }
    picture + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_become_classes() {
        let runs = runs_of("\u{1b}[2m1. \u{1b}[0m\u{1b}[35ma.py\u{1b}[0m:1 <x>");
        assert_eq!(runs, [run_of("1. ", "dim"), run_of("a.py", "magenta"), run_of(":1 <x>", "")]);
        assert_eq!(cut(runs_of("abc\u{1b}[1mdef"), 6), [run_of("abc", ""), run_of("def", "bold")]);
        assert_eq!(cut(runs_of("abc\u{1b}[1mdefg"), 6), [run_of("abc", ""), run_of("de…", "bold")]);
        let picture = draw(&[runs]);
        assert!(picture.contains(">:1 &lt;x&gt;</text>") && picture.contains("class=\"magenta\""), "{picture}");
    }

    #[test]
    fn arguments_are_typed_as_in_a_shell() {
        assert_eq!(quote_arguments(&["seek", "two words"]), "seek \"two words\"");
        assert!(run(&["--program".to_owned()]).is_err());
    }
}
