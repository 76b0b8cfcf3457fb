import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeProgress, describeWait } from '../../../src/cli/process/front.ts';
import type { OpenFile } from '../../../src/ledger/overview/overview.ts';
import { CARD, cardRow, lines } from '../../support/payment-rows.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { holdFlags } from '../support/hold-flags.ts';
import { startHere } from '../support/run-here.ts';

const NOW = new Date('2026-06-15T12:00:00Z');
const QUIET = { complete: { by: 'quiet', quietMs: 10_000, probes: 3 } } as const;

describe('describeWait', () => {
  it.each([
    [QUIET, 0, 'waiting 10 s for quiet; write a.csv.done to skip'],
    [QUIET, 2_500, 'waiting 8 s for quiet; write a.csv.done to skip'],
    [QUIET, 60_000, 'waiting 1 s for quiet; write a.csv.done to skip'],
    [{ complete: { by: 'marker', suffix: '.ok' } }, 0, 'waiting for a.csv.ok'],
    [{ complete: { by: 'marker', suffix: '.ctl' } }, 0, 'waiting for a whole a.csv.ctl'],
  ] as const)('%j, seen %i ms ago: %s', (folder, agoMs, words) => {
    expect(describeWait(folder, { name: 'a.csv', sinceMs: NOW.getTime() - agoMs }, NOW)).toBe(words);
  });

  it('promises no shortcut to what is no plain file', () => {
    const words = describeWait(QUIET, { name: 'a.csv', sinceMs: NOW.getTime(), code: 'DROP_SYMLINK' }, NOW);
    expect(words).toMatch(/^not a plain file, so it will move to quarantine: .*link/);
    expect(words).not.toContain('.done');
  });
});

describe('describeProgress', () => {
  const file = { name: 'june.csv', state_at: new Date('2026-06-15T11:59:52Z'), batches: 200, done: 12 } as OpenFile;

  it('says how long a file is being checked, and how many of its batches are done', () => {
    expect(describeProgress({ ...file, state: 'claimed' }, NOW)).toBe('june.csv being checked for 8 s');
    expect(describeProgress({ ...file, state: 'in_progress' }, NOW)).toBe('june.csv 12 of 200 batches');
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
