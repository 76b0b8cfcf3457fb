import { afterAll, beforeAll, expect, it } from 'vitest';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { type DeskWorld, openDeskWorld } from '../support/desk-world.ts';
import { sendFile } from '../support/send-file.ts';

let world: DeskWorld;
beforeAll(async () => {
  world = await openDeskWorld();
});
afterAll(() => world.close());

/** Longest that anybody else may wait for his turn while a file is checked, in ms. */
const LONGEST_GAP_MS = 250;
const ROWS = 200_000;

it('a check of 200,000 rows keeps nobody waiting', async () => {
  const browser = await world.as('viewer');
  const content = lines(upTo(ROWS).map((n) => cardRow(n)));
  let isChecking = true;
  let longestGapMs = 0;
  let last = performance.now();
  const tick = () => {
    longestGapMs = Math.max(longestGapMs, performance.now() - last);
    last = performance.now();
    if (isChecking) setImmediate(tick);
  };
  setImmediate(tick);
  const answers: number[] = [];
  const others = (async () => {
    while (isChecking) answers.push((await browser.get('/me')).status);
  })();
  const { json } = await sendFile(browser, 'check', { content });
  isChecking = false;
  await others;
  expect(json).toMatchObject({ verdict: 'accept', rows: { records: ROWS } });
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(answers.length).toBeGreaterThan(5);
  expect(longestGapMs).toBeLessThan(LONGEST_GAP_MS);
});
