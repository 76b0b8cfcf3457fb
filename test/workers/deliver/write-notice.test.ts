import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OutputKind } from '../../../schemas/lifecycle.ts';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { writeNotice } from '../../../workers/deliver/write-notice.ts';
import { CARD, cardRow, lines, upTo } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';

const world = stepWorld({ accounts: 6, settings: { batch: { maxRows: 4 } } });

async function notice(kind: OutputKind, content: string, name?: string): Promise<{ fileId: string; text: string }> {
  const fileId = await takeIn(world.app, `drop/${world.freshAccount()}/card`, content, name);
  await writeNotice(world.app, await readFileRow(world.app.ledger, fileId), { kind, batches: 3 });
  const [written] = (await readdir(world.settings.paths.out)).filter((file) => file.includes(fileId.slice(0, 8)));
  return { fileId, text: await readFile(join(world.settings.paths.out, written!), 'utf8') };
}

describe('writeNotice', () => {
  it('tells the figures of an accepted file, and every row that was withheld', async () => {
    const bad = cardRow(11, { amount: 'ten', card: '4222222222222221' });
    const { fileId, text } = await notice('ack', lines([...upTo(10).map((n) => cardRow(n)), bad]));
    for (const line of [
      'Status,ACCEPTED',
      `File Id,${fileId}`,
      'File Name,june.csv',
      'Rows,11',
      'Accepted Rows,10',
      'Accepted Total,250.00',
      'Batches,3',
    ]) {
      expect(text).toContain(`${line}\r\n`);
    }
    expect(text).toMatch(/\r\n11,[^\r]*AMOUNT_FORMAT/);
    expect(text).toMatch(/\r\n11,[^\r]*CARD_CHECK_DIGIT/);
    expect(text).not.toContain('4222222222222221');
    expect((await readOutputs(world.app.ledger, fileId)).map(({ kind, rows }) => [kind, rows])).toEqual([['ack', 2]]);
  });

  it('tells why a file is held, and that nothing of it was accepted', async () => {
    const { text } = await notice('held', lines([cardRow(1), cardRow(2, { amount: '-5.00' })]));
    expect(text).toContain('Status,HELD\r\nCode,WRONG_SIGN\r\n');
    expect(text).toContain('Accepted Rows,0\r\nAccepted Total,0.00\r\n');
  });

  it('lists every fault of a refused file', async () => {
    const { text } = await notice('nak', lines(upTo(5).map((n) => `C-${n},too,short`)));
    expect(text).toContain('Status,REJECTED\r\n');
    expect(text.match(/COLUMN_COUNT/g)!.length).toBeGreaterThanOrEqual(5);
  });

  it('shows no number that stands in the name of the file', async () => {
    const { text } = await notice('ack', lines([cardRow(1)]), `of ${CARD}.csv`);
    expect(text).not.toContain(CARD);
  });
});
