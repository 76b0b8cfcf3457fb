import type { Pool, PoolClient } from 'pg';
import type { Tap } from './tap.ts';

/**
 * A pool, every statement of which goes through a tap.
 * @param present the pool to the server to which connections are made at the moment
 */
export function tappedPool(present: () => Pool, tap: Tap): Pool {
  const lost = async () => connectionLost();
  const inTurn = oneAtATime();
  return replace(present, {
    query: (...call: unknown[]) =>
      tap.touch(statement(call[0]), () => inTurn(() => apply(present(), call) as Promise<unknown>), lost),
    /** A dead process has no pool any more; whoever tries again and again must stop. */
    get ended() {
      return tap.isDead() || present().ended;
    },
    connect: () => tap.touch(CONNECT, async () => tappedClient(await present().connect(), tap), loseClient),
  });
}

/**
 * Questions asked side by side would open a connection each, and a server process for each of them, which takes most of
 * the time of a short life.
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
 * A connection that was lost stays lost. What its transaction did is rolled back at once, so that what follows does not
 * depend on how soon the server notices.
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
      // A COPY is given as a stream and is wanted back at once.
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
