import type { Queryable } from './transaction.ts';

/** A question to the ledger, which changes nothing. */
export type Question<Answer> = {
  /** SQL of a query whose values are numbered from $1; undefined when there is nothing to ask. */
  readonly sql: string | undefined;
  readonly values: readonly unknown[];
  /** Makes the answer of the rows. They come as JSON, so times are texts. */
  readonly read: (rows: readonly object[]) => Answer;
};

/**
 * Asks questions, one or many, by one statement, so that the server and this process each wake up once. All see the ledger as
 * it is when the statement begins.
 * @returns the answers, in the order of the questions
 */
export async function ask<const Questions extends readonly Question<unknown>[]>(
  client: Queryable,
  ...questions: Questions
): Promise<Answers<Questions>> {
  const rowsOf = questions.map((): object[] => []);
  const asked = questions.flatMap(({ sql, values }, place) => (sql === undefined ? [] : [{ sql, values, place }]));
  if (asked.length > 0) {
    let before = 0;
    const parts = asked.map(({ sql, values, place }) => {
      const renumbered = sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + before}`);
      before += values.length;
      return `SELECT ${place} AS place, to_jsonb(q) AS row FROM (${renumbered}) AS q`;
    });
    const { rows } = await client.query<{ place: number; row: object }>(
      parts.join('\nUNION ALL\n'),
      asked.flatMap(({ values }) => [...values]),
    );
    for (const { place, row } of rows) rowsOf[place]!.push(row);
  }
  return questions.map(({ read }, place) => read(rowsOf[place]!)) as Answers<Questions>;
}

type Answers<Questions extends readonly Question<unknown>[]> = {
  -readonly [Place in keyof Questions]: Questions[Place] extends Question<infer Answer> ? Answer : never;
};

/** Returns a question whose answer is made of the answer to another. */
export function answerBy<Answer, Made>(question: Question<Answer>, make: (answer: Answer) => Made): Question<Made> {
  return { ...question, read: (rows) => make(question.read(rows)) };
}
