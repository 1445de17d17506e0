//! Documents: their headings, as `m1nd-documents` finds them, and the text below each, as sections that nest by level.

mod addresses;
mod examples;
mod mentions;
mod nouns;

pub use examples::language as listing_language;

use m1nd_base::{Problem, ProblemKind};
use m1nd_documents::{Format, Heading, headings};

use super::Input;
use crate::facts::{DefId, DefKind, FactsBuilder, FileFacts, Pos, Visibility};

/// Maximum sections per document; further text belongs to the last one.
const MAX_SECTIONS: usize = 5_000;
/// Longest first paragraph kept of a section, in bytes.
const MAX_DOC: usize = 240;

/// Markdown, with or without components in it.
pub(super) fn markdown(input: &Input<'_>) -> Result<FileFacts, Problem> {
    Ok(document(input, Format::Markdown))
}

/// reStructuredText.
pub(super) fn read_restructured(input: &Input<'_>) -> Result<FileFacts, Problem> {
    Ok(document(input, Format::Restructured))
}

/// AsciiDoc.
pub(super) fn asciidoc(input: &Input<'_>) -> Result<FileFacts, Problem> {
    Ok(document(input, Format::AsciiDoc))
}

/// Web pages that say something by themselves: what a template will say is not known.
pub(super) fn html(input: &Input<'_>) -> Result<FileFacts, Problem> {
    const TEMPLATE: &[&str] = &["{{", "{%", "<%", "<?php", "${", "th:text", "v-if=", "*ngIf"];
    let is_template = TEMPLATE.iter().any(|mark| input.text.contains(mark));
    match is_template {
        true => Ok(sections(input, &[]).finish()),
        false => Ok(document(input, Format::Html)),
    }
}

/// What a Jupyter notebook has as a document.
pub(super) fn notebook(input: &Input<'_>) -> FileFacts {
    document(input, Format::Jupyter)
}

/// Sections and mentions.
fn document(input: &Input<'_>, format: Format) -> FileFacts {
    let mut builder = sections(input, &headings(format, input.text));
    mentions::add(input, format, &mut builder);
    builder.finish()
}

/// A definition for each heading, from its own line to the next heading of its level or above.
fn sections(input: &Input<'_>, headings: &[Heading]) -> FactsBuilder {
    let total = input.lines().max(1);
    let mut builder = FactsBuilder::new(input.language, input.lines(), input.limits);
    if headings.len() > MAX_SECTIONS {
        let detail = format!("{} sections, limit {MAX_SECTIONS}", headings.len());
        builder.problem(Problem::new(ProblemKind::FactsLimit, detail));
    }
    let headings = &headings[..headings.len().min(MAX_SECTIONS)];
    let first = headings.first().map_or(input.text.len(), |heading| heading.start);
    builder.facts_mut().doc = paragraph(&input.text[..first]).map(Into::into);
    let mut open: Vec<(u8, DefId)> = Vec::new();
    let close = |builder: &mut FactsBuilder, open: &mut Vec<(u8, DefId)>, level: u8, byte: usize, line: u32| {
        while let Some((_, id)) = open.pop_if(|(other, _)| *other >= level) {
            let section = builder.definition_mut(id);
            section.bytes.1 = byte as u32;
            section.line_end = line.max(section.line_start);
        }
    };
    let mut named: rustc_hash::FxHashMap<(Option<DefId>, String), u32> = rustc_hash::FxHashMap::default();
    for (number, heading) in headings.iter().enumerate() {
        let first_line = heading.line - overline(input.text, heading);
        close(&mut builder, &mut open, heading.level, heading.start, first_line - 1);
        let owner = open.last().map(|(_, id)| *id);
        let mut text = heading.text.clone();
        let again = named.entry((owner, text.clone())).or_default();
        *again += 1;
        if *again > 1 {
            // Two sections of one name, as in a log of changes, are two things.
            text += &format!(" ({again})");
        }
        let name = builder.name(&text);
        let pos = Pos { line: heading.line, col: 1 };
        let mut section = builder.blank_definition(DefKind::Section, name, FactsBuilder::FILE, pos);
        section.owner = owner;
        section.line_start = first_line;
        section.bytes = (heading.start as u32, heading.start as u32);
        section.visibility = Visibility::Private;
        let below = headings.get(number + 1).map_or(input.text.len(), |next| next.start);
        section.doc = paragraph(&input.text[heading.end.min(below)..below]).map(Into::into);
        let id = builder.definition(section);
        open.push((heading.level, id));
    }
    close(&mut builder, &mut open, 0, input.text.len(), total);
    builder
}

/// Lines of a heading above the one with its text.
fn overline(text: &str, heading: &Heading) -> u32 {
    let line = text[heading.start..].lines().next().unwrap_or("");
    u32::from(is_run(line.trim_end()).is_some())
}

/// The sign that a line repeats, if it is nothing else.
fn is_run(line: &str) -> Option<char> {
    let first = line.chars().next().filter(char::is_ascii_punctuation)?;
    (line.len() >= 2 && line.chars().all(|c| c == first)).then_some(first)
}

/// The first non-trivial paragraph of a text, on one line.
fn paragraph(text: &str) -> Option<String> {
    let mut words = String::new();
    let mut in_comment = false;
    for line in text.lines().map(str::trim) {
        let hidden = in_comment || line.starts_with("<!--");
        in_comment = hidden && !line.contains("-->");
        let says = !hidden
            && line.chars().any(char::is_alphanumeric)
            && !line.starts_with(['<', ':', '|', '!', '[', '`', '.']);
        if !says {
            if words.is_empty() {
                continue;
            }
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(line);
        if words.len() >= MAX_DOC {
            break;
        }
    }
    words.truncate(words.floor_char_boundary(MAX_DOC));
    (!words.is_empty()).then_some(words)
}

#[cfg(test)]
mod tests {
    use m1nd_base::{Cancel, Limits};

    use crate::facts::FileFacts;
    use crate::{Language, extract};

    #[test]
    fn sections_beyond_the_limit_are_said_to_be_missing() {
        for (count, problems) in [(super::MAX_SECTIONS, 0), (super::MAX_SECTIONS + 1, 1)] {
            let text: String = (0..count).map(|number| format!("# s{number}\n")).collect();
            let facts = extract(Language::Markdown, text.as_bytes(), &Limits::default(), &Cancel::new());
            assert_eq!((facts.definitions.len(), facts.problems.len()), (super::MAX_SECTIONS, problems), "{count}");
        }
    }

    /// Each section with its owners, lines and bytes.
    fn show_sections(language: Language, text: &str) -> Vec<String> {
        let facts = extract(language, text.as_bytes(), &Limits::default(), &Cancel::new());
        let path = |facts: &FileFacts, index: usize| {
            let mut names = Vec::new();
            let mut next = Some(index);
            while let Some(at) = next {
                names.push(facts.name(facts.definitions[at].name).to_owned());
                next = facts.definitions[at].owner.map(|owner| owner.index());
            }
            names.reverse();
            names.join(" > ")
        };
        let all = facts.definitions.iter().enumerate();
        all.map(|(at, section)| {
            let (start, end) = section.bytes;
            let last = text[start as usize..end as usize].trim_end().lines().last().unwrap_or("");
            let doc = section.doc.as_deref().unwrap_or("-");
            format!("{} {}-{} [{doc}] {last}", path(&facts, at), section.line_start, section.line_end)
        })
        .collect()
    }

    #[test]
    fn markdown_sections_nest() {
        let text = "---\ntitle: x\n# no\n---\n\nHello.\n\n# The `m1nd` [guide](x.md)\nWhat it is.\n\n```sh\n# not a heading\n```\n\
                    ## Install ##\n    # code\ntext\n\nUse\n---\nlast\n## Install\n<!--\n# hidden\n-->\n#tag\n";
        assert_eq!(
            show_sections(Language::Markdown, text),
            [
                "The m1nd guide 8-25 [What it is.] #tag",
                "The m1nd guide > Install 14-17 [# code text] text",
                "The m1nd guide > Use 18-20 [last] last",
                "The m1nd guide > Install (2) 21-25 [#tag] #tag",
            ]
        );
    }

    #[test]
    fn restructured_sections_have_the_levels_of_their_signs() {
        let text = "=====\nTitle\n=====\n\nIntro text.\n\nPart one\n========\n\n.. note:: x\n\nDeep\n----\nbody\n\n===  ===\na    b\n\
                    ===  ===\n\n    Code\n    ----\n\nPart two\n========\nend\n";
        assert_eq!(
            show_sections(Language::RestructuredText, text),
            [
                "Title 1-25 [Intro text.] end",
                "Title > Part one 7-22 [-]     ----",
                "Title > Part one > Deep 12-22 [body]     ----",
                "Title > Part two 23-25 [end] end",
            ]
        );
    }

    #[test]
    fn asciidoc_sections_have_the_level_of_their_signs() {
        let text = "= Book\nAuthor\n\n== One\ntext\n----\n== code\n----\n=== Two\nmore\n== Three\n";
        assert_eq!(
            show_sections(Language::AsciiDoc, text),
            [
                "Book 1-11 [Author] == Three",
                "Book > One 4-10 [text] more",
                "Book > One > Two 9-10 [more] more",
                "Book > Three 11-11 [-] == Three",
            ]
        );
    }

    #[test]
    fn any_text_is_a_document() {
        for language in [Language::Markdown, Language::RestructuredText, Language::AsciiDoc] {
            for text in [
                "", "\n", "#", "# ", "=", "==\n==\n==", "a\n===", "```\n# x", "<!--", "---\n", "\u{feff}# ü\n",
                "# [a](", "é\n=\n",
            ] {
                show_sections(language, text);
            }
            // Unclosed markers are handled at once, instead of scanning to the end of the line for each.
            for open in ["[", "<", "![", "`"] {
                let heading = format!("== x {}\n===\n# y {}\n", open.repeat(1 << 19), open.repeat(1 << 19));
                show_sections(language, &heading);
            }
        }
    }
}
