// A chart of commits over time, as an SVG.
import type { JSX } from "preact";

const WIDTH = 600;
const HEIGHT = 110;
const BASE = 92;
/** Months of history from which on bars stand for quarters, and for years. */
const MONTHS_BEFORE_QUARTERS = 60;
const MONTHS_BEFORE_YEARS = 240;
const MAX_TICKS = 6;

export interface Period {
  /** Months since year 0. */
  month: number;
  count: number;
}

/** Numbers of commits by month, quarter or year, by how long the history is. */
export function countByPeriod(dates: readonly string[]): { periods: Period[]; step: number } {
  const months = dates
    .map((d) => new Date(d))
    .filter((d) => !Number.isNaN(d.getTime()))
    .map((d) => d.getUTCFullYear() * 12 + d.getUTCMonth());
  if (months.length === 0) return { periods: [], step: 1 };
  const low = months.reduce((a, b) => Math.min(a, b));
  const high = months.reduce((a, b) => Math.max(a, b));
  const step = high - low > MONTHS_BEFORE_YEARS ? 12 : high - low > MONTHS_BEFORE_QUARTERS ? 3 : 1;
  const start = low - (low % step);
  const periods: Period[] = [];
  for (let month = start; month <= high; month += step) periods.push({ month, count: 0 });
  for (const month of months) {
    const period = periods[Math.floor((month - start) / step)];
    if (period) period.count += 1;
  }
  return { periods, step };
}

const NAMES: Record<number, string> = { 1: "month", 3: "quarter", 12: "year" };

function formatMonth(month: number, step: number): string {
  const year = Math.floor(month / 12);
  return step === 12 ? String(year) : `${year}-${String((month % 12) + 1).padStart(2, "0")}`;
}

export function HistoryChart({ dates }: { dates: readonly string[] }): JSX.Element | null {
  const { periods, step } = countByPeriod(dates);
  if (periods.length === 0) return null;
  const most = periods.reduce((a, p) => Math.max(a, p.count), 1);
  const slot = WIDTH / periods.length;
  const everyTick = Math.ceil(periods.length / MAX_TICKS);
  const label = `Commits by ${NAMES[step] ?? "period"}, at most ${most}, from ${formatMonth(periods[0]?.month ?? 0, step)} to ${formatMonth(periods.at(-1)?.month ?? 0, step)}`;
  return (
    <svg class="chart" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <text x="0" y="11" class="chart-text">
        {most} by {NAMES[step]}
      </text>
      <line x1="0" x2={WIDTH} y1={BASE} y2={BASE} class="chart-line" />
      {periods.map((p, i) => {
        const height = (p.count / most) * (BASE - 18);
        return (
          <g key={p.month}>
            {p.count > 0 && (
              <rect class="chart-bar" x={i * slot + slot * 0.1} width={Math.max(1, Math.min(slot * 0.8, 40))} y={BASE - height} height={height}>
                <title>{`${formatMonth(p.month, step)}: ${p.count}`}</title>
              </rect>
            )}
            {i % everyTick === 0 && (
              <text class="chart-text" x={i * slot} y={HEIGHT - 4}>
                {formatMonth(p.month, step)}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}
