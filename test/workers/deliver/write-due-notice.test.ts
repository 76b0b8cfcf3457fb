import { describe, expect, it } from 'vitest';
import { approveFile, declineFile } from '../../../src/ledger/file/release-held.ts';
import { readDelivery } from '../../../src/ledger/file/read-delivery.ts';
import { readFileRow, readOutputs } from '../../../src/ledger/file/read-file.ts';
import { writeNotice } from '../../../workers/deliver/write-notice.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { cutAtStatement } from '../support/failing-app.ts';
import { stepWorld } from '../support/step-world.ts';
import { takeIn } from '../support/take-in.ts';
import { writeDueNotice } from '../../../workers/deliver/deliver.ts';

const world = stepWorld({ accounts: 7 });

const because = { actor: 'operator:ada', reason: 'the sender was asked' };

const HELD = { kind: 'held', batches: 0 } as const;

function held(): Promise<string> {
  return takeIn(world.app, `drop/${world.freshAccount()}/card`, lines([cardRow(1), cardRow(2, { amount: '-5.00' })]));
}

async function writeDue(fileId: string): Promise<string[]> {
  await writeDueNotice(world.app, await readDelivery(world.app.ledger, fileId));
  return (await readOutputs(world.app.ledger, fileId)).map(({ kind }) => kind as string).toSorted();
}

describe('writeDueNotice', () => {
  it('writes the notice of the verdict once', async () => {
    const fileId = await held();
    expect(await writeDue(fileId)).toEqual(['held']);
    expect(await writeDue(fileId)).toEqual(['held']);
  });

  it.each([
    ['approved', approveFile, ['ack', 'held']],
    ['declined', declineFile, ['cancelled', 'held']],
  ] as const)(
    'notes a notice that a dead process published, when the file was %s meanwhile',
    async (_, move, kinds) => {
      const fileId = await held();
      const dying = cutAtStatement(world.app, /INSERT INTO output/).app;
      const file = await readFileRow(world.app.ledger, fileId);
      await expect(writeNotice(dying, file, HELD)).rejects.toThrow('power cut');
      await move(world.app.ledger, fileId, because);
      expect(await writeDue(fileId)).toEqual(kinds);
    },
  );

  it('tries again what a dead process published when it cannot be noted, before it writes the next', async () => {
    const fileId = await held();
    const dying = cutAtStatement(world.app, /INSERT INTO output/).app;
    await expect(writeNotice(dying, await readFileRow(world.app.ledger, fileId), HELD)).rejects.toThrow('power cut');
    await approveFile(world.app.ledger, fileId, because);
    const again = cutAtStatement(world.app, /INSERT INTO output/).app;
    await expect(writeDueNotice(again, await readDelivery(world.app.ledger, fileId))).rejects.toThrow('power cut');
    expect(await readOutputs(world.app.ledger, fileId)).toEqual([]);
    expect(await writeDue(fileId)).toEqual(['ack', 'held']);
  });

  it('writes no notice of a verdict that nobody has read', async () => {
    const fileId = await held();
    await approveFile(world.app.ledger, fileId, because);
    expect(await writeDue(fileId)).toEqual(['ack']);
  });
});
