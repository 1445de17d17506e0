import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { MapAnswer, MapEdge, MapNode, WitnessStep } from "../../lib/answers";
import { useTool } from "../../lib/hooks";
import { buildHref } from "../../lib/router";
import { formatCount, nameOfId } from "../../lib/text";
import { Evidence, TierTag } from "../../parts/nodes";
import { Empty, Shown } from "../../parts/states";

/** Edges of a node that its card lists. */
const MAX_EDGES = 12;

interface WhyAnswer {
  paths: { edges?: WitnessStep[]; steps?: WitnessStep[] }[];
}

/** What `why` is asked for: ids of folders and packages are paths. */
function nameForTools(id: string): string {
  return id.replace(/^(folder|package)::/, "");
}

function WhyPaths({ source, target }: { source: string; target: string }): JSX.Element {
  const why = useTool<WhyAnswer>("why", { source: nameForTools(source), target: nameForTools(target), max_paths: 1 });
  return (
    <Shown loading={why} label="Finding the evidence">
      {(answer) => {
        const steps = answer.paths[0]?.edges ?? answer.paths[0]?.steps ?? [];
        if (steps.length === 0) return <Empty>No path with evidence was found.</Empty>;
        return (
          <ol class="steps">
            {steps.map((step, i) => (
              <li key={i}>
                {step.from} <em>{step.relation}</em> {step.to} <TierTag tier={step.tier} />
                {step.file_path && step.line !== undefined && <Evidence path={step.file_path} line={step.line} />}
              </li>
            ))}
          </ol>
        );
      }}
    </Shown>
  );
}

function EdgeRow({ edge, self, names, onSelect }: { edge: MapEdge; self: string; names: ReadonlyMap<string, MapNode>; onSelect: (id: string) => void }): JSX.Element {
  const [open, setOpen] = useState(false);
  const other = edge.source === self ? edge.target : edge.source;
  const label = names.get(other)?.label ?? nameOfId(other);
  return (
    <li>
      <div class="row">
        <button type="button" class="link" onClick={() => onSelect(other)}>
          {label}
        </button>
        <span class="kind">
          {edge.count} × {edge.kinds.join(", ")}
        </span>
        <button type="button" class="small" aria-expanded={open} aria-label={`Evidence for ${label}`} onClick={() => setOpen(!open)}>
          Evidence
        </button>
      </div>
      {open && edge.at && <Evidence path={edge.at.file_path} line={edge.at.line} opened />}
      {open && !edge.at && <WhyPaths source={edge.source} target={edge.target} />}
    </li>
  );
}

interface CardProps {
  node: MapNode;
  answer: MapAnswer;
  names: ReadonlyMap<string, MapNode>;
  onOpen: (id: string) => void;
  onSelect: (id: string | undefined) => void;
}

/** What is known about the selected node: what it holds, its edges, and where to go on. */
export function MapCard({ node, answer, names, onOpen, onSelect }: CardProps): JSX.Element {
  const uses = answer.edges.filter((e) => e.source === node.id);
  const usedBy = answer.edges.filter((e) => e.target === node.id);
  const isCode = node.kind === "file" || node.kind === "symbol";
  return (
    <section class="map-card" aria-label={`Selected: ${node.label}`}>
      <div class="card-head">
        <h2>
          {node.label} <span class="kind">{node.kind}</span>
        </h2>
        <button type="button" class="small" onClick={() => onSelect(undefined)} aria-label="Close the details">
          ×
        </button>
      </div>
      <p class="actions">
        {node.children > 0 && (
          <button type="button" onClick={() => onOpen(node.id)}>
            Open {formatCount(node.children, "part")}
          </button>
        )}
        {isCode && <a href={buildHref("place", { id: node.id })}>Show the code</a>}
        {isCode && <a href={buildHref("map", { reveal: node.id, select: node.id, mark: node.id })}>What breaks</a>}
      </p>
      {(
        [
          ["Uses", uses],
          ["Used by", usedBy],
        ] as const
      ).map(([title, edges]) => (
        <div key={title}>
          <h3>
            {title} <span class="count">{edges.length}</span>
          </h3>
          {edges.length === 0 ? (
            <Empty>Nothing on this map.</Empty>
          ) : (
            <ul class="edges">
              {edges.slice(0, MAX_EDGES).map((edge) => (
                <EdgeRow key={`${edge.source} ${edge.target}`} edge={edge} self={node.id} names={names} onSelect={onSelect} />
              ))}
              {edges.length > MAX_EDGES && <li class="rest">and {edges.length - MAX_EDGES} more</li>}
            </ul>
          )}
        </div>
      ))}
    </section>
  );
}
