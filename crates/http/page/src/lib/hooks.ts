import { useCallback, useEffect, useState } from "preact/hooks";
import { callTool } from "./api";
import { listenToEvents } from "./events";

export type Loaded<T> =
  | { state: "idle" }
  | { state: "loading"; before?: T }
  | { state: "failed"; error: Error }
  | { state: "ready"; value: T };

export interface Loading<T> {
  loaded: Loaded<T>;
  reload: () => void;
}

/** Loads a value when `key` changes; `undefined` loads nothing. Keeps the former value while it loads again. */
export function useLoad<T>(key: string | undefined, load: (signal: AbortSignal) => Promise<T>): Loading<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>(key === undefined ? { state: "idle" } : { state: "loading" });
  const [turn, setTurn] = useState(0);
  const [shownKey, setShownKey] = useState(key);
  if (shownKey !== key) {
    setShownKey(key);
    setLoaded(key === undefined ? { state: "idle" } : { state: "loading" });
  }
  useEffect(() => {
    if (key === undefined) return undefined;
    const controller = new AbortController();
    setLoaded((old) => (old.state === "ready" ? { state: "loading", before: old.value } : { state: "loading" }));
    load(controller.signal).then(
      (value) => !controller.signal.aborted && setLoaded({ state: "ready", value }),
      (error: unknown) =>
        !controller.signal.aborted &&
        setLoaded({ state: "failed", error: error instanceof Error ? error : new Error(String(error)) }),
    );
    return () => controller.abort();
    // `load` belongs to `key`: it is the same question as long as the key is.
  }, [key, turn]);
  return { loaded, reload: useCallback(() => setTurn((n) => n + 1), []) };
}

/** Asks a tool, again after each change of the index; `undefined` arguments ask nothing. */
export function useTool<T>(tool: string, args: Record<string, unknown> | undefined): Loading<T> {
  const key = args === undefined ? undefined : `${tool} ${JSON.stringify(args)}`;
  const loading = useLoad<T>(key, (signal) => callTool<T>(tool, args ?? {}, signal));
  useEffect(
    () => listenToEvents((event) => ["graph_changed", "lost"].includes(event.name) && loading.reload()),
    [loading.reload],
  );
  return loading;
}

/** The newest value that is known, also while it loads again. */
export function getValue<T>(loaded: Loaded<T>): T | undefined {
  if (loaded.state === "ready") return loaded.value;
  return loaded.state === "loading" ? loaded.before : undefined;
}

export function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const update = (): void => setMatches(list.matches);
    update();
    list.addEventListener("change", update);
    return () => list.removeEventListener("change", update);
  }, [query]);
  return matches;
}
