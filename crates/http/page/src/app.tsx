import type { ComponentType, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ServerHealth } from "./lib/answers";
import { getJson, hasToken } from "./lib/api";
import { listenToConnection, listenToEvents, startEvents } from "./lib/events";
import { getValue, useLoad, type Loading } from "./lib/hooks";
import { buildHref, usePlace, VIEWS, type Place, type ViewName } from "./lib/router";
import { setTheme, useTheme, type Theme } from "./lib/theme";
import { formatNumber } from "./lib/text";
import { SearchBox } from "./parts/search";
import { Busy, Empty, Failure } from "./parts/states";

export interface ViewProps {
  params: URLSearchParams;
  theme: Theme;
}

const TITLES: Record<ViewName, string> = {
  map: "Map",
  place: "Place",
  change: "Change",
  memory: "Memory",
  health: "Health",
  way: "Way",
};

const LOADERS: Record<ViewName, () => Promise<{ default: ComponentType<ViewProps> }>> = {
  map: () => import("./views/map"),
  place: () => import("./views/place"),
  change: () => import("./views/change"),
  memory: () => import("./views/memory"),
  health: () => import("./views/health"),
  way: () => import("./views/way"),
};

/** How often the state of the server is asked for while it indexes, and otherwise. */
const POLL_INDEXING_MS = 1_000;
const POLL_MS = 30_000;

function useServerHealth(): Loading<ServerHealth> {
  const health = useLoad<ServerHealth>("health", (signal) => getJson("/api/health", signal));
  const indexing = getValue(health.loaded)?.status === "indexing";
  useEffect(() => {
    const timer = setInterval(health.reload, indexing ? POLL_INDEXING_MS : POLL_MS);
    return () => clearInterval(timer);
  }, [indexing, health.reload]);
  useEffect(() => listenToEvents((event) => ["graph_changed", "lost"].includes(event.name) && health.reload()), [health.reload]);
  return health;
}

interface Progress {
  done: number;
  total: number;
  stage: string;
}

/** How far an ingest is, by events or by the state of the server. */
function useProgress(health: ServerHealth | undefined): Progress | undefined {
  const [progress, setProgress] = useState<Progress>();
  useEffect(
    () =>
      listenToEvents((event) => {
        if (event.name === "graph_changed") setProgress(undefined);
        if (event.name !== "ingest") return;
        const { done, total, stage } = event.data as unknown as Progress;
        setProgress(stage === "done" || (total > 0 && done >= total) ? undefined : { done, total, stage });
      }),
    [],
  );
  return progress ?? (health?.status === "indexing" ? (health.progress ?? { done: 0, total: 0, stage: "indexing" }) : undefined);
}

function ProgressBar({ progress }: { progress: Progress }): JSX.Element {
  const known = progress.total > 0;
  return (
    <div class="ingest" role="status">
      <label for="ingest-progress">
        Indexing: {progress.stage}
        {known && `, ${formatNumber(progress.done)} of ${formatNumber(progress.total)}`}
      </label>
      <progress id="ingest-progress" max={known ? progress.total : undefined} value={known ? progress.done : undefined} />
    </div>
  );
}

function Nav({ current }: { current: ViewName | undefined }): JSX.Element {
  return (
    <nav aria-label="Views">
      <ul>
        {VIEWS.map((view) => (
          <li key={view}>
            <a href={buildHref(view)} aria-current={view === current ? "page" : undefined}>
              {TITLES[view]}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ThemeButton({ theme }: { theme: Theme }): JSX.Element {
  const other = theme === "dark" ? "light" : "dark";
  return (
    <button type="button" class="theme" onClick={() => setTheme(other)} aria-label={`Switch to ${other} colours`}>
      <span aria-hidden="true">{theme === "dark" ? "☀" : "☾"}</span>
    </button>
  );
}

function Header({ view, theme, health }: { view: ViewName | undefined; theme: Theme; health: ServerHealth | undefined }): JSX.Element {
  const [connected, setConnected] = useState(true);
  useEffect(() => listenToConnection(setConnected), []);
  const name = health?.root?.split(/[/\\]/).filter(Boolean).pop();
  return (
    <header>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <a class="brand" href="/map" title={health?.root}>
        <strong>m1nd</strong> {name && <span class="project">{name}</span>}
      </a>
      <Nav current={view} />
      <SearchBox />
      <span class={`live ${connected ? "on" : "off"}`} title={connected ? "Connected: changes appear as they happen" : "Not connected"}>
        <span class="sr-only">{connected ? "Connected" : "Not connected"}</span>
      </span>
      <ThemeButton theme={theme} />
    </header>
  );
}

function View({ place, theme }: { place: Place; theme: Theme }): JSX.Element {
  const name = place.view;
  const [views, setViews] = useState<Partial<Record<ViewName, ComponentType<ViewProps>>>>({});
  const [failed, setFailed] = useState<Error>();
  const loaded = name ? views[name] : undefined;
  useEffect(() => {
    if (!name || loaded) return;
    LOADERS[name]().then(
      (module) => setViews((old) => ({ ...old, [name]: module.default })),
      (error: unknown) => setFailed(error instanceof Error ? error : new Error(String(error))),
    );
  }, [name, loaded]);
  if (!name) {
    return (
      <Empty>
        There is no view at <code>{location.pathname}</code>. Go to the <a href="/map">map</a>.
      </Empty>
    );
  }
  if (failed) return <Failure error={failed} />;
  if (!loaded) return <Busy />;
  const Loaded = loaded;
  return <Loaded params={place.params} theme={theme} />;
}

function NoToken(): JSX.Element {
  return (
    <div class="welcome">
      <h1>m1nd</h1>
      <p>This address holds no token, so the server will not answer.</p>
      <p>
        Run <code>m1nd open</code> in the project: it opens this page with its token. A shared address works in a tab that
        was opened this way.
      </p>
    </div>
  );
}

function NothingIndexed({ health }: { health: ServerHealth }): JSX.Element {
  return (
    <div class="welcome">
      <h1>Nothing is indexed yet</h1>
      <p>
        Run <code>m1nd ingest</code>
        {health.root && (
          <>
            {" "}
            in <code>{health.root}</code>
          </>
        )}
        . This page shows the code as soon as it is indexed.
      </p>
    </div>
  );
}

export function App(): JSX.Element {
  const place = usePlace();
  const theme = useTheme();
  const main = useRef<HTMLElement>(null);
  const authorized = hasToken();
  const health = useServerHealth();
  const last = useRef<ServerHealth | undefined>(undefined);
  const known = getValue(health.loaded) ?? last.current;
  last.current = known;
  const progress = useProgress(known);
  const failure = health.loaded.state === "failed" ? health.loaded.error : undefined;
  const first = useRef(true);

  useEffect(() => {
    if (authorized) startEvents();
  }, [authorized]);
  useEffect(() => {
    document.title = place.view ? `${TITLES[place.view]} · m1nd` : "m1nd";
    if (first.current) first.current = false;
    else main.current?.focus();
  }, [place.view]);

  return (
    <>
      <Header view={place.view} theme={theme} health={known} />
      {progress && <ProgressBar progress={progress} />}
      {failure && known && <Failure error={failure} retry={health.reload} />}
      <main id="main" ref={main} tabIndex={-1} class={`view view-${place.view ?? "none"}`}>
        {!authorized ? (
          <NoToken />
        ) : failure && !known ? (
          <Failure error={failure} retry={health.reload} />
        ) : known?.status === "empty" ? (
          <NothingIndexed health={known} />
        ) : (
          <View place={place} theme={theme} />
        )}
      </main>
    </>
  );
}
