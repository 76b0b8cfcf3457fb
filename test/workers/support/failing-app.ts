import type { App } from '../../../src/app.ts';
import type { Queue } from '../../../src/queue/open-queue.ts';

/** Thrown where a test lets the process die. */
export const POWER_CUT = 'power cut';

/**
 * Returns an app in which the first matching statement never reaches the ledger. Its transaction is rolled back, as
 * after a power cut.
 * @param passes how many matching statements get through first
 */
export function cutAtStatement(app: App, sql: RegExp, passes = 0): { app: App; wasCut(): boolean } {
  let seen = 0;
  const cut = (statement: unknown) => {
    if (!sql.test(textOf(statement))) return;
    seen += 1;
    if (seen === passes + 1) throw new Error(POWER_CUT);
  };
  return { app: withStatements(app, cut), wasCut: () => seen > passes };
}

/** Returns an app in which every matching statement first waits for `act`. Not for COPY, which cannot wait. */
export function beforeStatement(app: App, sql: RegExp, act: () => Promise<void> | undefined): App {
  return withStatements(app, (statement) => (sql.test(textOf(statement)) ? act() : undefined));
}

function withStatements(app: App, before: (statement: unknown) => Promise<void> | undefined | void): App {
  const pool = app.ledger.pool;
  const run = (target: { query: unknown }, call: unknown[]): unknown => {
    const go = () => Reflect.apply(target.query as (...call: unknown[]) => unknown, target, call);
    // The caller needs a COPY's stream at once, so nothing waits unless it must.
    return before(call[0])?.then(go) ?? go();
  };
  const watched = replace(pool, {
    query: async (...call: unknown[]) => run(pool, call),
    connect: async () => {
      const client = await pool.connect();
      return replace(client, { query: (...call: unknown[]) => run(client, call) });
    },
  });
  return { ...app, ledger: { ...app.ledger, pool: watched } };
}

/** Returns an app whose intake dies right after its verdict, when it looks up the claim's folder. */
export function cutAfterVerdict(app: App): App {
  let asked = 0;
  return {
    ...app,
    folder: (id) => {
      asked += 1;
      if (asked > 1) throw new Error(POWER_CUT);
      return app.folder(id);
    },
  };
}

/** Returns an app whose first job for this queue is lost with an error. */
export function cutAtJob(app: App, name: Parameters<Queue['add']>[0]): { app: App; wasCut(): boolean } {
  let isCut = false;
  const add: Queue['add'] = async (...call) => {
    if (!isCut && call[0] === name) {
      isCut = true;
      throw new Error(POWER_CUT);
    }
    return app.queue.add(...call);
  };
  return { app: { ...app, queue: { ...app.queue, add } }, wasCut: () => isCut };
}

/** A COPY is a stream that carries its text. */
function textOf(statement: unknown): string {
  if (typeof statement === 'string') return statement;
  return typeof statement === 'object' && statement !== null && 'text' in statement ? String(statement.text) : '';
}

function replace<Target extends object>(target: Target, methods: Record<string, unknown>): Target {
  return new Proxy(target, {
    get(object, name) {
      if (typeof name === 'string' && name in methods) return methods[name];
      const value: unknown = Reflect.get(object, name);
      return typeof value === 'function' ? value.bind(object) : value;
    },
  });
}
