import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withWorkers } from '../../../src/cli/process/with-workers.ts';
import { cardRow, lines } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
});
afterAll(() => world.close());

describe('withWorkers', () => {
  it('takes files while it lasts and none after it, also when it fails', async () => {
    await world.drop('card', 'during.csv', lines([cardRow(1)]));
    const failing = withWorkers(world.app, async () => {
      await expect.poll(() => world.states()).toEqual({ 'during.csv': 'completed' });
      throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    await world.drop('card', 'after.csv', lines([cardRow(2)]));
    await world.paydrop('status');
    expect(await world.states()).toEqual({ 'during.csv': 'completed' });
    expect(await withWorkers(world.app, async () => 'again')).toBe('again');
  });
});
