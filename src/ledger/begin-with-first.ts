import pg, { type Connection, type PoolClient, type QueryResult, type Submittable } from 'pg';

/** What can be asked inside of a transaction. */
export type Asked = Pick<PoolClient, 'query'>;

/** A connection whose transaction begins with the first thing that is asked on it. */
export type Beginning = { readonly client: Asked; hasBegun(): boolean };

/**
 * Holds the BEGIN of a transaction back and sends it in one message with the first statement, whatever that is: to ask for
 * it apart takes the system twice the waking of processes, and tells nobody anything.
 */
export function beginWithFirst(client: PoolClient): Beginning {
  let hasBegun = false;
  const ask = (asked: string | Submittable, values?: unknown[]): unknown => {
    if (hasBegun) return typeof asked === 'string' ? client.query(asked, values) : client.query(asked);
    hasBegun = true;
    return typeof asked === 'string' ? askFirst(client, asked, values) : client.query(precededByBegin(asked));
  };
  return { client: { query: ask as Asked['query'] }, hasBegun: () => hasBegun };
}

function askFirst(client: PoolClient, text: string, values: unknown[] | undefined): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined, result: unknown) =>
      error ? reject(error) : resolve(result as QueryResult);
    client.query(precededByBegin(new pg.Query(text, values, settle)));
  });
}

/** What node-postgres tells a query of, see its lib/client.js; the types of it leave this out. */
type Told = Submittable & { handleCommandComplete: (...told: unknown[]) => void };

/** Writes the BEGIN in front of what the query writes itself, and keeps the first answer, which is for it, from the query. */
function precededByBegin<Query extends Submittable>(query: Query): Query {
  const told = query as unknown as Told;
  const [submit, complete] = [told.submit, told.handleCommandComplete];
  told.submit = (connection: Connection) => {
    connection.stream.cork();
    connection.parse({ text: 'BEGIN', name: '', types: [] }, true);
    connection.bind({}, true);
    connection.execute({}, true);
    const refusal: unknown = submit.call(told, connection);
    connection.stream.uncork();
    return refusal;
  };
  told.handleCommandComplete = () => {
    told.handleCommandComplete = complete;
  };
  return query;
}
