import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Of } from '../../../src/kernel/hash.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { openRemote, type RemoteSession } from '../../../src/features/transfers/open-remote.ts';
import { claimOf } from '../../support/ledger-world.ts';
import { upTo } from '../../support/payment-rows.ts';
import { sshdIsInstalled, sshdVerdict } from './support/sshd.ts';
import { expectPulledThroughKills, openPullWorld } from './support/pull-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const verdict = sshdVerdict();

it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

describe.runIf(sshdIsInstalled())('pullFolder', () => {
  const world = openedForTests(openPullWorld);

  it('brings a file in whole, readable for its owner only, and moves it away there', async () => {
    const pair = await world.freshPair();
    await pair.put('june.csv', 'A-1,25.00\n');
    expect(await pair.look()).toBe(0);
    expect(await pair.here()).toEqual({ 'june.csv': 'A-1,25.00\n' });
    expect((await stat(join(pair.folder.path, 'june.csv'))).mode & 0o777).toBe(0o600);
    expect(await pair.there()).toEqual(['claimed/june.csv']);
    expect(await pair.states()).toEqual(['done']);
    expect((await readdir(pair.folder.path)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('waits while a file is written there, and counts it', async () => {
    const pair = await world.freshPair({}, { by: 'quiet', quietMs: 0, probes: 2 });
    await pair.put('slow.csv', 'A-1,');
    expect(await pair.look()).toBe(1);
    await pair.put('slow.csv', 'A-1,25.00\n');
    expect(await pair.look()).toBe(1);
    expect(await pair.here()).toEqual({});
    expect(await pair.look()).toBe(0);
    expect(await pair.here()).toEqual({ 'slow.csv': 'A-1,25.00\n' });
  });

  it('takes a file with its control file when its marker is there, in an order that a watcher bears', async () => {
    const pair = await world.freshPair({}, { by: 'marker', suffix: '.done' });
    await pair.put('july.csv', 'A-1,25.00\n');
    await pair.put('july.csv.ctl', 'rows=1\n');
    await pair.look();
    expect(await pair.here()).toEqual({});
    await pair.put('july.csv.done', '');
    await pair.look();
    expect(await pair.here()).toEqual({ 'july.csv': 'A-1,25.00\n', 'july.csv.ctl': 'rows=1\n', 'july.csv.done': '' });
    expect(await pair.there()).toEqual(['claimed/july.csv', 'claimed/july.csv.ctl', 'claimed/july.csv.done']);
  });

  it('leaves what it may only read where it is, and fetches it once; a changed one is another file', async () => {
    const pair = await world.freshPair({ after: 'keep' });
    await pair.put('kept.csv', 'one\n');
    await pair.look();
    await rm(join(pair.folder.path, 'kept.csv'));
    await pair.look();
    expect(await pair.here()).toEqual({});
    await pair.put('kept.csv', 'two, longer\n');
    await pair.look();
    expect(await pair.here()).toEqual({ 'kept.csv': 'two, longer\n' });
    expect(await pair.there()).toEqual(['kept.csv']);
    expect(await pair.states()).toEqual(['done', 'done']);
  });

  it('does not let a file that cannot be moved away keep the others waiting', async () => {
    const pair = await world.freshPair();
    await pair.put('claimed', 'a file where the folder of the claimed ones should be');
    for (const name of ['one.csv', 'two.csv']) await pair.put(name, `${name}\n`);
    await expect(pair.look()).rejects.toMatchObject({ code: 'REMOTE_FAILED' });
    expect(Object.keys(await pair.here())).toEqual(expect.arrayContaining(['one.csv', 'two.csv']));
  });

  it('deletes what it fetched, when that is wanted', async () => {
    const pair = await world.freshPair({ after: 'delete' });
    await pair.put('gone.csv', 'one\n');
    await pair.look();
    expect(await pair.there()).toEqual([]);
    expect(await pair.here()).toEqual({ 'gone.csv': 'one\n' });
  });

  it('keeps two files of one name that were claimed one after the other', async () => {
    const pair = await world.freshPair();
    for (const text of ['one\n', 'number two\n']) {
      await pair.put('same.csv', text);
      await pair.look();
      expect(await pair.here()).toEqual({ 'same.csv': text });
      await rm(join(pair.folder.path, 'same.csv'));
    }
    const names = await pair.there();
    expect(names).toHaveLength(2);
    expect(names.every((name) => /^claimed\/same\.csv(?:\.\d{17})?$/.test(name))).toBe(true);
  });

  it('waits while a file of the same name lies here', async () => {
    const pair = await world.freshPair();
    await pair.put('same.csv', 'one\n');
    await pair.look();
    await pair.put('same.csv', 'number two\n');
    await pair.look();
    expect(await pair.here()).toEqual({ 'same.csv': 'one\n' });
    expect(await pair.there()).toEqual(['same.csv', 'claimed/same.csv']);
    await rm(join(pair.folder.path, 'same.csv'));
    await pair.look();
    expect(await pair.here()).toEqual({ 'same.csv': 'number two\n' });
  });

  it('takes nothing that changes while it is fetched', async () => {
    const pair = await world.freshPair();
    await pair.put('grows.csv', 'one\n');
    const growing: typeof openRemote = async (remote) => {
      const session = await openRemote(remote);
      const fetch: RemoteSession['fetch'] = async (...call) => {
        await session.fetch(...call);
        await pair.put('grows.csv', 'one\ntwo\n');
      };
      return { ...session, fetch };
    };
    await pair.look(growing);
    expect(await pair.here()).toEqual({});
    await pair.look();
    expect(await pair.here()).toEqual({ 'grows.csv': 'one\ntwo\n' });
  });

  it('passes over names of unfinished files, and notes no card number', async () => {
    const pair = await world.freshPair();
    for (const name of ['.hidden.csv', 'x.csv.part', 'y.csv.filepart', 'z.csv~']) await pair.put(name, 'x\n');
    await pair.put('pay-4512345678901234.csv', 'x\n');
    await pair.look();
    expect(Object.keys(await pair.here())).toEqual(['pay-4512345678901234.csv']);
    const rows = await world.query<{ name: string }>('SELECT name FROM pulled WHERE folder = $1', [pair.folder.id]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain('4512345678901234');
  });

  it('goes on from wherever it was cut off, and drops the file once', async () => {
    for (const calls of upTo(CALLS)) {
      const pair = await world.freshPair({}, { by: 'marker', suffix: '.done' });
      for (const [name, text] of Object.entries(FILES)) await pair.put(name, text);
      const cut = await pair.look(dyingAfter(calls)).then(
        () => false,
        () => true,
      );
      expect(cut, `${calls} calls`).toBe(calls < CALLS);
      await pair.look();
      expect(await pair.here(), `cut after ${calls} calls`).toEqual(FILES);
      expect(await pair.there()).toEqual(Object.keys(FILES).map((name) => `claimed/${name}`));
    }
  });

  it('does not drop again what was claimed here before it could say so', async () => {
    const pair = await world.freshPair();
    await pair.put('claimed.csv', 'one\n');
    await pair.look();
    // As if the process died between the rename and its note, and a watcher has since taken the file.
    await world.query(`UPDATE pulled SET state = 'fetched' WHERE folder = $1`, [pair.folder.id]);
    await rm(join(pair.folder.path, 'claimed.csv'));
    await claimForTest(world.app.ledger, claimOf({ folder: pair.folder.id, sha256: sha256Of(Buffer.from('one\n')) }));
    const there = join(pair.folder.pull.path, 'claimed', 'claimed.csv');
    await rename(there, join(pair.folder.pull.path, 'claimed.csv'));
    await pair.look();
    expect(await pair.here()).toEqual({});
    expect(await pair.there()).toEqual(['claimed/claimed.csv']);
  });

  it('fetches again what left no trace here', async () => {
    const pair = await world.freshPair();
    await pair.put('lost.csv', 'one\n');
    await pair.look();
    await world.query(`UPDATE pulled SET state = 'fetched' WHERE folder = $1`, [pair.folder.id]);
    await rm(join(pair.folder.path, 'lost.csv'));
    await rename(join(pair.folder.pull.path, 'claimed', 'lost.csv'), join(pair.folder.pull.path, 'lost.csv'));
    await pair.look();
    expect(await pair.here()).toEqual({ 'lost.csv': 'one\n' });
  });

  it('says that the server is away, and goes on when it is back', async () => {
    const pair = await world.freshPair();
    await pair.put('later.csv', 'one\n');
    await world.sshd.kill();
    await expect(pair.look()).rejects.toMatchObject({ code: 'REMOTE_UNREACHABLE' });
    await world.sshd.restart();
    await pair.look();
    expect(await pair.here()).toEqual({ 'later.csv': 'one\n' });
  });

  it('brings in twenty files, each once, from a server that is killed meanwhile', async () => {
    await expectPulledThroughKills(world, 20, [8]);
  });
});

/** Calls to the server for a file with a control file and a marker. */
const CALLS = 14;

const FILES = { 'july.csv': 'A-1,25.00\n', 'july.csv.ctl': 'rows=1\n', 'july.csv.done': '' };

/** Opens sessions that answer only this many calls, as if the process were killed there. */
function dyingAfter(calls: number): typeof openRemote {
  let left = calls;
  return async (remote) => {
    const session = await openRemote(remote);
    const entries = Object.entries(session).map(([name, call]) => {
      const counted = async (...given: unknown[]) => {
        if (name !== 'close' && left === 0) throw new Error('killed');
        if (name !== 'close') left -= 1;
        return (call as (...all: unknown[]) => Promise<unknown>)(...given);
      };
      return [name, counted];
    });
    return Object.fromEntries(entries) as RemoteSession;
  };
}

describe.runIf(sshdIsInstalled())('pullFolder', () => {
  const world = openedForTests(openPullWorld);

  it('brings in two thousand files, each once, from a server that is killed three times meanwhile', async () => {
    await expectPulledThroughKills(world, 2_000, [400, 1_000, 1_600]);
  }, 300_000);
});
