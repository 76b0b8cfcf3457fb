import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { App } from '../../../src/app.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { pollNow } from '../../../src/ledger/batch/schedule-poll.ts';
import { findDueWork } from '../../../src/ledger/batch/due-work.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import { rebuildOutputs } from '../../../workers/deliver/rebuild-outputs.ts';
import { openResult, originalPath } from '../../../workers/open-original.ts';
import { openShredder, shredDue } from '../../../workers/upkeep/shred.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { query } from '../support/story.ts';

/** Tables whose files on disk hold a wrapped key or its bytes, which begin with its mark. */
const FILES_WITH_KEYS = `SELECT oid::regclass::text AS table FROM pg_class
  WHERE relnamespace = 'paydrop'::regnamespace AND relkind = 'r' AND relname <> 'vault_key'
    AND position('PDK1'::bytea IN pg_read_binary_file(pg_relation_filepath(oid))) > 0`;

const DAY_MS = 86_400_000;
const because = { actor: 'operator:ada', reason: 'the customer asks' };

const world = openedForTests(() => openPipelineWorld({ account: { recheck: { afterMs: [] } } }));
beforeAll(async () => {
  for (const name of ['june', 'july', 'august']) {
    await world.drop('ach-charge', `${name}.csv`, lines([achRow(1, { invoice: name }), achRow(2, { invoice: name })]));
  }
  await world.finish();
});

/** Returns the same installation this many days later. */
function after(days: number): { app: App; clock: ReturnType<typeof handClock> } {
  const clock = handClock(new Date(world.app.clock.now().getTime() + days * DAY_MS));
  const databaseNow = () => `timestamptz '${clock.now().toISOString()}'`;
  const gateway: App['gateway'] = (name) => ({ ...world.app.gateway(name), askTime: async () => clock.now() });
  return { clock, app: { ...world.app, clock, gateway, ledger: { ...world.app.ledger, clock, databaseNow } } };
}

async function archived(): Promise<string[]> {
  const names = await readdir(world.settings.paths.archive, { recursive: true });
  return names.filter((name) => name.endsWith('.sealed'));
}

describe('shredDue', () => {
  it('leaves everything as it is before the time is over', async () => {
    expect(await shredDue(after(399).app)).toBe(0);
    expect(await archived()).toHaveLength(3);
    const outputs = await rebuildOutputs(world.app, await findFile(world.app.ledger, 'june.csv'));
    expect(outputs.map((output) => output.rebuilt)).toEqual(['same', 'same', 'same', 'same']);
  });

  it('stops between two files when the process does', async () => {
    expect(await shredDue(after(401).app, () => true)).toBe(0);
    expect(await archived()).toHaveLength(3);
  });

  it.each([
    ['says that it is not', async () => world.app.clock.now()],
    ['does not say', async () => undefined],
  ])('destroys nothing when the host says that the time is over and the service %s', async (_what, askTime) => {
    const { app } = after(500);
    const gateway: App['gateway'] = (name) => ({ ...app.gateway(name), askTime });
    const refused = { code: 'CLOCK_UNSURE', message: expect.stringContaining('the keys of 3 files') };
    await expect(shredDue({ ...app, gateway })).rejects.toMatchObject(refused);
    expect(await archived()).toHaveLength(3);
  });

  it('destroys key, batches, fingerprints and original; outcomes and outputs stay', async () => {
    const before = await world.outputs('result');
    expect(await shredDue(after(401).app)).toBe(3);
    expect(await archived()).toEqual([]);
    expect(await world.outputs('result')).toEqual(before);
    const left = await query(
      world.app,
      `SELECT (SELECT count(*)::int FROM sealed_part) AS parts, (SELECT count(*)::int FROM row_outcome) AS outcomes,
              (SELECT count(*)::int FROM row_print) AS prints, (SELECT count(*)::int FROM file_secret) AS keys`,
    );
    expect(left).toEqual([{ parts: 0, outcomes: 6, prints: 0, keys: 0 }]);
    expect(await shredDue(after(402).app)).toBe(0);
  });

  it('has no byte of a destroyed key left in the files of the database', async () => {
    const cleanings = await query(world.app, 'SELECT table_name, cleaned_at, why FROM cleaning ORDER BY table_name');
    expect(cleanings).toEqual([
      { table_name: 'file_secret', cleaned_at: expect.any(Date), why: null },
      { table_name: 'row_print', cleaned_at: expect.any(Date), why: null },
    ]);
    await query(world.app, 'CHECKPOINT');
    expect(await query(world.app, FILES_WITH_KEYS)).toEqual([]);
  });

  it('has every later wish for the original answered clearly, and nothing due because of it', async () => {
    const file = await findFile(world.app.ledger, 'june.csv');
    const gone = { code: 'ORIGINAL_GONE', message: expect.stringContaining('destroyed on purpose') };
    await expect(rebuildOutputs(world.app, file)).rejects.toMatchObject(gone);
    await expect(openResult(world.app, file, 1)).rejects.toMatchObject(gone);
    const key = { fileId: file.file_id, batchNo: 1 };
    await expect(pollNow(world.app.ledger, key, because)).rejects.toMatchObject(gone);
    await query(world.app, 'UPDATE batch SET next_recheck_at = now()');
    expect(await findDueWork(world.app.ledger)).toEqual({ intake: [], submit: [], poll: [], deliver: [] });
  });

  it('removes an original whose key another process destroyed before it died', async () => {
    const file = await readFileRow(world.app.ledger, (await findFile(world.app.ledger, 'july.csv')).file_id);
    const path = originalPath(world.app, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'sealed');
    await shredDue(world.app);
    expect(await archived()).toEqual([]);
  });
});

describe('openShredder', () => {
  it('looks once an hour, however often it is asked to, and sooner when the clock was set back', async () => {
    const { app, clock } = after(500);
    let looks = 0;
    const pool = new Proxy(app.ledger.pool, {
      get: (target, name) => {
        if (name !== 'query') return Reflect.get(target, name).bind(target);
        return (text: string, values: unknown[]) => {
          if (text.includes('AS "dueAt"')) looks += 1;
          return target.query(text, values);
        };
      },
    });
    const shredder = openShredder({ ...app, ledger: { ...app.ledger, pool } });
    await Promise.all([shredder.tick(), shredder.tick()]);
    expect(looks).toBe(1);
    clock.advance(3_599_999);
    await shredder.tick();
    expect(looks).toBe(1);
    clock.advance(1);
    await shredder.tick();
    expect(looks).toBe(2);
    clock.advance(-DAY_MS);
    await shredder.tick();
    expect(looks).toBe(3);
    await shredder.stop();
    clock.advance(DAY_MS);
    await shredder.tick();
    expect(looks).toBe(3);
  });

  it('says so in the log when it fails, and lives on', async () => {
    const said: unknown[] = [];
    const log = { ...world.app.log, error: (text: unknown) => said.push(text) } as unknown as App['log'];
    const pool = { query: () => Promise.reject(new Error('gone')) } as unknown as App['ledger']['pool'];
    await openShredder({ ...world.app, log, ledger: { ...world.app.ledger, pool } }).tick();
    expect(said).toEqual(['destroying keys failed: gone']);
  });
});
