import pg, { type Connection, type PoolClient, type QueryResult, type Submittable } from 'pg';
import type { Asked } from './asked.ts';

/** A connection whose transaction begins with its first query. */
export type Beginning = { readonly client: Asked; hasBegun(): boolean };

/**
 * Holds BEGIN back and sends it with the first statement. A separate one costs a round trip and returns nothing useful.
 */
export function beginWithFirst(client: PoolClient): Beginning {
  let hasBegun = false;
  const ask = (asked: string | Submittable, values?: unknown[]): unknown => {
    const isFirst = !hasBegun;
    hasBegun = true;
    if (typeof asked === 'string') return isFirst ? askFirst(client, asked, values) : client.query(asked, values);
    return client.query(isFirst ? putBehindBegin(asked) : asked);
  };
  return { client: { query: ask as Asked['query'] }, hasBegun: () => hasBegun };
}

function askFirst(client: PoolClient, text: string, values?: unknown[]): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null | undefined, result: unknown) =>
      error ? reject(error) : resolve(result as QueryResult);
    client.query(putBehindBegin(new pg.Query(text, values, settle)));
  });
}

/** The methods of a query that node-postgres calls (see its lib/client.js); its types leave them out. */
type Told = { submit(connection: Connection): unknown; handleCommandComplete(...told: unknown[]): void };

/** Sends BEGIN ahead of the query and hides its result from the query. */
function putBehindBegin<Query extends Submittable>(query: Query): Query {
  const told = query as unknown as Told;
  const { submit, handleCommandComplete } = told;
  told.submit = (connection) => {
    connection.stream.cork();
    // No Sync here: the query's own covers both. BEGIN alone cannot fail.
    connection.parse({ text: 'BEGIN', name: '', types: [] }, true);
    connection.bind({}, true);
    connection.execute({}, true);
    const refusal = submit.call(told, connection);
    connection.stream.uncork();
    return refusal;
  };
  told.handleCommandComplete = () => {
    told.handleCommandComplete = handleCommandComplete;
  };
  return query;
}
