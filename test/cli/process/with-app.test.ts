import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { withApp } from '../../../src/cli/process/with-app.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openCliWorld);

function open<Result>(work: (app: App) => Promise<Result>): Promise<Result> {
  return withApp(world.settings, { log: silentLog(), env: world.env }, work);
}

describe('withApp', () => {
  it('opens the parts for the work and closes them after it', async () => {
    const app = await open(async (opened) => {
      expect((await opened.ledger.pool.query('SELECT 1')).rowCount).toBe(1);
      return opened;
    });
    expect(app.ledger.pool.ended).toBe(true);
  });

  it('closes them when the work fails, and hands the failure on', async () => {
    let app: App | undefined;
    const failing = open(async (opened) => {
      app = opened;
      throw new Error('work');
    });
    await expect(failing).rejects.toThrow('work');
    expect(app?.ledger.pool.ended).toBe(true);
  });
});
