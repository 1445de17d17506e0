// The map as a list, for the keyboard and for screen readers.
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { MapAnswer, MapNode } from "../../lib/answers";
import type { ColorScale } from "../../lib/colors";
import { formatCount, nameOfId } from "../../lib/text";

/** Rows of one parent that the list shows at first, and adds at a time. */
const ROWS_AT_A_TIME = 60;

interface ListProps {
  answer: MapAnswer;
  scale: ColorScale;
  selected: string | undefined;
  marked: ReadonlySet<string>;
  onSelect: (id: string) => void;
  onOpen: (id: string) => void;
  onClose: (id: string) => void;
  open: ReadonlySet<string>;
}

interface Row {
  id: string;
  label: string;
  kind: string;
  node?: MapNode;
  nested: Row[];
}

/** Puts the nodes below the parents that were opened. */
function buildRows(answer: MapAnswer, open: ReadonlySet<string>): Row[] {
  const rows = new Map<string, Row>();
  const parents = new Map<string, string | undefined>();
  for (const id of open) rows.set(id, { id, label: nameOfId(id), kind: "", nested: [] });
  for (const node of answer.opened ?? []) {
    rows.set(node.id, { id: node.id, label: node.label, kind: node.kind, nested: [] });
    parents.set(node.id, node.parent);
  }
  for (const node of answer.nodes) {
    rows.set(node.id, { id: node.id, label: node.label, kind: node.kind, node, nested: [] });
    parents.set(node.id, node.parent);
  }
  const top: Row[] = [];
  for (const row of rows.values()) {
    const parent = parents.get(row.id);
    const above = parent === undefined ? undefined : rows.get(parent);
    if (above && above !== row) above.nested.push(row);
    else if (row.node || row.nested.length > 0 || parents.has(row.id)) top.push(row);
  }
  return top;
}

function Branch({ rows, props }: { rows: Row[]; props: ListProps }): JSX.Element {
  const [limit, setLimit] = useState(ROWS_AT_A_TIME);
  return (
    <ul>
      {rows.slice(0, limit).map((row) => (
        <Item key={row.id} row={row} props={props} />
      ))}
      {rows.length > limit && (
        <li>
          <button type="button" class="more" onClick={() => setLimit(limit + ROWS_AT_A_TIME)}>
            Show {formatCount(Math.min(ROWS_AT_A_TIME, rows.length - limit), "more row")} of {rows.length - limit}
          </button>
        </li>
      )}
    </ul>
  );
}

function Item({ row, props }: { row: Row; props: ListProps }): JSX.Element {
  const opened = row.node === undefined;
  const canOpen = opened || (row.node?.children ?? 0) > 0;
  const value = row.node?.color_value;
  return (
    <li class={props.marked.has(row.id) ? "marked" : undefined}>
      <div class="item">
        {canOpen ? (
          <button
            type="button"
            class="toggle"
            aria-expanded={opened}
            aria-label={`${opened ? "Close" : "Open"} ${row.label}`}
            onClick={() => (opened ? props.onClose(row.id) : props.onOpen(row.id))}
          >
            <span aria-hidden="true">{opened ? "▾" : "▸"}</span>
          </button>
        ) : (
          <span class="toggle" aria-hidden="true" />
        )}
        <button type="button" class="item-name" aria-pressed={row.id === props.selected} disabled={opened} onClick={() => props.onSelect(row.id)}>
          {row.node && <Swatch color={props.scale.colorOf(row.node)} />}
          <span class="item-label">{row.label}</span>
          <span class="kind">
            {row.kind}
            {row.node && row.node.children > 0 && `, ${row.node.children}`}
            {props.marked.has(row.id) && ", breaks"}
          </span>
          {value !== undefined && value !== null && <span class="sr-only">, {typeof value === "number" ? value.toFixed(2) : value}</span>}
        </button>
      </div>
      {opened && <Branch rows={row.nested} props={props} />}
    </li>
  );
}

/** A square of a colour, as an SVG since the policy forbids inline styles in markup. */
export function Swatch({ color }: { color: string }): JSX.Element {
  return (
    <svg class="swatch" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      <circle cx="5" cy="5" r="5" fill={color} />
    </svg>
  );
}

export function MapList(props: ListProps): JSX.Element {
  const rows = useMemo(() => buildRows(props.answer, props.open), [props.answer, props.open]);
  return (
    <div class="map-list" role="region" aria-label="The map as a list" tabIndex={0}>
      <Branch rows={rows} props={props} />
    </div>
  );
}
