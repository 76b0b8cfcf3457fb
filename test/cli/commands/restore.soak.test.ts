import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../../src/app.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { achRow, lines, upTo } from '../../support/payment-rows.ts';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
let path = '';
beforeAll(async () => {
  world = await openCliWorld({ settings: { batch: { maxRows: 2 } } });
  path = join(world.root, 'a.backup');
  // One file is sent before the backup, one waits during it, and one is sent after.
  await drop('before', 2);
  await world.finish();
  await world.paydrop('account', 'pause', 'main', '--reason', 'wait');
  await drop('waiting', 4);
  await world.finish();
  await world.paydrop('backup', path);
  await world.paydrop('account', 'resume', 'main', '--reason', 'go on');
  await drop('after', 2);
  await world.finish();
});
afterAll(() => world.close());

async function drop(name: string, rows: number): Promise<void> {
  const charges = upTo(rows).map((n) => achRow(n, { invoice: `${name}-${n}` }));
  await world.drop('ach-charge', `${name}.csv`, lines(charges));
}

/** Returns how often the service booked each invoice. */
function booked(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { invoice } of world.sandbox.books()) counts[invoice] = (counts[invoice] ?? 0) + 1;
  return counts;
}

const ONCE = Object.fromEntries(
  ['before-1', 'before-2', 'waiting-1', 'waiting-2', 'waiting-3', 'waiting-4', 'after-1', 'after-2'].map((invoice) => [
    invoice,
    1,
  ]),
);

describe('restore', () => {
  it('refuses while a process works with the ledger', async () => {
    expect(booked()).toEqual(ONCE);
    const { status, err } = await world.paydrop('restore', path, '--replace');
    expect(status).toBe(5);
    expect(err).toContain('a process of paydrop works with it. Stop every paydrop');
  });

  it('refuses a ledger that holds files', async () => {
    await world.app.close();
    const { status, err } = await world.paydrop('restore', path);
    expect(status).toBe(5);
    expect(err).toContain('--replace');
  });

  it('puts the older ledger in place, and nothing that was sent since can be sent again', async () => {
    const { status, out } = await world.paydrop('restore', path, '--replace');
    expect(out).toContain('is kept in the schema paydrop_before_');
    expect(out).toContain('Account main was stopped: the ledger that was here before knows 3 calls');
    expect(out).toContain('Batches in doubt: 2; calls that no batch answers for: 1.');
    expect(status).toBe(5);

    world.app = await openApp(world.settings, { log: silentLog(), env: {} });
    await world.paydrop('account', 'resume', 'main', '--reason', 'hasty');
    await world.finish();
    await world.paydrop('account', 'acknowledge', 'main', '--reason', 'looked them up at the service');
    await world.paydrop('account', 'resume', 'main', '--reason', 'dealt with');
    await drop('after', 2);
    await world.finish();
    expect(booked()).toEqual(ONCE);
    expect(await world.states()).toEqual({
      'before.csv': 'completed',
      'waiting.csv': 'in_progress',
      'after.csv': 'held',
    });
    expect(await world.paydrop('audit', 'verify')).toMatchObject({ status: 0 });
  });

  it('says so when nothing was sent since', async () => {
    const later = join(world.root, 'later.backup');
    await world.paydrop('backup', later);
    await world.app.close();
    const { status, out } = await world.paydrop('restore', later, '--replace', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stopped: [], keptAs: expect.stringMatching(/^paydrop_before_\d{17}$/) });
    world.app = await openApp(world.settings, { log: silentLog(), env: {} });
  });
});
