import { expect, it } from 'vitest';
import { dueNames } from '../../../src/ledger/batch/due-work.ts';
import type { Ledger } from '../../../src/ledger/engine/open-ledger.ts';
import { takeDue } from '../../../src/ledger/stage/taken.ts';

const OPTIONS = { limit: { things: 1, weight: 1 }, back: { ended: [], later: [] }, laterMs: 0 };

/** Returns a ledger whose answers come when a test says so, and the stages that have asked it. */
function slowLedger() {
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const query = (_sql: string, [stage]: string[]) => {
    asked.push(stage!);
    return new Promise((resolve) => {
      answers.push(() => resolve({ rows: [{ subjects: [stage], is_more: false, next_at: null }] }));
    });
  };
  const ledger = { pool: { query }, instance: { id: 'here' }, databaseNow: () => 'now()' } as unknown as Ledger;
  return { ledger, asked, answers };
}

it('the stages of a process ask one after the other', async () => {
  const { ledger, asked, answers } = slowLedger();
  const first = takeDue(ledger, 'intake', dueNames([]), OPTIONS);
  const second = takeDue(ledger, 'poll', dueNames([]), OPTIONS);
  await expect.poll(() => asked).toEqual(['intake']);
  answers[0]!();
  expect((await first).subjects).toEqual(['intake']);
  await expect.poll(() => asked).toEqual(['intake', 'poll']);
  answers[1]!();
  expect((await second).subjects).toEqual(['poll']);
});

it('a stage whose question has no answer holds up no other for long', async () => {
  const { ledger, asked, answers } = slowLedger();
  void takeDue(ledger, 'intake', dueNames([]), OPTIONS);
  const second = takeDue(ledger, 'poll', dueNames([]), OPTIONS);
  await expect.poll(() => asked).toEqual(['intake', 'poll']);
  answers[1]!();
  expect((await second).subjects).toEqual(['poll']);
});
