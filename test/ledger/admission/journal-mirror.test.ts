import { appendFile, copyFile, mkdir, mkdtemp, open as openFile, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../../src/kernel/clock.ts';
import { openMirror } from '../../../src/ledger/admission/journal-mirror.ts';
import {
  findJournalTrouble,
  type JournalEntry,
  openSendJournal,
  type SendJournal,
} from '../../../src/ledger/admission/send-journal.ts';
import { START } from '../../support/ledger-world.ts';

let folder: string;
let path: string;
let mirror: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-mirror-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
let made = 0;
beforeEach(() => {
  made += 1;
  path = join(folder, `data-${made}`, 'journal', 'sends.jsonl');
  mirror = join(folder, `away-${made}`, 'host-a.jsonl');
});

const entryOf = (batchNo: number): JournalEntry => ({
  at: START,
  account: 'main',
  fileId: 'nosuchfile',
  batchNo,
  attempt: 1,
  sha256: 'ab'.repeat(32),
});

async function open(): Promise<SendJournal> {
  const journal = await openSendJournal(path, { mirror });
  await journal.readSelf('host-a', systemClock);
  return journal;
}

/** Writes a journal with these sends and closes it. */
async function sendInto(batches: readonly number[]): Promise<void> {
  const journal = await open();
  for (const batchNo of batches) await journal.append(entryOf(batchNo));
  await journal.close();
}

async function linesOf(file: string): Promise<string[]> {
  return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
}

describe('openMirror', () => {
  it('has every line of the journal, also those that stood there before it was set', async () => {
    const alone = await openSendJournal(path);
    await alone.readSelf('host-a', systemClock);
    await alone.append(entryOf(1));
    await alone.close();
    await sendInto([2, 3]);
    expect(await linesOf(path)).toHaveLength(4);
    expect(await linesOf(mirror)).toEqual(await linesOf(path));
  });

  it('gives a journal that was put back what it has sent since', async () => {
    await sendInto([1]);
    await copyFile(path, `${path}.older`);
    await sendInto([2, 3]);
    const whole = await linesOf(path);
    await copyFile(`${path}.older`, path);
    await sendInto([]);
    expect(await linesOf(path)).toEqual(whole);
    expect(await linesOf(mirror)).toEqual(whole);
  });

  it('passes over a line that was cut short, in either place', async () => {
    await sendInto([1]);
    for (const file of [path, mirror]) await appendFile(file, '\n{"at":"2026-06');
    await sendInto([2]);
    const whole = (lines: string[]) => lines.filter((line) => line.endsWith('}'));
    expect(whole(await linesOf(path))).toHaveLength(3);
    expect(whole(await linesOf(mirror))).toEqual(whole(await linesOf(path)));
  });

  it('is not used for a journal that is new, or another one', async () => {
    await sendInto([1]);
    await rm(path);
    await expect(openSendJournal(path, { mirror })).rejects.toThrow(/it belongs to a send journal that is missing/);
    expect(await readFile(path, 'utf8')).toBe('');
    const other = await openSendJournal(path);
    await other.readSelf('host-a', systemClock);
    await other.close();
    await expect(openSendJournal(path, { mirror })).rejects.toThrow(/it belongs to another send journal. If the disk/);
    expect(await linesOf(mirror)).toHaveLength(2);
  });

  it('fits also when two processes began it at once, or one that died before it was named here', async () => {
    const begin = (journal: string) => `\n${JSON.stringify({ kind: 'begin', at: START, journal, name: 'host-a' })}`;
    await mkdir(dirname(path), { recursive: true });
    await mkdir(dirname(mirror), { recursive: true });
    await writeFile(path, '');
    await writeFile(mirror, begin('two'));
    await sendInto([]);
    expect(await readFile(path, 'utf8')).toBe(begin('two'));
    await writeFile(path, begin('one') + begin('two'));
    await writeFile(mirror, begin('two') + begin('one'));
    await sendInto([1]);
    expect(await linesOf(path)).toHaveLength(3);
    expect(await linesOf(mirror)).toHaveLength(3);
  });

  it('takes the copy that was put in the place of a lost journal', async () => {
    await sendInto([1, 2]);
    await copyFile(mirror, path);
    await sendInto([3]);
    expect(await linesOf(path)).toHaveLength(4);
  });

  it('lets nothing be written into the journal while it cannot be written', async () => {
    const journal = await open();
    onTestFinished(() => journal.close());
    const noRoom = Object.assign(new Error('no room'), { code: 'ENOSPC' });
    await withAppending(
      () => Promise.reject(noRoom),
      () => expect(journal.append(entryOf(1))).rejects.toMatchObject({ code: 'DISK_FULL', message: SAID }),
    );
    expect(await linesOf(path)).toHaveLength(1);
    await journal.append(entryOf(2));
    expect(await linesOf(path)).toHaveLength(2);
    expect(await linesOf(mirror)).toEqual(await linesOf(path));
    await writeFile(join(folder, 'no-folder'), '');
    await expect(openSendJournal(path, { mirror: join(folder, 'no-folder', 'x.jsonl') })).rejects.toMatchObject({
      code: 'INTERNAL',
      message: SAID,
    });
  });

  it('does not wait for ever for a place that does not answer', async () => {
    await sendInto([1]);
    const away = await openMirror(mirror, path);
    await withAppending(
      () => new Promise(() => {}),
      async () => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
        onTestFinished(() => void vi.useRealTimers());
        const tries = ['\n{}', '\n{}'].map((text) =>
          expect(away.append(text)).rejects.toThrow(/no answer within 10000 ms/),
        );
        await vi.advanceTimersByTimeAsync(10_000);
        await Promise.all(tries);
      },
    );
    await away.close();
  });
});

const SAID = expect.stringContaining('Nothing is sent before it can be written again');

/** Runs `act` while every file appends through `append` instead. */
async function withAppending(append: () => Promise<void>, act: () => Promise<void>): Promise<void> {
  const file = await openFile(path, 'r');
  const proto = Object.getPrototypeOf(file) as { appendFile(): Promise<void> };
  await file.close();
  const { appendFile: asEver } = proto;
  proto.appendFile = append;
  try {
    await act();
  } finally {
    proto.appendFile = asEver;
  }
}

describe('findJournalTrouble', () => {
  it.each([
    ['finds none in a journal that can be written', '', undefined],
    ['says that it is missing, without its path', undefined, 'it is missing'],
    ['names the code of any other trouble', 'below', 'it cannot be written (ENOTDIR)'],
  ])('%s, and writes nothing', async (_what, kept, said) => {
    await mkdir(dirname(path), { recursive: true });
    if (kept !== undefined) await writeFile(path, kept);
    expect(await findJournalTrouble(kept === 'below' ? join(path, kept) : path)).toBe(said);
    if (kept !== undefined) expect(await readFile(path, 'utf8')).toBe(kept);
  });

  it('says that something else stands in its place', async () => {
    await mkdir(path, { recursive: true });
    expect(await findJournalTrouble(path)).toContain('its path is not a file');
  });
});
