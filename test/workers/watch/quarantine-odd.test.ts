import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { quarantineOdd } from '../../../workers/watch/take-claim.ts';
import { CARD } from '../../support/payment-rows.ts';
import { stepWorld } from '../support/step-world.ts';

const world = stepWorld({ accounts: 1 });

describe('quarantineOdd', () => {
  it('shows no number that stands in the name, and leaves a drop alone that is gone', async () => {
    const { quarantine } = world.app.settings.paths;
    const path = join(world.root, `${CARD}.csv`);
    await mkdir(path);
    const odd = { name: `${CARD}.csv`, path: Buffer.from(path), code: 'DROP_DIRECTORY' as const };
    await quarantineOdd(world.app, odd, 'drop/dues');
    const [dir] = await readdir(quarantine);
    const reason = await readFile(join(quarantine, dir!, 'reason.json'), 'utf8');
    expect(reason).toContain('************2220.csv');
    expect(reason + JSON.stringify(world.logged)).not.toContain(CARD);
    await expect(quarantineOdd(world.app, odd, 'drop/dues')).resolves.toBeUndefined();
    expect(await readdir(quarantine)).toEqual([dir]);
  });
});
