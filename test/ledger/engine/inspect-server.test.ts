import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectServer } from '../../../src/ledger/engine/open-ledger.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());

describe('inspectServer', () => {
  it('tells what our sessions see', async () => {
    const server = await inspectServer(world.ledger);
    expect(server).toMatchObject({
      synchronousCommit: expect.stringMatching(/^o/),
      isStandby: false,
      now: expect.any(Date),
    });
    expect(server.versionNumber).toBeGreaterThanOrEqual(140_000);
    expect(server.version).toMatch(/^\d+/);
  });
});
