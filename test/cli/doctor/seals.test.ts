import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seals } from '../../../src/cli/doctor/keys.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

describe('seals', () => {
  it('has nothing to open at first, and then opens what was sealed last', async () => {
    expect(await world.look(seals)).toEqual([{ level: 'ok', found: 'nothing is sealed yet' }]);
    await world.drop('card', 'monday.csv', lines([cardRow(1)]));
    await world.finish();
    expect(await world.look(seals)).toMatchObject([
      { level: 'ok', found: expect.stringMatching(/\/1, the newest, can/) },
    ]);
  });

  it('finds sealed bytes that were changed', async () => {
    await world.app.ledger.pool.query(`UPDATE sealed_part SET bytes = bytes || '\\x00' WHERE part = 'body'`);
    expect(await world.look(seals)).toMatchObject([{ level: 'bad', mend: expect.stringContaining('backup') }]);
  });
});
