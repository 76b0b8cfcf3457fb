import { cp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import pg from 'pg';
import { afterEach, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { cancelBatch } from '../../src/ledger/file/cancel-file.ts';
import { acknowledgeForgotten, pauseAccount, resumeAccount } from '../../src/ledger/account/pause-account.ts';
import { approveFile, declineFile } from '../../src/ledger/file/release-held.ts';
import { readBatches } from '../../src/ledger/file/read-file.ts';
import { readForgottenSends, readHolds } from '../../src/ledger/account/read-holds.ts';
import { findFile } from '../../src/ledger/file/search.ts';
import { admitHere } from '../../workers/admit-here.ts';
import { achRow, lines, upTo } from '../support/payment-rows.ts';
import { openPipelineWorld, type PipelineWorld } from '../support/pipeline-world.ts';
import { startTestPostgres } from '../support/postgres.ts';
import { submitBatch } from '../support/work-alone.ts';

/** An older copy of the ledger replaces the present one; journal, archive and service stay. */

let world: PipelineWorld;
afterEach(() => world.close());

const because = { actor: 'operator:ada', reason: 'looked at the report of the service' };

async function openWorld(): Promise<void> {
  const postgres = await startTestPostgres({ sessions: 'ended' });
  world = await openPipelineWorld({ postgres, settings: { batch: { maxRows: 2 } } });
}

/** Copies the whole database, to put the copy in its place later. Neither step allows other connections. */
async function copyLedger(): Promise<{ restore(meanwhile?: () => Promise<void>): Promise<void> }> {
  const url = world.settings.databaseUrl!;
  const [, name = ''] = /@\/(\w+)\?/.exec(url) ?? [];
  const admin = async (...statements: string[]) => {
    const client = new pg.Client({ connectionString: url.replace(`/${name}?`, '/postgres?') });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
  const replace = async (from: string, to: string, meanwhile?: () => Promise<void>) => {
    await world.app.close();
    await meanwhile?.();
    await admin(`DROP DATABASE IF EXISTS "${to}" WITH (FORCE)`, `CREATE DATABASE "${to}" TEMPLATE "${from}"`);
    world.app = await openApp(world.settings, { log: silentLog(), env: {} });
    await admitHere(world.app);
  };
  const copy = `${name}_older`;
  await replace(name, copy);
  return {
    restore: async (meanwhile) => {
      await replace(copy, name, meanwhile);
      await admin(`DROP DATABASE "${copy}" WITH (FORCE)`);
    },
  };
}

/** Returns how often the service booked each invoice. */
function booked(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { invoice } of world.sandbox.books()) counts[invoice] = (counts[invoice] ?? 0) + 1;
  return counts;
}

function once(rows: number): Record<string, number> {
  return Object.fromEntries(upTo(rows).map((n) => [`A-${n}`, 1]));
}

/** Takes a file to its verdict without sending anything. */
async function accept(name: string, rows: number): Promise<void> {
  await pauseAccount(world.app.ledger, 'main', because);
  await world.drop('ach-charge', name, lines(upTo(rows).map((n) => achRow(n))));
  await world.finish();
}

async function resume(): Promise<void> {
  await resumeAccount(world.app.ledger, 'main', because);
}

/** Sends a file of four rows, and puts back a copy of the ledger from before it came. */
async function forgetSentFile(): Promise<void> {
  await openWorld();
  await accept('first.csv', 0);
  const older = await copyLedger();
  await resume();
  await accept('june.csv', 4);
  await resume();
  await world.finish();
  expect(booked()).toEqual(once(4));
  await older.restore();
  await world.finish();
}

describe('a ledger restored from an older copy', () => {
  it('in which the file was not sent yet: nothing is sent twice, and its batches wait as in doubt', async () => {
    await openWorld();
    await accept('june.csv', 4);
    const older = await copyLedger();
    await resume();
    await world.finish();
    expect(booked()).toEqual(once(4));

    await older.restore();
    await resume();
    await world.finish();
    expect(booked()).toEqual(once(4));
    const file = await findFile(world.app.ledger, 'june.csv');
    expect((await readBatches(world.app.ledger, file.file_id)).map((batch) => batch.state)).toEqual([
      'unknown',
      'unknown',
    ]);

    await resume();
    await world.finish();
    expect(booked()).toEqual(once(4));
    await expect(cancelBatch(world.app.ledger, { fileId: file.file_id, batchNo: 1 }, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
  });

  it('that never heard of the file: dropped again it is held, and what was sent never leaves, also when approved', async () => {
    await forgetSentFile();
    expect(await readForgottenSends(world.app.ledger, 'main')).toMatchObject([{ attempt: 1 }, { attempt: 1 }]);
    await expect(resumeAccount(world.app.ledger, 'main', because)).rejects.toMatchObject({ code: 'JOURNAL_AHEAD' });
    await acknowledgeForgotten(world.app.ledger, 'main', because);
    await resume();

    await world.drop('ach-charge', 'june.csv', lines(upTo(5).map((n) => achRow(n))));
    await world.finish();
    const file = await findFile(world.app.ledger, 'june.csv');
    expect(file).toMatchObject({ state: 'held', reason_code: 'SENT_BEFORE' });
    expect(file.reason).toContain('batch 1 was sent at');
    const held = Object.values(await world.outputs('held')).join('');
    expect(held).toContain('SENT_BEFORE');

    await approveFile(world.app.ledger, file.file_id, because);
    await world.finish();
    expect(booked()).toEqual(once(5));
    expect((await readBatches(world.app.ledger, file.file_id)).map((batch) => batch.state)).toEqual([
      'ready',
      'ready',
      'reconciled',
    ]);
    for (const batchNo of [1, 2]) await cancelBatch(world.app.ledger, { fileId: file.file_id, batchNo }, because);
    await world.finish();
    expect(await world.states()).toMatchObject({ 'june.csv': 'partly_cancelled' });
    expect(booked()).toEqual(once(5));
  });

  it('dropped again in other batches it cannot be approved, because what looks new may have been sent', async () => {
    await forgetSentFile();
    await acknowledgeForgotten(world.app.ledger, 'main', because);
    await resume();

    await world.drop('ach-charge', 'june.csv', lines([1, 2, 3, 5, 4].map((n) => achRow(n))));
    await world.finish();
    const file = await findFile(world.app.ledger, 'june.csv');
    expect(file).toMatchObject({ state: 'held', reason_code: 'SENT_BEFORE' });
    await expect(approveFile(world.app.ledger, file.file_id, because)).rejects.toMatchObject({ code: 'MOVE_REFUSED' });
    await declineFile(world.app.ledger, file.file_id, because);
    await world.finish();
    expect(booked()).toEqual(once(4));

    // The same rows sorted anew have no batch of the same bytes.
    await world.drop('ach-charge', 'sorted.csv', lines([4, 3, 2, 1].map((n) => achRow(n))));
    await world.finish();
    const sorted = await findFile(world.app.ledger, 'sorted.csv');
    expect(sorted).toMatchObject({ state: 'held', reason_code: 'SENT_BEFORE' });
    expect(sorted.reason).toContain('batch 1 was sent at');
    await expect(approveFile(world.app.ledger, sorted.file_id, because)).rejects.toMatchObject({
      code: 'MOVE_REFUSED',
    });
    expect(booked()).toEqual(once(4));
  });
});

describe('a ledger that never heard of a file', () => {
  it.each([
    ['one row less', [2, 3, 4]],
    ['one row more in front', [9, 1, 2, 3, 4]],
    ['one of its rows among others', [7, 8, 3]],
  ])('holds it when it is dropped again altered, and books nothing twice: %s', async (_, rows) => {
    await forgetSentFile();
    await acknowledgeForgotten(world.app.ledger, 'main', because);
    await resume();
    await world.drop('ach-charge', 'altered.csv', lines(rows.map((n) => achRow(n))));
    await world.finish();
    const altered = await findFile(world.app.ledger, 'altered.csv');
    expect(altered).toMatchObject({ state: 'held' });
    expect(`${altered.reason_code} ${altered.reason}`).toMatch(/in calls that the ledger had lost/);
    await declineFile(world.app.ledger, altered.file_id, because);
    const others = rows.filter((n) => n > 4);
    await world.drop('ach-charge', 'others.csv', lines(others.map((n) => achRow(n))));
    await world.finish();
    expect(booked()).toEqual({ ...once(4), ...Object.fromEntries(others.map((n) => [`A-${n}`, 1])) });
  });
});

describe('a data folder that is put back while the machine runs on', () => {
  it('sends nothing that the service has: it is asked before the first call, and the account stops', async () => {
    await openWorld();
    await world.drop('ach-charge', 'may.csv', lines([achRow(11)]));
    await world.finish();
    const folder = dirname(world.settings.paths.journal);
    await cp(folder, `${folder}.copy`, { recursive: true, preserveTimestamps: true });
    const older = await copyLedger();
    const june = lines(upTo(4).map((n) => achRow(n)));
    await world.drop('ach-charge', 'june.csv', june);
    await world.finish();
    const before = { ...once(4), 'A-11': 1 };
    expect(booked()).toEqual(before);

    await older.restore(async () => {
      await rm(folder, { recursive: true });
      await rename(`${folder}.copy`, folder);
    });
    expect(world.app.folderMark.putBack).toBeDefined();
    await world.drop('ach-charge', 'again.csv', june);
    await world.finish();
    expect(booked()).toEqual(before);
    const [stop] = (await readHolds(world.app.ledger, 'main')).stops;
    expect(stop?.reason).toContain('missing from the ledger and the send journal');
  });
});

describe('a ledger that is exchanged under a running process', () => {
  it('gets nothing sent from it: the batch that was sent is in doubt, the next one waits', async () => {
    await openWorld();
    await accept('june.csv', 4);
    await resume();
    const { file_id: fileId } = await findFile(world.app.ledger, 'june.csv');
    const [first, second] = [1, 2].map((batchNo) => ({ fileId, batchNo }));
    await submitBatch(world.app, first!);
    expect(booked()).toEqual(once(2));
    await forgetCalls();

    await submitBatch(world.app, second!);
    await submitBatch(world.app, first!);
    expect(booked()).toEqual(once(2));
    const batches = await readBatches(world.app.ledger, fileId);
    expect(batches.map((batch) => batch.state)).toEqual(['unknown', 'ready']);
    const { rows } = await world.app.ledger.pool.query('SELECT account, kind FROM account_stop');
    expect(rows).toEqual([{ account: 'main', kind: 'journal' }]);
  });
});

/** Takes the ledger back to before the calls, as an older copy would. */
async function forgetCalls(): Promise<void> {
  const client = await world.app.ledger.pool.connect();
  try {
    await client.query('SET session_replication_role = replica');
    await client.query('DELETE FROM attempt');
    await client.query(`UPDATE batch SET state = 'ready', batch_id = NULL`);
    await client.query('UPDATE admission SET run_started = now()');
  } finally {
    await client.query('RESET session_replication_role');
    client.release();
  }
}
