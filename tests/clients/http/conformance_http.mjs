// Runs the scenarios of the official MCP conformance suite that apply to m1nd against a running server, without a bridge.
//
// Usage: node conformance_http.mjs URL TOKEN
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProxy } from './proxy.mjs';

// Left out: what m1nd does not declare (logging, completion, subscriptions, sampling, elicitation), and what needs tools,
// resources and prompts that only the suite's own example server has.
const SCENARIOS = [
  'server-initialize', 'ping', 'tools-list', 'tools-call-error', 'resources-list', 'prompts-list', 'server-sse-multiple-streams',
  'dns-rebinding-protection',
];
const TIMEOUT_MS = 60_000;

const [url, token] = process.argv.slice(2);
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

const proxy = await startProxy(url, token);
let failed = 0;
for (const scenario of SCENARIOS) {
  failed += (await run(scenario, `${proxy.url}/mcp`)) ? 0 : 1;
}
proxy.stop();
process.exit(failed > 0 ? 1 : 0);
