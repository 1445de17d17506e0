// Drives the built `m1nd` with the official TypeScript MCP client, as an agent's host would.
//
// Usage: node smoke.mjs PATH/TO/m1nd
// Exits with 1 and says what is wrong at the first difference.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const AGENT = { agent_id: "typescript-smoke" };
const FIXTURE = {
  "src/price.ts": "export function net(value: number): number {\n  return value * 2;\n}\n",
  "src/order.ts": 'import { net } from "./price";\n\nexport class Order {\n  total(): number {\n    return net(3);\n  }\n}\n',
  "README.md": "# Shop\n",
};

const folder = mkdtempSync(join(tmpdir(), "m1nd-smoke-"));
const repository = join(folder, "shop");
for (const [path, text] of Object.entries(FIXTURE)) {
  mkdirSync(dirname(join(repository, path)), { recursive: true });
  writeFileSync(join(repository, path), text);
}

const transport = new StdioClientTransport({
  command: resolve(process.argv[2]),
  args: ["serve", "--stdio", "--root", repository],
  env: { ...process.env, M1ND_HOME: join(folder, "home") },
});
const client = new Client({ name: "typescript-smoke", version: "0" });

async function call(name, args, options) {
  const result = await client.callTool({ name, arguments: { ...AGENT, ...args } }, undefined, options);
  const answer = JSON.parse(result.content[0].text);
  if (result.structuredContent !== undefined) {
    assert.deepEqual(result.structuredContent, answer, "text and structure are the same");
  }
  return { answer, isError: result.isError === true };
}

try {
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, "m1nd-mcp");
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  const overview = await call("help", { format: "json", max_output_chars: 100_000 });
  assert.deepEqual(names, overview.answer.details.map((tool) => tool.name), "every tool is listed");
  assert.ok(names.length > 0);
  let notices = 0;
  const ingested = await call("ingest", { path: "." }, { onprogress: () => (notices += 1) });
  assert.equal(ingested.isError, false, JSON.stringify(ingested.answer));
  const impact = await call("impact", { node_id: "file::src/price.ts::fn::net" });
  assert.match(JSON.stringify(impact.answer), /file::src\/order\.ts::class::Order::fn::total/);
  const why = await call("why", { source: "file::src/order.ts::class::Order", target: "file::src/price.ts::fn::net" });
  assert.equal(why.isError, false, JSON.stringify(why.answer));
  const bad = await call("seek", { query: true });
  assert.equal(bad.isError, true);
  assert.equal(bad.answer.code, "invalid_params");
  const unknown = await call("no_such_tool", {});
  assert.equal(unknown.answer.code, "unknown_tool");
  await client.ping();

  const stop = new AbortController();
  const cancelled = call("ingest", { path: "." }, { signal: stop.signal });
  stop.abort("enough");
  await assert.rejects(cancelled);
  assert.equal((await call("health", {})).isError, false);
  console.log(`all fine (${notices} progress notices)`);
} finally {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
}
