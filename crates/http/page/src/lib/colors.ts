// Colours of the map. Categories take colours in order of how many nodes they have; the last stands for the rest.
import type { MapLegend, MapNode } from "./answers";
import type { Theme } from "./theme";

export const COLOR_MODES = ["layer", "language", "churn", "risk", "tier"] as const;
export type ColorMode = (typeof COLOR_MODES)[number];

const CATEGORIES: Record<Theme, readonly string[]> = {
  dark: ["#6ea8fe", "#f2a65a", "#5fd0a5", "#e58ac4", "#d9d05f", "#a58bf0", "#ef7d7d", "#63c7dd"],
  light: ["#2f5fd0", "#c2610c", "#12805a", "#a83c84", "#7a6c00", "#6a45c9", "#c0392b", "#0f7590"],
};
const OTHER: Record<Theme, string> = { dark: "#8b93a3", light: "#79808f" };
/** From the lowest to the highest value. */
const RAMP: Record<Theme, readonly [number, number, number][]> = {
  dark: [
    [58, 82, 139],
    [94, 155, 160],
    [233, 196, 106],
    [239, 110, 90],
  ],
  light: [
    [150, 178, 222],
    [86, 145, 168],
    [201, 142, 24],
    [186, 48, 32],
  ],
};

function mixRamp(value: number, theme: Theme): string {
  const ramp = RAMP[theme];
  const at = Math.min(Math.max(value, 0), 1) * (ramp.length - 1);
  const low = ramp[Math.floor(at)] ?? [0, 0, 0];
  const high = ramp[Math.ceil(at)] ?? low;
  const part = at - Math.floor(at);
  const mixed = low.map((channel, i) => Math.round(channel + ((high[i] ?? channel) - channel) * part));
  return `rgb(${mixed.join(", ")})`;
}

export interface LegendRow {
  label: string;
  color: string;
  count?: number;
}

export interface ColorScale {
  rows: LegendRow[];
  colorOf: (node: Pick<MapNode, "color_value">) => string;
}

function buildNumericScale(nodes: readonly MapNode[], mode: ColorMode, theme: Theme, legend: MapLegend | undefined): ColorScale {
  const values = nodes.map((n) => n.color_value).filter((v): v is number => typeof v === "number");
  const [low, high] = legend?.range ?? [0, values.reduce((a, b) => Math.max(a, b), 0)];
  const span = high > low ? high - low : 1;
  // Of tiers the high values are the good ones.
  const shareOf = (value: number): number => (mode === "tier" ? 1 - (value - low) / span : (value - low) / span);
  const show = (value: number): string => (mode === "tier" ? `${Math.round(value * 100)} % certain` : high > 1.5 ? String(Math.round(value)) : value.toFixed(2));
  const steps = high > low ? [low, low + span / 3, low + (2 * span) / 3, high] : [high];
  const rows: LegendRow[] = values.length === 0 ? [] : steps.map((value) => ({ label: show(value), color: mixRamp(shareOf(value), theme) }));
  const unknown = nodes.length - values.length;
  if (unknown > 0) rows.push({ label: "unknown", color: OTHER[theme], count: unknown });
  return {
    rows,
    colorOf: (node) => (typeof node.color_value === "number" ? mixRamp(shareOf(node.color_value), theme) : OTHER[theme]),
  };
}

/** The colours of these nodes, and what they mean. */
export function buildScale(nodes: readonly MapNode[], mode: ColorMode, theme: Theme, legend: MapLegend | undefined): ColorScale {
  if (nodes.some((n) => typeof n.color_value === "number")) return buildNumericScale(nodes, mode, theme, legend);
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const value = node.color_value;
    if (typeof value === "string" && value !== "") counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const words = legend?.words ?? [...counts.keys()].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  // A word keeps its colour when nodes are opened: by its place in the legend of the whole answer.
  const colors = new Map<string, string>();
  const rows: LegendRow[] = [];
  let others = 0;
  words.forEach((label, i) => {
    const count = counts.get(label) ?? 0;
    const color = CATEGORIES[theme][i];
    if (color) {
      colors.set(label, color);
      rows.push({ label, color, count });
    } else others += count;
  });
  const unknown = nodes.length - [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (others > 0) rows.push({ label: "others", color: OTHER[theme], count: others });
  if (unknown > 0) rows.push({ label: "unknown", color: OTHER[theme], count: unknown });
  return { rows, colorOf: (node) => colors.get(String(node.color_value)) ?? OTHER[theme] };
}
