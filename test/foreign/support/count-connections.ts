import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/** Gives a sandbox another address, at which the connections of a client are counted. */
export async function countConnections({ port }: { port: number }) {
  let count = 0;
  const server = createServer((client) => {
    count += 1;
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${address.port}`, count: () => count, close: () => server.close() };
}
