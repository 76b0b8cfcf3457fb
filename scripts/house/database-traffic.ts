import pg from 'pg';
import { shapeOf, wireReader } from './wire.ts';

/** What one side sent to the database. */
export type Traffic = {
  /** How often each statement ran, by its text without values. */
  readonly statements: Map<string, number>;
  /** Messages that the server answers. */
  messages: number;
  /** COMMIT statements that the server confirmed. */
  commits: number;
  /** Transactions that ended, including messages outside of one. */
  transactions: number;
};

/** Whether the ledger's connections sent it, or the queue's. */
export type Side = 'own' | 'queue';

const QUEUE = 'paydrop-queue';

/**
 * Counts what all connections of node-postgres send that this process opens from now on.
 * @param options.database other databases do not count
 * @param options.except the `application_name` of a connection that does not count
 */
export function watchTraffic({ database, except }: { database: string; except: string }): {
  /** Returns what was sent since the last call. */
  take(): Record<Side, Traffic>;
  /** Returns how long nothing was sent, in ms. */
  quietMs(): number;
} {
  let traffic = noTraffic();
  let lastAt = performance.now();
  const prototype = pg.Connection.prototype as pg.Connection & Events;
  const { connect } = prototype;
  prototype.connect = function connectWatched(...place) {
    let side: Side | undefined;
    const note = (count: (traffic: Traffic) => void) => {
      if (side === undefined) return;
      count(traffic[side]);
      lastAt = performance.now();
    };
    const read = wireReader({
      started: (settings) => (side = sideOf(settings, database, except)),
      executed: (statement) =>
        note(({ statements }) => statements.set(shapeOf(statement), (statements.get(shapeOf(statement)) ?? 0) + 1)),
      asked: () => note((sent) => (sent.messages += 1)),
    });
    connect.apply(this, place);
    // Only now: on connecting, a socket takes back its own `write`.
    const write = this.stream.write.bind(this.stream) as (...given: unknown[]) => boolean;
    this.stream.write = (piece: Uint8Array, ...rest: unknown[]) => {
      read(piece);
      return write(piece, ...rest);
    };
    this.on('commandComplete', ({ text }) => note((sent) => (sent.commits += text === 'COMMIT' ? 1 : 0)));
    this.on('readyForQuery', ({ status }) => note((sent) => (sent.transactions += status === 'I' ? 1 : 0)));
  };
  return {
    take: () => {
      const taken = traffic;
      traffic = noTraffic();
      return taken;
    },
    quietMs: () => performance.now() - lastAt,
  };
}

/** Parts of node-postgres's connection that its types leave out (see its lib/connection.js). */
type Events = {
  connect(...place: unknown[]): void;
  on(event: 'commandComplete', listener: (message: { text: string }) => void): void;
  on(event: 'readyForQuery', listener: (message: { status: string }) => void): void;
};

function sideOf(settings: ReadonlyMap<string, string>, database: string, except: string): Side | undefined {
  const name = settings.get('application_name');
  if (settings.get('database') !== database || name === except) return undefined;
  return name === QUEUE ? 'queue' : 'own';
}

function noTraffic(): Record<Side, Traffic> {
  const empty = (): Traffic => ({ statements: new Map(), messages: 0, commits: 0, transactions: 0 });
  return { own: empty(), queue: empty() };
}

/**
 * Leaves out what is sent anyway.
 * @param share how long the traffic took, compared with the idle time
 */
export function trafficWithout(idle: Traffic, traffic: Traffic, share: number): Traffic {
  const less = (count: number, idleCount: number) => Math.max(0, count - idleCount * share);
  const statements = [...traffic.statements].map(
    ([text, count]) => [text, less(count, idle.statements.get(text) ?? 0)] as const,
  );
  return {
    statements: new Map(statements.filter(([, count]) => count > 0)),
    messages: less(traffic.messages, idle.messages),
    commits: less(traffic.commits, idle.commits),
    transactions: less(traffic.transactions, idle.transactions),
  };
}
