import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { runAction, handlerOf, planAction, subjectOf } from '../../../src/web/actions/run-action.ts';
import type { WebContext } from '../../../src/web/web-context.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { fileNamed } from '../support/action-page.ts';

const ADA = { actor: 'operator:ada', filled: {} };

let world: PipelineWorld;
let dashboard: WebContext;
beforeAll(async () => {
  world = await openPipelineWorld({ settings: { batch: { maxRows: 2 } } });
  dashboard = { app: world.app, settings: world.settings.dashboard! };
  await pauseAccount(world.app.ledger, 'main', { actor: 'operator:ada', reason: 'wait' });
  for (const [index, name] of ['bound.csv', 'forgotten.csv'].entries())
    await world.drop('ach-charge', name, lines(upTo(2).map((n) => achRow(10 * index + n))));
  await world.finish();
});
afterAll(() => world.close());

async function paramsOf(name: string, batchNo?: string): Promise<Record<string, string>> {
  return { fileId: (await fileNamed(world, name)).file_id, ...(batchNo !== undefined && { batchNo }) };
}

describe('planAction and runAction', () => {
  it('give the same mark to the same plan, and another to another', async () => {
    const params = await paramsOf('bound.csv');
    const [one, two] = [
      await planAction(dashboard, 'cancel', params, ADA),
      await planAction(dashboard, 'cancel', params, ADA),
    ];
    expect(one.bind).toBe(two.bind);
    const other = await planAction(dashboard, 'cancel', await paramsOf('forgotten.csv'), ADA);
    expect(other.bind).not.toBe(one.bind);
  });

  it('do nothing for a mark of another plan, and do it without one, as a program may', async () => {
    const params = await paramsOf('bound.csv', '1');
    const order = { ...ADA, reason: 'recalled' };
    const changed = await runAction(dashboard, 'cancel-batch', params, { ...order, bind: 'another' });
    expect(changed).toMatchObject({ result: 'changed', plan: { button: 'Cancel 2 rows, 50.00 USD' } });
    expect((await readBatchRow(world.app.ledger, { fileId: params['fileId']!, batchNo: 1 })).state).toBe('ready');
    const done = await runAction(dashboard, 'cancel-batch', params, order);
    expect(done).toMatchObject({ result: 'done', done: { json: { cancelled: [1], state: 'cancelled' } } });
  });

  it.each([
    ['no reason', {}],
    ['an empty one', { reason: '  ' }],
  ])('refuse %s, where one is asked for', async (_, reason) => {
    const order = { ...ADA, ...reason };
    await expect(runAction(dashboard, 'cancel', await paramsOf('forgotten.csv'), order)).rejects.toMatchObject({
      code: 'USAGE',
    });
    expect((await fileNamed(world, 'forgotten.csv')).state).toBe('accepted');
  });

  it('compare the send journal first, so that nobody cancels as never sent what was sent', async () => {
    const params = await paramsOf('forgotten.csv', '1');
    const seen = await planAction(dashboard, 'cancel-batch', params, ADA);
    const { body_sha256: sha256 } = await readBatchRow(world.app.ledger, { fileId: params['fileId']!, batchNo: 1 });
    const entry = {
      at: new Date().toISOString(),
      account: 'main',
      fileId: params['fileId'],
      batchNo: 1,
      attempt: 1,
      sha256,
    };
    await appendFile(world.settings.paths.journal, `\n${JSON.stringify(entry)}`);
    const order = { ...ADA, reason: 'recalled', bind: seen.bind };
    await expect(runAction(dashboard, 'cancel-batch', params, order)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('it is unknown'),
    });
    expect((await readBatchRow(world.app.ledger, { fileId: params['fileId']!, batchNo: 1 })).state).toBe('unknown');
  });
});

describe('subjectOf', () => {
  it('refuses a state in which the action cannot begin, with where to look', async () => {
    const params = await paramsOf('bound.csv');
    await expect(subjectOf(dashboard, 'approve', params)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
      message: expect.stringContaining('it is cancelled, and this is for what is held'),
    });
    expect(await subjectOf(dashboard, 'check-outputs', params)).toMatchObject({ kind: 'file' });
  });
});

describe('handlerOf', () => {
  it('says to what the action is done', () => {
    expect(handlerOf('pause')).toMatchObject({ to: 'account' });
    expect(handlerOf('retry')).toMatchObject({ to: 'batch', from: ['refused'] });
  });
});
