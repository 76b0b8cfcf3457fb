import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_SHAPES, closeAnswers, serveAnswer } from '../support/answer-shapes.ts';

/**
 * One process after the other takes the largest answers of each kind with a heap that has little room beyond one of them.
 * answer-memory.soak.test.ts measures how much memory each takes.
 */

/** Half of it is needed. The texts of six million characters and the lists of 249,000 elements must not add up. */
const HEAP_MB = 80;

type Taken = { readonly kind: string; readonly why: string };
let taken: readonly Taken[];
let errors: string;

beforeAll(async () => {
  const script = fileURLToPath(new URL('../support/frugal-calls.ts', import.meta.url));
  const pairs: string[] = [];
  for (const { operation, answer } of ANSWER_SHAPES) pairs.push(operation, await serveAnswer(answer()));
  const args = [`--max-old-space-size=${HEAP_MB}`, '--import', 'tsx', script, ...pairs];
  const told = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_error, stdout, stderr) => {
      errors = stderr.slice(0, 1_000);
      resolve(stdout);
    });
  });
  taken = told
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Taken);
});
afterAll(closeAnswers);

describe(`an answer taken with a heap of ${HEAP_MB} MB`, () => {
  it.each(ANSWER_SHAPES.map((shape, index) => ({ ...shape, index })))('may be $what', ({ index, kind, why }) => {
    expect(taken[index], errors).toEqual({ kind, why: expect.stringMatching(why) });
  });
});
