import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { ViewAnswer } from "../lib/answers";
import { useTool } from "../lib/hooks";
import { buildHref } from "../lib/router";
import { splitLines } from "../lib/text";
import { Shown, Tag } from "./states";

interface NodeLinkProps {
  id: string;
  label: string;
  kind?: string | undefined;
}

/** A link to a node's place. */
export function NodeLink({ id, label, kind }: NodeLinkProps): JSX.Element {
  return (
    <a class="node" href={buildHref("place", { id })}>
      {label}
      {kind && <span class="kind"> {kind}</span>}
    </a>
  );
}

/** Lines shown before and after the line of an evidence. */
const CONTEXT_LINES = 3;

function EvidenceLines({ path, line }: { path: string; line: number }): JSX.Element {
  const first = Math.max(1, line - CONTEXT_LINES);
  const view = useTool<ViewAnswer>("view", { file_path: path, offset: first - 1, limit: 2 * CONTEXT_LINES + 1 });
  return (
    <Shown loading={view} label="Reading the lines">
      {(answer) => (
        <ol class="lines" start={answer.line_start} tabIndex={0} aria-label={`Lines of ${path}`}>
          {splitLines(answer.content).map((l) => (
            <li key={l.number} class={l.number === line ? "hit" : undefined} value={l.number}>
              <code>{l.text || " "}</code>
            </li>
          ))}
        </ol>
      )}
    </Shown>
  );
}

interface EvidenceProps {
  path: string;
  line: number;
  /** The line itself, where the answer already holds it. */
  text?: string | undefined;
  /** Whether the lines are shown at once. */
  opened?: boolean;
}

/** The place of an evidence as a button that opens its lines. */
export function Evidence({ path, line, text, opened = false }: EvidenceProps): JSX.Element {
  const [open, setOpen] = useState(opened);
  return (
    <div class="evidence">
      <button type="button" class="evidence-button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span class="where">
          {path}:{line}
        </span>
        {text !== undefined && <code>{text.trim()}</code>}
      </button>
      {open && (
        <div class="evidence-body">
          <EvidenceLines path={path} line={line} />
          <a href={buildHref("place", { id: path, line: String(line) })}>Open the file at line {line}</a>
        </div>
      )}
    </div>
  );
}

const TONES: Record<string, string> = { certain: "good", possible: "warn", unresolved: "bad" };

export function TierTag({ tier }: { tier: string | undefined }): JSX.Element | null {
  return tier ? <Tag tone={TONES[tier] ?? "plain"}>{tier}</Tag> : null;
}
