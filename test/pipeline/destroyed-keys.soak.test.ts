import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rotateKey } from '../../src/cli/commands/key.ts';
import { retentionDays } from '../../src/config/account-rules.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { cleanStorage, watchLog } from '../../src/ledger/retention/clean-storage.ts';
import { joinEmbeddedServer } from '../../src/ledger/postgres/join-embedded-server.ts';
import { retireKey } from '../../src/ledger/key/master-keys.ts';
import { dropFingerprints, shredFile } from '../../src/ledger/retention/retention.ts';
import { unwrapDataKey } from '../../src/crypto/data-key.ts';
import { findKeyPlace } from '../../src/crypto/key-place.ts';
import { openKeyRing } from '../../src/crypto/key-ring.ts';
import { achRow, lines } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { urlOf } from '../support/postgres.ts';
import { query } from '../workers/support/story.ts';

const FILES = 40;
const ROWS = 10;
/** Maximum number of log checks; a server makes one an hour. */
const MOST_LOOKS = 200;

/** What is searched for in the files of the server, by the id of its file. */
type Needles = {
  destroyed: Map<string, Buffer[]>;
  kept: Map<string, Buffer[]>;
  prints: Map<string, Buffer[]>;
  /** Marks of the rows of the due files. */
  marks: Map<string, Buffer[]>;
  /** The destroyed keys, wrapped as they lay in the ledger. */
  wrapped: Map<string, Buffer>;
};

let folder = '';
let world: PipelineWorld;
let needles: Needles;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-destroyed-'));
  // A server with the settings of an installation: it syncs, and writes whole pages to its log.
  const server = await joinEmbeddedServer({ dataDir: folder, log: silentLog() });
  const postgres = { url: urlOf(server.connection), stop: () => server.leave() };
  world = await openPipelineWorld({ postgres, redisUrl: '', account: { recheck: { afterMs: [] } } });
  for (let file = 0; file < FILES; file += 1) {
    const rows = Array.from({ length: ROWS }, (_, row) => achRow(row, { invoice: `INV-${file}-${row}` }));
    await world.drop('ach-charge', `file-${file}.csv`, lines(rows));
  }
  await world.finish(240_000);
  // Every other file completed so long ago that its retention time is over.
  await query(
    world.app,
    `UPDATE file SET (state_at, known_at) = (state_at - interval '401 days', known_at - interval '401 days') WHERE file_no % 2 = 0`,
  );
  await query(world.app, 'ANALYZE');
  needles = await readNeedles();
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Reads wrapped keys and the fingerprints of the due files, as bytes. A page head may cut a log record in two, so two
 * parts of each key are searched for, and one is enough.
 */
async function readNeedles(): Promise<Needles> {
  const keys = await query<{ id: string; due: boolean; wrapped: Buffer; mark: string }>(
    world.app,
    'SELECT file_id AS id, file_no % 2 = 0 AS due, wrapped_key AS wrapped, row_set AS mark FROM file_secret JOIN file USING (file_id)',
  );
  const prints = await query<{ id: string; bytes: Buffer[] }>(
    world.app,
    `SELECT file_id AS id, array_agg(int8send(volume) || int8send(fingerprint)) AS bytes
     FROM row_fingerprint JOIN file USING (file_no) WHERE file_no % 2 = 0 GROUP BY file_id`,
  );
  const parts = (wrapped: Buffer) => [wrapped.subarray(8, 32), wrapped.subarray(40, 64)];
  const keysOf = (due: boolean) =>
    new Map(keys.filter((key) => key.due === due).map((key) => [key.id, parts(key.wrapped)]));
  return {
    destroyed: keysOf(true),
    kept: keysOf(false),
    marks: new Map(keys.filter((key) => key.due).map((key) => [key.id, [Buffer.from(key.mark)]])),
    wrapped: new Map(keys.filter((key) => key.due).map((key) => [key.id, key.wrapped])),
    prints: new Map(prints.map(({ id, bytes }) => [id, bytes.map(asOnDisk)])),
  };
}

/** Returns two 64-bit integers in the byte order in which the server keeps them. */
function asOnDisk(sent: Buffer): Buffer {
  return Buffer.from(sent).swap64();
}

type Found = { tables: Set<string>; files: Set<string>; log: Set<string> };

/** Returns where in the server's data folder any of these bytes occur, after everything in memory was written. */
async function search(wanted: Map<string, Buffer[]>): Promise<Found> {
  await query(world.app, 'CHECKPOINT');
  const [place] = await query<{ root: string }>(world.app, `SELECT current_setting('data_directory') AS root`);
  const tables = await query<{ path: string; name: string }>(
    world.app,
    'SELECT pg_relation_filepath(oid) AS path, relname AS name FROM pg_class WHERE pg_relation_filepath(oid) IS NOT NULL',
  );
  const nameOf = new Map(tables.map(({ path, name }) => [path, name]));
  const found: Found = { tables: new Set(), files: new Set(), log: new Set() };
  for (const entry of await readdir(place!.root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path).catch(() => Buffer.alloc(0));
    const inside = [...wanted].filter(([, parts]) => parts.some((part) => bytes.includes(part))).map(([id]) => id);
    const relative = path.slice(place!.root.length + 1);
    const isLog = relative.startsWith('pg_wal/');
    for (const id of inside) (isLog ? found.log : found.files).add(id);
    if (inside.length > 0 && !isLog) found.tables.add(nameOf.get(relative) ?? relative);
  }
  return found;
}

const logEnd = async () => (await query<{ end: string }>(world.app, 'SELECT pg_current_wal_lsn() AS end'))[0]!.end;
const logSince = async (start: string) =>
  Number(
    (await query<{ bytes: string }>(world.app, `SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '${start}') AS bytes`))[0]!
      .bytes,
  );

describe('the bytes of a destroyed key', () => {
  it('stand in one narrow table and in the log while the key is used, also after statistics were made', async () => {
    const { destroyed, kept, prints } = needles;
    expect([destroyed.size, kept.size, prints.size]).toEqual([FILES / 2, FILES / 2, FILES / 2]);
    const keys = await search(new Map([...destroyed, ...kept]));
    expect(keys.files.size).toBe(FILES);
    expect([...keys.tables]).toEqual(['file_secret']);
    expect(keys.log.size).toBe(FILES);
    expect((await search(needles.marks)).tables).toEqual(new Set(['file_secret', 'file_secret_by_row_set']));
    expect((await search(prints)).tables).toEqual(new Set(['row_fingerprint', 'row_fingerprint_by_fingerprint']));
  });

  it('are still there when they were deleted, and after VACUUM', async () => {
    const { destroyed, prints } = needles;
    for (const id of destroyed.keys())
      expect(await shredFile(world.app.ledger, id, retentionDays(world.settings))).toBe(true);
    expect(await dropFingerprints(world.app.ledger, () => false)).toBe(FILES / 2);
    expect((await search(destroyed)).files.size).toBe(FILES / 2);
    await query(world.app, 'VACUUM file_secret, row_fingerprint');
    expect((await search(destroyed)).files.size).toBeGreaterThan(0);
    expect((await search(prints)).files.size).toBeGreaterThan(0);
  });

  it('are gone from every file of the database after the cleaning, and not from the log', async ({ annotate }) => {
    const { destroyed, kept, prints } = needles;
    const start = await logEnd();
    const startMs = performance.now();
    expect(await cleanStorage(world.app.ledger)).toEqual({ file_secret: undefined, row_fingerprint: undefined });
    const ms = Math.round(performance.now() - startMs);
    // The log also grows by the rest of one of its files, which is filled with zeros.
    await annotate(`${FILES} keys, ${FILES * ROWS} fingerprints: ${ms} ms, ${await logSince(start)} bytes of the log`);
    const left = await search(destroyed);
    expect([left.files, left.tables]).toEqual([new Set(), new Set()]);
    expect((await search(prints)).files).toEqual(new Set());
    expect((await search(needles.marks)).files).toEqual(new Set());
    expect((await search(kept)).files.size).toBe(FILES / 2);
    expect(left.log.size).toBe(FILES / 2);
    expect(await query(world.app, 'SELECT DISTINCT log_over_at FROM cleaning')).toEqual([{ log_over_at: null }]);
  });

  it('open nothing any more when the master key was changed and its last copy is gone', async () => {
    const { ledger, settings } = world.app;
    const place = findKeyPlace(settings, {});
    const [[id, wrapped]] = [...needles.wrapped] as [[string, Buffer]];
    const before = openKeyRing(place);
    expect(unwrapDataKey(before, id, wrapped).fileId).toBe(id);
    const because = { actor: 'operator:ada', reason: 'a test' };
    // The kept keys, and the key of the fingerprints, which stays in use.
    expect(await rotateKey(ledger, place, because)).toMatchObject({ rewrapped: FILES / 2 + 1 });
    await retireKey(ledger, before.current.id, because);
    expect(() => unwrapDataKey(openKeyRing(place).current, id, wrapped)).toThrow('it needs master key');
    expect((await search(needles.destroyed)).log.size).toBe(FILES / 2);
  });

  it('are gone from the log when it says so, and not later than it could be', async ({ annotate }) => {
    const { destroyed, prints } = needles;
    const start = await logEnd();
    let looks = 0;
    let goneAt: number | undefined;
    for (; looks < MOST_LOOKS; looks += 1) {
      await watchLog(world.app.ledger);
      const open = await query(world.app, 'SELECT FROM cleaning WHERE log_over_at IS NULL');
      const { log } = await search(destroyed);
      if (log.size === 0) goneAt ??= looks;
      if (open.length === 0) break;
    }
    await annotate(
      `gone after ${goneAt} looks, said after ${looks}, ${(await logSince(start)) / 2 ** 20} MB of the log later`,
    );
    expect(looks).toBeLessThan(MOST_LOOKS);
    expect(await search(destroyed)).toEqual({ tables: new Set(), files: new Set(), log: new Set() });
    for (const others of [prints, needles.marks])
      expect(await search(others)).toEqual({ tables: new Set(), files: new Set(), log: new Set() });
  });
});
