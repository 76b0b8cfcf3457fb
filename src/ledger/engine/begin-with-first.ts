import pg, { type Connection, type PoolClient, type QueryResult, type Submittable } from 'pg';
import type { Asked } from './asked.ts';

/** A connection whose transaction begins with the first thing that is asked on it. */
export type Beginning = { readonly client: Asked; hasBegun(): boolean };

/**
 * Holds the BEGIN of a transaction back and sends it in one message with the first statement, whatever that is: to ask for
 * it apart takes the system twice the waking of processes, and tells nobody anything.
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

/** What node-postgres asks of a query and tells it, see its lib/client.js; the types of it leave this out. */
type Told = { submit(connection: Connection): unknown; handleCommandComplete(...told: unknown[]): void };

/** Has BEGIN go out in front of the query, and keeps its answer from it. */
function putBehindBegin<Query extends Submittable>(query: Query): Query {
  const told = query as unknown as Told;
  const { submit, handleCommandComplete } = told;
  told.submit = (connection) => {
    connection.stream.cork();
    // Without the mark at which the server answers; that of the query stands for both. BEGIN by itself cannot fail.
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
