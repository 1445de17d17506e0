import type { JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { SeekAnswer, SeekRow } from "../lib/answers";
import { callTool } from "../lib/api";
import { buildHref, navigate, readPlace } from "../lib/router";
import { formatCount } from "../lib/text";

/** How long the box waits after a key before it asks. */
const TYPING_PAUSE_MS = 200;
const MAX_RESULTS = 12;

interface Found {
  query: string;
  rows: SeekRow[];
  error?: string;
}

function buildTarget(row: SeekRow): string {
  const { view, params } = readPlace();
  if (view !== "map") return buildHref("place", { id: row.node_id });
  params.set("select", row.node_id);
  params.set("reveal", row.node_id);
  return `/map?${params.toString()}`;
}

/** Asks `seek` for the text, after a pause. */
function useSeek(text: string): { found: Found | undefined; busy: boolean } {
  const [found, setFound] = useState<Found>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const query = text.trim();
    if (query === "") {
      setFound(undefined);
      setBusy(false);
      return undefined;
    }
    const controller = new AbortController();
    const timer = setTimeout(() => {
      setBusy(true);
      callTool<SeekAnswer>("seek", { query, top_k: MAX_RESULTS }, controller.signal)
        .then((answer) => setFound({ query, rows: answer.results }))
        .catch((error: unknown) => {
          if (!controller.signal.aborted) setFound({ query, rows: [], error: error instanceof Error ? error.message : String(error) });
        })
        .finally(() => !controller.signal.aborted && setBusy(false));
    }, TYPING_PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return { found, busy };
}

/** Focuses the box when `/` is pressed outside of a field. */
function useSlash(input: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || event.ctrlKey || event.metaKey || target.closest("input, textarea, select")) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}

/** The row after or before the active one, around the ends. */
function stepActive(active: number, step: 1 | -1, count: number): number {
  if (count === 0) return -1;
  return active < 0 ? (step > 0 ? 0 : count - 1) : (active + step + count) % count;
}

function Result({ row, id, selected, choose }: { row: SeekRow; id: string; selected: boolean; choose: (row: SeekRow) => void }): JSX.Element {
  return (
    <li id={id} role="option" aria-selected={selected} onMouseDown={(e) => e.preventDefault()} onClick={() => choose(row)}>
      <span class="result-name">
        {row.label} <span class="kind">{row.type}</span>
      </span>
      <span class="where">
        {row.file_path}
        {row.line_start ? `:${row.line_start}` : ""}
      </span>
      {row.intent_summary && <span class="result-summary">{row.intent_summary}</span>}
    </li>
  );
}

interface ResultsProps {
  id: string;
  found: Found | undefined;
  shown: boolean;
  active: number;
  choose: (row: SeekRow) => void;
}

function Results({ id, found, shown, active, choose }: ResultsProps): JSX.Element {
  const rows = found?.rows ?? [];
  return (
    <div class="search-results" hidden={!shown}>
      <ul role="listbox" id={id} aria-label="Results">
        {rows.map((row, i) => (
          <Result key={row.node_id} row={row} id={`${id}-${i}`} selected={i === active} choose={choose} />
        ))}
      </ul>
      {found?.error && <p class="state failure">{found.error}</p>}
      {found && !found.error && rows.length === 0 && <p class="state empty">Nothing found for “{found.query}”.</p>}
    </div>
  );
}

/** The search box: `seek` by names or plain words. */
export function SearchBox(): JSX.Element {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { found, busy } = useSeek(text);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const rows = found?.rows ?? [];
  const shown = open && text.trim() !== "" && found !== undefined;
  useSlash(input);
  useEffect(() => setActive(-1), [found]);

  const choose = (row: SeekRow | undefined): void => {
    if (!row) return;
    setOpen(false);
    navigate(buildTarget(row));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "Escape") setOpen(false);
    if (!["ArrowDown", "ArrowUp", "Enter"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Enter") return choose(rows[Math.max(active, 0)]);
    setOpen(true);
    setActive(stepActive(active, event.key === "ArrowDown" ? 1 : -1, rows.length));
  };

  return (
    <div class="search" role="search" onFocusOut={(e) => !(e.currentTarget as Element).contains(e.relatedTarget as Node | null) && setOpen(false)}>
      <input
        ref={input}
        type="search"
        list={undefined}
        role="combobox"
        aria-label="Search the code by names or plain words"
        aria-expanded={shown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={shown && active >= 0 ? `${id}-${active}` : undefined}
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        placeholder="Search names or plain words ( / )"
        value={text}
        onInput={(e) => {
          setText((e.target as HTMLInputElement).value);
          setOpen(true);
        }}
        onFocus={() => setOpen(true)}
        onKeyDown={onKeyDown}
      />
      <span class="sr-only" role="status">
        {busy ? "Searching" : shown ? (found.error ?? formatCount(rows.length, "result")) : ""}
      </span>
      <Results id={id} found={found} shown={shown} active={active} choose={choose} />
    </div>
  );
}
