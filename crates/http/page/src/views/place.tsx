import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ViewProps } from "../app";
import type { ImpactAnswer, MindSearchAnswer, OutlineAnswer, ReferencesAnswer, TimelineAnswer, ViewAnswer } from "../lib/answers";
import { LARGEST_ANSWER } from "../lib/api";
import { getValue, useTool, type Loading } from "../lib/hooks";
import { buildHref } from "../lib/router";
import { formatCount, formatWords, splitLines } from "../lib/text";
import type { Mark } from "../parts/code";
import { HistoryChart } from "../parts/history";
import { NodeLink } from "../parts/nodes";
import { Busy, Empty, Failure, Rest, Section, Shown, Tag } from "../parts/states";
import { Breaks, Callees, Callers, Documents, Memories, Rows, Tests, Unresolved } from "./place_parts/around";

/** Lines of a file that are read at once. */
const MAX_LINES = 2_000;
const MAX_USES = 200;
const MAX_IMPACT = 150;
const MAX_COMMITS_SHOWN = 12;

type CodeParts = { Code: typeof import("../parts/code").default };

function useCode(): CodeParts | undefined {
  const [parts, setParts] = useState<CodeParts>();
  useEffect(() => {
    void import("../parts/code").then((m) => setParts({ Code: m.default }));
  }, []);
  return parts;
}

interface Answers {
  view: Loading<ViewAnswer>;
  references: Loading<ReferencesAnswer>;
  impact: Loading<ImpactAnswer>;
  needs: Loading<ImpactAnswer>;
  timeline: Loading<TimelineAnswer>;
  memory: Loading<MindSearchAnswer>;
}

function useAnswers(id: string): Answers {
  const max_output_chars = LARGEST_ANSWER;
  const view = useTool<ViewAnswer>("view", { file_path: id, limit: MAX_LINES, max_output_chars: 100_000 });
  const node = getValue(view.loaded)?.node_id ?? id;
  const label = getValue(view.loaded)?.label;
  return {
    view,
    references: useTool("references", { node_id: id, top_k: MAX_USES, max_output_chars }),
    impact: useTool("impact", { node_id: id, max_nodes: MAX_IMPACT, max_chains: 0, max_output_chars }),
    needs: useTool("impact", { node_id: id, direction: "reverse", max_nodes: MAX_IMPACT, max_chains: 0, max_output_chars }),
    timeline: useTool("timeline", { node: id, depth: "all", max_output_chars }),
    memory: useTool("mind_search", view.loaded.state === "ready" ? { query: label ?? id, near: [node], limit: 5 } : undefined),
  };
}

/** The lines of the code that use something, that are open, and the one that the address names. */
function buildMarks(answers: Answers, path: string | undefined, line: number | undefined): Mark[] {
  const marks = new Map<number, Mark>();
  for (const row of getValue(answers.needs.loaded)?.blast_radius ?? []) {
    const step = row.witness?.[0];
    if (row.side !== "dependency" || step?.file_path !== path || step?.line === undefined) continue;
    const before = marks.get(step.line);
    const title = `${formatWords(step.relation)} ${step.to}`;
    if (!before) marks.set(step.line, { line: step.line, kind: "use", title });
    else if (!before.title.includes(title)) before.title += `, ${title}`;
  }
  for (const answer of [answers.needs, answers.impact]) {
    for (const row of getValue(answer.loaded)?.closure?.hiding ?? []) {
      if (row.file_path === path) marks.set(row.line, { line: row.line, kind: "open", title: `open: ${formatWords(row.reason)}, ${row.name}` });
    }
  }
  if (line !== undefined) marks.set(line, { line, kind: "hit", title: "the line that was opened" });
  return [...marks.values()];
}

function Breadcrumbs({ answer }: { answer: ViewAnswer }): JSX.Element {
  const around = (answer.symbols ?? []).filter(
    (s) => s.node_id !== answer.node_id && (s.line_start ?? 0) <= answer.line_start && (s.line_end ?? 0) >= answer.line_end,
  );
  return (
    <nav aria-label="Where it is" class="crumbs">
      <NodeLink id={`file::${answer.file_path}`} label={answer.file_path} />
      {around.slice(-2).map((s) => (
        <span key={s.node_id}>
          {" › "}
          <NodeLink id={s.node_id} label={s.label} />
        </span>
      ))}
      <span class="kind">
        {" "}
        lines {answer.line_start}–{answer.line_end}
      </span>
    </nav>
  );
}

function Outline({ path }: { path: string }): JSX.Element {
  const outline = useTool<OutlineAnswer>("outline", { file_path: path, top_k: 300, max_output_chars: LARGEST_ANSWER });
  return (
    <Shown loading={outline} label="Reading the outline">
      {(answer) => (
        <Section id="outline" title="Defines" count={answer.symbols.length}>
          {answer.symbols.length === 0 ? (
            <Empty>No symbol is known in this file.</Empty>
          ) : (
            <Rows
              rows={answer.symbols}
              render={(row) => (
                <li key={`${row.node_id}:${row.line_start}`} class={`depth-${Math.min(row.depth, 4)}`}>
                  <NodeLink id={row.node_id} label={row.label} kind={row.type} />
                  {row.signature && <code class="signature">{row.signature}</code>}
                </li>
              )}
            />
          )}
        </Section>
      )}
    </Shown>
  );
}

function History({ timeline }: { timeline: Loading<TimelineAnswer> }): JSX.Element {
  return (
    <Shown loading={timeline} label="Reading the history">
      {(answer) => (
        <Section id="history" title="History" count={answer.commit_count_in_window}>
          {answer.changes.length === 0 ? (
            <Empty>No commit is known that changed it.</Empty>
          ) : (
            <>
              <p>
                {formatCount(answer.commit_count_in_window, "commit")}
                {answer.author_count !== undefined && ` by ${formatCount(answer.author_count, "author")}`}
                {answer.first_change && `, ${answer.first_change} to ${answer.last_change ?? ""}`}. {answer.pattern && <Tag>{formatWords(answer.pattern)}</Tag>}{" "}
                {answer.velocity && <Tag>{formatWords(answer.velocity)}</Tag>}
              </p>
              <HistoryChart dates={answer.changes.map((c) => c.date)} />
              <Rows
                rows={answer.changes.slice(0, MAX_COMMITS_SHOWN)}
                render={(c) => (
                  <li key={c.commit}>
                    <div class="row">
                      <code>{c.commit.slice(0, 8)}</code> {c.subject}
                    </div>
                    <span class="kind">
                      {c.date}, {c.author}, {c.delta}
                    </span>
                  </li>
                )}
              />
              <Rest shown={Math.min(answer.changes.length, MAX_COMMITS_SHOWN)} of={answer.commit_count_in_window} what="commits" />
              {answer.co_changed_with.length > 0 && (
                <>
                  <h3>Changed with it</h3>
                  <Rows
                    rows={answer.co_changed_with}
                    render={(c) => (
                      <li key={c.file} class="row">
                        <NodeLink id={c.file} label={c.file} /> <span class="kind">{formatCount(c.times, "time")}</span>
                      </li>
                    )}
                  />
                </>
              )}
            </>
          )}
        </Section>
      )}
    </Shown>
  );
}

function PlaceCode({ answer, marks, line }: { answer: ViewAnswer; marks: readonly Mark[]; line: number | undefined }): JSX.Element {
  const parts = useCode();
  const lines = useMemo(() => splitLines(answer.content), [answer.content]);
  if (lines.length === 0) return <Empty>The file is empty.</Empty>;
  if (!parts) return <Busy label="Preparing the code" />;
  return (
    <>
      <parts.Code lines={lines} language={answer.language ?? ""} label={`Code of ${answer.label ?? answer.file_path}`} marks={marks} focus={line} />
      <p class="code-key">
        <span class="key-use">Bar: uses code of the project</span> <span class="key-open">Red bar: open reference</span>
      </p>
    </>
  );
}

function PlaceBody({ id, line, answers, answer }: { id: string; line: number | undefined; answers: Answers; answer: ViewAnswer }): JSX.Element {
  const marks = useMemo(
    () => buildMarks(answers, answer.file_path, line),
    [answers.needs.loaded, answers.impact.loaded, answer.file_path, line],
  );
  const node = answer.node_id ?? id;
  const isFile = node === `file::${answer.file_path}` || answer.node_id === undefined;
  const type = answer.symbols?.find((s) => s.node_id === answer.node_id)?.type ?? (isFile ? "file" : undefined);
  return (
    <>
      <div class="place-head">
        <h1>
          {answer.label ?? answer.file_path} <span class="kind">{type}</span>
        </h1>
        <Breadcrumbs answer={answer} />
        <p class="actions">
          <a href={buildHref("map", { reveal: node, select: node })}>Show on the map</a>
          {answer.stale && <Tag tone="warn">changed since it was indexed</Tag>}
          {answer.truncated && <Tag tone="warn">only the first {answer.line_end - answer.line_start + 1} lines are shown</Tag>}
        </p>
      </div>
      <div class="place-body">
        <section class="place-code" aria-label="Code">
          <PlaceCode answer={answer} marks={marks} line={line} />
        </section>
        <div class="place-around">
          {isFile && <Outline path={answer.file_path} />}
          <Callers references={answers.references} />
          <Callees needs={answers.needs} />
          <Breaks impact={answers.impact} id={node} />
          <Tests impact={answers.impact} />
          <Unresolved impact={answers.impact} needs={answers.needs} />
          <Memories memory={answers.memory} />
          <Documents references={answers.references} />
          <History timeline={answers.timeline} />
        </div>
      </div>
    </>
  );
}

function PlaceOf({ id, line }: { id: string; line: number | undefined }): JSX.Element {
  const answers = useAnswers(id);
  const { loaded, reload } = answers.view;
  const answer = getValue(loaded);
  if (answer) return <PlaceBody {...{ id, line, answers, answer }} />;
  if (loaded.state === "failed") {
    return (
      <>
        <h1>{id}</h1>
        <Failure error={loaded.error} retry={reload} />
      </>
    );
  }
  return (
    <>
      <h1>{id}</h1>
      <Busy label="Reading the code" />
    </>
  );
}

export default function PlaceView({ params }: ViewProps): JSX.Element {
  const id = params.get("id");
  const line = Number(params.get("line") ?? "") || undefined;
  if (!id) {
    return (
      <>
        <h1>Place</h1>
        <Empty>
          Search for a symbol or file above (press <kbd>/</kbd>), or choose one on the <a href="/map">map</a>.
        </Empty>
      </>
    );
  }
  return <PlaceOf key={id} id={id} line={line} />;
}
