import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

/**
 * The test database on a port of the loopback, for a process whose user may not enter the folder of its socket.
 * @param url of `startTestPostgres`
 */
export async function relayDatabase(url: string): Promise<{ url: string; close(): void }> {
  const { host, port, user, database } = readUrl(url);
  const server = createServer((client) => {
    const upstream = connect(`${host}/.s.PGSQL.${port}`);
    client.pipe(upstream).pipe(client);
    client.on('error', () => upstream.destroy());
    upstream.on('error', () => client.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  return { url: `postgres://${user}@127.0.0.1:${ownPort}/${database}`, close: () => server.close() };
}

function readUrl(url: string): Record<'user' | 'database' | 'host' | 'port', string> {
  const [, user = '', database = '', query = ''] = /^postgres:\/\/([^@]*)@\/([^?]*)\?(.*)$/.exec(url) ?? [];
  const settings = new URLSearchParams(query);
  return { user, database, host: settings.get('host') ?? '', port: settings.get('port') ?? '' };
}
