import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ViewProps } from "../app";
import type { MemoryRow, MindSearchAnswer } from "../lib/answers";
import { ApiError, callTool, getJson, postJson } from "../lib/api";
import { listenToEvents } from "../lib/events";
import { useLoad, type Loading } from "../lib/hooks";
import { buildHref, navigate } from "../lib/router";
import { formatCount, formatWords } from "../lib/text";
import { Evidence, NodeLink } from "../parts/nodes";
import { Empty, Failure, Section, Shown, Tag } from "../parts/states";

interface Source {
  file: string;
  memories: [number, string][];
  approved: boolean;
}

interface MemoryAnswer {
  project?: string;
  registered: boolean;
  approved: boolean;
  memories: MemoryRow[];
  sources?: Source[];
  hidden?: MemoryRow[];
}

/** What the view shows; `complete` is false where the server cannot list, and the rows are results of a search. */
interface Remembered extends MemoryAnswer {
  complete: boolean;
}

const TYPES = ["decision", "issue", "learning", "edge"] as const;
const TYPE_NAMES: Record<string, string> = { decision: "Decisions", issue: "Issues", learning: "Learnings", edge: "Gotchas" };
/** Words that find something in most memories, for servers that can only search. */
const WIDE_QUERY = "decision issue learning gotcha fix";
const MAX_RESULTS = 100;

function isUnknownRoute(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.code !== "PROJECT_NOT_REGISTERED";
}

async function loadMemory(query: string, signal: AbortSignal): Promise<Remembered> {
  if (query === "") {
    try {
      return { ...(await getJson<MemoryAnswer>("/api/memory", signal)), complete: true };
    } catch (error) {
      if (!isUnknownRoute(error)) throw error;
    }
  }
  try {
    const answer = await callTool<MindSearchAnswer>("mind_search", { query: query || WIDE_QUERY, limit: MAX_RESULTS }, signal);
    return { registered: true, approved: true, memories: answer.results, complete: false };
  } catch (error) {
    if (error instanceof ApiError && /REGISTERED/i.test(error.code)) return { registered: false, approved: false, memories: [], complete: true };
    throw error;
  }
}

const STATE_TONES: Record<string, string> = { current: "good", relocated: "good", stale: "warn", gone: "bad", unknown: "plain", open: "warn", resolved: "good", superseded: "plain" };

/** The state of a memory: what it says of itself, or of the code that it names. */
function stateOf(row: MemoryRow): string | undefined {
  if (row.superseded_by) return "superseded";
  if (row.status) return row.status;
  const states = (row.code ?? []).map((c) => c.state);
  return ["gone", "stale", "unknown", "relocated", "current"].find((s) => states.includes(s));
}

function ForgetButton({ row, onDone }: { row: MemoryRow; onDone: (message: string) => void }): JSX.Element {
  const [asking, setAsking] = useState(false);
  const [failed, setFailed] = useState<Error>();
  const forget = async (): Promise<void> => {
    try {
      await postJson("/api/memory/forget", { id: row.id });
      onDone(`Forgot “${row.title}”.`);
    } catch (error) {
      setAsking(false);
      setFailed(isUnknownRoute(error) ? new Error(`this server cannot forget; run: m1nd memory forget ${row.id}`) : error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <>
      {asking ? (
        <span class="confirm" role="group" aria-label="Forget this memory?">
          <button type="button" class="small danger" onClick={() => void forget()}>
            Forget it
          </button>{" "}
          <button type="button" class="small" onClick={() => setAsking(false)}>
            Keep it
          </button>
        </span>
      ) : (
        <button type="button" class="small" aria-label={`Forget ${row.title}`} onClick={() => setAsking(true)}>
          Forget …
        </button>
      )}
      {failed && <Failure error={failed} />}
    </>
  );
}

interface MemoryProps {
  row: MemoryRow;
  chosen: boolean;
  /** It was forgotten, and its text is still there. */
  hidden?: boolean;
  onDone: (message: string) => void;
}

function ShowButton({ row, onDone }: { row: MemoryRow; onDone: (message: string) => void }): JSX.Element {
  const [failed, setFailed] = useState<Error>();
  const show = async (): Promise<void> => {
    try {
      await postJson("/api/memory/forget", { id: row.id, undo: true });
      onDone(`“${row.title}” is shown again.`);
    } catch (error) {
      setFailed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <>
      <button type="button" class="small" aria-label={`Show again: ${row.title}`} onClick={() => void show()}>
        Show again
      </button>
      {failed && <Failure error={failed} />}
    </>
  );
}

function Memory({ row, chosen, hidden = false, onDone }: MemoryProps): JSX.Element {
  const state = stateOf(row);
  const rest = row.content.startsWith(row.title) ? row.content.slice(row.title.length).replace(/^[.,;\s]+/, "") : row.content;
  return (
    <li id={`memory-${row.id}`} class={chosen ? "chosen" : undefined}>
      <div class="row">
        <strong>{row.title}</strong>
        {row.is_key && <Tag tone="good">key</Tag>}
        {hidden && <Tag tone="plain">forgotten</Tag>}
        {state && <Tag tone={STATE_TONES[state] ?? "plain"}>{formatWords(state)}</Tag>}
        {row.trust === "unapproved" && <Tag tone="warn">not approved</Tag>}
        {row.date && <span class="kind">{row.date.slice(0, 10)}</span>}
        <span class="row-end">
          {hidden ? <ShowButton row={row} onDone={onDone} /> : <ForgetButton row={row} onDone={onDone} />}
        </span>
      </div>
      {rest && <p class="memory-text">{rest}</p>}
      {row.reasoning && <p class="memory-text kind">Why: {row.reasoning}</p>}
      {row.resolved_by && <p class="memory-text kind">Resolved by: {row.resolved_by}</p>}
      {row.code && row.code.length > 0 && (
        <p class="row">
          {row.code.map((c) => (
            <span key={c.name}>
              {c.node_id ? <NodeLink id={c.node_id} label={c.name} /> : c.name} <Tag tone={STATE_TONES[c.state] ?? "plain"}>{formatWords(c.state)}</Tag>
            </span>
          ))}
        </p>
      )}
      {row.source_kind !== "commit" && row.source_file && <Evidence path={row.source_file} line={row.source_line} />}
    </li>
  );
}

function Approval({ answer, onDone }: { answer: Remembered; onDone: (message: string) => void }): JSX.Element | null {
  const [failed, setFailed] = useState<Error>();
  const sources = answer.sources ?? [];
  if (!answer.registered || (answer.approved && sources.length === 0)) return null;
  const decide = async (files: string[], undo: boolean): Promise<void> => {
    try {
      await postJson("/api/memory/approve", { sources: files, undo });
      onDone(undo ? "Withdrew the approval." : "Approved: agents see these memories now.");
    } catch (error) {
      setFailed(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return (
    <Section id="approval" title="Came with the repository" count={sources.length}>
      <p class="kind">Agents see memories that came with a project only after you approve them.</p>
      {!answer.approved && (
        <p>
          The memory file of this project came with it.{" "}
          <button type="button" class="primary" onClick={() => void decide([], false)}>
            Approve all
          </button>
        </p>
      )}
      <ul class="rows">
        {sources.map((s) => (
          <li key={s.file}>
            <div class="row">
              <strong>{s.file}</strong> <Tag tone={s.approved ? "good" : "warn"}>{s.approved ? "approved" : "waiting"}</Tag>
              <span class="row-end">
                <button type="button" class="small" onClick={() => void decide([s.file], s.approved)}>
                  {s.approved ? "Withdraw" : "Approve"}
                  <span class="sr-only"> {s.file}</span>
                </button>
              </span>
            </div>
            {s.memories.map(([line, title]) => (
              <p key={line} class="memory-text">
                {title} <span class="kind">line {line}</span>
              </p>
            ))}
          </li>
        ))}
      </ul>
      {failed && <Failure error={failed} />}
    </Section>
  );
}

interface FilterProps {
  query: string;
  type: string;
  state: string;
  states: readonly string[];
}

function Filters({ query, type, state, states }: FilterProps): JSX.Element {
  const [text, setText] = useState(query);
  const go = (next: Partial<{ query: string; type: string; state: string }>): void => {
    const after = { query, type, state, ...next };
    navigate(buildHref("memory", { query: after.query || undefined, type: after.type || undefined, state: after.state || undefined }));
  };
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        go({ query: text.trim() });
      }}
    >
      <label>
        Search by meaning
        <input type="search" value={text} onInput={(e) => setText((e.target as HTMLInputElement).value)} />
      </label>
      <label>
        Kind
        <select value={type} onChange={(e) => go({ type: (e.target as HTMLSelectElement).value })}>
          <option value="">all</option>
          {TYPES.map((t) => (
            <option key={t} value={t}>
              {TYPE_NAMES[t]}
            </option>
          ))}
        </select>
      </label>
      <label>
        State
        <select value={state} onChange={(e) => go({ state: (e.target as HTMLSelectElement).value })}>
          <option value="">all</option>
          {[...new Set([...states, ...(state ? [state] : [])])].map((s) => (
            <option key={s} value={s}>
              {formatWords(s)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="primary">
        Search
      </button>
    </form>
  );
}

function Groups({ rows, chosen, onDone }: { rows: readonly MemoryRow[]; chosen: string | null; onDone: (message: string) => void }): JSX.Element {
  useEffect(() => {
    if (chosen) document.getElementById(`memory-${chosen}`)?.scrollIntoView({ block: "center" });
  }, [chosen]);
  const types = [...new Set([...TYPES, ...rows.map((r) => r.type)])].filter((t) => rows.some((r) => r.type === t));
  return (
    <>
      {types.map((type) => {
        const own = rows.filter((r) => r.type === type);
        return (
          <Section key={type} id={`type-${type}`} title={TYPE_NAMES[type] ?? formatWords(type)} count={own.length}>
            <ul class="rows">
              {own.map((row) => (
                <Memory key={row.id} row={row} chosen={row.id === chosen} onDone={onDone} />
              ))}
            </ul>
          </Section>
        );
      })}
    </>
  );
}

function Hidden({ rows, onDone }: { rows: readonly MemoryRow[]; onDone: (message: string) => void }): JSX.Element | null {
  if (rows.length === 0) return null;
  return (
    <Section id="hidden" title="Forgotten on this machine" count={rows.length}>
      <p class="kind">Their text is still in the code, a commit or a line with other memories. Agents do not see them.</p>
      <ul class="rows">
        {rows.map((row) => (
          <Memory key={row.id} row={row} chosen={false} hidden onDone={onDone} />
        ))}
      </ul>
    </Section>
  );
}

export default function MemoryView({ params }: ViewProps): JSX.Element {
  const query = params.get("query") ?? "";
  const type = params.get("type") ?? "";
  const state = params.get("state") ?? "";
  const [message, setMessage] = useState("");
  const memory: Loading<Remembered> = useLoad(`memory ${query}`, (signal) => loadMemory(query, signal));
  useEffect(() => listenToEvents((event) => event.name === "memory_changed" && memory.reload()), [memory.reload]);
  const done = (text: string): void => {
    setMessage(text);
    memory.reload();
  };
  return (
    <>
      <h1>Memory</h1>
      <p role="status" class={message ? "notice" : "sr-only"}>
        {message}
      </p>
      <Shown loading={memory} label="Reading the memory">
        {(answer) => {
          if (!answer.registered) {
            return (
              <Empty>
                This project has no memory yet. Create one with <code>m1nd memory init</code>; then decisions, issues and gotchas are listed here.
              </Empty>
            );
          }
          const isWanted = (r: MemoryRow): boolean => (type === "" || r.type === type) && (state === "" || stateOf(r) === state);
          const rows = answer.memories.filter(isWanted);
          const states = [...new Set(answer.memories.map(stateOf).filter((s): s is string => s !== undefined))].sort();
          return (
            <>
              <Filters key={query} {...{ query, type, state, states }} />
              {!answer.complete && query === "" && <p class="kind">This server cannot list its memory: these are the results of a search.</p>}
              <Approval answer={answer} onDone={done} />
              {rows.length === 0 ? <Empty>Nothing matches.</Empty> : <p class="kind">{formatCount(rows.length, "memory", "memories")}</p>}
              <Groups rows={rows} chosen={params.get("id")} onDone={done} />
              <Hidden rows={(answer.hidden ?? []).filter(isWanted)} onDone={done} />
            </>
          );
        }}
      </Shown>
    </>
  );
}
