import { expect } from 'vitest';
import { checkUpload } from '../../../../src/web/drop/check-upload.ts';
import { cardRow, lines, upTo } from '../../../support/payment-rows.ts';
import type { DeskWorld } from '../../support/desk-world.ts';
import { sendFile } from '../../support/send-file.ts';

const contentOf = (rows: number) => lines(upTo(rows).map((n) => cardRow(n)));

/** While a file is checked at the desk, somebody else asks for one page after the other, and gets them all. */
export async function answerMeanwhile(world: DeskWorld, rows: number): Promise<void> {
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

/** As large as those in which a request comes. */
const PIECE_BYTES = 65_536;

/** More would be some ten thousand rows in one go. */
const MOST_PIECES = 4;

/**
 * Checks a file whose bytes are all there at once, so that only the check itself gives way, and counts how many pieces it
 * takes before it does.
 */
export async function giveWay({ app }: DeskWorld, rows: number): Promise<void> {
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
