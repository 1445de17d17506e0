import type { JSX } from "preact";
import type { Page, ServerHealth } from "../lib/answers";
import { getJson } from "../lib/api";
import { getValue, useLoad, useTool } from "../lib/hooks";
import { buildHref } from "../lib/router";
import { formatBytes, formatDuration, formatNumber, formatPercent, formatTime, formatWords } from "../lib/text";
import { Evidence, NodeLink } from "../parts/nodes";
import { Empty, Rest, Section, Shown, Tag } from "../parts/states";
import { Meter, Table } from "../parts/table";
import { Rows } from "./place_parts/around";

interface References {
  certain: number;
  possible: number;
  external: number;
  unresolved: number;
  resolved_share: number;
}

interface HealthAnswer extends Page {
  status: string;
  issues: string[];
  node_count: number;
  edge_count: number;
  file_count: number;
  line_count: number;
  references: References;
  languages: { language: string; files: number; lines: number; references: References; unresolved_reasons?: { reason: string; count: number }[] }[];
  unresolved_reasons: { reason: string; count: number }[];
  problems: { kind: string; count: number; in_graph?: boolean | string; examples?: { file_path: string; detail?: string }[] }[];
  git?: { branch?: string; head?: string; clean?: boolean };
  indexed_at_ms?: number;
  memory_usage_bytes?: number;
  watcher?: string;
  role?: string;
  active_sessions?: { agent_id: string; first_seen_ms: number; last_seen_ms: number; query_count: number }[];
}

interface SelftestAnswer extends Page {
  verdict: string;
  checks: { check: string; result: string; detail?: string }[];
}

interface PanoramicAnswer extends Page {
  modules: { node_id: string; label: string; source_path: string; combined_risk: number; is_critical: boolean; blast_backward: number; parts: Record<string, number> }[];
  overall_health: number;
  total_modules: number;
}

interface LayersAnswer extends Page {
  layers: { level: number; name: string; description: string; node_count: number; modules: string[] }[];
  basis: string;
  violations: { source: string; target: string; source_layer: string; target_layer: string; severity: string; location: string; explanation: string }[];
  cycles: { modules: string[]; closed_by?: string[] }[];
  summary: { total_violations: number };
}

interface TrustAnswer extends Page {
  trust_scores: { node_id: string; label: string; trust_score: number | null; interval?: [number, number]; trust_band: string; defect_count: number; commit_count: number; fixes?: { commit: string; subject: string }[] }[];
  total_trust_scores: number;
}

interface Instances {
  instances: { id?: string; root?: string; url?: string; pid?: number; started?: number; is_this?: boolean }[];
}

const RESULTS: Record<string, string> = { pass: "good", ok: "good", full_trust: "good", unknown: "plain", warn: "warn", fail: "bad" };
const MAX_RISKS = 15;
const MAX_TRUST = 12;

function Index({ health, server }: { health: HealthAnswer; server: ServerHealth | undefined }): JSX.Element {
  const facts: [string, string | undefined][] = [
    ["State", [health.status, ...health.issues].join(", ")],
    ["Folder", server?.root],
    ["Code", `${formatNumber(health.file_count)} files, ${formatNumber(health.line_count)} lines`],
    ["Graph", `${formatNumber(health.node_count)} nodes, ${formatNumber(health.edge_count)} edges`],
    ["Resolved", `${formatPercent(health.references.resolved_share)} of the references into the project`],
    ["Indexed", formatTime(health.indexed_at_ms)],
    ["Follows files", health.watcher],
    ["Commit", health.git?.head ? `${health.git.head.slice(0, 12)} on ${health.git.branch ?? "no branch"}${health.git.clean ? "" : ", with changes"}` : "no git repository"],
    ["Memory", formatBytes(health.memory_usage_bytes)],
    ["Running for", formatDuration(server?.uptime_secs)],
  ];
  return (
    <Section id="index" title="Index">
      <dl class="facts">
        {facts.map(
          ([name, value]) =>
            value !== undefined && (
              <>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </>
            ),
        )}
      </dl>
    </Section>
  );
}

function Languages({ health }: { health: HealthAnswer }): JSX.Element {
  return (
    <Section id="languages" title="Languages" count={health.languages.length}>
      <Table
        caption="Languages and how many of their references are resolved"
        rows={health.languages}
        columns={[
          { name: "Language", cell: (l) => l.language },
          { name: "Files", number: true, cell: (l) => formatNumber(l.files) },
          { name: "Lines", number: true, cell: (l) => formatNumber(l.lines) },
          { name: "Certain", number: true, cell: (l) => formatNumber(l.references.certain) },
          { name: "Possible", number: true, cell: (l) => formatNumber(l.references.possible) },
          { name: "Unresolved", number: true, cell: (l) => formatNumber(l.references.unresolved) },
          { name: "Outside", number: true, cell: (l) => formatNumber(l.references.external) },
        ]}
      />
      {health.unresolved_reasons.length > 0 && (
        <>
          <h3>Why references are open</h3>
          <ul class="rows">
            {health.unresolved_reasons.map((r) => (
              <li key={r.reason} class="row">
                <Tag tone="warn">{formatWords(r.reason)}</Tag> {formatNumber(r.count)}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function Skipped({ health }: { health: HealthAnswer }): JSX.Element {
  return (
    <Section id="skipped" title="Skipped and partly read" count={health.problems.reduce((sum, p) => sum + p.count, 0)}>
      {health.problems.length === 0 ? (
        <Empty>Every file was read as a whole.</Empty>
      ) : (
        <ul class="rows">
          {health.problems.map((p) => (
            <li key={p.kind}>
              <div class="row">
                <Tag tone="warn">{formatWords(p.kind)}</Tag> {formatNumber(p.count)}
              </div>
              <ul>
                {(p.examples ?? []).map((e) => (
                  <li key={e.file_path} class="where">
                    {e.file_path}
                    {e.detail && `: ${e.detail}`}
                  </li>
                ))}
              </ul>
              <Rest shown={p.examples?.length ?? 0} of={p.count} what="paths" />
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}

function Checks(): JSX.Element {
  const selftest = useTool<SelftestAnswer>("trust_selftest", {});
  return (
    <Shown loading={selftest} label="Testing the index">
      {(answer) => (
        <Section id="checks" title="Can answers be trusted?" count={formatWords(answer.verdict)}>
          <ul class="rows">
            {answer.checks.map((c) => (
              <li key={c.check}>
                <div class="row">
                  <strong>{formatWords(c.check)}</strong> <Tag tone={RESULTS[c.result] ?? "plain"}>{formatWords(c.result)}</Tag>
                </div>
                {c.detail && <p class="kind">{c.detail}</p>}
              </li>
            ))}
          </ul>
        </Section>
      )}
    </Shown>
  );
}

function Risks(): JSX.Element {
  const panoramic = useTool<PanoramicAnswer>("panoramic", { limit: MAX_RISKS, max_output_chars: 60_000 });
  return (
    <Shown loading={panoramic} label="Ranking risks">
      {(answer) => (
        <Section id="risks" title="Risk" count={`health ${formatPercent(answer.overall_health)}`}>
          {answer.modules.length === 0 ? (
            <Empty>No file has a risk.</Empty>
          ) : (
            <Table
              caption="The riskiest files"
              rows={answer.modules}
              columns={[
                { name: "File", cell: (m) => <NodeLink id={m.node_id} label={m.source_path} /> },
                {
                  name: "Risk",
                  cell: (m) => (
                    <span class="nowrap">
                      <Meter value={m.combined_risk} label={`Risk ${m.combined_risk.toFixed(2)}`} /> {m.combined_risk.toFixed(2)}
                    </span>
                  ),
                },
                {
                  name: "Most from",
                  cell: (m) =>
                    Object.entries(m.parts)
                      .filter(([, v]) => v > 0)
                      .sort((a, b) => b[1] - a[1])
                      .slice(0, 2)
                      .map(([name]) => formatWords(name))
                      .join(", "),
                },
                { name: "Dependents", number: true, cell: (m) => formatNumber(m.blast_backward) },
              ]}
            />
          )}
          <Rest shown={answer.modules.length} of={answer.total_modules} what="files" />
          <p>
            <a href={buildHref("map", { color: "risk" })}>Risk on the map</a>
          </p>
        </Section>
      )}
    </Shown>
  );
}

/** Splits `path:line`. */
function splitLocation(location: string): { path: string; line: number } | undefined {
  const match = /^(.*):(\d+)$/.exec(location);
  return match?.[1] && match[2] ? { path: match[1], line: Number(match[2]) } : undefined;
}

function Layers(): JSX.Element {
  const layers = useTool<LayersAnswer>("layers", { violation_limit: 50, max_output_chars: 60_000 });
  return (
    <Shown loading={layers} label="Finding layers">
      {(answer) => (
        <Section id="layers" title="Layers" count={answer.layers.length}>
          <p class="kind">{answer.basis}</p>
          <ol class="rows">
            {answer.layers.map((l) => (
              <li key={l.level}>
                <strong>{l.name}</strong> <span class="kind">{formatNumber(l.node_count)} files: {l.description}</span>
              </li>
            ))}
          </ol>
          <h3>
            Against the layers <span class="count">{answer.summary.total_violations}</span>
          </h3>
          {answer.violations.length === 0 ? (
            <Empty>No dependency contradicts them.</Empty>
          ) : (
            <Rows
              rows={answer.violations}
              render={(v, i) => {
                const at = splitLocation(v.location);
                return (
                  <li key={i}>
                    <div class="row">
                      <NodeLink id={v.source} label={v.source.replace(/^file::/, "")} /> → <NodeLink id={v.target} label={v.target.replace(/^file::/, "")} /> <Tag tone="warn">{v.severity}</Tag>
                    </div>
                    <p class="kind">{v.explanation}</p>
                    {at && <Evidence path={at.path} line={at.line} />}
                  </li>
                );
              }}
            />
          )}
          <Rest shown={answer.violations.length} of={answer.summary.total_violations} what="violations" />
          {answer.cycles.length > 0 && (
            <>
              <h3>
                Cycles <span class="count">{answer.cycles.length}</span>
              </h3>
              <Rows rows={answer.cycles} render={(c, i) => <li key={i}>{c.modules.join(" → ")}</li>} />
            </>
          )}
          <p>
            <a href={buildHref("map")}>Layers on the map</a>
          </p>
        </Section>
      )}
    </Shown>
  );
}

function Trust(): JSX.Element {
  const trust = useTool<TrustAnswer>("trust", { top_k: MAX_TRUST, max_output_chars: 60_000 });
  return (
    <Shown loading={trust} label="Reading past fixes">
      {(answer) => (
        <Section id="trust" title="Fixes so far" count={answer.total_trust_scores}>
          {answer.trust_scores.length === 0 ? (
            <Empty>No history of fixes is known.</Empty>
          ) : (
            <Table
              caption="Files that needed fixes"
              rows={answer.trust_scores}
              columns={[
                { name: "File", cell: (t) => <NodeLink id={t.node_id} label={t.node_id.replace(/^file::/, "")} /> },
                { name: "Fixes", number: true, cell: (t) => `${t.defect_count} of ${t.commit_count}` },
                { name: "Risk of a fix", cell: (t) => formatWords(t.trust_band) },
                { name: "Last fix", cell: (t) => t.fixes?.[0]?.subject ?? "" },
              ]}
            />
          )}
          <Rest shown={answer.trust_scores.length} of={answer.total_trust_scores} what="files" />
        </Section>
      )}
    </Shown>
  );
}

function Connected({ health, server }: { health: HealthAnswer; server: ServerHealth | undefined }): JSX.Element {
  const instances = useLoad<Instances>("instances", (signal) => getJson("/api/instances", signal));
  const agents = health.active_sessions ?? [];
  const servers = getValue(instances.loaded)?.instances ?? [];
  return (
    <Section id="connected" title="Connected" count={server?.clients ?? agents.length}>
      <Table
        caption="Who has asked this server"
        rows={agents}
        columns={[
          { name: "Agent", cell: (a) => a.agent_id },
          { name: "Questions", number: true, cell: (a) => formatNumber(a.query_count) },
          { name: "First", cell: (a) => formatTime(a.first_seen_ms) },
          { name: "Last", cell: (a) => formatTime(a.last_seen_ms) },
        ]}
      />
      {servers.length > 0 && (
        <>
          <h3>Servers of this user</h3>
          <ul class="rows">
            {servers.map((s) => (
              <li key={s.id ?? s.url}>
                {s.root} <span class="kind">process {s.pid}, since {formatTime(s.started)}</span> {s.is_this && <Tag tone="good">this one</Tag>}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

export default function HealthView(): JSX.Element {
  const health = useTool<HealthAnswer>("health", {});
  const server = getValue(useLoad<ServerHealth>("server", (signal) => getJson("/api/health", signal)).loaded);
  return (
    <>
      <h1>Health</h1>
      <div class="columns">
        <div>
          <Shown loading={health} label="Reading the state">
            {(answer) => (
              <>
                <Index health={answer} server={server} />
                <Languages health={answer} />
                <Skipped health={answer} />
                <Connected health={answer} server={server} />
              </>
            )}
          </Shown>
          <Checks />
        </div>
        <div>
          <Risks />
          <Layers />
          <Trust />
        </div>
      </div>
    </>
  );
}
