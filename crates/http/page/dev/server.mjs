// A server for development: the built page with its policy, the tools of the real program over one session, and
// a map from its exported rows. Usage: node dev/server.mjs BINARY ROOT [--home HOME] [--port PORT] [--rows N].
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { buildTree, makeRows, selectMap } from "./map.mjs";
import { startTools } from "./mcp.mjs";
import { startMemory } from "./memory.mjs";

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml" };
const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

function readRows(binary, root, home, what) {
  const out = execFileSync(binary, ["export", "--what", what, root], {
    env: { ...process.env, M1ND_HOME: home },
    maxBuffer: 1 << 30,
  });
  return out.toString().split("\n").filter(Boolean).map((line) => JSON.parse(line));
}

async function readBody(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length ? JSON.parse(Buffer.concat(parts).toString()) : {};
}

function sendJson(response, status, value) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}

function sendFile(request, response, path) {
  const relative = normalize(path).replace(/^[/\\]+/, "");
  let file = join(DIST, relative);
  if (!file.startsWith(DIST) || !extname(file) || !existsSync(file)) {
    if (extname(file) && file !== DIST) {
      response.writeHead(404).end();
      return;
    }
    file = join(DIST, "index.html");
  }
  response.writeHead(200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  response.end(readFileSync(file));
}

export function startServer({ binary, root, home, port = 0, rows }) {
  const tools = startTools(binary, root, home);
  const memory = startMemory(binary, root, home);
  const token = randomBytes(16).toString("hex");
  let map;
  const loadMap = () => {
    if (!map) {
      const made = rows ? makeRows(rows) : undefined;
      const nodes = made?.nodes ?? readRows(binary, root, home, "nodes");
      const edges = made?.edges ?? readRows(binary, root, home, "edges").filter((e) => e.relation !== "contains");
      map = { tree: buildTree(nodes), edges };
    }
    return map;
  };
  const streams = new Set();
  let lastEvent = 0;
  const publish = (event, data) => {
    lastEvent += 1;
    for (const s of streams) s.write(`id: ${lastEvent}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const answerApi = async (request, response, url) => {
    if (request.headers.authorization !== `Bearer ${token}`) return sendJson(response, 401, { error: "unauthorized", message: "the token is missing or wrong" });
    if (url.pathname === "/api/health") {
      const { value } = await tools.call("health", {});
      return sendJson(response, 200, {
        status: value.node_count ? "ok" : "empty", root, nodes: value.node_count, edges: value.edge_count,
        generation: value.binding_fingerprint?.graph_generation ?? 1, uptime_secs: value.uptime_seconds, clients: streams.size,
      });
    }
    if (url.pathname === "/api/tools") return sendJson(response, 200, { tools: await tools.list() });
    if (url.pathname.startsWith("/api/tools/")) {
      const tool = url.pathname.slice("/api/tools/".length);
      const args = await readBody(request);
      const { failed, value } = await tools.call(tool, args);
      publish("tool_result", { tool, source: "http", agent_id: args.agent_id ?? "page", success: !failed, at: new Date().toISOString() });
      return failed
        ? sendJson(response, 400, { error: value.code ?? "failed", message: value.error ?? value.message })
        : sendJson(response, 200, { result: value });
    }
    if (url.pathname === "/api/map") {
      const { tree, edges } = loadMap();
      return sendJson(response, 200, selectMap(tree, edges, {
        open: url.searchParams.getAll("open"), reveal: url.searchParams.getAll("reveal"),
        limit: Number(url.searchParams.get("limit") ?? 2000),
        maxEdges: Number(url.searchParams.get("edges") ?? 4000), color: url.searchParams.get("color") ?? "layer",
      }));
    }
    if (url.pathname === "/api/memory") return sendJson(response, 200, await memory.list());
    if (url.pathname === "/api/memory/approve") return sendJson(response, 200, await memory.approve(await readBody(request)));
    if (url.pathname === "/api/memory/forget") return sendJson(response, 200, await memory.forget(await readBody(request)));
    if (url.pathname === "/api/instances") return sendJson(response, 200, { instances: [] });
    if (url.pathname === "/api/events") {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write(": open\n\n");
      streams.add(response);
      request.on("close", () => streams.delete(response));
      return undefined;
    }
    return sendJson(response, 404, { error: "not_found", message: `no such address: ${url.pathname}` });
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://localhost");
    if (!url.pathname.startsWith("/api/")) return sendFile(request, response, decodeURIComponent(url.pathname));
    answerApi(request, response, url).catch((error) => sendJson(response, 500, { error: "internal", message: String(error) }));
  });
  return new Promise((resolve) => {
    server.listen(port, "127.0.0.1", () => {
      const address = `http://127.0.0.1:${server.address().port}`;
      resolve({ address, token, publish, stop: () => { tools.stop(); server.closeAllConnections(); server.close(); } });
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [binary, root, ...rest] = process.argv.slice(2);
  const option = (name, fallback) => (rest.includes(name) ? rest[rest.indexOf(name) + 1] : fallback);
  const { address, token } = await startServer({
    binary, root, home: option("--home", process.env.M1ND_HOME), port: Number(option("--port", "0")),
    rows: Number(option("--rows", "0")),
  });
  console.log(`${address}/#token=${token}`);
}
