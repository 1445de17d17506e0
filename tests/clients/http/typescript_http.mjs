// Uses a running server with the official TypeScript MCP client: handshake, list, call, progress, cancellation, end.
//
// Usage: node typescript_http.mjs URL TOKEN
// Exits with 1 and says what is wrong at the first difference.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [url, token] = process.argv.slice(2);

function connectTo(headers) {
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
  const client = new Client({ name: 'typescript-http', version: '0' });
  return { client, transport, connected: client.connect(transport) };
}

await assert.rejects(connectTo({ Authorization: 'Bearer wrong' }).connected, 'a wrong token is refused');
const { client, transport, connected } = connectTo({ Authorization: `Bearer ${token}` });
await connected;
assert.equal(client.getServerVersion().name, 'm1nd-mcp');
assert.ok(transport.sessionId, 'it has a session');
const { tools } = await client.listTools();
assert.ok(tools.length > 50);
const callers = await client.callTool({ name: 'callers', arguments: { agent_id: 'ts', node_id: 'shop/price.py::gross' } });
assert.ok(callers.content[0].text.includes('shop/order.py'));
const progress = [];
await client.callTool({ name: 'ingest', arguments: { agent_id: 'ts', path: '.' } }, undefined, {
  onprogress: (notice) => progress.push(notice.progress),
});
const stop = new AbortController();
const call = client.callTool({ name: 'seek', arguments: { agent_id: 'ts', query: 'price' } }, undefined, { signal: stop.signal });
stop.abort();
await assert.rejects(call);
await transport.terminateSession();
await client.close();
console.log(`passed  TypeScript client over HTTP, ${tools.length} tools`);
