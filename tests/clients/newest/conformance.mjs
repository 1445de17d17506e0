// Runs the checks that the newest revision of the specification requires of a server (2026-07-28), with the official suite,
// against a running server. Each failure has to be in `expected-failures.json`, with the reason; one that no longer fails has
// to leave it. The extension `tasks` is not declared by m1nd, and its checks are left out.
//
// Usage: node conformance.mjs URL TOKEN
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProxy } from './proxy.mjs';

const REVISION = '2026-07-28';
const EXTENSION = 'tasks-';

const [url, token] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
const results = mkdtempSync(join(tmpdir(), 'm1nd-conformance-'));
const proxy = await startProxy(url, token);
try {
  const suite = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const args = [suite, 'server', '--url', `${proxy.url}/mcp`, '--requirements', REVISION, '--output-dir', results];
  let output = '';
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += data));
  await new Promise((done) => child.on('close', done));
  const { passed, failed } = readResults();
  if (passed === 0) throw new Error(`the suite did not run:\n${output}`);
  const expected = new Set(JSON.parse(readFileSync(join(here, 'expected-failures.json'), 'utf8')).flatMap((group) => group.checks));
  const problems = [
    ...[...failed].filter(([check]) => !expected.has(check)).map(([check, why]) => `FAILED  ${check}: ${why}`),
    ...[...expected].filter((check) => !failed.has(check)).map((check) => `no longer fails: take ${check} out of expected-failures.json`),
  ];
  problems.forEach((problem) => console.log(problem));
  console.log(`${problems.length ? 'FAILED' : 'passed'}  conformance ${REVISION}: ${passed} checks passed, ${failed.size} failed, ${expected.size} of them expected`);
  process.exitCode = problems.length ? 1 : 0;
} finally {
  proxy.stop();
  rmSync(results, { recursive: true, force: true });
}

/** Counts passed checks, and gives failed ones by `scenario: check`. */
function readResults() {
  let passed = 0;
  const failed = new Map();
  for (const folder of readdirSync(results)) {
    const scenario = folder.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    if (scenario.startsWith(EXTENSION)) continue;
    for (const check of JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8'))) {
      if (check.status === 'FAILURE') failed.set(`${scenario}: ${check.id}`, check.errorMessage);
      if (check.status === 'SUCCESS') passed += 1;
    }
  }
  return { passed, failed };
}
