import pg, { type Connection, type QueryResult } from 'pg';
import type { Asked } from './asked.ts';
import type { Transaction } from './transaction.ts';

/**
 * Asks several questions in one message, so that server and process wake once for all of them. They are answered in their
 * order, each seeing what was committed before its own begin; outside of a transaction they are one. After the first that
 * fails none is answered.
 * @param ask asks its questions of the client that it is given, all before it waits for an answer. What it asks later goes
 *   out by itself.
 */
export async function askTogether<Answers extends readonly unknown[]>(
  client: Asked,
  ask: (client: Asked) => Answers,
): Promise<Awaits<Answers>> {
  // Asked for by somebody who gathers already, it all goes into his message.
  if (gatherers.has(client)) return Promise.all(ask(client));
  const gathered: Question[] = [];
  let isSent = false;
  const query = (text: string, values: unknown[] = []) =>
    isSent
      ? client.query(text, values)
      : new Promise<QueryResult>((answer, fail) => gathered.push({ text, values, answer, fail }));
  const gatherer = { query } as Asked;
  gatherers.add(gatherer);
  const answers = ask(gatherer);
  isSent = true;
  gatherers.delete(gatherer);
  send(client, gathered);
  return Promise.all(answers);
}

type Awaits<Answers extends readonly unknown[]> = { -readonly [Place in keyof Answers]: Awaited<Answers[Place]> };

/** The same in a transaction. */
export function askInOne<Answers extends readonly unknown[]>(
  tx: Transaction,
  ask: (tx: Transaction) => Answers,
): Promise<Awaits<Answers>> {
  return askTogether(tx.client, (client) => ask({ ...tx, client }));
}

/** Clients that gather questions at this moment. */
const gatherers = new WeakSet<Asked>();

type Question = {
  text: string;
  values: unknown[];
  answer: (result: QueryResult) => void;
  fail: (error: unknown) => void;
};

function send(client: Asked, questions: readonly Question[]): void {
  if (questions.length === 0) return;
  const text = questions.map((question) => question.text).join('; ');
  // A query of node-postgres reads several answers already; what it lacks is to ask them with values.
  const all = new pg.Query(text, [], (error, results) => {
    const each = (Array.isArray(results) ? results : [results]) as QueryResult[];
    questions.forEach(({ answer, fail }, place) => (error ? fail(error) : answer(each[place]!)));
  });
  all.submit = (connection) => {
    // Each would end the message with a Sync, at which the server answers and forgets an error before it.
    const unended: Connection = Object.create(connection, { sync: { value: () => {} } });
    connection.stream.cork();
    for (const { text: one, values } of questions) new pg.Query(extended(one, values)).submit(unended);
    connection.sync();
    connection.stream.uncork();
  };
  client.query(all);
}

/** Also without values in the form of those that have some, because only these can stand together. */
function extended(text: string, values: unknown[]): pg.QueryConfig {
  return { text, values, queryMode: 'extended' } as pg.QueryConfig;
}
