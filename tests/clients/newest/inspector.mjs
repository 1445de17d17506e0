// Uses a running server with the command line of the MCP Inspector: tools with portable schemas, a call, resources, prompts, a
// page of MCP Apps, and a wrong token.
//
// Usage: node inspector.mjs URL TOKEN
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Exit status of the Inspector where it may not ask a person to log in. */
const NEEDS_LOGIN = 3;

const [url, token] = process.argv.slice(2);
const program = join(dirname(fileURLToPath(import.meta.url)), 'node_modules/.bin/mcp-inspector');
// The Inspector keeps a catalogue of servers in the home of its user.
const home = mkdtempSync(join(tmpdir(), 'm1nd-inspector-'));

function inspect(method, rest = [], given = token) {
  const args = ['--cli', '--server-url', `${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${given}`, '--method', method, ...rest];
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, HOME: home }, timeout: 60_000, maxBuffer: 64 << 20 });
  return { status, stdout, stderr };
}

function read(method, rest) {
  const { status, stdout, stderr } = inspect(method, rest);
  assert.equal(status, 0, `${method}: ${stdout}${stderr}`);
  return JSON.parse(stdout);
}

try {
  const { tools } = read('tools/list', ['--strict']);
  assert.ok(tools.length > 50);
  const callers = read('tools/call', ['--tool-name', 'callers', '--tool-arg', 'agent_id=inspector', 'node_id=shop/price.py::gross']);
  assert.match(callers.content[0].text, /shop\/order\.py/);
  const failed = inspect('tools/call', ['--tool-name', 'callers', '--tool-arg', 'agent_id=inspector', 'node_id=nothing::here']);
  assert.match(failed.stdout + failed.stderr, /nothing::here/);
  const { resources } = read('resources/list');
  const overview = read('resources/read', ['--uri', resources.find((resource) => resource.name === 'overview').uri]);
  assert.match(overview.contents[0].text, /python/);
  assert.ok(read('prompts/list').prompts.length > 0);
  assert.equal(read('tools/call', ['--tool-name', 'impact', '--advertise-apps', '--app-info']).hasApp, true);
  assert.equal(inspect('tools/list', [], 'wrong').status, NEEDS_LOGIN);
  console.log(`passed  MCP Inspector, ${tools.length} tools`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
