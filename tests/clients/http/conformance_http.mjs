// Runs the scenarios of the official MCP conformance suite that apply to m1nd against a running server, without a bridge.
// The suite has no option for a header, so a proxy adds the token; it passes all other headers on as they are, also `Host` and
// `Origin`, which a scenario tests.
//
// Usage: node conformance_http.mjs URL TOKEN
import { execFile } from 'node:child_process';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Left out: what m1nd does not declare (logging, completion, subscriptions, sampling, elicitation), and what needs tools,
// resources and prompts that only the suite's own example server has.
const SCENARIOS = [
  'server-initialize', 'ping', 'tools-list', 'tools-call-error', 'resources-list', 'prompts-list', 'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const TIMEOUT_MS = 60_000;

const [url, token] = process.argv.slice(2);
const { hostname, port } = new URL(url);

const proxy = createServer((incoming, outgoing) => {
  const { method, url: path, headers } = incoming;
  const passed = { ...headers, authorization: `Bearer ${token}` };
  const toServer = request({ hostname, port, method, path, headers: passed }, (answer) => {
    outgoing.writeHead(answer.statusCode, answer.headers);
    answer.pipe(outgoing);
  });
  toServer.on('error', () => outgoing.destroy());
  outgoing.on('close', () => toServer.destroy());
  incoming.pipe(toServer);
});

function run(scenario, address) {
  const here = dirname(fileURLToPath(import.meta.url));
  const suite = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [suite, 'server', '--url', address, '--scenario', scenario];
  return new Promise((done) => {
    execFile(process.execPath, args, { cwd: process.env.TMPDIR ?? tmpdir(), timeout: TIMEOUT_MS }, (error, out, err) => {
      console.log(`${error ? 'FAILED' : 'passed'}  ${scenario}`);
      if (error) console.log(out, err);
      done(!error);
    });
  });
}

proxy.listen(0, '127.0.0.1', async () => {
  let failed = 0;
  for (const scenario of SCENARIOS) {
    failed += (await run(scenario, `http://localhost:${proxy.address().port}/mcp`)) ? 0 : 1;
  }
  process.exit(failed > 0 ? 1 : 0);
});
