import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ViewProps } from "../app";
import type { ImpactAnswer, MapAnswer, MapNode } from "../lib/answers";
import { getJson, LARGEST_ANSWER } from "../lib/api";
import { buildScale, COLOR_MODES, type ColorMode, type ColorScale } from "../lib/colors";
import { listenToEvents } from "../lib/events";
import { getValue, useLoad, useMedia, useTool, type Loading } from "../lib/hooks";
import { buildHref, navigate } from "../lib/router";
import { formatCount, formatNumber, nameOfId } from "../lib/text";
import { Busy, Failure } from "../parts/states";
import MapCanvas from "./map_parts/canvas";
import { MapCard } from "./map_parts/card";
import { MapList, Swatch } from "./map_parts/list";

const MAX_NODES = 2_000;
const MAX_EDGES = 4_000;
const COLOR_NAMES: Record<ColorMode, string> = {
  layer: "Layer",
  language: "Language",
  churn: "Churn",
  risk: "Risk",
  tier: "Resolved references",
};

interface MapState {
  open: string[];
  reveal: string | undefined;
  color: ColorMode;
  selected: string | undefined;
  mark: string | undefined;
}

function readState(params: URLSearchParams): MapState {
  return {
    open: params.getAll("open"),
    reveal: params.get("reveal") ?? undefined,
    color: COLOR_MODES.find((c) => c === params.get("color")) ?? "layer",
    selected: params.get("select") ?? undefined,
    mark: params.get("mark") ?? undefined,
  };
}

function hrefOf(state: MapState): string {
  return buildHref("map", {
    open: state.open,
    reveal: state.reveal,
    color: state.color === "layer" ? undefined : state.color,
    select: state.selected,
    mark: state.mark,
  });
}

function useMap(state: MapState): Loading<MapAnswer> {
  const search = new URLSearchParams({ limit: String(MAX_NODES), edges: String(MAX_EDGES), color: state.color });
  for (const id of state.open) search.append("open", id);
  if (state.reveal) search.append("reveal", state.reveal);
  const path = `/api/map?${search.toString()}`;
  const map = useLoad<MapAnswer>(path, (signal) => getJson(path, signal));
  useEffect(() => listenToEvents((event) => ["graph_changed", "lost"].includes(event.name) && map.reload()), [map.reload]);
  return map;
}

/** The nodes on the map that break with `mark`: each row of its impact, or what holds the row. */
function useMarked(mark: string | undefined, answer: MapAnswer | undefined): ReadonlySet<string> {
  const impact = useTool<ImpactAnswer>("impact", mark === undefined ? undefined : { node_id: mark, max_nodes: 500, max_chains: 0, max_output_chars: LARGEST_ANSWER });
  const rows = getValue(impact.loaded)?.blast_radius;
  return useMemo(() => {
    const shown = new Set<string>();
    if (!rows || !answer) return shown;
    const ids = new Set(answer.nodes.map((n) => n.id));
    for (const row of rows) {
      if (row.side !== "dependent") continue;
      const candidates = [row.node_id, `file::${row.file_path ?? ""}`, ...listFolders(row.file_path ?? "")];
      const found = candidates.find((id) => ids.has(id));
      if (found) shown.add(found);
    }
    return shown;
  }, [rows, answer]);
}

/** The ids of the folders around a path, from the nearest. */
function listFolders(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  const ids: string[] = [];
  for (let n = parts.length; n >= 0; n--) ids.push(`folder::${parts.slice(0, n).join("/") || "."}`, `package::${parts.slice(0, n).join("/") || "."}`);
  return ids;
}

function Legend({ scale, mode, gaps }: { scale: ColorScale; mode: ColorMode; gaps: readonly string[] }): JSX.Element {
  return (
    <details class="legend" open>
      <summary>{COLOR_NAMES[mode]}</summary>
      {scale.rows.length === 0 ? (
        <p>No node has a value.</p>
      ) : (
        <ul>
          {scale.rows.map((row) => (
            <li key={row.label}>
              <Swatch color={row.color} /> {row.label} {row.count !== undefined && <span class="kind">{formatNumber(row.count)}</span>}
            </li>
          ))}
        </ul>
      )}
      {gaps.map((gap) => (
        <p key={gap} class="kind">
          {gap}
        </p>
      ))}
    </details>
  );
}

function Hidden({ answer }: { answer: MapAnswer }): JSX.Element {
  const { nodes, edges } = answer.hidden;
  return (
    <p class="hidden-note" role="status">
      {formatCount(answer.nodes.length, "node")}, {formatCount(answer.edges.length, "bundled edge")}.{" "}
      {nodes + edges === 0 ? "Nothing is hidden." : `Hidden: ${formatCount(nodes, "node")}, ${formatCount(edges, "edge")}.`}
      {(answer.unknown?.length ?? 0) > 0 && ` Not in the index: ${answer.unknown?.map(nameOfId).join(", ")}.`}
    </p>
  );
}

function Path({ open, onClose, names }: { open: string[]; onClose: (id: string) => void; names: ReadonlyMap<string, string> }): JSX.Element | null {
  if (open.length === 0) return null;
  return (
    <ul class="opened" aria-label="Opened">
      {open.map((id) => (
        <li key={id}>
          <button type="button" onClick={() => onClose(id)} aria-label={`Close ${names.get(id) ?? nameOfId(id)}`}>
            {names.get(id) ?? nameOfId(id)} <span aria-hidden="true">×</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Toolbar({ state, update, names, close }: { state: MapState; update: (next: Partial<MapState>) => void; names: ReadonlyMap<string, string>; close: (id: string) => void }): JSX.Element {
  return (
    <div class="toolbar">
      <label>
        Colour by{" "}
        <select value={state.color} onChange={(e) => update({ color: (e.target as HTMLSelectElement).value as ColorMode })}>
          {COLOR_MODES.map((mode) => (
            <option key={mode} value={mode}>
              {COLOR_NAMES[mode]}
            </option>
          ))}
        </select>
      </label>
      {state.mark && (
        <button type="button" onClick={() => update({ mark: undefined })}>
          What breaks with {nameOfId(state.mark)} <span aria-hidden="true">×</span>
          <span class="sr-only">: stop highlighting</span>
        </button>
      )}
      <Path open={state.open} onClose={close} names={names} />
    </div>
  );
}

interface MapBodyProps {
  answer: MapAnswer;
  state: MapState;
  theme: ViewProps["theme"];
  marked: ReadonlySet<string>;
  update: (next: Partial<MapState>) => void;
}

function MapBody({ answer, state, theme, marked, update }: MapBodyProps): JSX.Element {
  const narrow = useMedia("(max-width: 800px)");
  const [asList, setAsList] = useState(false);
  const scale = useMemo(() => buildScale(answer.nodes, state.color, theme, answer.legend), [answer, state.color, theme]);
  const open = useMemo(() => new Set([...state.open, ...(answer.opened ?? []).map((n) => n.id)]), [state.open, answer]);
  const names = useMemo(() => new Map((answer.opened ?? []).map((n) => [n.id, n.label])), [answer]);
  const byId = useMemo(() => new Map<string, MapNode>(answer.nodes.map((n) => [n.id, n])), [answer]);
  const selected = state.selected && byId.has(state.selected) ? state.selected : undefined;

  const openNode = (id: string): void => {
    const node = byId.get(id);
    if (!node) return;
    if (node.children > 0) update({ open: [...open, id], reveal: undefined, selected: undefined });
    else navigate(buildHref("place", { id }));
  };
  const closeNode = (id: string): void => update({ open: [...open].filter((o) => o !== id), reveal: undefined });
  const select = (id: string | undefined): void => update({ selected: id !== undefined && byId.has(id) ? id : undefined });
  const list = <MapList {...{ answer, scale, selected, marked, open }} onSelect={select} onOpen={openNode} onClose={closeNode} />;
  return (
    <>
      <Toolbar state={{ ...state, open: [...open] }} update={update} names={names} close={closeNode} />
      {narrow && (
        <div class="switch" role="group" aria-label="Show as">
          <button type="button" aria-pressed={!asList} onClick={() => setAsList(false)}>
            Picture
          </button>
          <button type="button" aria-pressed={asList} onClick={() => setAsList(true)}>
            List
          </button>
        </div>
      )}
      <div class="map-body">
        {(!narrow || asList) && <aside class="map-side">{list}</aside>}
        {(!narrow || !asList) && (
          <div class="map-picture">
            <MapCanvas
              {...{ answer, scale, theme, selected, marked }}
              label={`Map of ${formatCount(answer.nodes.length, "node")}. Arrows move, plus and minus zoom, 0 shows all, Enter opens the selected node. The list holds the same.`}
              onSelect={select}
              onOpen={openNode}
            />
            <Legend scale={scale} mode={state.color} gaps={answer.legend?.gaps ?? []} />
            <Hidden answer={answer} />
          </div>
        )}
        {selected && byId.get(selected) && <MapCard node={byId.get(selected) as MapNode} answer={answer} names={byId} onOpen={openNode} onSelect={select} />}
      </div>
    </>
  );
}

export default function MapView({ params, theme }: ViewProps): JSX.Element {
  const state = readState(params);
  const map = useMap(state);
  const answer = getValue(map.loaded);
  const marked = useMarked(state.mark, answer);
  const update = (next: Partial<MapState>): void => {
    const after = { ...state, ...next };
    navigate(hrefOf(after), after.open.length === state.open.length && after.color === state.color);
  };
  return (
    <>
      <h1 class="sr-only">Map</h1>
      {answer ? (
        <MapBody {...{ answer, state, theme, marked, update }} />
      ) : map.loaded.state === "failed" ? (
        <Failure error={map.loaded.error} retry={map.reload} />
      ) : (
        <Busy label="Loading the map" />
      )}
    </>
  );
}
