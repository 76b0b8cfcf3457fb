import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileRow, readOutputs } from '../../../src/ledger/queries/read-file.ts';
import type { FileRow } from '../../../src/ledger/records.ts';
import { writeCorrections } from '../../../workers/deliver/write-corrections.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { fileWithOutcomes, linesOf, withClearNumbers } from '../support/delivered.ts';
import { openStepWorld, type StepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld({ accounts: 10, settings: { batch: { maxRows: 50 } } });
});
afterAll(() => world.close());

/** Lines of the correction files of a file, by kind. */
async function corrections(file: FileRow): Promise<Record<string, string[]>> {
  const outputs = await readOutputs(world.app.ledger, file.file_id);
  const found = await Promise.all(
    outputs.map(async ({ kind, name }) => [kind, await linesOf(join(world.settings.paths.out, name))] as const),
  );
  return Object.fromEntries(found);
}

describe('writeCorrections', () => {
  it('writes nothing when every row was taken, or may have been', async () => {
    const messages = ['OK: 678594:', 'Duplicated', 'REJECT: 70', 'never heard of'];
    const file = await fileWithOutcomes(
      world,
      'card',
      lines(upTo(4).map((n) => cardRow(n))),
      (row) => messages[row - 1]!,
    );
    await writeCorrections(world.app, file);
    expect(await corrections(file)).toEqual({});
  });

  it('sorts rows into what has to be corrected and what may be sent again', async () => {
    const messages = ['REJECT: 15', 'REJECT: 22', 'OK: 678594:', 'Wrong Format', 'REJECT: 14', 'REJECT: 7'];
    const file = await fileWithOutcomes(
      world,
      'card',
      lines(upTo(6).map((n) => cardRow(n))),
      (row) => messages[row - 1]!,
    );
    await writeCorrections(world.app, file);
    const { rejects, retry } = await corrections(file);
    expect(rejects?.[0]?.endsWith(',Reason')).toBe(true);
    expect(rejects?.slice(1).map((line) => line.split(',')[1])).toEqual(['C-1', 'C-4']);
    expect(retry?.slice(1).map((line) => line.split(',')[1])).toEqual(['C-2', 'C-5']);
    expect(rejects?.[1]).toContain('(code 15)');
    expect(retry?.[1]).toContain('may be sent again later as it is');
    const rows = await readOutputs(world.app.ledger, file.file_id);
    expect(rows.map((output) => output.rows)).toEqual([2, 2]);
  });

  it('masks numbers unless the folder allows them', async () => {
    const content = lines([cardRow(1), cardRow(2, { card: MAGIC_CARD })]);
    const masked = await fileWithOutcomes(world, 'card', content, () => 'REJECT: 15');
    await writeCorrections(world.app, masked);
    expect(JSON.stringify(await corrections(masked))).not.toMatch(new RegExp(`${CARD}|${MAGIC_CARD}`));

    const clear = await fileWithOutcomes(world, 'card', content, () => 'REJECT: 15');
    await writeCorrections(withClearNumbers(world.app), clear);
    const { rejects } = await corrections(clear);
    expect(rejects?.slice(1).map((line) => line.split(',')[10])).toEqual([CARD, MAGIC_CARD]);
  });

  it('with whole numbers can be dropped again as it is, and its rows are payments again', async () => {
    const rows = upTo(3).map((n) => cardRow(n));
    const file = await fileWithOutcomes(world, 'card', lines(rows), () => 'REJECT: 22');
    await writeCorrections(withClearNumbers(world.app), file);
    const { retry } = await corrections(file);
    const again = await takeIn(world.app, `drop/${file.account}/card`, lines(retry!, '\r\n'), 'again.csv');
    expect(await readFileRow(world.app.ledger, again)).toMatchObject({
      state: 'accepted',
      valid_rows: 3,
      invalid_rows: 0,
      valid_cents: file.valid_cents,
    });
  });

  it('lists what was withheld, with the reason', async () => {
    const content = lines([...upTo(10).map((n) => cardRow(n)), cardRow(11, { amount: 'ten', expiry: '13/35' })]);
    const file = await fileWithOutcomes(world, 'card', content, () => 'OK: 678594:');
    await writeCorrections(world.app, file);
    const { rejects } = await corrections(file);
    expect(rejects).toHaveLength(2);
    expect(rejects?.[1]).toMatch(/C-11.*AMOUNT_FORMAT: .*EXPIRY_FORMAT: /);
  });
});
