// What a change may have broken: references to what was removed, and documents.
import type { JSX } from "preact";
import { callTool, LARGEST_ANSWER } from "../../lib/api";
import { useLoad } from "../../lib/hooks";
import { buildHref } from "../../lib/router";
import { formatCount, formatWords, nameOfId } from "../../lib/text";
import { Evidence, NodeLink } from "../../parts/nodes";
import { Empty, Rest, Section, Shown, Tag } from "../../parts/states";
import { Rows } from "../place_parts/around";
import type { DifferentialAnswer, DriftAnswer, GlobAnswer, SearchAnswer } from "./answers";

/** Removed names that are searched for, and places of each that are listed. */
const MAX_NAMES = 12;
const MAX_PLACES = 10;
/** Documents that are checked. */
const MAX_DOCUMENTS = 16;
/** Shortest name that is worth a search. */
const SHORTEST_NAME = 3;

interface StillNamed {
  id: string;
  name: string;
  total: number;
  matches: SearchAnswer["matches"];
}

/** The names of removed symbols that nothing new defines. */
function listRemovedNames(answer: DifferentialAnswer): { id: string; name: string }[] {
  const added = new Set(answer.new_nodes.map(nameOfId));
  const names = new Map<string, string>();
  for (const id of answer.removed_nodes) {
    const name = nameOfId(id).split("/").pop() ?? "";
    if (name.length >= SHORTEST_NAME && !added.has(name) && !names.has(name)) names.set(name, id);
  }
  return [...names].map(([name, id]) => ({ id, name }));
}

async function findNames(names: readonly { id: string; name: string }[], signal: AbortSignal): Promise<StillNamed[]> {
  const answers = await Promise.all(
    names.map(async ({ id, name }) => {
      const answer = await callTool<SearchAnswer>("search", { query: name, word: true, case_sensitive: true, context_lines: 0, top_k: MAX_PLACES }, signal);
      return { id, name, total: answer.total_matches, matches: answer.matches };
    }),
  );
  return answers.filter((a) => a.total > 0);
}

/** Lines that still name what was removed. */
export function BrokenReferences({ answer }: { answer: DifferentialAnswer }): JSX.Element {
  const removed = listRemovedNames(answer);
  const searched = removed.slice(0, MAX_NAMES);
  const found = useLoad<StillNamed[]>(`names ${searched.map((n) => n.id).join(" ")}`, (signal) => findNames(searched, signal));
  return (
    <Shown loading={found} label="Searching for removed names">
      {(rows) => (
        <Section id="broken" title="Names of removed code" count={rows.length}>
          {rows.length === 0 ? (
            <Empty>{removed.length === 0 ? "Nothing was removed." : `None of ${formatCount(searched.length, "removed name")} is still named.`}</Empty>
          ) : (
            <Rows
              rows={rows}
              render={(row) => (
                <li key={row.id}>
                  <div class="row">
                    <strong>{row.name}</strong> <Tag tone="bad">still named</Tag> <span class="kind">{formatCount(row.total, "line")}</span>
                  </div>
                  {row.matches.map((m, i) => (
                    <Evidence key={i} path={m.file_path} line={m.line_number} text={m.line_content} />
                  ))}
                </li>
              )}
            />
          )}
          <p class="rest">Another symbol may have the same name: look at the line.</p>
          <Rest shown={searched.length} of={removed.length} what="removed names were searched; only these" />
        </Section>
      )}
    </Shown>
  );
}

interface DocumentFindings {
  path: string;
  findings: DriftAnswer["findings"];
  error?: string;
}

async function checkDocuments(signal: AbortSignal): Promise<{ total: number; rows: DocumentFindings[] }> {
  const lists = await Promise.all(
    ["*.md", "*.rst", "*.adoc"].map((pattern) => callTool<GlobAnswer>("glob", { pattern, top_k: 100, max_output_chars: LARGEST_ANSWER }, signal)),
  );
  const paths = lists.flatMap((l) => l.files ?? []).map((f) => (typeof f === "string" ? f : (f.file_path ?? f.path ?? ""))).filter(Boolean);
  paths.sort((a, b) => a.split("/").length - b.split("/").length || a.localeCompare(b));
  const rows = await Promise.all(
    paths.slice(0, MAX_DOCUMENTS).map(async (path): Promise<DocumentFindings> => {
      try {
        return { path, findings: (await callTool<DriftAnswer>("document_drift", { path, top_k: 50 }, signal)).findings };
      } catch (error) {
        if (signal.aborted) throw error;
        return { path, findings: [], error: error instanceof Error ? error.message : String(error) };
      }
    }),
  );
  return { total: paths.length, rows };
}

/** What documents say about code that is not so. */
export function DocumentDrift(): JSX.Element {
  const checked = useLoad("documents", checkDocuments);
  return (
    <Shown loading={checked} label="Checking documents">
      {({ total, rows }) => {
        const wrong = rows.filter((r) => r.findings.length > 0 || r.error);
        const count = rows.reduce((sum, r) => sum + r.findings.length, 0);
        return (
          <Section id="drift" title="Documents that disagree" count={count}>
            {wrong.length === 0 ? (
              <Empty>{total === 0 ? "The index holds no document." : `No finding in ${formatCount(rows.length, "document")}.`}</Empty>
            ) : (
              <Rows
                rows={wrong}
                render={(row) => (
                  <li key={row.path}>
                    <NodeLink id={row.path} label={row.path} />
                    {row.error && <p class="kind">could not be checked: {row.error}</p>}
                    {row.findings.map((f, i) => (
                      <div key={i}>
                        <Tag tone="warn">{formatWords(f.class)}</Tag> {f.message}
                        {f.target_node_id && (
                          <>
                            {" "}
                            <a href={buildHref("place", { id: f.target_node_id })}>the code</a>
                          </>
                        )}
                        <Evidence path={row.path} line={f.line} />
                      </div>
                    ))}
                  </li>
                )}
              />
            )}
            <Rest shown={rows.length} of={total} what="documents were checked; only these" />
          </Section>
        );
      }}
    </Shown>
  );
}
