import pg, { type Connection, type QueryResult } from 'pg';
import type { Queryable, Transaction } from './transaction.ts';

/**
 * Sends several queries in one message, so that the server and this process each wake up once. They run in order, and
 * each sees what was committed before it began. Outside a transaction they form one. If one fails, the server skips the
 * rest and all of them reject.
 * @param ask makes its queries on the client it gets before it waits for a result; later ones go out separately
 */
export async function queryTogether<Answers extends readonly unknown[]>(
  client: Queryable,
  ask: (client: Queryable) => Answers,
): Promise<Awaits<Answers>> {
  // The client already gathers for an outer call, so these queries join that message.
  if (gatherers.has(client)) return Promise.all(ask(client));
  const gathered: Question[] = [];
  let isSent = false;
  const query = (text: string, values: unknown[] = []) =>
    isSent
      ? client.query(text, values)
      : new Promise<QueryResult>((answer, fail) => gathered.push({ text, values, answer, fail }));
  const gatherer = { query } as Queryable;
  gatherers.add(gatherer);
  const answers = ask(gatherer);
  isSent = true;
  gatherers.delete(gatherer);
  send(client, gathered);
  return Promise.all(answers);
}

type Awaits<Answers extends readonly unknown[]> = { -readonly [Place in keyof Answers]: Awaited<Answers[Place]> };

/** Same, in a transaction. */
export function queryInOne<Answers extends readonly unknown[]>(
  tx: Transaction,
  ask: (tx: Transaction) => Answers,
): Promise<Awaits<Answers>> {
  return queryTogether(tx.client, (client) => ask({ ...tx, client }));
}

/** Clients that are gathering queries right now. */
const gatherers = new WeakSet<Queryable>();

type Question = {
  text: string;
  values: unknown[];
  answer: (result: QueryResult) => void;
  fail: (error: unknown) => void;
};

function send(client: Queryable, questions: readonly Question[]): void {
  if (questions.length === 0) return;
  const text = questions.map((question) => question.text).join('; ');
  // A query of node-postgres can already read several results; it just cannot send several queries with values.
  const all = new pg.Query(text, [], (error, results) => {
    const each = (Array.isArray(results) ? results : [results]) as QueryResult[];
    questions.forEach(({ answer, fail }, place) => (error ? fail(error) : answer(each[place]!)));
  });
  all.submit = (connection) => {
    // Each query would end with its own Sync, at which the server answers and forgets an earlier error.
    const unended: Connection = Object.create(connection, { sync: { value: () => {} } });
    connection.stream.cork();
    for (const { text: one, values } of questions) new pg.Query(extended(one, values)).submit(unended);
    connection.sync();
    connection.stream.uncork();
  };
  client.query(all);
}

/** Uses the extended protocol even without values: only extended queries can share a message. */
function extended(text: string, values: unknown[]): pg.QueryConfig {
  return { text, values, queryMode: 'extended' } as pg.QueryConfig;
}
