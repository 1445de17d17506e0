//! Reads a file with a syntax error so that the error hides little. A missing bracket or quote can make the parser lose
//! everything behind it. Where indentation shows which statement is broken, that statement is blanked, or the bracket
//! that it lacks is put into white space, and the file is parsed again. All positions stay.
//!
//! The result is a function of the text. It is kept only if it has more definitions at places that fit.

use std::ops::Range;

use m1nd_base::{Cancel, Limits};
use rustc_hash::FxHashMap;
use tree_sitter::{Language, Parser, Tree};

use super::blocks::{Block, Layout, Lines, Missing, missing};
use super::score::{Kinds, damage, score};
use super::{ParseBudget, apply};

/// Maximum size of a file that is tried, in bytes.
const MAX_FILE: usize = 512 << 10;
/// Maximum number of bytes parsed, as a multiple of the file.
const MAX_WORK: usize = 12;
/// Fewest bytes that may be parsed, whatever the size of the file.
const MIN_WORK: usize = 64 << 10;
/// Numbers of blocks behind a block that may belong to it: what stands below an annotation or in a long literal.
const JOINED: &[usize] = &[1, 2, 4, 8, 16];
/// Maximum number of lines of blocks that are taken together.
const MAX_JOINED: usize = 300;
/// Maximum number of brackets that a block may lack.
const MAX_MISSING: usize = 3;
/// Maximum nesting of blocks that is followed.
const MAX_NESTING: usize = 24;

/// A tree with less hidden than in `tree`, and the bytes that were read differently.
pub(super) fn recover(
    grammar: &Language,
    layout: Layout,
    source: &[u8],
    tree: &Tree,
    limits: &Limits,
    cancel: &Cancel,
) -> Option<(Tree, Vec<(usize, u8)>)> {
    if source.len() > MAX_FILE {
        return None;
    }
    let mut parser = super::parser();
    parser.set_language(grammar).ok()?;
    let budget = ParseBudget::new(limits, source.len());
    let work = (MAX_WORK * source.len()).max(MIN_WORK);
    let lines = Lines::new(source, layout);
    let top = TopParts::new(tree);
    let mut search = Search { source, layout, lines, top, parser, budget, work, cancel, changes: FxHashMap::default() };
    search.run()?;
    let mut changes: Vec<(usize, u8)> = std::mem::take(&mut search.changes).into_iter().collect();
    changes.sort_unstable();
    if changes.is_empty() {
        return None;
    }
    let changed = apply(source, &changes);
    let read = |offset: usize| changed.get(offset..).unwrap_or_default();
    let found = search.budget.parse(&mut search.parser, read, None, cancel).ok()?;
    let kinds = Kinds::new(grammar);
    (score(&found, source, &kinds) > score(tree, source, &kinds)).then_some((found, changes))
}

/// Byte ranges of what stands at the top of a file, in order, each with whether it is without error.
struct TopParts(Vec<(Range<usize>, bool)>);

impl TopParts {
    fn new(tree: &Tree) -> Self {
        let (mut cursor, mut found) = (tree.walk(), Vec::new());
        // What stands in an error is not known to be whole.
        if !tree.root_node().is_error() && cursor.goto_first_child() {
            loop {
                let node = cursor.node();
                found.push((node.byte_range(), !node.has_error()));
                if !cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        Self(found)
    }

    /// Whether a part of the text would be without error if it were parsed alone. `None` if it does not consist of
    /// whole parts of the tree: a parser comes to the same end if it begins and ends between two of them.
    fn is_without_error(&self, source: &[u8], bytes: &Range<usize>) -> Option<bool> {
        let first = self.0.partition_point(|(part, _)| part.end <= bytes.start);
        let inside = self.0[first..].iter().take_while(|(part, _)| part.start < bytes.end);
        let mut end = bytes.start;
        let mut are_whole = true;
        for (part, is_whole) in inside {
            // Some directives end behind their line.
            let overhang = source.get(bytes.end..part.end).unwrap_or_default();
            if part.start < bytes.start || !overhang.trim_ascii().is_empty() {
                return None;
            }
            are_whole &= is_whole;
            end = part.end;
        }
        let is_complete = end > bytes.start && source.get(end..bytes.end).unwrap_or_default().trim_ascii().is_empty();
        is_complete.then_some(are_whole)
    }
}

/// A part of the text to look through, with what stands around it in a text that is parsed alone.
struct Part {
    lines: Range<usize>,
    before: Vec<u8>,
    behind: Vec<u8>,
    depth: usize,
}

/// The search for what is broken.
struct Search<'a> {
    source: &'a [u8],
    layout: Layout,
    lines: Lines,
    top: TopParts,
    parser: Parser,
    budget: ParseBudget,
    /// Bytes that may still be parsed.
    work: usize,
    cancel: &'a Cancel,
    /// Bytes to read differently.
    changes: FxHashMap<usize, u8>,
}

impl Search<'_> {
    /// Finds all changes; `None` if the budget does not suffice.
    fn run(&mut self) -> Option<()> {
        let before = self.layout.prelude().to_vec();
        let whole = Part { lines: 0..self.lines.len(), before, behind: Vec::new(), depth: 0 };
        let mut open = vec![whole];
        while let Some(part) = open.pop() {
            self.look_through(&part, &mut open)?;
        }
        Some(())
    }

    /// Mends the blocks of a part that have an error of their own.
    fn look_through(&mut self, part: &Part, open: &mut Vec<Part>) -> Option<()> {
        let blocks = self.lines.blocks(part.lines.clone());
        let least = self.damage_of(part, self.layout.filler().as_bytes())?;
        let mut at = 0;
        while at < blocks.len() {
            match self.find_whole(part, &blocks[at..], least)? {
                Some(count) => at += count,
                None => at += self.mend(part, &blocks[at..], least, open)?,
            }
        }
        Some(())
    }

    /// The number of blocks from the first on that are without error if they are read together.
    fn find_whole(&mut self, part: &Part, blocks: &[Block], least: usize) -> Option<Option<usize>> {
        let together = 1 + blocks[1..].iter().take_while(|block| !block.is_apart).count();
        let blocks = &blocks[..together];
        for count in std::iter::once(0).chain(JOINED.iter().copied()).map(|more| more + 1) {
            let count = count.min(blocks.len());
            let lines = blocks[0].lines.start..blocks[count - 1].lines.end;
            if count > 1 && lines.len() > MAX_JOINED {
                return Some(None);
            }
            let bytes = self.lines.bytes(&lines);
            let text = &self.source[bytes.clone()];
            let stands_alone = part.before.is_empty() && part.behind.is_empty() && least == 0;
            let is_whole = match self.top.is_without_error(self.source, &bytes).filter(|_| stands_alone) {
                Some(is_whole) => {
                    // Counts like what is parsed, because the budget decides what is found.
                    self.count_work(part, text)?;
                    is_whole
                }
                None => self.damage_of(part, text)? <= least,
            };
            if is_whole {
                return Some(Some(count));
            }
            if count == blocks.len() {
                return Some(None);
            }
        }
        Some(None)
    }

    /// Makes the first of some blocks readable: adds brackets that it lacks and leaves its content to be looked
    /// through, or blanks it. Returns the number of blocks that this took.
    fn mend(&mut self, part: &Part, blocks: &[Block], least: usize, open: &mut Vec<Part>) -> Option<usize> {
        if self.mend_frame(part, &blocks[0], least, open)? {
            return Some(1);
        }
        // An annotation or the type of a function may stand on a line of its own.
        if let [first, next, ..] = blocks
            && !next.is_apart
            && self.mend_frame(part, &Lines::join(first, next), least, open)?
        {
            return Some(2);
        }
        self.blank(&blocks[0].lines);
        Some(1)
    }

    /// Keeps the frame of a block if it is whole, or can be made whole by adding brackets.
    fn mend_frame(&mut self, part: &Part, block: &Block, least: usize, open: &mut Vec<Part>) -> Option<bool> {
        let mut last: Option<Vec<Range<usize>>> = None;
        for is_short in [false, true] {
            let frame = self.lines.frame(block, self.source, is_short);
            if last.as_ref() == Some(&frame) {
                break;
            }
            let contents = contents(&frame, block, &self.lines);
            if !contents.is_empty()
                && part.depth < MAX_NESTING
                && let Some(fix) = self.fix_frame(part, &frame, least)?
                && self.keep_frame(part, &frame, contents, &fix, open)
            {
                return Some(true);
            }
            last = Some(frame);
        }
        Some(false)
    }

    /// The brackets with which a frame without content is without error.
    fn fix_frame(&mut self, part: &Part, frame: &[Range<usize>], least: usize) -> Option<Option<Missing>> {
        let text = self.frame_text(frame, &Missing::default());
        if self.damage_of(part, &text)? <= least {
            return Some(Some(Missing::default()));
        }
        let fits = |fix: &Missing| {
            !fix.is_nothing() && fix.open.len().max(fix.inner.len()).max(fix.close.len()) <= MAX_MISSING
        };
        let Some(fix) = missing(&text).filter(fits) else {
            return Some(None);
        };
        let text = self.frame_text(frame, &fix);
        Some((self.damage_of(part, &text)? <= least).then_some(fix))
    }

    /// The text of a frame, with something that stands for its content.
    fn frame_text(&self, frame: &[Range<usize>], fix: &Missing) -> Vec<u8> {
        let (before, behind) = self.around(frame, 0, fix);
        [before.as_slice(), b"\n", self.layout.filler().as_bytes(), b"\n", behind.as_slice()].concat()
    }

    /// What stands before and behind content number `place` of a frame.
    fn around(&self, frame: &[Range<usize>], place: usize, fix: &Missing) -> (Vec<u8>, Vec<u8>) {
        let mut before = Vec::new();
        let mut behind = Vec::new();
        let last = contents_end(frame);
        for (index, run) in frame.iter().enumerate() {
            let side = if index <= place { &mut before } else { &mut behind };
            if index > 0 && index == last {
                side.extend_from_slice(&fix.inner);
            }
            side.extend_from_slice(&self.source[self.lines.bytes(run)]);
            side.push(b'\n');
            if index == 0 {
                side.extend_from_slice(&fix.open);
            }
            if self.layout == Layout::Indented && index != place {
                // A head without content is an error.
                let line = self.lines.line(run.start);
                let blanks = self.source[line.start..line.end].iter().take_while(|byte| byte.is_ascii_whitespace());
                side.extend(std::iter::repeat_n(b' ', blanks.count() + 1));
                side.extend_from_slice(self.layout.filler().as_bytes());
                side.push(b'\n');
            }
        }
        if last == frame.len() {
            behind.extend_from_slice(&fix.inner);
        }
        behind.extend_from_slice(&fix.close);
        (before, behind)
    }

    /// Adds the brackets of a fix where there is room, and leaves the content of the frame to be looked through.
    fn keep_frame(
        &mut self,
        part: &Part,
        frame: &[Range<usize>],
        mut contents: Vec<(usize, Range<usize>)>,
        fix: &Missing,
        open: &mut Vec<Part>,
    ) -> bool {
        let head = frame[0].clone();
        let from = self.lines.line(head.end - 1).end;
        let Some(opening) = self.room(from..self.lines.next_code(head.end), &fix.open) else { return false };
        let Some((_, last)) = contents.last_mut() else { return false };
        // What closes the content and what closes the block stand in one place if no line closes the block.
        let end = frame.last().map_or(last.end, |run| run.end.max(last.end));
        let mut places = vec![(last.end, fix.inner.as_slice()), (end, fix.close.as_slice())];
        let both = [fix.inner.as_slice(), &fix.close].concat();
        if end == last.end {
            places = vec![(end, both.as_slice())];
        }
        let mut closing = Vec::new();
        for (end, brackets) in places {
            let gap = self.lines.line(end - 1).end..self.lines.next_code(end);
            match self.room(gap, brackets) {
                Some(found) => closing.extend(found),
                None if end == last.end => match self.give_way(last, brackets) {
                    Some(found) => closing.extend(found),
                    None => return false,
                },
                None => return false,
            }
        }
        self.changes.extend(opening);
        self.changes.extend(closing);
        for (place, lines) in contents {
            if self.lines.has_code(&lines) {
                let (before, behind) = self.around(frame, place, fix);
                let before = [part.before.as_slice(), &before].concat();
                let behind = [behind.as_slice(), &part.behind].concat();
                open.push(Part { lines, before, behind, depth: part.depth + 1 });
            }
        }
        true
    }

    /// Blanks the last statement of a content and puts brackets into its place.
    fn give_way(&mut self, content: &mut Range<usize>, brackets: &[u8]) -> Option<Vec<(usize, u8)>> {
        let block = self.lines.blocks(content.clone()).pop()?;
        let bytes = self.lines.bytes(&block.lines);
        self.blank(&block.lines);
        content.end = block.lines.start;
        let places = bytes.filter(|at| !matches!(self.source[*at], b'\n' | b'\r'));
        let found: Vec<(usize, u8)> = places.zip(brackets.iter().copied()).collect();
        (found.len() == brackets.len()).then_some(found)
    }

    /// Places for brackets in white space that ends no line.
    fn room(&self, bytes: Range<usize>, brackets: &[u8]) -> Option<Vec<(usize, u8)>> {
        if brackets.is_empty() {
            return Some(Vec::new());
        }
        let blank = |at: &usize| matches!(self.source.get(*at), Some(b' ' | b'\t'));
        let is_taken = |at: &usize| self.changes.contains_key(at);
        // Only white space in front of the first character counts.
        let places = bytes.take_while(|at| self.source.get(*at).is_some_and(u8::is_ascii_whitespace));
        let places: Vec<usize> = places.filter(|at| blank(at) && !is_taken(at)).take(brackets.len()).collect();
        (places.len() == brackets.len()).then(|| places.into_iter().zip(brackets.iter().copied()).collect())
    }

    fn blank(&mut self, lines: &Range<usize>) {
        let filler = self.layout.filler().as_bytes();
        let bytes = self.lines.bytes(lines);
        let code = bytes.clone().find(|at| !self.source[*at].is_ascii_whitespace()).unwrap_or(bytes.start);
        let fits = code + filler.len() <= self.lines.line(lines.start).end;
        for at in bytes {
            let stands_in = at.checked_sub(code).and_then(|place| filler.get(place)).filter(|_| fits);
            if !matches!(self.source[at], b'\n' | b'\r') {
                self.changes.insert(at, stands_in.copied().unwrap_or(b' '));
            }
        }
    }

    /// Spends the work of parsing a text in a part; `None` if too little is left.
    fn count_work(&mut self, part: &Part, text: &[u8]) -> Option<()> {
        self.work = self.work.checked_sub(part.before.len() + text.len() + 1 + part.behind.len())?;
        Some(())
    }

    /// How much of a text the parser cannot place, where the text stands in a part.
    fn damage_of(&mut self, part: &Part, text: &[u8]) -> Option<usize> {
        self.count_work(part, text)?;
        let whole = [part.before.as_slice(), text, b"\n", part.behind.as_slice()].concat();
        let read = |offset: usize| whole.get(offset..).unwrap_or_default();
        let tree = self.budget.parse(&mut self.parser, read, None, self.cancel).ok()?;
        Some(if tree.root_node().has_error() { damage(&tree) } else { 0 })
    }
}

/// The number of the run behind the last content of a frame; the number of runs if none is.
fn contents_end(frame: &[Range<usize>]) -> usize {
    let is_apart = |index: &usize| frame[*index].start > frame[index - 1].end;
    (1..frame.len()).rev().find(is_apart).filter(|index| index + 1 == frame.len()).unwrap_or(frame.len())
}

/// The content of a block between the runs of its frame, each with the number of the run before it.
fn contents(frame: &[Range<usize>], block: &Block, lines: &Lines) -> Vec<(usize, Range<usize>)> {
    let ends = frame[1..].iter().map(|run| run.start).chain([block.lines.end]);
    let between = frame.iter().zip(ends).enumerate().map(|(place, (run, end))| (place, run.end..end));
    between.filter(|(_, content)| lines.has_code(content)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text as it is read.
    fn read(grammar: &Language, layout: Layout, text: &str) -> String {
        let (limits, cancel) = (Limits::default(), Cancel::new());
        let tree = crate::parse::parse(grammar, text.as_bytes(), &limits, &cancel).expect("a tree");
        let changes = recover(grammar, layout, text.as_bytes(), &tree, &limits, &cancel).map(|(_, changes)| changes);
        String::from_utf8(apply(text.as_bytes(), &changes.unwrap_or_default())).expect("only ASCII changes")
    }

    #[test]
    fn a_bracket_is_added_where_indentation_says() {
        let java = tree_sitter_java::LANGUAGE.into();
        for (text, expected) in [
            (
                "class A {\n  void f() {\n    if (x) {\n      g();\n    \n  }\n  void h() {}\n  void k() {}\n}\n",
                "class A {\n  void f() {\n    if (x) {\n      g();\n}   \n  }\n  void h() {}\n  void k() {}\n}\n",
            ),
            (
                "class A {\n  void f() {\n    if (x) \n      g();\n    }\n  }\n  void h() {}\n  void k() {}\n}\n",
                "class A {\n  void f() {\n    if (x) \n{     g();\n    }\n  }\n  void h() {}\n  void k() {}\n}\n",
            ),
            (
                "class A {\n  void f() {\n    g();\n\n  @B\n  void h() {}\n  void k() {}\n}\n",
                "class A {\n  void f() {\n    g();\n\n} @B\n  void h() {}\n  void k() {}\n}\n",
            ),
        ] {
            assert_eq!(read(&java, Layout::Brackets, text), expected);
        }
    }

    #[test]
    fn a_broken_statement_is_blanked() {
        let python = tree_sitter_python::LANGUAGE.into();
        let text = "class A:\n    def f(self):\n        a = 1\n        b = (2, [3\n\n    def g(self):\n        h()\n";
        let expected = text.replace("b = (2, [3", "pass      ");
        assert_eq!(read(&python, Layout::Indented, text), expected);
        let rust = tree_sitter_rust::LANGUAGE.into();
        let text = "fn f() {\n    let a = \"x;\n    b();\n}\n\nfn g() {\n    h(\"y\");\n}\n\nfn k() {}\n";
        let expected = text.replace("let a = \"x;", "           ");
        assert_eq!(read(&rust, Layout::Brackets, text), expected);
    }

    #[test]
    fn the_content_of_a_namespace_may_stand_as_deep_as_it() {
        let cpp = tree_sitter_cpp::LANGUAGE.into();
        let text = "namespace a {\n\nvoid f() {\n  for (;;) {\n    g();\n  \n}\n\nvoid h() {}\n\nvoid k() {}\n\n}  // namespace a\n";
        let expected = text.replace("g();\n  \n", "g();\n} \n");
        assert_eq!(read(&cpp, Layout::Brackets, text), expected);
    }

    #[test]
    fn the_tree_says_which_parts_are_without_error() {
        let text = "#include <a.h>\nint f(void) { return 1; }\nint g(void) { a = = b; }\n\nint h;\n";
        let (limits, cancel) = (Limits::default(), Cancel::new());
        let tree = crate::parse::parse(&tree_sitter_c::LANGUAGE.into(), text.as_bytes(), &limits, &cancel);
        let top = TopParts::new(&tree.expect("a tree"));
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let start = |line: usize| lines[..line].iter().map(|line| line.len()).sum::<usize>();
        for (from, to, expected) in [
            (0, 1, Some(true)),
            (0, 2, Some(true)),
            (1, 2, Some(true)),
            (2, 3, Some(false)),
            (1, 4, Some(false)),
            (3, 5, Some(true)),
            (3, 4, None),
        ] {
            let found = top.is_without_error(text.as_bytes(), &(start(from)..start(to)));
            assert_eq!(found, expected, "lines {from} to {to}");
        }
        let inside = start(1)..start(1) + 10;
        assert_eq!(top.is_without_error(text.as_bytes(), &inside), None, "half of a function");
    }

    #[test]
    fn what_hides_nothing_stays() {
        let rust = tree_sitter_rust::LANGUAGE.into();
        for text in ["fn f() {\n    a = = b;\n}\n\nfn g() {}\n", "fn f() {}\n", "}\n", ""] {
            assert_eq!(read(&rust, Layout::Brackets, text), text);
        }
    }
}
