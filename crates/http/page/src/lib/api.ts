// The server's REST face. The token comes in the fragment of the address once, and is kept for this tab only.

const TOKEN_KEY = "m1nd-token";
/** Largest answer of a tool, in bytes, that the page asks for. */
export const LARGEST_ANSWER = 60_000;
/** The name under which the page calls tools. */
export const AGENT = "page";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** Moves the token from the fragment to this tab's storage, so that a shared address does not hold it. */
export function takeToken(): void {
  const match = /(?:^#|&)token=([0-9A-Za-z_-]+)/.exec(location.hash);
  if (!match?.[1]) return;
  sessionStorage.setItem(TOKEN_KEY, match[1]);
  history.replaceState(history.state, "", location.pathname + location.search);
}

export function hasToken(): boolean {
  return sessionStorage.getItem(TOKEN_KEY) !== null;
}

export function buildHeaders(extra: Record<string, string> = {}): Record<string, string> {
  return { authorization: `Bearer ${sessionStorage.getItem(TOKEN_KEY) ?? ""}`, ...extra };
}

/** What a failed answer says; servers send `{error, message}`, the tools `{error, code}`. */
function readError(status: number, body: unknown): ApiError {
  const fields = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const message = [fields["message"], fields["error"]].find((m): m is string => typeof m === "string" && m !== "");
  const code = typeof fields["code"] === "string" ? fields["code"] : String(fields["error"] ?? status);
  return new ApiError(status, code, message ?? `the server answered with status ${status}`);
}

async function request<T>(path: string, init: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(0, "unreachable", "the server does not answer; it may have been stopped");
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw readError(response.status, body);
  return body as T;
}

export function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return request<T>(path, { headers: buildHeaders(), signal: signal ?? null });
}

export function postJson<T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> {
  return request<T>(path, {
    method: "POST",
    headers: buildHeaders({ "content-type": "application/json" }),
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
}

/** Calls a tool, and returns its answer. */
export async function callTool<T>(tool: string, args: Record<string, unknown> = {}, signal?: AbortSignal): Promise<T> {
  const body = { agent_id: AGENT, ...args };
  const answer = await postJson<{ result: T }>(`/api/tools/${encodeURIComponent(tool)}`, body, signal);
  return answer.result;
}
