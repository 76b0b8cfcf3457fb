import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { seeSchedule } from '../../../src/ledger/schedule/begin-run.ts';
import { type LedgerWorld, openTestLedger, START } from '../../support/ledger-world.ts';

const HOUR_MS = 3_600_000;

let world: LedgerWorld;
beforeAll(async () => {
  world = await openTestLedger();
});
afterAll(() => world.close());
beforeEach(() => world.empty());

function see(rules = 'at 22:00'): Promise<Date> {
  return seeSchedule(world.ledger, 'nightly', rules, 4 * HOUR_MS);
}

describe('seeSchedule', () => {
  it('remembers when a schedule was first seen, in every process', async () => {
    expect(await see()).toEqual(new Date(START));
    world.clock.advance(48 * HOUR_MS);
    const another = await world.openAgain();
    expect(await seeSchedule(another, 'nightly', 'at 22:00', 4 * HOUR_MS)).toEqual(new Date(START));
    expect(await seeSchedule(world.ledger, 'weekly', 'at 22:00', 4 * HOUR_MS)).toEqual(world.clock.now());
  });

  it('asks of new times only for what may still be made', async () => {
    await see();
    world.clock.advance(48 * HOUR_MS);
    const changedAt = world.clock.now().getTime();
    expect(await see('at 21:00')).toEqual(new Date(changedAt - 4 * HOUR_MS));
    world.clock.advance(HOUR_MS);
    expect(await see('at 21:00')).toEqual(new Date(changedAt - 4 * HOUR_MS));
  });

  it('never goes back behind the moment at which it was first seen', async () => {
    await see();
    world.clock.advance(HOUR_MS);
    expect(await see('at 21:00')).toEqual(new Date(START));
  });

  it('takes back what a clock has noted that was ahead', async () => {
    world.clock.advance(400 * 24 * HOUR_MS);
    await see();
    world.clock.set(START);
    expect(await see()).toEqual(new Date(START));
    world.clock.advance(HOUR_MS);
    expect(await see()).toEqual(new Date(START));
  });

  it('two processes that see it first at the same moment agree', async () => {
    const another = await world.openAgain();
    const [one, other] = await Promise.all([see(), seeSchedule(another, 'nightly', 'at 22:00', 4 * HOUR_MS)]);
    expect(one).toEqual(other);
  });
});
