// A server for development: the page from dist/, so that the program need not be built again, and everything else from
// a running `m1nd serve --http`. Usage: node dev/server.mjs ADDRESS [PORT]
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
/** Headers that go on to the program. */
const FORWARDED = ["authorization", "content-type", "accept", "last-event-id"];

function sendFile(response, path) {
  const file = join(DIST, normalize(path).replace(/^[/\\]+/, ""));
  const isFile = file.startsWith(DIST) && extname(file) !== "" && existsSync(file);
  if (!isFile && extname(path)) {
    response.writeHead(404).end();
    return;
  }
  const shown = isFile ? file : join(DIST, "index.html");
  response.writeHead(200, {
    "content-type": TYPES[extname(shown)] ?? "application/octet-stream",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
  });
  response.end(readFileSync(shown));
}

async function forward(upstream, request, response) {
  const headers = Object.fromEntries(FORWARDED.filter((h) => request.headers[h]).map((h) => [h, request.headers[h]]));
  const parts = [];
  for await (const part of request) parts.push(part);
  const end = new AbortController();
  response.on("close", () => end.abort());
  const answer = await fetch(upstream + request.url, {
    method: request.method, headers, signal: end.signal, ...(parts.length ? { body: Buffer.concat(parts) } : {}),
  });
  response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
  response.flushHeaders();
  if (answer.body) Readable.fromWeb(answer.body).on("error", () => response.destroy()).pipe(response);
  else response.end();
}

/** Serves the page for the program at `upstream`. */
export function startServer({ upstream, port = 0 }) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    if (!pathname.startsWith("/api/") && pathname !== "/mcp") return sendFile(response, decodeURIComponent(pathname));
    forward(upstream, request, response).catch(() => {
      if (!response.headersSent) response.writeHead(502, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "unreachable", message: `${upstream} does not answer` }));
    });
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = `http://127.0.0.1:${server.address().port}`;
      resolve({ address, stop: () => { server.closeAllConnections(); server.close(); } });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [upstream, port] = process.argv.slice(2);
  const { address } = await startServer({ upstream, port: Number(port ?? "0") });
  console.log(address);
}
