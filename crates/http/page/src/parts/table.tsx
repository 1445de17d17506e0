import type { ComponentChildren, JSX } from "preact";

export interface Column<T> {
  name: string;
  number?: boolean;
  cell: (row: T) => ComponentChildren;
}

/** A table that scrolls in its frame where the page is narrow. */
export function Table<T>({ caption, rows, columns }: { caption: string; rows: readonly T[]; columns: readonly Column<T>[] }): JSX.Element {
  return (
    <div class="table-frame" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="sr-only">{caption}</caption>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c.name} scope="col" class={c.number ? "number" : undefined}>
                {c.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, i) => (
            <tr key={i}>
              {columns.map((c) => (
                <td key={c.name} class={c.number ? "number" : undefined}>
                  {c.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A share as a bar; the number beside it says the same. */
export function Meter({ value, label }: { value: number; label: string }): JSX.Element {
  return (
    <svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect class="meter-back" width="100" height="8" rx="2" />
      <rect class="meter-bar" width={Math.min(Math.max(value, 0), 1) * 100} height="8" rx="2" />
    </svg>
  );
}
