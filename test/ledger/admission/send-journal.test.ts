import { appendFile, cp, mkdir, mkdtemp, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import type { BatchRow } from '../../../src/ledger/engine/records.ts';
import {
  type Fence,
  findForgottenSends,
  type JournalEntry,
  openSendJournal,
  type SendJournal,
} from '../../../src/ledger/admission/send-journal.ts';
import { openTestLedger, START } from '../../support/ledger-world.ts';

const world = openedForTests(openTestLedger);
let folder: string;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-journal-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
let made = 0;
beforeEach(() => {
  path = join(folder, `data-${(made += 1)}`, 'journal', 'sends.jsonl');
});

async function open(): Promise<SendJournal> {
  const journal = await openSendJournal(path);
  onTestFinished(() => journal.close());
  return journal;
}

function entryOf(attempt: number, batch?: BatchRow): JournalEntry {
  return {
    at: START,
    account: batch?.account ?? 'main',
    fileId: batch?.file_id ?? 'nosuchfile',
    batchNo: batch?.batch_no ?? 1,
    attempt,
    sha256: 'ab'.repeat(32),
  };
}

async function linesOf(): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
}

const forgotten = () => findForgottenSends(world.ledger, path);

describe('openSendJournal', () => {
  it('keeps one line per attempt, in the order in which they were made, on disk when append returns', async () => {
    const journal = await open();
    for (const attempt of [1, 2, 3]) {
      await journal.append(entryOf(attempt));
      expect((await linesOf()).map((line) => JSON.parse(line))).toEqual(
        [1, 2, 3].slice(0, attempt).map((number) => entryOf(number)),
      );
    }
  });

  it.each([
    ['removed', () => rm(path)],
    [
      'replaced by a copy',
      async () => {
        await cp(path, `${path}.copy`);
        await rename(`${path}.copy`, path);
      },
    ],
  ])('takes no line once its file was %s under the process', async (_, change) => {
    const journal = await open();
    await journal.append(entryOf(1));
    await change();
    await expect(journal.append(entryOf(2))).rejects.toThrow(/another file is in its place. Stop paydrop/);
  });

  it('keeps whole lines when many append at the same moment, from two openers', async () => {
    const journals = [await open(), await open()];
    const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
    await Promise.all(numbers.map((attempt) => journals[attempt % 2]!.append(entryOf(attempt))));
    const kept = (await linesOf()).map((line) => (JSON.parse(line) as JournalEntry).attempt);
    expect(kept.sort((one, other) => one - other)).toEqual(numbers);
  });

  it('goes on behind what an earlier process wrote', async () => {
    const first = await openSendJournal(path);
    await first.append(entryOf(1));
    await first.close();
    await (await open()).append(entryOf(2));
    expect(await linesOf()).toHaveLength(2);
  });

  it('can be read by nobody else', async () => {
    await open();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
  });

  it('says so when a line cannot be written', async () => {
    const journal = await openSendJournal(path);
    await journal.close();
    await expect(journal.append(entryOf(1))).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it.skipIf(process.platform !== 'linux')('says DISK_FULL when the disk is full', async () => {
    const journal = await openSendJournal('/dev/full');
    await expect(journal.append(entryOf(1))).rejects.toMatchObject({ code: 'DISK_FULL' });
    await journal.close();
  });
});

describe('findForgottenSends', () => {
  it('takes an answer that was kept beside a send for no send of its own', async () => {
    const journal = await open();
    await journal.append(entryOf(1));
    await journal.append({ ...entryOf(1), answer: { verdict: 'submitted', batchId: '7001' } });
    expect(await forgotten()).toEqual([entryOf(1)]);
  });

  it('is empty without a journal, and with an empty one', async () => {
    expect(await forgotten()).toEqual([]);
    await open();
    expect(await forgotten()).toEqual([]);
  });

  it('finds the attempts that the ledger does not know, in the order of the journal', async () => {
    const journal = await open();
    const known = await world.sending();
    const lost = await world.sending();
    const entries = [
      entryOf(2, known),
      entryOf(1, lost),
      entryOf(1, known),
      entryOf(1),
      { ...entryOf(1, known), batchNo: 2 },
    ];
    for (const entry of entries) await journal.append(entry);
    expect(await forgotten()).toEqual([entries[0], entries[3], entries[4]]);
    await world.force('DELETE FROM attempt WHERE file_id = $1', [lost.file_id]);
    expect(await forgotten()).toEqual([entries[0], entries[1], entries[3], entries[4]]);
  });

  it('reads past a line that a crash cut short, wherever it was cut', async () => {
    const journal = await open();
    await journal.append(entryOf(1));
    const { size } = await stat(path);
    await journal.append(entryOf(2));
    const whole = await stat(path);
    for (let cut = size; cut < whole.size; cut += 9) {
      await truncate(path, cut);
      await journal.append(entryOf(3));
      expect((await forgotten()).map((entry) => entry.attempt)).toEqual([1, 3]);
      await truncate(path, size);
      await journal.append(entryOf(2));
    }
    await truncate(path, whole.size - 1);
    expect((await forgotten()).map((entry) => entry.attempt)).toEqual([1]);
  });

  it('reads lines of any kind of ending, and skips what is no entry', async () => {
    await open();
    const text = JSON.stringify(entryOf(1));
    await writeFile(path, `${text}\n\n${text}\r\nnonsense\nnull\n`);
    expect(await forgotten()).toEqual([entryOf(1), entryOf(1)]);
  });

  it('compares a journal of any length', async () => {
    await open();
    const known = await world.sending();
    const lines = Array.from({ length: 25_000 }, (_, index) =>
      JSON.stringify(index % 1_000 === 999 ? entryOf(index) : entryOf(1, known)),
    );
    await appendFile(path, lines.join('\n'));
    expect((await forgotten()).map((entry) => entry.attempt)).toEqual(
      Array.from({ length: 25 }, (_, index) => index * 1_000 + 999),
    );
  });
});

describe('a folder in the place of the journal', () => {
  it('is told at the start and at the comparison, with what to do', async () => {
    await mkdir(path, { recursive: true });
    for (const act of [() => openSendJournal(path), forgotten])
      await expect(act()).rejects.toThrow('Cannot use the send journal: its path is not a file. Move it away');
  });
});

describe('readSelf', () => {
  const fence = (epoch: number): Fence => ({
    kind: 'fence',
    at: START,
    ledger: 'a ledger',
    epoch,
    closing: `closing ${epoch}`,
    name: 'host-a',
    list: ['host-a'],
    knows: [],
  });

  /** Opens a journal twice, as two processes do. */
  async function openTwice(): Promise<[SendJournal, SendJournal]> {
    const both: [SendJournal, SendJournal] = [await open(), await open()];
    await both[0].readSelf('host-a', world.clock);
    return both;
  }

  it('gives a new journal an id and a name, which stay, also for another process', async () => {
    const [one, other] = [await open(), await open()];
    const [self, same] = await Promise.all([
      one.readSelf('host-a', world.clock),
      other.readSelf('host-b', world.clock),
    ]);
    expect(same.id).toBe(self.id);
    expect((await other.readSelf('host-c', world.clock)).id).toBe(self.id);
    expect(self).toMatchObject({ id: expect.stringMatching(/^[\da-f-]{36}$/), hasSends: false });
    expect(self.notes[0]).toMatchObject({ kind: 'begin', name: expect.stringMatching(/^host-[ab]$/) });
  });

  it('names a journal that lost its first line behind what stands in it', async () => {
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, JSON.stringify(entryOf(1)));
    const self = await (await open()).readSelf('host-a', world.clock);
    expect(self).toMatchObject({ hasSends: true, notes: [{ kind: 'begin', name: 'host-a' }] });
  });

  it('reads what another process has written since, also a long line in pieces', async () => {
    const [one, other] = await openTwice();
    const long = { ...fence(2), list: Array.from({ length: 20_000 }, (_, n) => `host-${n}`) };
    await other.append(fence(1));
    await other.append(long);
    expect((await one.readSelf('host-a', world.clock)).notes.slice(1)).toEqual([fence(1), long]);
  });

  it('says whether a newer fence stands before a call', async () => {
    const [one, other] = await openTwice();
    const call = (name: string) => ({ ...entryOf(1), call: name });
    await one.append(fence(1));
    await one.append(call('before'));
    expect(one.isFenced('before', 1)).toBe(false);
    await other.append(fence(2));
    await one.append(call('behind'));
    expect(one.isFenced('behind', 1)).toBe(true);
    await one.append(call('of the newer'));
    expect(one.isFenced('of the newer', 2)).toBe(false);
    expect(one.isFenced('nowhere', 2)).toBe(true);
  });

  it('knows the calls of several accounts, in whatever order they are asked about', async () => {
    const [one, other] = await openTwice();
    await one.append(fence(1));
    for (const call of ['first', 'second']) await one.append({ ...entryOf(1), call });
    await one.readSelf('host-a', world.clock);
    await other.append(fence(2));
    await one.append({ ...entryOf(1), call: 'third' });
    expect(['third', 'second', 'first'].map((call) => one.isFenced(call, 1))).toEqual([true, false, false]);
  });

  it('does not take a fence behind a call for one before it', async () => {
    const [one, other] = await openTwice();
    await one.append(fence(1));
    await one.append({ ...entryOf(1), call: 'before' });
    await other.append(fence(2));
    expect(one.isFenced('before', 1)).toBe(false);
  });
});
