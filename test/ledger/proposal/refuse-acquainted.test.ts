import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { confirmProposal } from '../../../src/ledger/proposal/confirm-proposal.ts';
import { changeRole } from '../../../src/ledger/person/change-person.ts';
import { invitePerson, inviteAgain, offerSetUp } from '../../../src/ledger/person/invite-person.ts';
import { readTies } from '../../../src/ledger/proposal/refuse-acquainted.ts';
import { proposeApproval } from '../../../src/ledger/file/release-held.ts';
import { transact } from '../../../src/ledger/engine/transaction.ts';
import { type LedgerWorld, openTestLedger } from '../../support/ledger-world.ts';

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

const DAY_MS = 86_400_000;
const link = () => ({ tokenHash: randomBytes(32), expiresAt: new Date(world.clock.now().getTime() + DAY_MS) });
const by = (name: string) => ({ actor: `operator:${name}`, reason: 'needs it' });

async function invite(maker: string, name: string): Promise<void> {
  await invitePerson(world.ledger, { name, role: 'operator' }, link(), by(maker));
}

async function confirm(maker: string, checker: string, days?: number): Promise<unknown> {
  const { file_id: fileId } = await world.held();
  const no = await proposeApproval(world.ledger, fileId, by(maker));
  return confirmProposal(world.ledger, no, `operator:${checker}`, days);
}

const REFUSED = { code: 'SECOND_PERSON' };

describe('a second person', () => {
  it('is none whom the first has made within a week, nor through others, nor the other way round', async () => {
    await invite('root', 'puppet');
    await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
    await expect(confirm('puppet', 'root')).rejects.toMatchObject(REFUSED);
    await invite('puppet', 'second');
    await expect(confirm('root', 'second')).rejects.toThrow('root made second a user');
    expect(await confirm('root', 'grace')).toMatchObject({ verdict: 'confirmed' });
    world.clock.advance(8 * DAY_MS);
    expect(await confirm('root', 'puppet')).toMatchObject({ verdict: 'confirmed' });
  });

  it('is none who was given a role or a new link by the first', async () => {
    await invite('root', 'bea');
    world.clock.advance(8 * DAY_MS);
    await world.force(`UPDATE person SET role = 'admin', password = 'x' WHERE name = 'bea'`);
    await invite('root', 'admin');
    await world.force(`UPDATE person SET role = 'admin', password = 'x' WHERE name = 'admin'`);
    await changeRole(world.ledger, 'bea', 'operator', by('ada'));
    await expect(confirm('ada', 'bea')).rejects.toMatchObject(REFUSED);
    await inviteAgain(world.ledger, 'bea', link(), by('carl'));
    await expect(confirm('carl', 'bea')).rejects.toMatchObject(REFUSED);
    expect(await confirm('root', 'bea')).toMatchObject({ verdict: 'confirmed' });
  });

  it('is none who followed the set-up link that the first offered', async () => {
    await offerSetUp(world.ledger, link(), by('root'));
    await transact(world.ledger, async (tx) =>
      tx.audit({ actor: 'operator:ada', move: 'set-up-desk', reason: 'followed the set-up link' }),
    );
    await expect(confirm('root', 'ada')).rejects.toMatchObject(REFUSED);
  });

  it('is none either when the clock of a host was set forward', async () => {
    await invite('root', 'puppet');
    world.clock.advance(400 * DAY_MS);
    world.wrongBy.database = -400 * DAY_MS;
    await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
    world.wrongBy.database = 0;
  });

  it('is none either when the maker set the clock of the host back for a moment', async () => {
    world.clock.advance(-400 * DAY_MS);
    world.wrongBy.database = 400 * DAY_MS;
    await invite('root', 'puppet');
    world.clock.advance(400 * DAY_MS);
    world.wrongBy.database = 0;
    await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
  });

  it('may be another whom the same third person made, but not one whom the other made', async () => {
    await invite('root', 'punch');
    await invite('root', 'judy');
    await invite('judy', 'third');
    expect(await confirm('punch', 'judy')).toMatchObject({ verdict: 'confirmed' });
    expect(await confirm('punch', 'third')).toMatchObject({ verdict: 'confirmed' });
    await expect(confirm('root', 'third')).rejects.toMatchObject(REFUSED);
  });

  it('is none who has the same name in other letters', async () => {
    await expect(confirm('Ada', 'ada')).rejects.toMatchObject(REFUSED);
    await invite('Root', 'puppet');
    await expect(confirm('root', 'puppet')).rejects.toMatchObject(REFUSED);
  });

  it('may be anybody where the settings say so', async () => {
    await invite('root', 'puppet');
    world.clock.advance(1);
    expect(await confirm('root', 'puppet', 0)).toMatchObject({ verdict: 'confirmed' });
  });
});

describe('readTies', () => {
  it('names the pairs of late', async () => {
    await invite('root', 'old');
    world.clock.advance(8 * DAY_MS);
    await invite('root', 'new');
    const at = world.clock.now();
    expect(await readTies(world.ledger, 7)).toEqual([{ maker: 'operator:root', person: 'operator:new', at }]);
  });
});
