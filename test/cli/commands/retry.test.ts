import { beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount, resumeAccount } from '../../../src/ledger/account/pause-account.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { submitBatch } from '../../../workers/submit/submit.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { answering } from '../../workers/support/scripted-gateway.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(() => openCliWorld({ settings: { batch: { maxRows: 2 } } }));
const because = { actor: 'operator:ada', reason: 'wait' };
beforeAll(async () => {
  await pauseAccount(world.app.ledger, 'main', because);
  for (const [index, name] of ['fixed.csv', 'next.csv'].entries())
    await world.drop('ach-charge', name, lines(upTo(2).map((n) => achRow(10 * index + n))));
  await world.finish();
  await resumeAccount(world.app.ledger, 'main', because);
});

async function refuse(name: string): Promise<void> {
  const { file_id: fileId } = await findFile(world.app.ledger, name);
  const refused = { kind: 'refused', text: 'Agent code has not been set up', code: 1 } as const;
  await submitBatch(answering(world.app, refused).app, { fileId, batchNo: 1 });
}

describe('retry and withdraw', () => {
  it.each(['retry', 'withdraw'])('%s wants a reason and a batch that is refused', async (verb) => {
    expect(await world.paydrop(verb, 'fixed.csv/1')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop(verb, 'fixed.csv', '--reason', 'x')).toMatchObject({ status: 1, out: '' });
    expect(await world.paydrop(verb, 'fixed.csv/1', '--reason', 'x')).toMatchObject({ status: 5, out: '' });
  });

  it('retry sends it again as its next attempt, and the account goes on', async () => {
    await refuse('fixed.csv');
    const { status, out, err } = await world.paydrop('retry', 'fixed.csv/1', '--reason', 'the password is the new one');
    expect({ status, out, err }).toEqual({
      status: 0,
      out: 'It will be sent again: batch 1 of fixed.csv, 2 rows, 50.00 USD.\n',
      err: '',
    });
    const { rows } = await world.app.ledger.pool.query(
      `SELECT attempt FROM batch WHERE state = 'ready' ORDER BY 1 DESC`,
    );
    expect(rows).toEqual([{ attempt: 2 }, { attempt: 1 }]);
  });

  it('withdraw gives it up, and its file ends with its rows as never sent', async () => {
    await refuse('fixed.csv');
    const { out } = await world.paydrop('withdraw', 'fixed.csv/1', '--reason', 'sent by hand', '--json');
    expect(JSON.parse(out)).toMatchObject({ state: 'cancelled', fileState: 'partly_cancelled', rows: 2, cents: 5_000 });
    await world.finish();
    expect(await world.states()).toEqual({ 'fixed.csv': 'partly_cancelled', 'next.csv': 'completed' });
    expect(world.sandbox.books().map((row) => row.invoice)).toEqual(['A-11', 'A-12']);
    const rejects = await world.outputs('rejects');
    expect(Object.values(rejects).join('')).toMatch(/A-1,.*never sent/);
  });
});
