import type { ComponentChildren, JSX } from "preact";
import { ApiError } from "../lib/api";
import { getValue, type Loading } from "../lib/hooks";

export function Busy({ label = "Loading" }: { label?: string }): JSX.Element {
  return (
    <p class="state" role="status">
      <span class="spinner" aria-hidden="true" /> {label} …
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }): JSX.Element {
  return <p class="state empty">{children}</p>;
}

export function Failure({ error, retry }: { error: Error; retry?: () => void }): JSX.Element {
  const status = error instanceof ApiError ? error.status : undefined;
  return (
    <div class="state failure" role="alert">
      <p>
        <strong>{status === 0 ? "No connection" : status === 401 ? "Not signed in" : "Failed"}:</strong> {error.message}
      </p>
      {status === 401 && (
        <p>
          Run <code>m1nd open</code>: it opens this page with its token.
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

interface ShownProps<T> {
  loading: Loading<T>;
  label?: string;
  children: (value: T) => ComponentChildren;
}

/** Shows a loaded value, or that it loads, or why it failed. */
export function Shown<T>({ loading, label, children }: ShownProps<T>): JSX.Element | null {
  const { loaded, reload } = loading;
  const value = getValue(loaded);
  if (value !== undefined) return <div aria-busy={loaded.state === "loading"}>{children(value)}</div>;
  if (loaded.state === "failed") return <Failure error={loaded.error} retry={reload} />;
  if (loaded.state === "loading") return <Busy label={label ?? "Loading"} />;
  return null;
}

interface SectionProps {
  title: string;
  count?: number | string | undefined;
  id: string;
  open?: boolean;
  children: ComponentChildren;
}

/** A part of a view that can be folded. */
export function Section({ title, count, id, open = true, children }: SectionProps): JSX.Element {
  return (
    <details class="section" id={id} open={open}>
      <summary>
        <h2>{title}</h2>
        {count !== undefined && <span class="count">{count}</span>}
      </summary>
      <div class="section-body">{children}</div>
    </details>
  );
}

/** A short word about a row, such as its tier; `tone` only adds colour. */
export function Tag({ children, tone }: { children: ComponentChildren; tone?: string }): JSX.Element {
  return <span class={`tag${tone ? ` tag-${tone}` : ""}`}>{children}</span>;
}

/** Says what an answer left out. */
export function Rest({ shown, of, what }: { shown: number; of: number | undefined; what: string }): JSX.Element | null {
  if (of === undefined || of <= shown) return null;
  return (
    <p class="rest">
      {shown} of {of} {what} are shown.
    </p>
  );
}
