import { useEffect, useState } from "preact/hooks";
import { useMedia } from "./hooks";

export type Theme = "dark" | "light";
type Choice = Theme | "system";

const KEY = "m1nd-theme";
const listeners = new Set<() => void>();

function readChoice(): Choice {
  const value = localStorage.getItem(KEY);
  return value === "dark" || value === "light" ? value : "system";
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  for (const listener of listeners) listener();
}

/** The theme in use: what was chosen, or what the system prefers. */
export function useTheme(): Theme {
  const prefersLight = useMedia("(prefers-color-scheme: light)");
  const [choice, setChoice] = useState(readChoice);
  useEffect(() => {
    const update = (): void => setChoice(readChoice());
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  const theme = choice === "system" ? (prefersLight ? "light" : "dark") : choice;
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  return theme;
}
