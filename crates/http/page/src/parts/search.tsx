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

/** The search box: `seek` by names or plain words. */
export function SearchBox(): JSX.Element {
  const [text, setText] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const { found, busy } = useSeek(text);
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const rows = found?.rows ?? [];
  const shown = open && text.trim() !== "" && found !== undefined;

  useEffect(() => setActive(-1), [found]);
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

  const choose = (row: SeekRow | undefined): void => {
    if (!row) return;
    setOpen(false);
    navigate(buildTarget(row));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      setOpen(true);
      const step = event.key === "ArrowDown" ? 1 : -1;
      if (rows.length > 0) setActive((active + step + (active < 0 && step < 0 ? 1 : 0) + rows.length) % rows.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(rows[Math.max(active, 0)]);
    } else if (event.key === "Escape") {
      setOpen(false);
    }
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
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={shown && active >= 0 ? `${listId}-${active}` : undefined}
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
      <div class="search-results" hidden={!shown}>
        <ul role="listbox" id={listId} aria-label="Results">
          {rows.map((row, i) => (
            <li
              key={row.node_id}
              id={`${listId}-${i}`}
              role="option"
              aria-selected={i === active}
              onMouseDown={(e) => e.preventDefault()}
              onClick={() => choose(row)}
            >
              <span class="result-name">
                {row.label} <span class="kind">{row.type}</span>
              </span>
              <span class="where">
                {row.file_path}
                {row.line_start ? `:${row.line_start}` : ""}
              </span>
              {row.intent_summary && <span class="result-summary">{row.intent_summary}</span>}
            </li>
          ))}
        </ul>
        {found?.error && <p class="state failure">{found.error}</p>}
        {found && !found.error && rows.length === 0 && <p class="state empty">Nothing found for “{found.query}”.</p>}
      </div>
    </div>
  );
}
