// A proxy that adds the token to each request, since the conformance suites have no option for a header. It passes all other
// headers on as they are, also `Host` and `Origin`, which a scenario tests.
import { createServer, request } from 'node:http';

export async function startProxy(url, token) {
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
  await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
  const stop = () => {
    proxy.close();
    proxy.closeAllConnections();
  };
  return { url: `http://localhost:${proxy.address().port}`, stop };
}
