import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { handClock } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { claimFile } from '../../src/ledger/moves/claim-file.ts';
import { openLedger } from '../../src/ledger/open-ledger.ts';
import { readFileState } from '../../src/ledger/queries/read-file.ts';
import { claimOf, START } from '../support/ledger-world.ts';

it('openLedger keeps the ledger in a data folder, with a server of its own, from one start to the next', async () => {
  const options = { clock: handClock(START), log: silentLog() };
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-open-ledger-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const claim = claimOf();
  const first = await openLedger({ dataDir, fsync: false }, options);
  await claimFile(first, claim);
  await first.close();
  const second = await openLedger({ dataDir, fsync: false }, options);
  expect(await readFileState(second, claim.fileId)).toBe('claimed');
  await second.close();
});
