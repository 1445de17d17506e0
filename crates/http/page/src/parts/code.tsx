// Code, read only. The editor lives in a shadow root: there its styles are adopted sheets, which the content security
// policy allows, instead of a `<style>` element.
import { HighlightStyle, StreamLanguage, syntaxHighlighting, type StreamParser } from "@codemirror/language";
import { EditorState, RangeSetBuilder, StateEffect, StateField, type Extension } from "@codemirror/state";
import { Decoration, EditorView, lineNumbers, type DecorationSet } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Line } from "../lib/text";

export interface Mark {
  line: number;
  kind: "hit" | "use" | "open";
  title: string;
}

interface CodeProps {
  lines: readonly Line[];
  language: string;
  label: string;
  marks: readonly Mark[];
  /** The line to scroll to. */
  focus?: number | undefined;
  onLine?: (line: number) => void;
}

type Loader = () => Promise<StreamParser<unknown>>;
const clike = (name: "c" | "cpp" | "java" | "csharp" | "scala" | "kotlin" | "objectiveC" | "dart"): Loader =>
  async () => (await import("@codemirror/legacy-modes/mode/clike"))[name] as StreamParser<unknown>;
const script = (name: "javascript" | "typescript" | "json"): Loader =>
  async () => (await import("@codemirror/legacy-modes/mode/javascript"))[name] as StreamParser<unknown>;

/** Parsers by language of the index or extension of the file. */
const PARSERS: Record<string, Loader> = {
  c: clike("c"), h: clike("c"), cpp: clike("cpp"), java: clike("java"), csharp: clike("csharp"), c_sharp: clike("csharp"),
  scala: clike("scala"), kotlin: clike("kotlin"), objc: clike("objectiveC"), dart: clike("dart"), php: clike("java"),
  javascript: script("javascript"), jsx: script("javascript"), typescript: script("typescript"), tsx: script("typescript"), json: script("json"),
  go: async () => (await import("@codemirror/legacy-modes/mode/go")).go as StreamParser<unknown>,
  rust: async () => (await import("@codemirror/legacy-modes/mode/rust")).rust as StreamParser<unknown>,
  python: async () => (await import("@codemirror/legacy-modes/mode/python")).python as StreamParser<unknown>,
  ruby: async () => (await import("@codemirror/legacy-modes/mode/ruby")).ruby as StreamParser<unknown>,
  swift: async () => (await import("@codemirror/legacy-modes/mode/swift")).swift as StreamParser<unknown>,
  lua: async () => (await import("@codemirror/legacy-modes/mode/lua")).lua as StreamParser<unknown>,
  bash: async () => (await import("@codemirror/legacy-modes/mode/shell")).shell as StreamParser<unknown>,
  shell: async () => (await import("@codemirror/legacy-modes/mode/shell")).shell as StreamParser<unknown>,
  yaml: async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml as StreamParser<unknown>,
  toml: async () => (await import("@codemirror/legacy-modes/mode/toml")).toml as StreamParser<unknown>,
};

const HIGHLIGHT = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--syn-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--syn-string)" },
  { tag: [tags.comment], color: "var(--syn-comment)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--syn-number)" },
  { tag: [tags.typeName, tags.className, tags.standard(tags.name)], color: "var(--syn-type)" },
  { tag: [tags.definition(tags.variableName), tags.function(tags.variableName)], color: "var(--syn-name)" },
]);

const THEME = EditorView.theme({
  "&": { fontSize: "13px", color: "var(--ink)", backgroundColor: "transparent", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 10px 0 12px" },
  ".cm-mark-hit": { backgroundColor: "var(--hit)" },
  ".cm-mark-use": { boxShadow: "inset 3px 0 0 var(--accent)", cursor: "pointer" },
  ".cm-mark-open": { boxShadow: "inset 3px 0 0 var(--bad)", cursor: "pointer" },
});

const setMarks = StateEffect.define<DecorationSet>();
const markField = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(setMarks)) return effect.value;
    return value;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function buildDecorations(state: EditorState, marks: readonly Mark[], first: number): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const sorted = [...marks].sort((a, b) => a.line - b.line);
  for (const mark of sorted) {
    const number = mark.line - first + 1;
    if (number < 1 || number > state.doc.lines) continue;
    const from = state.doc.line(number).from;
    builder.add(from, from, Decoration.line({ class: `cm-mark-${mark.kind}`, attributes: { title: mark.title } }));
  }
  return builder.finish();
}

async function loadLanguage(language: string): Promise<Extension> {
  const load = PARSERS[language.toLowerCase()];
  if (!load) return [];
  return StreamLanguage.define(await load());
}

export default function Code({ lines, language, label, marks, focus, onLine }: CodeProps): JSX.Element {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView | undefined>(undefined);
  const first = lines[0]?.number ?? 1;
  const latest = useRef({ marks, focus, onLine });
  latest.current = { marks, focus, onLine };

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    let gone = false;
    let view: EditorView | undefined;
    void loadLanguage(language)
      .catch((): Extension => [])
      .then((parser) => {
        if (gone) return;
        view = new EditorView({
          root,
          parent: root,
          state: EditorState.create({
            doc: lines.map((l) => l.text).join("\n"),
            extensions: [
              lineNumbers({ formatNumber: (n) => String(n + first - 1) }),
              EditorState.readOnly.of(true),
              EditorView.editable.of(false),
              EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
              syntaxHighlighting(HIGHLIGHT),
              THEME,
              markField,
              parser,
              EditorView.domEventHandlers({
                click(event, v) {
                  const at = v.posAtCoords({ x: event.clientX, y: event.clientY });
                  if (at !== null) latest.current.onLine?.(v.state.doc.lineAt(at).number + first - 1);
                  return false;
                },
              }),
            ],
          }),
        });
        editor.current = view;
        showMarks(view, latest.current.marks, first, latest.current.focus);
      });
    return () => {
      gone = true;
      view?.destroy();
      editor.current = undefined;
    };
  }, [lines, language, label, first]);

  useEffect(() => {
    if (editor.current) showMarks(editor.current, marks, first, focus);
  }, [marks, focus, first]);

  return <div class="code" ref={host} />;
}

function showMarks(view: EditorView, marks: readonly Mark[], first: number, focus: number | undefined): void {
  view.dispatch({ effects: setMarks.of(buildDecorations(view.state, marks, first)) });
  if (focus === undefined) return;
  const number = focus - first + 1;
  if (number >= 1 && number <= view.state.doc.lines) {
    view.dispatch({ effects: EditorView.scrollIntoView(view.state.doc.line(number).from, { y: "center" }) });
  }
}
