import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ViewProps } from "../app";
import type { ImpactAnswer, TestsAnswer } from "../lib/answers";
import { callTool, LARGEST_ANSWER } from "../lib/api";
import { useLoad, useTool } from "../lib/hooks";
import { buildHref, navigate } from "../lib/router";
import { formatCount, formatPercent, formatWords, nameOfId } from "../lib/text";
import { Evidence, NodeLink } from "../parts/nodes";
import { Empty, Rest, Section, Shown, Tag } from "../parts/states";
import { Table } from "../parts/table";
import type { DifferentialAnswer, PredictAnswer } from "./change_parts/answers";
import { BrokenReferences, DocumentDrift } from "./change_parts/checks";
import { Rows, TestRows } from "./place_parts/around";

/** Changed files of which the impact is computed. */
const MAX_IMPACTS = 12;
const MAX_TESTS = 40;
const MAX_PARTNERS = 30;

function Choice({ range }: { range: string }): JSX.Element {
  const [text, setText] = useState(range);
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(buildHref("change", { range: text.trim() || undefined }));
      }}
    >
      <label>
        Commits, such as HEAD~5..HEAD; empty for the work tree
        <input type="text" value={text} spellcheck={false} autocomplete="off" onInput={(e) => setText((e.target as HTMLInputElement).value)} />
      </label>
      <button type="submit" class="primary">
        Compare
      </button>
      {range !== "" && <a href={buildHref("change")}>Work tree</a>}
    </form>
  );
}

interface FileImpact {
  path: string;
  answer?: ImpactAnswer;
  error?: string;
}

async function loadImpacts(paths: readonly string[], signal: AbortSignal): Promise<FileImpact[]> {
  return Promise.all(
    paths.map(async (path): Promise<FileImpact> => {
      try {
        return { path, answer: await callTool<ImpactAnswer>("impact", { node_id: path, max_nodes: 60, max_chains: 0, max_output_chars: 30_000 }, signal) };
      } catch (error) {
        if (signal.aborted) throw error;
        return { path, error: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
}

function ImpactOf({ answer }: { answer: ImpactAnswer }): JSX.Element {
  const rows = answer.blast_radius.filter((r) => r.side === "dependent" && r.class !== "test");
  const files = new Set(rows.map((r) => r.file_path)).size;
  if (rows.length === 0) return <p class="kind">No code outside of tests is known to depend on it.</p>;
  return (
    <details>
      <summary>
        {formatCount(rows.length, "dependent")} in {formatCount(files, "file")}{" "}
        {answer.closure && answer.closure.state !== "closed" && <Tag tone="warn">may be incomplete</Tag>}
      </summary>
      <Rows
        rows={rows}
        render={(row) => {
          const step = row.witness?.[0];
          return (
            <li key={row.node_id} class={row.class === "breaks" ? "breaks" : undefined}>
              <div class="row">
                <NodeLink id={row.node_id} label={row.label} kind={row.type} /> <Tag tone={row.class === "breaks" ? "bad" : "plain"}>{formatWords(row.class)}</Tag>
              </div>
              {step?.file_path && step.line !== undefined && step.line > 0 && <Evidence path={step.file_path} line={step.line} />}
            </li>
          );
        }}
      />
      <Rest shown={answer.blast_radius.length} of={answer.total_blast_nodes} what="nodes, tests too," />
    </details>
  );
}

function Impacts({ answer }: { answer: DifferentialAnswer }): JSX.Element {
  const paths = answer.files.filter((f) => f.change !== "removed" && f.change !== "deleted").map((f) => f.file_path);
  const asked = paths.slice(0, MAX_IMPACTS);
  const impacts = useLoad<FileImpact[]>(`impacts ${asked.join(" ")}`, (signal) => loadImpacts(asked, signal));
  return (
    <Shown loading={impacts} label="Finding what depends on it">
      {(rows) => (
        <Section id="impact" title="What depends on it" count={rows.length === 0 ? 0 : formatCount(rows.length, "file")}>
          <p class="kind">By the code as it is indexed now.</p>
          <ul class="rows">
            {rows.map((row) => (
              <li key={row.path}>
                <div class="row">
                  <NodeLink id={row.path} label={row.path} />
                  <a href={buildHref("map", { reveal: `file::${row.path}`, select: `file::${row.path}`, mark: `file::${row.path}` })}>on the map</a>
                </div>
                {row.answer ? <ImpactOf answer={row.answer} /> : <p class="kind">cannot tell: {row.error}</p>}
              </li>
            ))}
          </ul>
          <Rest shown={asked.length} of={paths.length} what="changed files" />
        </Section>
      )}
    </Shown>
  );
}

const VERDICTS: Record<string, string> = { act: "bad", reverify: "warn" };

function Partners({ files }: { files: readonly string[] }): JSX.Element {
  const predict = useTool<PredictAnswer>("predict", { changed_node: files[0], changed: files.slice(1), top_k: MAX_PARTNERS, max_output_chars: LARGEST_ANSWER });
  return (
    <Shown loading={predict} label="Finding forgotten partners">
      {(answer) => {
        const rows = answer.predictions.filter((p) => !p.file_path || !files.includes(p.file_path));
        return (
          <Section id="partners" title="Perhaps forgotten" count={rows.length}>
            <p class="kind">These usually change with what changed, and did not.</p>
            {answer.note && <p class="kind">{answer.note}</p>}
            {rows.length === 0 ? (
              <Empty>Nothing usually changes with it.</Empty>
            ) : (
              <Rows
                rows={rows}
                render={(p) => (
                  <li key={p.node_id}>
                    <div class="row">
                      <NodeLink id={p.node_id} label={p.label} />
                      {p.verdict && <Tag tone={VERDICTS[p.verdict] ?? "plain"}>{p.verdict}</Tag>}
                      {p.confidence !== undefined && <span class="kind">{formatPercent(p.confidence)}</span>}
                    </div>
                    <p class="kind">{p.reason}</p>
                  </li>
                )}
              />
            )}
            <Rest shown={answer.predictions.length} of={answer.total_predictions} what="candidates" />
          </Section>
        );
      }}
    </Shown>
  );
}

function Tests({ files }: { files: readonly string[] }): JSX.Element {
  const tests = useTool<TestsAnswer>("tests_for", { changed: files, top_k: MAX_TESTS, max_output_chars: LARGEST_ANSWER });
  return (
    <Shown loading={tests} label="Finding tests">
      {(answer) => (
        <Section id="tests" title="Tests to run" count={answer.total_tests}>
          {answer.tests.length === 0 ? <Empty>No test is known to cover the change.</Empty> : <TestRows tests={answer.tests} />}
          <Rest shown={answer.tests.length} of={answer.total_tests} what="tests" />
        </Section>
      )}
    </Shown>
  );
}

function Symbols({ answer }: { answer: DifferentialAnswer }): JSX.Element {
  const lists: [string, string[], boolean][] = [
    ["New", answer.new_nodes, true],
    ["Removed", answer.removed_nodes, false],
  ];
  return (
    <Section id="symbols" title="Symbols" count={answer.new_nodes.length + answer.removed_nodes.length + answer.renamed_nodes.length}>
      {lists.map(([title, ids, exists]) => (
        <div key={title}>
          <h3>
            {title} <span class="count">{ids.length}</span>
          </h3>
          {ids.length === 0 ? (
            <Empty>None.</Empty>
          ) : (
            <Rows rows={ids} render={(id) => <li key={id}>{exists ? <NodeLink id={id} label={nameOfId(id)} /> : <strong>{nameOfId(id)}</strong>} <span class="where">{id.replace(/^file::/, "").split("::")[0]}</span></li>} />
          )}
        </div>
      ))}
      {answer.cut?.map((c) => <Rest key={c.list} shown={c.shown} of={c.of} what={formatWords(c.list)} />)}
    </Section>
  );
}

function NewEdges({ answer }: { answer: DifferentialAnswer }): JSX.Element {
  return (
    <Section id="edges" title="New references" count={answer.new_edges.length} open={false}>
      {answer.new_edges.length === 0 ? (
        <Empty>None.</Empty>
      ) : (
        <Rows
          rows={answer.new_edges}
          render={(e, i) => (
            <li key={i}>
              <NodeLink id={e.source} label={nameOfId(e.source)} /> <em class="kind">{formatWords(e.relation)}</em> {e.target.startsWith("external::") ? nameOfId(e.target) : <NodeLink id={e.target} label={nameOfId(e.target)} />}
              {e.file_path && e.line !== undefined && <Evidence path={e.file_path} line={e.line} />}
            </li>
          )}
        />
      )}
    </Section>
  );
}

function Changed({ answer }: { answer: DifferentialAnswer }): JSX.Element {
  const files = answer.files.map((f) => f.file_path);
  if (files.length === 0) return <Empty>Nothing differs between {answer.snapshot_a} and {answer.snapshot_b === "current" ? "the work tree" : answer.snapshot_b}.</Empty>;
  return (
    <>
      <p>{answer.summary}</p>
      <div class="columns">
        <div>
          <Section id="files" title="Files" count={files.length}>
            <Table
              caption="Changed files"
              rows={answer.files}
              columns={[
                { name: "File", cell: (f) => (f.change === "removed" || f.change === "deleted" ? f.file_path : <NodeLink id={f.file_path} label={f.file_path} />) },
                { name: "Change", cell: (f) => formatWords(f.change) },
                { name: "Lines", number: true, cell: (f) => `${f.lines_before ?? 0} → ${f.lines_after ?? 0}` },
              ]}
            />
          </Section>
          <Impacts answer={answer} />
          <Symbols answer={answer} />
          <NewEdges answer={answer} />
        </div>
        <div>
          <BrokenReferences answer={answer} />
          <Partners files={files} />
          <Tests files={files} />
          <DocumentDrift />
        </div>
      </div>
    </>
  );
}

export default function ChangeView({ params }: ViewProps): JSX.Element {
  const range = params.get("range") ?? "";
  const differential = useTool<DifferentialAnswer>("differential", { snapshot_a: range || "HEAD", max_output_chars: LARGEST_ANSWER });
  return (
    <>
      <h1>{range === "" ? "What the work tree changed" : `What ${range} changed`}</h1>
      <Choice key={range} range={range} />
      <Shown loading={differential} label="Comparing">
        {(answer) => <Changed answer={answer} />}
      </Shown>
    </>
  );
}
