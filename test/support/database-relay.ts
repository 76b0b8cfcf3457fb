import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * What happens to a message from a client to the database:
 * - `pass`: it goes through
 * - `lose`: it never arrives, and its connection breaks
 * - `deafen`: it arrives, but the answer is lost with the connection
 * - `keep`: it waits in the network until the relay heals, and so does what follows on its connection
 * - `delay`: it arrives, and the answer waits until the relay heals
 */
export type Fate = 'pass' | 'lose' | 'deafen' | 'keep' | 'delay';

/** A network between a process and the test database, which a test can break. */
export type DatabaseRelay = {
  readonly url: string;
  /**
   * Decides about every message from now on.
   * @param decide gets all messages of the connection's present transaction, the newest at the end
   */
  decide(decide: (said: string) => Fate): void;
  /** Breaks every connection and accepts no new one. */
  cut(): void;
  /** Loses nothing and delivers nothing while it lasts; connections stay open. */
  hang(): void;
  /** Lets everything through again, including what has waited. */
  heal(): void;
  close(): void;
};

/**
 * Relays the test database to a loopback port, for a process whose user may not enter the socket's folder, or whose
 * network must fail.
 * @param url of `startTestPostgres`
 */
export async function relayDatabase(url: string): Promise<DatabaseRelay> {
  const { host, port, user, database } = readUrl(url);
  const lines = new Set<Line>();
  let decide: (said: string) => Fate = () => 'pass';
  let state: 'whole' | 'cut' | 'hung' = 'whole';
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy();
    const line = openLine(
      client,
      connect(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port: Number(port) }),
      (said) => decide(said),
    );
    lines.add(line);
    client.once('close', () => lines.delete(line));
    if (state === 'hung') line.hold();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: ownPort } = server.address() as AddressInfo;
  const breakAll = () => lines.forEach((line) => line.break());
  return {
    url: `postgres://${user}@127.0.0.1:${ownPort}/${database}`,
    decide: (next) => {
      decide = next;
    },
    cut: () => {
      state = 'cut';
      breakAll();
    },
    hang: () => {
      state = 'hung';
      lines.forEach((line) => line.hold());
    },
    heal: () => {
      state = 'whole';
      decide = () => 'pass';
      lines.forEach((line) => line.release());
    },
    close: () => {
      server.close();
      breakAll();
    },
  };
}

type Line = { hold(): void; release(): void; break(): void };

/** One connection: two streams, each of which can be held. */
function openLine(client: Socket, upstream: Socket, decide: (said: string) => Fate): Line {
  const there = stream(upstream);
  const back = stream(client);
  let said = '';
  let isOpen = false;
  const readStatements = readKeptStatements();
  let isDeaf = false;
  const breakOff = () => {
    client.destroy();
    upstream.destroy();
  };
  client.on('data', (chunk: Buffer) => {
    const text = readStatements(chunk.toString('latin1'));
    said = isOpen && !text.includes('BEGIN') ? said + text : text;
    isOpen = (isOpen || text.includes('BEGIN')) && !/COMMIT|ROLLBACK/.test(text);
    const fate = decide(said);
    if (fate === 'lose') return breakOff();
    if (fate === 'deafen') isDeaf = true;
    if (fate === 'delay') back.hold();
    if (fate === 'keep') there.hold();
    there.write(chunk);
  });
  upstream.on('data', (chunk: Buffer) => {
    if (isDeaf) breakOff();
    else back.write(chunk);
  });
  for (const socket of [client, upstream]) {
    socket.on('error', breakOff);
    socket.on('close', breakOff);
  }
  return {
    hold: () => {
      there.hold();
      back.hold();
    },
    release: () => {
      there.release();
      back.release();
    },
    break: breakOff,
  };
}

/** Puts the text of each statement that the server keeps (open-ledger.ts) where a client uses it by name. */
function readKeptStatements(): (sent: string) => string {
  const texts = new Map<string, string>();
  return (sent) => {
    for (const [, name = '', text = ''] of sent.matchAll(/P[^]{4}(kept_\d+)\0([^\0]*)\0/g)) texts.set(name, text);
    return sent.replaceAll(/B[^]{4}\0(kept_\d+)\0/g, (bind, name: string) => `${bind}${texts.get(name)}\0`);
  };
}

/** Writes to a socket, or keeps the data while it is held. */
function stream(socket: Socket): { write(chunk: Buffer): void; hold(): void; release(): void } {
  let held: Buffer[] | undefined;
  return {
    write: (chunk) => void (held ? held.push(chunk) : socket.write(chunk)),
    hold: () => {
      held ??= [];
    },
    release: () => {
      for (const chunk of held ?? []) socket.write(chunk);
      held = undefined;
    },
  };
}

function readUrl(url: string): Record<'user' | 'database' | 'host' | 'port', string> {
  const [, user = '', database = '', query = ''] = /^postgres:\/\/([^@]*)@\/([^?]*)\?(.*)$/.exec(url) ?? [];
  const settings = new URLSearchParams(query);
  return { user, database, host: settings.get('host') ?? '', port: settings.get('port') ?? '' };
}
