import pg, { type Connection, type PoolClient, type QueryResult, type Submittable } from 'pg';

/** What can be asked inside of a transaction. */
export type Asked = Pick<PoolClient, 'query'>;

/** A connection whose transaction begins with the first thing that is asked on it. */
export type Beginning = {
  readonly client: Asked;
  /** Has a statement without values go out ahead of the next; what it answers is dropped, and the next fails with it. */
  sendAhead(statement: string): void;
  hasBegun(): boolean;
};

/**
 * Holds the BEGIN of a transaction back and sends it in one message with the first statement, whatever that is: to ask for
 * it apart takes the system twice the waking of processes, and tells nobody anything.
 */
export function beginWithFirst(client: PoolClient): Beginning {
  let hasBegun = false;
  let ahead = ['BEGIN'];
  const ask = (asked: string | Submittable, values?: unknown[]): unknown => {
    const first = ahead;
    [hasBegun, ahead] = [true, []];
    if (first.length === 0) return typeof asked === 'string' ? client.query(asked, values) : client.query(asked);
    return typeof asked === 'string' ? askBehind(client, first, asked, values) : client.query(putBehind(first, asked));
  };
  return {
    client: { query: ask as Asked['query'] },
    sendAhead: (statement) => ahead.push(statement),
    hasBegun: () => hasBegun,
  };
}

function askBehind(client: PoolClient, first: string[], text: string, values?: unknown[]): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined, result: unknown) =>
      error ? reject(error) : resolve(result as QueryResult);
    client.query(putBehind(first, new pg.Query(text, values, settle)));
  });
}

/** What node-postgres asks of a query and tells it, see its lib/client.js; the types of it leave this out. */
type Told = Submittable & { text: string; values?: unknown[] } & Record<
    'handleRowDescription' | 'handleDataRow' | 'handleCommandComplete',
    ((...told: unknown[]) => void) | undefined
  >;

/**
 * Puts statements in front of what the query says itself, and keeps their answers from it. Each is a statement of its own to
 * the server: it sees what was committed until it begins, so what stands behind a lock sees what the lock waited for.
 */
function putBehind<Query extends Submittable>(first: readonly string[], query: Query): Query {
  const told = query as unknown as Told;
  const { submit, handleRowDescription, handleDataRow, handleCommandComplete } = told;
  // After a failure the server reads on to the end of what was said, which a query without values does not mark unless it is
  // said in one text with it. Only BEGIN cannot fail; in one text with it, a mistake would keep it from beginning.
  const apart = told.values?.length ? first : first.filter((text) => text === 'BEGIN');
  if (apart.length < first.length) told.text = [...first.slice(apart.length), told.text].join(';\n');
  told.submit = (connection: Connection) => {
    connection.stream.cork();
    for (const text of apart) {
      connection.parse({ text, name: '', types: [] }, true);
      connection.bind({}, true);
      connection.execute({}, true);
    }
    const refusal: unknown = submit.call(told, connection);
    connection.stream.uncork();
    return refusal;
  };
  let answers = 0;
  Object.assign(told, {
    handleRowDescription: () => {},
    handleDataRow: () => {},
    handleCommandComplete: () => {
      answers += 1;
      if (answers === first.length) Object.assign(told, { handleRowDescription, handleDataRow, handleCommandComplete });
    },
  });
  return query;
}
