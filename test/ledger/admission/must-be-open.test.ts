import { expect, it } from 'vitest';
import { isOpen, mustBeOpen } from '../../../src/ledger/admission/must-be-open.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { openHosts } from './support/hosts.ts';

it('mustBeOpen refuses decisions while the ledger may have gone back', async () => {
  const hosts = await openHosts();
  await expect(transact(hosts.ledger, mustBeOpen)).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
  await hosts.enterBoth();
  expect(await isOpen(hosts.ledger.pool)).toBe(true);
  await transact(hosts.ledger, mustBeOpen);
  await hosts.otherRun();
  expect(await isOpen(hosts.ledger.pool)).toBe(false);
  await expect(transact(hosts.ledger, mustBeOpen)).rejects.toMatchObject({ code: 'LEDGER_NOT_OPEN' });
  await hosts.close();
});
