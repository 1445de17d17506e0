//! Words of PDF and Word files in order. A word is a row of letters and digits, after ligatures and other forms of the
//! same letters are made equal; the share is that of the words of the other program which ours has in the same order.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use m1nd_documents::{BlockKind, DocumentLimits, Table as DocumentTable, parse};

use super::Row;
use crate::Outcome;

/// Words of one document that are compared, from its start.
const MAX_WORDS: usize = 5_000;
/// Share that counts as read.
const READ: f64 = 0.98;
/// A document with fewer words says little.
const MIN_WORDS: usize = 50;

/// Results, a row each.
#[derive(Default)]
pub(super) struct Table(Vec<(String, String, usize, Result<f64, String>)>);

impl Table {
    /// Compares a document.
    pub(super) fn add(&mut self, row: &Row<'_>, bytes: &[u8]) -> Outcome<()> {
        let text = match row.format {
            "pdf" => run_piped(Command::new("pdftotext").args(["-enc", "UTF-8", "-", "-"]), bytes)?,
            _ => run_piped(Command::new("pandoc").args(["-f", "docx", "-t", "plain", "--wrap=none"]), bytes)?,
        };
        let mut theirs = words(&text);
        theirs.truncate(MAX_WORDS);
        if theirs.len() < MIN_WORDS {
            return Ok(());
        }
        let share = match parse(row.path, bytes, &DocumentLimits::default()) {
            Err(why) => Err(why.to_string()),
            Ok(document) => {
                let mut ours: Vec<String> = Vec::new();
                let mut sections = document.sections.iter().zip(0u32..).peekable();
                // A heading comes before all that its section holds.
                let mut headings = |own: Option<u32>| -> Vec<String> {
                    let open = std::iter::from_fn(|| sections.next_if(|(_, at)| own.is_some_and(|own| *at <= own)));
                    open.flat_map(|(section, _)| words(&section.heading)).collect()
                };
                let mut tables = document.tables.iter().peekable();
                let cells = |table: &DocumentTable| -> Vec<String> {
                    table.header.iter().chain(table.rows.iter().flatten()).flat_map(|cell| words(cell)).collect()
                };
                for (block, at) in
                    document.blocks.iter().zip(0u32..).filter(|(block, _)| block.kind != BlockKind::Output)
                {
                    while let Some(table) = tables.next_if(|table| table.block <= at) {
                        ours.extend(headings(table.section));
                        ours.extend(cells(table));
                    }
                    ours.extend(headings(block.section));
                    ours.extend(words(&block.text));
                }
                for table in tables {
                    ours.extend(headings(table.section));
                    ours.extend(cells(table));
                }
                ours.extend(headings(Some(u32::MAX)));
                ours.truncate(MAX_WORDS * 5 / 4);
                Ok(in_order(&theirs, &ours) as f64 / theirs.len() as f64)
            }
        };
        self.0.push((row.format.to_owned(), format!("{}/{}", row.repository, row.path), theirs.len(), share));
        Ok(())
    }

    /// The table; prints its summary, and the worst rows if asked.
    pub(super) fn finish(mut self, explained: usize) -> String {
        self.0.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        let mut out = String::from("format\tdocument\twords\tin order\n");
        for (format, name, words, share) in &self.0 {
            let share = share.as_ref().map_or_else(Clone::clone, |share| format!("{share:.3}"));
            _ = writeln!(out, "{format}\t{name}\t{words}\t{share}");
        }
        for format in ["docx", "pdf"] {
            let rows = || self.0.iter().filter(|row| row.0 == format);
            let read: Vec<(f64, usize)> = rows().filter_map(|row| Some((*row.3.as_ref().ok()?, row.2))).collect();
            let many = read.len().max(1) as f64;
            let mean = read.iter().map(|(share, _)| share).sum::<f64>() / many;
            let all: usize = read.iter().map(|(_, words)| words).sum();
            let weighed = read.iter().map(|(share, words)| share * *words as f64).sum::<f64>() / all.max(1) as f64;
            let full = read.iter().filter(|(share, _)| *share >= READ).count();
            let mut shares: Vec<f64> = read.iter().map(|(share, _)| *share).collect();
            shares.sort_by(f64::total_cmp);
            let median = shares.get(shares.len() / 2).copied().unwrap_or(0.0);
            println!(
                "{format}: {} documents, {} refused; share of words in order: mean {mean:.3}, median {median:.3}, of all words \
                 {weighed:.3}; {full} with {READ} or more",
                rows().count(),
                rows().count() - read.len()
            );
        }
        self.0.sort_by(|a, b| a.3.as_ref().unwrap_or(&0.0).total_cmp(b.3.as_ref().unwrap_or(&0.0)));
        for (_, name, words, share) in self.0.iter().take(explained) {
            println!("  {share:?} of {words}: {name}");
        }
        out
    }
}

/// What a program writes when it is given these bytes.
fn run_piped(command: &mut Command, bytes: &[u8]) -> Outcome<String> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut input = child.stdin.take().ok_or("no input")?;
    let bytes = bytes.to_vec();
    let writer = std::thread::spawn(move || _ = input.write_all(&bytes));
    let output = child.wait_with_output()?;
    _ = writer.join();
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Rows of letters and digits, in one form.
fn words(text: &str) -> Vec<String> {
    let mut even = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'ﬀ' => even.push_str("ff"),
            'ﬁ' => even.push_str("fi"),
            'ﬂ' => even.push_str("fl"),
            'ﬃ' => even.push_str("ffi"),
            'ﬄ' => even.push_str("ffl"),
            '\u{ad}' => {}
            'µ' => even.push('μ'),
            'Ω' => even.push('Ω'),
            '∆' => even.push('Δ'),
            c => even.push(c),
        }
    }
    even.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Length of the longest common subsequence.
fn in_order(a: &[String], b: &[String]) -> usize {
    let mut numbers: HashMap<&str, u32> = HashMap::new();
    let mut number = |word| {
        let next = numbers.len() as u32;
        *numbers.entry(word).or_insert(next)
    };
    let a: Vec<u32> = a.iter().map(|word| number(word.as_str())).collect();
    let b: Vec<u32> = b.iter().map(|word| number(word.as_str())).collect();
    let mut row = vec![0u32; b.len() + 1];
    for x in &a {
        let mut corner = 0;
        for (at, y) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if x == y { corner + 1 } else { above.max(row[at]) };
            corner = above;
        }
    }
    row.last().copied().unwrap_or(0) as usize
}
