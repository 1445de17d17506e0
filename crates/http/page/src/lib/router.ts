// Addresses of views: a path and parameters, without the token.
import { useEffect, useState } from "preact/hooks";

export const VIEWS = ["map", "place", "change", "memory", "health", "way"] as const;
export type ViewName = (typeof VIEWS)[number];

export interface Place {
  view: ViewName | undefined;
  params: URLSearchParams;
}

const listeners = new Set<() => void>();

export function readPlace(): Place {
  const name = location.pathname.replace(/^\/+|\/+$/g, "");
  const view = name === "" ? "map" : VIEWS.find((v) => v === name);
  return { view, params: new URLSearchParams(location.search) };
}

export function buildHref(view: ViewName, params: Record<string, string | readonly string[] | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || value === "") continue;
    if (typeof value === "string") search.set(name, value);
    else for (const v of value) search.append(name, v);
  }
  const text = search.toString();
  return `/${view}${text ? `?${text}` : ""}`;
}

export function navigate(href: string, replace = false): void {
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  for (const listener of listeners) listener();
}

/** Follows links of the page without loading it again. */
export function interceptLinks(): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a[href]");
    const href = link?.getAttribute("href");
    if (!href?.startsWith("/") || href.startsWith("//") || link?.hasAttribute("target")) return;
    event.preventDefault();
    navigate(href);
  });
}

export function usePlace(): Place {
  const [place, setPlace] = useState(readPlace);
  useEffect(() => {
    const update = (): void => setPlace(readPlace());
    listeners.add(update);
    addEventListener("popstate", update);
    return () => {
      listeners.delete(update);
      removeEventListener("popstate", update);
    };
  }, []);
  return place;
}
