import { expect, it } from 'vitest';
import { readAdmission } from '../../../src/ledger/admission/read-admission.ts';
import { openHosts } from './support/hosts.ts';

it('readAdmission tells who sends, and while it is closed who has reported and who is waited for', async () => {
  const hosts = await openHosts();
  await hosts.world.force(
    `UPDATE admission SET made_in = pg_postmaster_start_time(),
       made_database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())`,
  );
  expect(await readAdmission(hosts.ledger)).toMatchObject({ isOpen: false, isNew: true });
  const [, b] = await hosts.enterBoth();
  await hosts.send('b', b);
  const states = async () =>
    (await readAdmission(hosts.ledger)).senders.map(({ name, state, calls }) => [name, state, calls]);
  expect(await readAdmission(hosts.ledger)).toMatchObject({ isOpen: true, isNew: false, epoch: 2, waits: [] });
  expect(await states()).toEqual([
    ['a', 'sends', 0],
    ['b', 'sends', 1],
  ]);
  await hosts.otherRun();
  await hosts.enter('a');
  expect(await readAdmission(hosts.ledger)).toMatchObject({
    isOpen: false,
    waits: [expect.stringContaining('host b')],
  });
  expect(await states()).toEqual([
    ['a', 'reported', 0],
    ['b', 'waited for', 1],
  ]);
  await hosts.close();
});
