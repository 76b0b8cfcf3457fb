import { expect } from 'vitest';
import { checkUpload } from '../../../../src/web/drop/check-upload.ts';
import { cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import type { DashboardWorld } from '../../support/dashboard-world.ts';
import { sendFile } from '../../support/send-file.ts';

const contentOf = (rows: number) => lines(upTo(rows).map((n) => cardRow(n)));

/** Requests page after page while a file is checked, and expects an answer to each. */
export async function answerMeanwhile(world: DashboardWorld, rows: number): Promise<void> {
  const browser = await world.as('viewer');
  const content = contentOf(rows);
  let isChecking = true;
  const answers: number[] = [];
  const others = (async () => {
    while (isChecking) answers.push((await browser.get('/me')).status);
  })();
  const { json } = await sendFile(browser, 'check', { content });
  isChecking = false;
  await others;
  expect(json).toMatchObject({ verdict: 'accept', rows: { records: rows } });
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(answers.length).toBeGreaterThan(5);
}

/** As large as the pieces in which a request arrives. */
const PIECE_BYTES = 65_536;

/** More would mean thousands of rows without a pause. */
const MOST_PIECES = 4;

/** Checks a file that is all at hand, so only the check itself yields, and counts the pieces it takes before that. */
export async function giveWay({ app }: DashboardWorld, rows: number): Promise<void> {
  const content = Buffer.from(contentOf(rows));
  let isChecking = true;
  let taken = 0;
  let mostTaken = 0;
  const nextTurn = () => {
    taken = 0;
    if (isChecking) setImmediate(nextTurn);
  };
  async function* source(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < content.length; at += PIECE_BYTES) {
      taken += 1;
      mostTaken = Math.max(mostTaken, taken);
      yield content.subarray(at, at + PIECE_BYTES);
    }
  }
  setImmediate(nextTurn);
  const looked = await checkUpload(app, app.folder('drop/card')!, { name: 'june.csv', source: source() });
  isChecking = false;
  expect(looked).toMatchObject({ check: { records: rows } });
  expect(content.length).toBeGreaterThan(3 * MOST_PIECES * PIECE_BYTES);
  expect(mostTaken).toBeLessThanOrEqual(MOST_PIECES);
}
