export interface Line {
  number: number;
  text: string;
}

/** Splits the numbered lines that `view` answers. */
export function splitLines(content: string): Line[] {
  const lines: Line[] = [];
  for (const raw of content.replace(/\n$/, "").split("\n")) {
    const match = /^\s*(\d+) {0,2}/.exec(raw);
    if (match?.[1]) lines.push({ number: Number(match[1]), text: raw.slice(match[0].length) });
  }
  return lines;
}

const NUMBERS = new Intl.NumberFormat("en");

export function formatNumber(value: number): string {
  return NUMBERS.format(value);
}

export function formatCount(value: number, one: string, many = `${one}s`): string {
  return `${formatNumber(value)} ${value === 1 ? one : many}`;
}

export function formatPercent(value: number | null | undefined): string {
  return value === null || value === undefined ? "unknown" : `${(value * 100).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`;
}

export function formatBytes(bytes: number | null | undefined): string {
  if (bytes === null || bytes === undefined) return "unknown";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return "unknown";
  if (seconds < 60) return `${Math.round(seconds)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}

export function formatTime(ms: number | string | null | undefined): string {
  if (ms === null || ms === undefined || ms === "") return "unknown";
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().slice(0, 16).replace("T", " ");
}

/** The words of an enum value, such as `outside_receiver`. */
export function formatWords(value: string): string {
  return value.replaceAll("_", " ");
}

/** A readable name for a node id without its label. */
export function nameOfId(id: string): string {
  const parts = id.split("::");
  return parts[parts.length - 1] ?? id;
}
