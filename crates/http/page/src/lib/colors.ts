// Colours of the map. Categories take colours in order of how many nodes they have; the last stands for the rest.
import type { MapNode } from "./answers";
import type { Theme } from "./theme";

export const COLOR_MODES = ["layer", "language", "churn", "risk", "tier"] as const;
export type ColorMode = (typeof COLOR_MODES)[number];

const CATEGORIES: Record<Theme, readonly string[]> = {
  dark: ["#6ea8fe", "#f2a65a", "#5fd0a5", "#e58ac4", "#d9d05f", "#a58bf0", "#ef7d7d", "#63c7dd"],
  light: ["#2f5fd0", "#c2610c", "#12805a", "#a83c84", "#7a6c00", "#6a45c9", "#c0392b", "#0f7590"],
};
const OTHER: Record<Theme, string> = { dark: "#8b93a3", light: "#79808f" };
const TIERS: Record<Theme, Record<string, string>> = {
  dark: { certain: "#5fd0a5", possible: "#f2a65a", unresolved: "#ef7d7d", external: "#8b93a3" },
  light: { certain: "#12805a", possible: "#c2610c", unresolved: "#c0392b", external: "#79808f" },
};
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
  numeric: boolean;
  colorOf: (node: Pick<MapNode, "color_value">) => string;
}

function buildNumericScale(nodes: readonly MapNode[], theme: Theme): ColorScale {
  const values = nodes.map((n) => n.color_value).filter((v): v is number => typeof v === "number");
  const highest = Math.max(...values, 0);
  const scale = highest > 0 ? highest : 1;
  const show = (share: number): string => {
    const value = share * highest;
    return highest > 1.5 ? String(Math.round(value)) : value.toFixed(2);
  };
  const rows = [0, 1 / 3, 2 / 3, 1].map((share, i) => ({
    label: i === 0 ? `${show(share)} (lowest)` : i === 3 ? `${show(share)} (highest)` : show(share),
    color: mixRamp(share, theme),
  }));
  const unknown = nodes.length - values.length;
  if (unknown > 0) rows.push({ label: "unknown", color: OTHER[theme] });
  return {
    rows,
    numeric: true,
    colorOf: (node) => (typeof node.color_value === "number" ? mixRamp(node.color_value / scale, theme) : OTHER[theme]),
  };
}

/** The colours of these nodes, and what they mean. */
export function buildScale(nodes: readonly MapNode[], mode: ColorMode, theme: Theme): ColorScale {
  if (mode === "churn" || mode === "risk") return buildNumericScale(nodes, theme);
  const counts = new Map<string, number>();
  for (const node of nodes) {
    const value = node.color_value;
    if (value !== undefined && value !== null && value !== "") counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  }
  const sorted = [...counts].sort((a, b) => (mode === "layer" ? a[0].localeCompare(b[0], "en", { numeric: true }) : b[1] - a[1]));
  const palette = CATEGORIES[theme];
  const colors = new Map<string, string>();
  const rows: LegendRow[] = [];
  let others = 0;
  sorted.forEach(([label, count], i) => {
    const color = (mode === "tier" ? TIERS[theme][label] : undefined) ?? (i < palette.length ? palette[i] : undefined);
    if (color) {
      colors.set(label, color);
      rows.push({ label, color, count });
    } else others += count;
  });
  const unknown = nodes.length - [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (others > 0) rows.push({ label: "others", color: OTHER[theme], count: others });
  if (unknown > 0) rows.push({ label: "unknown", color: OTHER[theme], count: unknown });
  return { rows, numeric: false, colorOf: (node) => colors.get(String(node.color_value)) ?? OTHER[theme] };
}
