// What surrounds a place: its uses, what it uses, what breaks, tests, open references, memories, documents, history.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Closure, HidingRow, ImpactAnswer, ImpactRow, MindSearchAnswer, ReferencesAnswer, TestRow, UseRow, WitnessStep } from "../../lib/answers";
import { ApiError } from "../../lib/api";
import type { Loading } from "../../lib/hooks";
import { buildHref } from "../../lib/router";
import { formatCount, formatWords } from "../../lib/text";
import { Evidence, NodeLink, TierTag } from "../../parts/nodes";
import { Empty, Failure, Rest, Section, Shown, Tag } from "../../parts/states";

/** Rows of a list that are shown before a button adds the rest. */
const ROWS_AT_FIRST = 12;

export function Rows<T>({ rows, render }: { rows: readonly T[]; render: (row: T, index: number) => JSX.Element }): JSX.Element {
  const [all, setAll] = useState(false);
  return (
    <>
      <ul class="rows">{(all ? rows : rows.slice(0, ROWS_AT_FIRST)).map(render)}</ul>
      {!all && rows.length > ROWS_AT_FIRST && (
        <button type="button" class="more" onClick={() => setAll(true)}>
          Show {rows.length - ROWS_AT_FIRST} more
        </button>
      )}
    </>
  );
}

function Use({ row }: { row: UseRow }): JSX.Element {
  return (
    <li>
      <div class="row">
        <NodeLink id={row.node_id} label={row.label} kind={row.type} />
        {row.role && row.role !== "call" && <Tag>{formatWords(row.role)}</Tag>}
        {row.tier !== "certain" && <TierTag tier={row.tier} />}
      </div>
      {row.file_path && row.line_number !== undefined && <Evidence path={row.file_path} line={row.line_number} text={row.line_content} />}
    </li>
  );
}

const STATES: Record<string, string> = { closed: "complete", blocked: "may be incomplete" };

/** Whether a list is complete, and why. */
function Completeness({ closure }: { closure: Closure | undefined }): JSX.Element | null {
  if (!closure) return null;
  return (
    <p class="closure">
      <Tag tone={closure.state === "closed" ? "good" : "warn"}>{STATES[closure.state] ?? formatWords(closure.state)}</Tag> {closure.why}
    </p>
  );
}

export function Callers({ references }: { references: Loading<ReferencesAnswer> }): JSX.Element {
  return (
    <Shown loading={references} label="Finding its uses">
      {(answer) => {
        const code = answer.references.filter((r) => r.role !== "document");
        const own = code.filter((r) => !r.in_test);
        const inTests = code.length - own.length;
        return (
          <Section id="callers" title="Used by" count={own.length}>
            <Completeness closure={answer.closure} />
            {own.length === 0 ? (
              <Empty>{inTests > 0 ? `Only tests use it: ${formatCount(inTests, "place")}, below.` : "No use is known."}</Empty>
            ) : (
              <Rows rows={own} render={(row) => <Use key={`${row.node_id}:${row.line_number}:${row.column}`} row={row} />} />
            )}
            <Rest shown={answer.references.length} of={answer.total_references} what="uses, in tests and documents too," />
          </Section>
        );
      }}
    </Shown>
  );
}

function StepList({ steps }: { steps: readonly WitnessStep[] }): JSX.Element {
  return (
    <ol class="steps">
      {steps.map((step, i) => (
        <li key={i}>
          <span>
            {step.from} <em>{formatWords(step.relation)}</em> {step.to}
          </span>{" "}
          {step.tier !== "certain" && <TierTag tier={step.tier} />}
          {step.file_path && step.line !== undefined && step.line > 0 && <Evidence path={step.file_path} line={step.line} />}
        </li>
      ))}
    </ol>
  );
}

/** What the symbol uses itself: the first step of its dependencies. */
export function Callees({ needs }: { needs: Loading<ImpactAnswer> }): JSX.Element {
  return (
    <Shown loading={needs} label="Finding what it uses">
      {(answer) => {
        const near = answer.blast_radius.filter((r) => r.side === "dependency" && r.hop_distance === 1);
        const farther = answer.blast_radius.filter((r) => r.side === "dependency").length - near.length;
        return (
          <Section id="callees" title="Uses" count={near.length}>
            {near.length === 0 ? (
              <Empty>It uses nothing of this project that is known.</Empty>
            ) : (
              <Rows
                rows={near}
                render={(row) => (
                  <li key={row.node_id}>
                    <NodeLink id={row.node_id} label={row.label} kind={row.type} />
                    <StepList steps={row.witness ?? []} />
                  </li>
                )}
              />
            )}
            {farther > 0 && <p class="rest">Through these it depends on {formatCount(farther, "more node")}.</p>}
          </Section>
        );
      }}
    </Shown>
  );
}

function Break({ row }: { row: ImpactRow }): JSX.Element {
  return (
    <li class={row.class === "breaks" ? "breaks" : undefined}>
      <div class="row">
        <NodeLink id={row.node_id} label={row.label} kind={row.type} />
        <Tag tone={row.class === "breaks" ? "bad" : "plain"}>{formatWords(row.class)}</Tag>
        {row.hop_distance !== undefined && row.hop_distance > 1 && <span class="kind">{row.hop_distance} steps</span>}
      </div>
      {row.witness && row.witness.length > 0 && <StepList steps={row.witness} />}
      {row.changed_together && (
        <p class="kind">
          changed together in {row.changed_together.common_commits} of {row.changed_together.of} commits
        </p>
      )}
    </li>
  );
}

export function Breaks({ impact, id }: { impact: Loading<ImpactAnswer>; id: string }): JSX.Element {
  return (
    <Shown loading={impact} label="Finding what breaks">
      {(answer) => {
        const rows = answer.blast_radius.filter((r) => r.side === "dependent" && r.class !== "test");
        const together = answer.blast_radius.filter((r) => r.side === "history");
        return (
          <Section id="breaks" title="What breaks" count={rows.length}>
            <p>
              <a href={buildHref("map", { reveal: id, select: id, mark: id })}>Show on the map</a>
            </p>
            {rows.length === 0 ? (
              <Empty>No code outside of tests is known to depend on it.</Empty>
            ) : (
              <Rows rows={rows} render={(row) => <Break key={row.node_id} row={row} />} />
            )}
            <Rest shown={answer.blast_radius.length} of={answer.total_blast_nodes} what="dependents, tests too," />
            {together.length > 0 && (
              <>
                <h3>Changes with it, without a reference</h3>
                <Rows rows={together} render={(row) => <Break key={row.node_id} row={row} />} />
              </>
            )}
          </Section>
        );
      }}
    </Shown>
  );
}

export function TestRows({ tests }: { tests: readonly TestRow[] }): JSX.Element {
  return (
    <Rows
      rows={tests}
      render={(row) => (
        <li key={row.node_id}>
          <div class="row">
            <NodeLink id={row.node_id} label={row.tests?.[0] ?? row.label} kind={row.type} />
            <span class="where">{row.file_path}</span>
          </div>
          <div class="row">
            {row.evidence.map((e) => (
              <Tag key={e} tone={e === "calls" ? "good" : "plain"}>
                {formatWords(e)}
              </Tag>
            ))}
          </div>
          {row.file_path &&
            row.test_lines?.slice(0, 4).map((line, i) => (
              <Evidence key={`${line}-${i}`} path={row.file_path ?? ""} line={line} text={row.tests?.[i]} />
            ))}
        </li>
      )}
    />
  );
}

export function Tests({ impact }: { impact: Loading<ImpactAnswer> }): JSX.Element {
  return (
    <Shown loading={impact} label="Finding its tests">
      {(answer) => (
        <Section id="tests" title="Tests" count={answer.total_tests}>
          {answer.tests.length === 0 ? <Empty>No test is known to cover it.</Empty> : <TestRows tests={answer.tests} />}
          <Rest shown={answer.tests.length} of={answer.total_tests} what="tests" />
        </Section>
      )}
    </Shown>
  );
}

function Hiding({ rows }: { rows: readonly HidingRow[] }): JSX.Element {
  return (
    <Rows
      rows={rows}
      render={(row, i) => (
        <li key={`${row.node_id}-${row.line}-${i}`}>
          <div class="row">
            <NodeLink id={row.node_id} label={row.label} />
            <Tag tone="warn">{formatWords(row.reason)}</Tag>
            <span class="kind">
              {formatWords(row.role)} of {row.name}
            </span>
          </div>
          <Evidence path={row.file_path} line={row.line} text={row.line_content} />
        </li>
      )}
    />
  );
}

/** References that could not be resolved, and may therefore hide a use. */
export function Unresolved({ impact, needs }: { impact: Loading<ImpactAnswer>; needs: Loading<ImpactAnswer> }): JSX.Element {
  return (
    <Shown loading={impact} label="Finding open references">
      {(answer) => {
        const here = answer.closure?.hiding ?? [];
        const total = answer.closure?.total_hiding ?? here.length;
        return (
          <Section id="unresolved" title="Open references" count={total}>
            <p class="kind">They have no certain target; the reason says why. Each may use this place.</p>
            {here.length === 0 ? <Empty>None may lead here.</Empty> : <Hiding rows={here} />}
            <Rest shown={here.length} of={total} what="open references" />
            <Shown loading={needs}>
              {(own) =>
                (own.closure?.hiding.length ?? 0) > 0 && (
                  <>
                    <h3>May lead from here to more</h3>
                    <Hiding rows={own.closure?.hiding ?? []} />
                  </>
                )
              }
            </Shown>
          </Section>
        );
      }}
    </Shown>
  );
}

export function Documents({ references }: { references: Loading<ReferencesAnswer> }): JSX.Element {
  return (
    <Shown loading={references} label="Finding documents">
      {(answer) => {
        const rows = answer.references.filter((r) => r.role === "document");
        const total = answer.by_role["document"] ?? rows.length;
        return (
          <Section id="documents" title="Documents" count={total}>
            {rows.length === 0 ? (
              <Empty>{total > 0 ? `${formatCount(total, "mention")} beyond what the answer shows.` : "No document names it."}</Empty>
            ) : (
              <Rows rows={rows} render={(row) => <Use key={`${row.node_id}:${row.line_number}:${row.column}`} row={row} />} />
            )}
          </Section>
        );
      }}
    </Shown>
  );
}

export function Memories({ memory }: { memory: Loading<MindSearchAnswer> }): JSX.Element {
  const { loaded } = memory;
  if (loaded.state === "failed") {
    const missing = loaded.error instanceof ApiError && (loaded.error.code === "PROJECT_NOT_REGISTERED" || /memory/.test(loaded.error.message));
    return (
      <Section id="memory" title="Memory" count={0}>
        {missing ? (
          <Empty>
            This project has no memory. Create one with <code>m1nd memory init</code>.
          </Empty>
        ) : (
          <Failure error={loaded.error} retry={memory.reload} />
        )}
      </Section>
    );
  }
  return (
    <Shown loading={memory} label="Searching the memory">
      {(answer) => (
        <Section id="memory" title="Memory" count={answer.results.length}>
          {answer.results.length === 0 ? (
            <Empty>Nothing is remembered about it.</Empty>
          ) : (
            <Rows
              rows={answer.results}
              render={(row) => (
                <li key={row.id}>
                  <div class="row">
                    <Tag>{row.type}</Tag>
                    <a href={buildHref("memory", { id: row.id })}>{row.title}</a>
                  </div>
                  <Evidence path={row.source_file} line={row.source_line} />
                </li>
              )}
            />
          )}
        </Section>
      )}
    </Shown>
  );
}
