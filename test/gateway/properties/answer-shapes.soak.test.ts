import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANSWER_SHAPES, closeAnswers, serveAnswer } from '../support/answer-shapes.ts';

/**
 * One process takes the largest answers of each kind in turn, with a heap little larger than one of them needs.
 * answer-memory.soak.test.ts measures the memory of each.
 */

/** Half of it is needed. Texts of six million characters and lists of 249,000 elements must not add up. */
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
