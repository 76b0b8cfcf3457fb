import type { Pool, PoolClient } from 'pg';
import type { Tap } from './tap.ts';

/**
 * Returns a pool whose statements all go through a tap.
 * @param present returns the pool of the server to which connections are made at the moment
 */
export function tappedPool(present: () => Pool, tap: Tap): Pool {
  const lost = async () => connectionLost();
  const inTurn = oneAtATime();
  return replace(present, {
    query: (...call: unknown[]) =>
      tap.touch(statement(call[0]), () => inTurn(() => apply(present(), call) as Promise<unknown>), lost),
    /** A dead process has no pool any more; code that retries must stop. */
    get ended() {
      return tap.isDead() || present().ended;
    },
    connect: () => tap.touch(CONNECT, async () => tappedClient(await present().connect(), tap), loseClient),
  });
}

/**
 * Returns a runner of one query at a time. Parallel queries would each open a connection and start a server process,
 * which takes most of a short life.
 */
function oneAtATime(): <Result>(go: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (go) => {
    const next = last.then(go);
    last = next.catch(() => undefined);
    return next;
  };
}

async function loseClient(client?: PoolClient): Promise<Error> {
  client?.release(true);
  return connectionLost();
}

const CONNECT = { kind: 'statement', what: 'connect' } as const;

/**
 * Returns a client whose connection stays lost once it is lost. Its transaction is rolled back at once, so that later
 * steps do not depend on how soon the server notices.
 */
function tappedClient(client: PoolClient, tap: Tap): PoolClient {
  let isLost = false;
  const lose = async () => {
    isLost = true;
    await client.query('ROLLBACK').catch(() => undefined);
    return connectionLost();
  };
  const loseAtOnce = () => {
    isLost = true;
    return connectionLost();
  };
  return replace(() => client, {
    query: (...call: unknown[]) => {
      // A COPY is passed as a stream, and its caller needs it back synchronously.
      if (typeof call[0] !== 'string') {
        if (isLost) throw connectionLost();
        return tap.touchAtOnce(statement(call[0]), () => apply(client, call), loseAtOnce);
      }
      if (isLost) return Promise.reject(connectionLost());
      return tap.touch(statement(call[0]), () => apply(client, call) as Promise<unknown>, lose);
    },
    release: (destroys?: boolean) => client.release(destroys === true || isLost),
  });
}

function apply(target: { query: unknown }, call: unknown[]): unknown {
  return Reflect.apply(target.query as (...call: unknown[]) => unknown, target, call);
}

function connectionLost(): Error {
  return new Error('the connection to the database was lost in the simulation');
}

function statement(query: unknown): { kind: 'statement'; what: string } {
  const text = typeof query === 'string' ? query : 'COPY';
  return { kind: 'statement', what: text.replace(/\s+/g, ' ').trim().slice(0, 40) };
}

/** @param members read anew each time, so that one of them may be a getter */
function replace<Target extends object>(target: () => Target, members: Record<string, unknown>): Target {
  return new Proxy(target(), {
    get(_, name) {
      if (typeof name === 'string' && name in members) return members[name];
      const object = target();
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
