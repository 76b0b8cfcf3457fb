import { basename, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FileSummary, fileSummaryTable, readFileSummaries } from '../../../src/cli/process/run.ts';
import { CARD, cardRow, lines, MAGIC_CARD, upTo } from '../../support/payment-rows.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { outliveReaders } from '../../../src/cli/process/prepare-process.ts';
import { AccountConfig } from '../../../schemas/config.ts';
import { EVERY_ROLE } from '../../../schemas/jobs.ts';
import { readRoles, withMonitor } from '../../../src/cli/process/start.ts';
import { aborted, withStopSignal } from '../../../src/cli/process/stop-signal.ts';
import { findFreePort } from '../../support/daemon.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { describeProgress } from '../../../src/cli/process/front.ts';
import type { OpenFile } from '../../../src/ledger/overview/overview.ts';
import { holdFlags } from '../support/run-child.ts';
import { startHere } from '../support/run-here.ts';
import type { App } from '../../../src/app.ts';
import { withApp } from '../../../src/cli/process/with-app.ts';
import { silentLog } from '../../../src/kernel/log.ts';

describe('run', () => {
  const world = openedForTests(() => openCliWorld({ folder: { badRows: { maxPercent: 50 } } }));
  beforeAll(async () => {
    const rows = [
      ...upTo(3).map((n) => cardRow(n)),
      cardRow(4, { amount: 'ten' }),
      cardRow(5, { card: MAGIC_CARD, amount: '2.00' }),
    ];
    await world.drop('card', 'monday.csv', lines(rows));
    await world.drop('card', 'empty.csv', '');
    await world.finish();
  });

  function read(since: Date): Promise<FileSummary[]> {
    return readFileSummaries(world.app, since, '/out');
  }

  describe('readFileSummaries', () => {
    it('says what became of each file, money in cents', async () => {
      const files = await read(new Date(0));
      const monday = files.find((file) => file.name === 'monday.csv');
      expect(monday).toMatchObject({
        account: 'main',
        operation: 'card',
        state: 'completed',
        shown: 'completed_with_declines',
        reasonCode: null,
        rows: 5,
        validCents: 7_700,
        outcomes: {
          approved: { rows: 3, cents: 7_500 },
          declined: { rows: 1, cents: 200 },
          invalid: { rows: 1, cents: 0 },
        },
      });
      expect(monday?.outputs.map((path) => path.replace(monday.fileId.slice(0, 8), 'ID'))).toContain(
        '/out/monday__ID.result.csv',
      );
      const empty = files.find((file) => file.name === 'empty.csv');
      expect(empty).toMatchObject({ state: 'rejected', reasonCode: 'EMPTY', rows: 0, validCents: 0, outcomes: {} });
      expect(empty?.outputs.map((path) => basename(path))).toEqual([expect.stringMatching(/^empty__.*\.nak\.csv$/)]);
    });

    it('leaves out what came to rest before', async () => {
      expect(await read(new Date(Date.now() + 1_000))).toEqual([]);
    });
  });

  describe('fileSummaryTable', () => {
    it('has a line for each file, with outcomes or the reason why nothing was sent', async () => {
      const lines = fileSummaryTable(await read(new Date(0))).split('\n');
      expect(lines).toHaveLength(4);
      expect(lines.find((line) => line.startsWith('monday.csv'))).toMatch(
        /^monday\.csv +main +card +completed with declines +5 +3 approved, 1 declined, 1 invalid +77\.00$/,
      );
      expect(lines.find((line) => line.startsWith('empty.csv'))).toMatch(
        /rejected +0 +nothing sent: the file has no bytes +0\.00$/,
      );
    });

    it('does not say of a batch in doubt that it was not sent', async () => {
      await world.forceState('batch', 'unknown');
      const monday = (await read(new Date(0))).find((file) => file.name === 'monday.csv')!;
      expect(monday.open).toEqual({ rows: 4, cents: 7_700 });
      const table = fileSummaryTable([{ ...monday, outcomes: {}, state: 'in_progress', shown: 'in_doubt' }]);
      expect(table).toMatch(/in doubt +5 +4 without outcome yet +77\.00$/);
    });
  });

  it('outliveReaders takes it calmly that a reader went away, and nothing else', () => {
    const stream = new PassThrough();
    outliveReaders([stream]);
    expect(() => stream.emit('error', Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).not.toThrow();
    expect(() => stream.emit('error', Object.assign(new Error('write EIO'), { code: 'EIO' }))).toThrow('EIO');
  });

  describe('readRoles', () => {
    it.each([undefined, '', ' , '])('takes %j for everything', (text) => {
      expect(readRoles(text)).toBe(EVERY_ROLE);
    });

    it('reads names with blanks around them, each once', () => {
      expect(readRoles(' submit, poll,submit')).toEqual(new Set(['submit', 'poll']));
    });

    it.each(['sumbit', 'submit poll', 'toString'])('refuses %j and names those there are', (text) => {
      expect(() => readRoles(`watch,${text}`)).toThrow(
        `Cannot do the work of "${text}": there is no such role. Choose from watch, intake, submit, poll, deliver`,
      );
    });
  });

  const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

  function counts(): number[] {
    return SIGNALS.map((name) => process.listenerCount(name));
  }

  describe('withStopSignal', () => {
    it.each(SIGNALS)('%s aborts, and both signals have the answer of the system again', async (name) => {
      const before = counts();
      const states = await withStopSignal(async (stop) => {
        const hear = process.listeners(name).at(-1) as () => void;
        const states = [stop.aborted];
        hear();
        await aborted(stop);
        expect(counts()).toEqual(before);
        return [...states, stop.aborted];
      });
      expect(states).toEqual([false, true]);
    });

    it('listens no more when the work is done, or has failed', async () => {
      const before = counts();
      expect(await withStopSignal(async () => counts())).toEqual(before.map((count) => count + 1));
      await expect(withStopSignal(() => Promise.reject(new Error('work')))).rejects.toThrow('work');
      expect(counts()).toEqual(before);
    });
  });

  it('aborted resolves at once for a signal that was there before', async () => {
    await expect(aborted(AbortSignal.abort())).resolves.toBeUndefined();
  });

  describe('withMonitor', () => {
    it('answers while the work lasts and not after it, also when the work fails', async () => {
      const port = await findFreePort();
      const settings = { ...world.settings, monitor: { host: '127.0.0.1', port } };
      const ask = () => fetch(`http://127.0.0.1:${port}/health/live`);
      const work = withMonitor({ ...world.app, settings }, async () => {
        expect((await ask()).status).toBe(200);
        throw new Error('enough');
      });
      await expect(work).rejects.toThrow('enough');
      await expect(ask()).rejects.toThrow('fetch failed');
    });

    it('opens nothing unless it is asked for', async () => {
      expect(world.settings.monitor).toBeUndefined();
      expect(await withMonitor(world.app, async () => 'done')).toBe('done');
    });
  });

  describe('withApp', () => {
    function open<Result>(work: (app: App) => Promise<Result>): Promise<Result> {
      return withApp(world.settings, { log: silentLog(), env: world.env }, work);
    }

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
});

const NOT_READ = { checked_rows: null, expected_rows: null };
const WINDOW = AccountConfig.shape.window.parse({ from: '16:30', to: '18:00' });
const NOW = new Date('2026-06-15T12:00:00Z');

describe('describeProgress', () => {
  const file = { name: 'june.csv', state_at: new Date('2026-06-15T11:59:52Z'), batches: 200, done: 12 } as OpenFile;

  it.each([
    ['claimed', NOT_READ, {}, 'being checked for 8 s'],
    ['claimed', { checked_rows: 120_000, expected_rows: 400_512 }, {}, 'checked 120,000 of about 400,512 rows'],
    ['in_progress', NOT_READ, {}, '12 of 200 batches'],
    ['accepted', NOT_READ, { window: WINDOW }, '12 of 200 batches, waits for its window, which opens in 4 h'],
  ] as const)('says how far a file has come that is %s: %j, %j', (state, read, times, words) => {
    const account = { timeZone: 'UTC', ...times };
    expect(describeProgress({ ...file, ...read, state }, account, NOW)).toBe(`june.csv ${words}`);
  });
});

describe('start', () => {
  const world = openedForTests(() =>
    openCliWorld({ folder: { complete: { by: 'quiet', quietMs: 600_000 } }, account: { timeZone: 'America/Toronto' } }),
  );

  function onTerminal(): void {
    const { isTTY } = process.stderr;
    process.stderr.isTTY = true;
    onTestFinished(() => void (process.stderr.isTTY = isTTY));
    vi.stubEnv('PAYDROP_LOG_LEVEL', 'info');
  }

  it('says on a terminal what it sees, why that waits, and what becomes of it', async () => {
    onTerminal();
    holdFlags();
    const start = startHere(['--dir', world.root, 'start']);
    await expect.poll(start.err).toContain('paydrop is running');
    expect(start.err()).toMatch(/^\d\d:\d\d:\d\d Ctrl-C stops paydrop; times are in America\/Toronto$/m);
    expect(start.err()).toMatch(/^drop\/card +main +card +It is taken after it is unchanged for 600 seconds\.$/m);
    const name = `june ${CARD}.csv`;
    await world.drop('card', name, lines([cardRow(1)]));
    await expect
      .poll(start.err)
      .toMatch(
        /^\S+ june \*+2220\.csv: seen in drop\/card; waiting (600|599) s for quiet; write june \*+2220\.csv\.done to skip$/m,
      );
    await writeFile(join(world.root, 'drop', 'card', `${name}.done`), '');
    await expect.poll(start.err).toMatch(/june \*+2220\.csv: file completed/);
    expect(start.err()).toMatch(/june \*+2220\.csv batch 1: batch reconciled \(1 approved 25\.00\)/);
    expect(start.err().match(/: seen in/g)).toHaveLength(1);
    await start.interrupt();
    const { status, err } = await start.ended;
    expect(status).toBe(0);
    expect(err).not.toContain(CARD);
    expect(err).not.toContain('{"level"');
  });

  it('writes no readable lines to a terminal with --json', async () => {
    onTerminal();
    holdFlags();
    const start = startHere(['--dir', world.root, 'start', '--json']);
    await start.interrupt();
    // JSON lines go to the descriptor itself, past what a test can capture of its own process.
    expect(await start.ended).toEqual({ status: 0, out: '', err: '' });
  });
});
