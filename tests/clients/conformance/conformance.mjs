// Runs the scenarios of the official MCP conformance suite that apply to m1nd. The suite speaks HTTP only, so a bridge made
// of the official SDK's transports stands between: each session gets a server process of its own, and messages pass unread.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

// Left out: what m1nd does not declare (logging, completion, subscriptions, sampling, elicitation), what needs tools,
// resources and prompts that only the suite's own example server has, and what tests HTTP.
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'tools-call-error', 'resources-list', 'prompts-list'];
const TIMEOUT_MS = 60_000;

const program = resolve(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), 'm1nd-conformance-'));
writeFileSync(join(folder, 'a.py'), 'def run():\n    return 1\n');
const sessions = new Map();

async function session() {
  const env = { ...process.env, M1ND_HOME: join(folder, '.home') };
  const args = ['serve', '--stdio', '--no-watch', '--root', folder];
  const child = new StdioClientTransport({ command: program, args, env, stderr: 'ignore' });
  const http = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => { sessions.set(id, { http, child }); },
  });
  http.onmessage = (message) => child.send(message);
  child.onmessage = (message) => http.send(message).catch((error) => console.error(`not passed on: ${error.message}`));
  http.onclose = () => child.close();
  await child.start();
  await http.start();
  return { http, child };
}

const server = createServer(async (request, response) => {
  const known = sessions.get(request.headers['mcp-session-id']);
  if (!known && request.method !== 'POST') return response.writeHead(400).end();
  await (known ?? (await session())).http.handleRequest(request, response);
});

function run(scenario, url) {
  const here = dirname(fileURLToPath(import.meta.url));
  const suite = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [suite, 'server', '--url', url, '--scenario', scenario];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: folder, timeout: TIMEOUT_MS }, (error, out, err) => {
      console.log(`${error ? 'FAILED' : 'passed'}  ${scenario}`);
      if (error) console.log(out, err);
      done(!error);
    });
  });
}

server.listen(0, '127.0.0.1', async () => {
  const url = `http://127.0.0.1:${server.address().port}/mcp`;
  let failed = 0;
  for (const scenario of SCENARIOS) failed += (await run(scenario, url)) ? 0 : 1;
  await Promise.all([...sessions.values()].map(({ child }) => child.close()));
  rmSync(folder, { recursive: true, force: true });
  process.exit(failed > 0 ? 1 : 0);
});
