// The stream of events of the server, read with `fetch` since `EventSource` cannot send the token.
import { buildHeaders } from "./api";

export interface ServerEvent {
  id: string;
  name: string;
  data: Record<string, unknown>;
}

type Listener = (event: ServerEvent) => void;

/** How long the page waits before it connects again. */
const RECONNECT_MS = 2_000;
/** Maximum number of past events that a late listener is given. */
const KEPT_EVENTS = 500;

const listeners = new Set<Listener>();
const past: ServerEvent[] = [];
let lastId = "";
let started = false;
let connected = false;
const stateListeners = new Set<(connected: boolean) => void>();

function setConnected(value: boolean): void {
  if (connected === value) return;
  connected = value;
  for (const tell of stateListeners) tell(value);
}

/** Reads one block of `field: value` lines. */
export function parseEvent(block: string): ServerEvent | undefined {
  let id = "";
  let name = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    const at = line.indexOf(":");
    if (at <= 0) continue;
    const value = line.slice(at + 1).replace(/^ /, "");
    const field = line.slice(0, at);
    if (field === "id") id = value;
    else if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  if (data.length === 0) return undefined;
  try {
    const parsed: unknown = JSON.parse(data.join("\n"));
    return { id, name, data: typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : {} };
  } catch {
    return undefined;
  }
}

function publish(event: ServerEvent): void {
  if (event.id) lastId = event.id;
  past.push(event);
  if (past.length > KEPT_EVENTS) past.splice(0, past.length - KEPT_EVENTS);
  for (const listener of listeners) listener(event);
}

async function readStream(): Promise<void> {
  const headers = buildHeaders({ accept: "text/event-stream", ...(lastId ? { "last-event-id": lastId } : {}) });
  const response = await fetch("/api/events", { headers });
  if (!response.ok || !response.body) throw new Error(`status ${response.status}`);
  setConnected(true);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest = (rest + value).replace(/\r\n?/g, "\n");
    for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
      const event = parseEvent(rest.slice(0, end));
      rest = rest.slice(end + 2);
      if (event) publish(event);
    }
  }
}

async function keepReading(): Promise<void> {
  for (;;) {
    await readStream().catch(() => undefined);
    setConnected(false);
    await new Promise((resolve) => setTimeout(resolve, RECONNECT_MS));
  }
}

/** Connects, once. */
export function startEvents(): void {
  if (started) return;
  started = true;
  void keepReading();
}

/** Calls `listener` with each event from now on, and returns what ends that. */
export function listenToEvents(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function listPastEvents(): readonly ServerEvent[] {
  return past;
}

export function listenToConnection(listener: (connected: boolean) => void): () => void {
  stateListeners.add(listener);
  listener(connected);
  return () => stateListeners.delete(listener);
}
