import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { type Call, print, settingsOf, withLedger } from '../../src/cli/command.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { openCliWorld } from './support/cli-world.ts';
import { takeDown } from './support/take-down.ts';
import { openedForTests } from '../support/opened-for-tests.ts';

const world = openedForTests(async () => openCliWorld({ postgres: await startTestPostgres({ sessions: 'ended' }) }));

function call(options: Call['options'] = {}, dir = world.root): Call {
  return { arguments: [], options, dir };
}

/** Returns the process ids of the database sessions, without the one that asks. */
async function sessions(): Promise<Set<number>> {
  const client = new Client({ connectionString: world.env['DATABASE_URL'] });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await client.end();
  return new Set(rows.map(({ pid }) => pid));
}

/** Ignores the sessions from before, because the world's own app may end some meanwhile. */
async function expectNoneLeft(before: ReadonlySet<number>): Promise<void> {
  await expect
    .poll(async () => [...(await sessions())].filter((pid) => !before.has(pid)), { interval: 20 })
    .toEqual([]);
}

describe('print', () => {
  it('prints text, or JSON and nothing else', async () => {
    const text = () => 'two words';
    expect((await takeDown(() => print(call(), { n: 1 }, text))).out).toBe('two words\n');
    const { out } = await takeDown(() => print(call({ json: true }), { n: 1 }, text));
    expect(JSON.parse(out)).toEqual({ n: 1 });
  });
});

describe('settingsOf', () => {
  it('reads the configuration of the folder and the environment', () => {
    expect(settingsOf(call())).toMatchObject({ root: world.root, databaseUrl: world.env['DATABASE_URL'] });
  });
});

describe('withLedger', () => {
  it('answers what was asked and closes its connections', async () => {
    const before = await sessions();
    const asked = await withLedger(call(), async (ledger, settings) => {
      const { rows } = await ledger.pool.query<{ one: number }>('SELECT 1 AS one');
      return [rows[0]?.one, settings.root];
    });
    expect(asked).toEqual([1, world.root]);
    await expectNoneLeft(before);
  });

  it('closes them as well when the question fails', async () => {
    const before = await sessions();
    await expect(withLedger(call(), () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    await expectNoneLeft(before);
  });
});
