import { afterAll, beforeAll, expect, it } from 'vitest';
import { recordOutput } from '../../../src/ledger/file/complete-file.ts';
import { readOutput } from '../../../src/ledger/file/read-file.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

it('readOutput finds one output by kind and number, and nothing else', async () => {
  const { file_id: fileId } = await world.accepted();
  const output = { kind: 'correction', sha256: 'hash', bytes: 3, rows: 1 } as const;
  for (const number of [1, 2]) await recordOutput(world.ledger, fileId, { ...output, number, name: `c${number}.csv` });
  expect(await readOutput(world.ledger, fileId, { kind: 'correction', number: 2 })).toMatchObject({ name: 'c2.csv' });
  expect(await readOutput(world.ledger, fileId, { kind: 'correction' })).toBeUndefined();
  expect(await readOutput(world.ledger, fileId, { kind: 'ack' })).toBeUndefined();
});
