import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ViewProps } from "../app";
import type { Page } from "../lib/answers";
import { callTool } from "../lib/api";
import { listenToConnection, listenToEvents, listPastEvents, type ServerEvent } from "../lib/events";
import { useLoad, useTool } from "../lib/hooks";
import { buildHref } from "../lib/router";
import { formatCount, formatNumber, formatPercent, formatTime, formatWords, nameOfId } from "../lib/text";
import { NodeLink } from "../parts/nodes";
import { Empty, Section, Shown, Tag } from "../parts/states";

/** Events that the list shows. */
const MAX_EVENTS = 100;
/** Agents that are asked for their perspectives. */
const MAX_AGENTS = 12;
/** How long the view waits after an event before it asks anew. */
const PAUSE_MS = 400;

interface Perspective {
  perspective_id: string;
  agent_id: string;
  query: string;
  mode?: string;
  focus_node?: string | null;
  focus_label?: string | null;
  route_count: number;
  nav_event_count: number;
  stale: boolean;
  created_at_ms: number;
  last_accessed_ms: number;
}

interface PerspectiveList extends Page {
  perspectives: Perspective[];
}

interface Trail {
  trail_id: string;
  label: string;
  agent_id: string;
  status: string;
  last_modified_ms: number;
  node_count: number;
  hypothesis_count: number;
  conclusion_count: number;
  open_question_count: number;
  summary?: string;
  stale_nodes?: number;
}

interface TrailAnswer extends Page {
  label: string;
  stale: boolean;
  nodes: { node_id: string; state: string; relevance?: number; annotation?: string }[];
  hypotheses: { statement: string; state: string; confidence: number; why?: string }[];
  conclusions: { statement: string; state: string; confidence: number }[];
  open_questions: string[];
}

interface Sessions {
  active_sessions?: { agent_id: string; query_count: number; last_seen_ms: number }[];
}

function readText(data: Record<string, unknown>, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = data[name];
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/** The events so far and as they come, the newest first. */
function useEvents(): ServerEvent[] {
  const [events, setEvents] = useState<ServerEvent[]>(() => [...listPastEvents()].reverse().slice(0, MAX_EVENTS));
  useEffect(() => listenToEvents((event) => setEvents((old) => [event, ...old].slice(0, MAX_EVENTS))), []);
  return events;
}

/** Counts up, a moment after events of these names. */
function useTurn(names: readonly string[]): number {
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = listenToEvents((event) => {
      if (!names.includes(event.name) || event.data["agent_id"] === "page") return;
      clearTimeout(timer);
      timer = setTimeout(() => setTurn((n) => n + 1), PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  return turn;
}

function EventRow({ event }: { event: ServerEvent }): JSX.Element {
  const agent = readText(event.data, "agent_id", "agent");
  const tool = readText(event.data, "tool");
  const focus = readText(event.data, "focus", "focus_node", "node_id", "node", "target");
  const query = readText(event.data, "query", "label", "reason");
  const at = event.data["at"];
  const failed = event.data["success"] === false;
  return (
    <li>
      <div class="row">
        <span class="where">{typeof at === "string" || typeof at === "number" ? formatTime(at).slice(11) : ""}</span>
        {agent && <a href={buildHref("way", { agent })}>{agent}</a>}
        <strong>{tool ?? formatWords(event.name)}</strong>
        {failed && <Tag tone="bad">failed</Tag>}
        {event.name === "ingest" && <span class="kind">{String(event.data["stage"] ?? "")}</span>}
        {focus && <NodeLink id={focus} label={nameOfId(focus)} />}
        {query && <span>“{query}”</span>}
        {readText(event.data, "source") && <span class="kind">{readText(event.data, "source")}</span>}
      </div>
    </li>
  );
}

function Live({ agent }: { agent: string | null }): JSX.Element {
  const all = useEvents();
  const [own, setOwn] = useState(false);
  const [connected, setConnected] = useState(false);
  useEffect(() => listenToConnection(setConnected), []);
  const events = all.filter((e) => (agent === null || e.data["agent_id"] === agent) && (own || e.data["agent_id"] !== "page"));
  return (
    <Section id="live" title="As it happens" count={events.length}>
      <p class="row">
        <Tag tone={connected ? "good" : "warn"}>{connected ? "connected" : "not connected"}</Tag>
        <label class="row">
          <input type="checkbox" checked={own} onChange={(e) => setOwn((e.target as HTMLInputElement).checked)} /> Also what this page asks
        </label>
      </p>
      {events.length === 0 ? (
        <Empty>Nothing has happened since the page was opened. Each call of an agent appears here at once.</Empty>
      ) : (
        <ol class="rows" aria-label="Events, the newest first">
          {events.map((e, i) => (
            <EventRow key={e.id || i} event={e} />
          ))}
        </ol>
      )}
    </Section>
  );
}

async function loadPerspectives(agents: readonly string[], signal: AbortSignal): Promise<Perspective[]> {
  const lists = await Promise.all(
    agents.map((agent_id) =>
      callTool<PerspectiveList>("perspective_list", { agent_id }, signal).then(
        (l) => l.perspectives,
        (error: unknown) => {
          if (signal.aborted) throw error;
          return [];
        },
      ),
    ),
  );
  return lists.flat().sort((a, b) => b.last_accessed_ms - a.last_accessed_ms);
}

function Perspectives({ agents, turn }: { agents: readonly string[]; turn: number }): JSX.Element {
  const list = useLoad(`perspectives ${turn} ${agents.join(" ")}`, (signal) => loadPerspectives(agents, signal));
  return (
    <Shown loading={list} label="Reading perspectives">
      {(rows) => (
        <Section id="perspectives" title="Perspectives" count={rows.length}>
          {rows.length === 0 ? (
            <Empty>No agent has a perspective open.</Empty>
          ) : (
            <ul class="rows">
              {rows.map((p) => (
                <li key={p.perspective_id}>
                  <div class="row">
                    <strong>“{p.query}”</strong>
                    <Tag>{p.agent_id}</Tag>
                    {p.stale && <Tag tone="warn">the code has changed since</Tag>}
                  </div>
                  <p class="kind">
                    {p.focus_node ? (
                      <>
                        at <NodeLink id={p.focus_node} label={p.focus_label ?? nameOfId(p.focus_node)} />,{" "}
                      </>
                    ) : (
                      "at the start, "
                    )}
                    {formatCount(p.nav_event_count, "move")}, {formatCount(p.route_count, "route")} from here, last at {formatTime(p.last_accessed_ms)}
                  </p>
                </li>
              ))}
            </ul>
          )}
        </Section>
      )}
    </Shown>
  );
}

const STATES: Record<string, string> = { unchanged: "good", still_holds: "good", modified: "warn", moved: "warn", weakened: "warn", missing: "bad", contradicted: "bad", unknown: "plain" };

function TrailDetail({ id }: { id: string }): JSX.Element {
  const trail = useTool<TrailAnswer>("trail_resume", { trail_id: id, force: true });
  return (
    <Shown loading={trail} label="Checking the trail against the code">
      {(answer) => (
        <div class="trail">
          <h3>Way</h3>
          {answer.nodes.length === 0 ? (
            <Empty>It visited no node.</Empty>
          ) : (
            <ol class="trail-way">
              {answer.nodes.map((n) => (
                <li key={n.node_id}>
                  <NodeLink id={n.node_id} label={nameOfId(n.node_id)} /> <Tag tone={STATES[n.state] ?? "plain"}>{formatWords(n.state)}</Tag>
                  {n.annotation && <p class="kind">{n.annotation}</p>}
                </li>
              ))}
            </ol>
          )}
          {(
            [
              ["Supposed", answer.hypotheses],
              ["Concluded", answer.conclusions],
            ] as const
          ).map(
            ([title, rows]) =>
              rows.length > 0 && (
                <div key={title}>
                  <h3>{title}</h3>
                  <ul>
                    {rows.map((h) => (
                      <li key={h.statement}>
                        {h.statement} <Tag tone={STATES[h.state] ?? "plain"}>{formatWords(h.state)}</Tag> <span class="kind">{formatPercent(h.confidence)}</span>
                        {"why" in h && h.why && <p class="kind">{h.why}</p>}
                      </li>
                    ))}
                  </ul>
                </div>
              ),
          )}
          {answer.open_questions.length > 0 && (
            <>
              <h3>Open</h3>
              <ul>
                {answer.open_questions.map((q) => (
                  <li key={q}>{q}</li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
    </Shown>
  );
}

function Trails({ agent, chosen, turn }: { agent: string | null; chosen: string | null; turn: number }): JSX.Element {
  const list = useTool<{ trails: Trail[]; total_count: number } & Page>("trail_list", { limit: 100, ...(agent ? { filter_agent_id: agent } : {}) });
  useEffect(() => {
    if (turn > 0) list.reload();
  }, [turn]);
  return (
    <Shown loading={list} label="Reading trails">
      {(answer) => (
        <Section id="trails" title="Trails" count={answer.total_count}>
          {answer.trails.length === 0 ? (
            <Empty>No investigation is saved.</Empty>
          ) : (
            <ul class="rows">
              {answer.trails.map((t) => {
                const open = t.trail_id === chosen;
                return (
                  <li key={t.trail_id}>
                    <div class="row">
                      <a aria-expanded={open} href={buildHref("way", { agent: agent ?? undefined, trail: open ? undefined : t.trail_id })}>
                        {t.label}
                      </a>
                      <Tag>{t.agent_id}</Tag> <Tag>{t.status}</Tag>
                      {(t.stale_nodes ?? 0) > 0 && <Tag tone="warn">{formatCount(t.stale_nodes ?? 0, "node")} changed since</Tag>}
                    </div>
                    {t.summary && <p class="memory-text">{t.summary}</p>}
                    <p class="kind">
                      {formatCount(t.node_count, "node")}, {formatCount(t.hypothesis_count, "supposition")}, {formatCount(t.conclusion_count, "conclusion")}, {formatCount(t.open_question_count, "open question")}; {formatTime(t.last_modified_ms)}
                    </p>
                    {open && <TrailDetail id={t.trail_id} />}
                  </li>
                );
              })}
            </ul>
          )}
        </Section>
      )}
    </Shown>
  );
}

export default function WayView({ params }: ViewProps): JSX.Element {
  const agent = params.get("agent");
  const turn = useTurn(["tool_result", "perspective"]);
  const sessions = useTool<Sessions>("health", {});
  useEffect(() => {
    if (turn > 0) sessions.reload();
  }, [turn]);
  const rows = sessions.loaded.state === "ready" ? (sessions.loaded.value.active_sessions ?? []) : sessions.loaded.state === "loading" ? (sessions.loaded.before?.active_sessions ?? []) : [];
  const names = useMemo(
    () => (agent ? [agent] : rows.map((r) => r.agent_id).filter((a) => a !== "page").slice(0, MAX_AGENTS)),
    [agent, rows.map((r) => r.agent_id).join(" ")],
  );
  return (
    <>
      <h1>{agent ? `Way of ${agent}` : "Ways of agents"}</h1>
      <p class="row agents">
        {agent && <a href={buildHref("way")}>All agents</a>}
        {rows
          .filter((r) => r.agent_id !== "page")
          .map((r) => (
            <a key={r.agent_id} href={buildHref("way", { agent: r.agent_id })} aria-current={r.agent_id === agent ? "true" : undefined}>
              {r.agent_id} <span class="kind">{formatNumber(r.query_count)}</span>
            </a>
          ))}
      </p>
      <div class="columns">
        <div>
          <Live agent={agent} />
        </div>
        <div>
          <Perspectives agents={names} turn={turn} />
          <Trails agent={agent} chosen={params.get("trail")} turn={turn} />
        </div>
      </div>
    </>
  );
}
