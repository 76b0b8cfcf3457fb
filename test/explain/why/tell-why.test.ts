import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERRORS } from '../../../schemas/errors.ts';
import { quarantineDrop } from '../../../src/files/claims/quarantine-drop.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { describeWhy, whyBatch, whyFile, whyInvoice, whyUntaken } from '../../../src/explain/why/tell-why.ts';
import type { Settings } from '../../../src/config/config.ts';
import { endFailure, noteFailure } from '../../../src/ledger/alarm/note-failure.ts';
import { pauseAccount } from '../../../src/ledger/account/pause-account.ts';
import { recordResubmission } from '../../../src/ledger/row/resubmissions.ts';
import { claimForTest } from '../../support/claim-for-test.ts';
import { sayMerchantOf } from '../../../src/ledger/merchant/read-merchants.ts';
import { readFileRow } from '../../../src/ledger/file/read-file.ts';
import { type AuditRow, findInvoice } from '../../../src/ledger/file/search.ts';
import { claimOf, openTestLedger } from '../../support/ledger-world.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { BATCH_STATES, type BatchState } from '../../../schemas/lifecycle.ts';
import { saidShown, shownOfBatch } from '../../../schemas/shown.ts';
import { type NamedPart, stepText } from '../../../schemas/steps.ts';
import { nextForBatch, tellBatch, tellBatchState } from '../../../src/explain/why/tell-batch.ts';
import type { BatchFacts } from '../../../src/ledger/file/read-why.ts';
import type { BatchRow, FileRow } from '../../../src/ledger/engine/records.ts';

const world = openedForTests(openTestLedger);

const REMOVE = `${ERRORS.DROP_SYMLINK.remedy} Remove that folder when this is done.`;
const because = { actor: 'operator:ada', reason: 'wait' };
const settings = {
  features: [],
  accounts: new Map([['main', { timeZone: 'America/Toronto' }]]),
  folders: [{ id: 'drop/card', account: 'main' }],
  leftFolders: [],
  paths: { quarantine: '/nowhere' },
} as unknown as Settings;

describe('whyUntaken', () => {
  it('tells of a drop that fails before the ledger knows it, and of no other', async () => {
    const item = { work: 'watch', subject: 'drop/card, "june_20261124.csv"', account: 'main' } as const;
    for (let n = 0; n < 3; n += 1)
      await noteFailure(world.ledger, item, { reason: 'Cannot claim it. Give the right.' }, 1_000);
    expect(await whyUntaken(world.ledger, settings, 'june_20261124.csv')).toMatchObject({
      about: 'june_20261124.csv, a drop',
      timeZone: 'America/Toronto',
      story: [
        {
          text: expect.stringContaining('Cannot take drops from folder drop/card, "june_20261124.csv": failed 3 times'),
        },
      ],
      next: [expect.stringContaining('paydrop doctor')],
    });
    expect(await whyUntaken(world.ledger, settings, 'ne.csv')).toBeUndefined();
    await endFailure(world.ledger, item);
    expect(await whyUntaken(world.ledger, settings, 'june_20261124.csv')).toBeUndefined();
  });

  it('tells of the newest drop of that name that was moved to quarantine', async () => {
    const quarantine = await freshFolder();
    const here = { ...settings, paths: { ...settings.paths, quarantine } };
    for (const [hour, fileId] of [
      [11, 'older'],
      [12, 'newer'],
      [10, 'oldest'],
    ] as const) {
      const path = Buffer.from(join(await freshFolder(), 'june.csv'));
      await symlink('/dev/null', path);
      const clock = handClock(`2026-06-15T${hour}:00:00Z`);
      const options = { quarantineRoot: quarantine, fileId, from: 'drop/card', clock };
      await quarantineDrop({ name: 'june.csv', path, code: 'DROP_SYMLINK' }, options);
    }
    expect(await whyUntaken(world.ledger, here, 'june.csv')).toEqual({
      about: 'june.csv, a drop',
      timeZone: 'America/Toronto',
      story: [
        {
          at: new Date('2026-06-15T12:00:00Z'),
          text: expect.stringMatching(/^It was moved from drop\/card to quarantine: .*link.*\.$/),
        },
      ],
      now: [`It was not read, and nothing of it was sent. It is in "${join(quarantine, 'newer')}".`],
      next: [REMOVE],
      steps: [[REMOVE]],
    });
    expect(await whyUntaken(world.ledger, here, 'july.csv')).toBeUndefined();
  });
});

describe('whyFile', () => {
  it('does not call a file cared for that waits for a sweep which fails', async () => {
    const claim = claimOf({ account: 'swept' });
    await claimForTest(world.ledger, claim);
    const next = async () =>
      (await whyFile(world.ledger, settings, await readFileRow(world.ledger, claim.fileId))).next;
    expect(await next()).toEqual(['There is nothing to do: a worker checks its rows.']);
    const item = { work: 'sweep', subject: 'host/main' } as const;
    for (let n = 0; n < 3; n += 1) await noteFailure(world.ledger, item, { reason: 'Redis is away.' }, 1_000);
    expect(await next()).toEqual([
      expect.stringMatching(
        /: it failed 3 times: Redis is away\. See the lines Queue and PostgreSQL of "paydrop doctor"\.$/,
      ),
    ]);
    await endFailure(world.ledger, item);
  });

  it('tells what happened, how it stands and what holds its account', async () => {
    const file = await world.accepted({ account: 'main', name: 'june.csv', batches: 7 });
    await world.putBatch({ fileId: file.file_id, batchNo: 1 }, 'unknown');
    await pauseAccount(world.ledger, 'main', because);
    const why = await whyFile(world.ledger, settings, await readFileRow(world.ledger, file.file_id));
    expect(why.story).toHaveLength(2);
    expect(why.merchant).toBe(await sayMerchantOf(world.ledger, 'main'));
    expect(why.now).toContain(`Batch 1: ${saidShown('in_doubt')}, 2 rows, 5.00.`);
    const next = why.next.join('\n');
    expect(next).toContain(`"paydrop resolve ${file.file_id}/1"`);
    expect(why.steps.flat()).toEqual(
      expect.arrayContaining([
        { see: 'doubt', fileId: file.file_id, batchNo: 1 },
        { action: 'resume', account: 'main' },
      ]),
    );
    expect(next).toContain(
      'Account main sends nothing. It was paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait.',
    );
    const text = describeWhy(why);
    expect(text).toMatch(
      /^Why: june\.csv \(file .{16}\)\nMerchant: \S.*\n\nWhat happened\n {2}2026-06-15 06:00:00 -04:00 {2}june\.csv was taken/,
    );
    expect(text).toMatch(/\n\nHow it stands\n.*\n[^]*\n\nWhat to do next\n/);
  });

  it('says when nothing is to be done, and of which file it was made', async () => {
    const { file_id: fileId } = await world.accepted({ account: 'quiet' });
    await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
    const old = await world.putFile(fileId, 'cancelled');
    expect((await whyFile(world.ledger, settings, old)).next).toEqual(['There is nothing to do.']);
    await recordResubmission(world.ledger, old, { name: 'again.csv', sha256: 'same', lines: [2], cents: 200 }, because);
    const claim = claimOf({ account: 'quiet', sha256: 'same' });
    await claimForTest(world.ledger, claim);
    const made = await whyFile(world.ledger, settings, await readFileRow(world.ledger, claim.fileId));
    expect(made.story[0]).toEqual({ at: null, text: `It was made of rows of file ${fileId}.` });
  });
});

describe('whyBatch', () => {
  it('names the holds of its account while it is open, and not after', async () => {
    const batch = await world.batchIn('ready', { account: 'held' });
    await pauseAccount(world.ledger, 'held', because);
    const file = await readFileRow(world.ledger, batch.file_id);
    const open = await whyBatch(world.ledger, settings, file, batch);
    expect(open.next).toEqual([expect.stringContaining('Account held sends nothing. It was paused by operator:ada')]);
    const done = await whyBatch(world.ledger, settings, file, { ...batch, state: 'reconciled' });
    expect(done.next).toEqual(['There is nothing to do.']);
  });
});

describe('whyInvoice', () => {
  it('tells every row with the story of its batch, or of its file where it has none', async () => {
    const file = await world.accepted({ account: 'rows', name: 'july.csv', withheld: 1 });
    const ask = async (line: number) =>
      whyInvoice(world.ledger, settings, await findInvoice(world.ledger, `INV-${file.file_id}-${line}`));
    const [sent] = await ask(2);
    expect(sent!.about).toBe(`invoice INV-${file.file_id}-2, line 2 of batch 1 of july.csv (${file.file_id}/1)`);
    expect(sent!.now[0]).toBe('The row: 2.00, …0001, without an outcome.');
    const [withheld] = await ask(4);
    expect(withheld!.about).toContain('line 4 of july.csv (file ');
    expect(withheld!.now[0]).toBe('The row: no readable amount, no payer, invalid (withheld because it has faults).');
    expect(await ask(99)).toEqual([]);
  });
});

const at = (minute: number) => new Date(Date.UTC(2026, 5, 15, 10, minute));
const file = { file_id: 'g7fhpaqs00000000', name: 'june.csv' } as FileRow;
const batch = {
  file_id: file.file_id,
  batch_no: 2,
  state: 'ready',
  rows: 3,
  cents: 7_500,
  body_sha256: 'ab',
  polls: 4,
  next_poll_at: at(30),
  not_before: null,
} as BatchRow;
const facts: BatchFacts = {
  attempts: [],
  links: [],
  releases: { times: 0, lastAt: null, lastReason: null },
  outcomes: [],
  ahead: 0,
  isBarred: false,
  isCompared: true,
};

function link(move: string, minute: number, more: Partial<AuditRow> = {}): AuditRow {
  return {
    seq: minute,
    at: at(minute),
    actor: 'worker:submit',
    batch_no: 2,
    move,
    from_state: null,
    to_state: null,
    reason: 'attempt 1 begins',
    evidence: {},
    ...more,
  };
}

describe('tellBatch', () => {
  it('tells the attempts with what the service said, in the order in which it happened', () => {
    const told = tellBatch(file, batch, {
      ...facts,
      attempts: [
        {
          attempt: 1,
          worker: 'w',
          host: 'service.test',
          request_bytes: 900,
          started_at: at(1),
          ended_at: null,
          verdict: null,
          evidence: null,
        },
      ],
      links: [
        link('send', 1),
        link('doubt', 2, { reason: 'the connection was reset', evidence: { bytesWritten: 900, nested: {} } }),
        link('late-answer', 3, { reason: 'taken as 77', evidence: { text: 'ok' } }),
        link('absolve', 9, {
          actor: 'operator:ada',
          reason: 'not in the report',
          evidence: { evidence: 'Ann, by phone' },
        }),
      ],
      releases: { times: 2, lastAt: at(5), lastReason: 'nobody answers' },
      outcomes: [{ outcome: 'approved', rows: 3, cents: 7_500 }],
    });
    expect(told.map((sentence) => sentence.text)).toEqual([
      'Batch 2 of june.csv: 3 rows with a total of 75.00; sha256 of its bytes ab.',
      'Attempt 1 begins: 900 bytes to service.test. From this moment the service may have it.',
      'The connection was reset. (bytesWritten 900)',
      'An answer arrived after the verdict: taken as 77. (text ok)',
      'It was put back unsent 2×, the last time because nobody answers.',
      'ada (absolve): not in the report. (evidence Ann, by phone)',
      'Outcomes: 3 rows approved (charged or refunded), 75.00.',
    ]);
  });
});

describe('nextForBatch', () => {
  const key = { fileId: file.file_id, batchNo: 2 };
  const EXPECTED: Record<BatchState, readonly [says: RegExp, ...named: NamedPart[]]> = {
    ready: [/a worker sends it/],
    sending: [/There is nothing to do/],
    unknown: [/^Never drop its file again/, { see: 'doubt', ...key }],
    submitted: [
      /asked 4×; the next question is due at 2026-06-15 10:30:00 \+00:00\. To ask now/,
      { action: 'repoll', ...key },
    ],
    result_in: [/There is nothing to do/],
    exception: [/^Both sides/, { see: 'comparison', ...key }, { action: 'repoll', ...key }],
    reconciled: [/^$/],
    refused: [/^Fix the cause/, { action: 'retry', ...key }, { action: 'withdraw', ...key }],
    cancelled: [/^$/],
  };
  it.each(Object.keys(BATCH_STATES) as BatchState[])('of a batch that is %s', (state) => {
    const steps = nextForBatch({ ...batch, state }, { ...facts, undecided: 0 }, 'UTC', false);
    const [says, ...named] = EXPECTED[state];
    expect(steps.map(stepText).join(' ')).toMatch(says);
    expect(steps.flat().filter((part) => typeof part !== 'string')).toEqual(named);
    const shown = shownOfBatch(state, 'in_progress', false);
    expect(tellBatchState({ ...batch, shown })).toBe(`Batch 2: ${saidShown(shown)}.`);
  });

  it('leads to the options of a finished batch with undecided rows', () => {
    const steps = nextForBatch({ ...batch, state: 'reconciled' }, { ...facts, undecided: 2 }, 'UTC', false);
    expect(steps.map(stepText).join(' ')).toMatch(
      /^Ask the service whether it charged the 2 undecided rows of batch 2/,
    );
    expect(steps.flat()).toContainEqual({ see: 'doubt', ...key });
  });

  it.each([
    ['others go before it', { ahead: 2 }, {}, false, /^2 batches go before it\.$/],
    [
      'it waits after tries',
      {},
      { not_before: at(7) },
      false,
      /was not reached, so it waits until 2026-06-15 10:07:00/,
    ],
    ['its account is held', {}, {}, true, /^$/],
    ['it was not compared', { isCompared: false }, {}, false, /^It waits until its rows were compared with calls/],
    [
      'its bytes were sent before',
      { isBarred: true, ahead: 2 },
      {},
      true,
      /sent before.*"paydrop cancel g7fhpaqs00000000\/2/,
    ],
  ] as [string, Partial<BatchFacts>, Partial<BatchRow>, boolean, RegExp][])(
    'says why one that is ready waits: %s',
    (_why, more, row, isHeld, expected) => {
      const steps = nextForBatch({ ...batch, ...row }, { ...facts, undecided: 0, ...more }, 'UTC', isHeld);
      expect(steps.map(stepText).join(' ')).toMatch(expected);
    },
  );
});

describe('a role that no process has', () => {
  const silent = openedForTests(openTestLedger);
  const here = {
    ...settings,
    site: 'main',
    schedules: {},
    push: [],
    folders: [{ id: 'drop/card', account: 'main', path: '/nowhere', site: 'main' }],
  } as unknown as Settings;

  /** A process that serves the dashboard only has lived for an hour. */
  async function waitAnHour(): Promise<void> {
    await silent.empty();
    const presence = { site: 'main', roles: new Set(['web'] as const), stays: true, listedMs: () => undefined };
    await silent.ledger.instance.announce(presence);
    silent.clock.advance(3_600_000);
  }

  const next = async (file: { file_id: string }) =>
    (await whyFile(silent.ledger, here, await readFileRow(silent.ledger, file.file_id))).next;

  it.each<[string, string, () => Promise<{ file_id: string }>]>([
    ['a claimed file', 'No process at site main checks files', () => silent.claimed()],
    ['a ready batch', 'No process sends batches', () => silent.batchIn('ready')],
    ['a submitted batch', 'No process fetches results', () => silent.batchIn('submitted')],
    ['a file without its notice', 'No process at site main writes output files', () => silent.rejected()],
  ])('%s: says so in place of "nothing to do"', async (_what, says, put) => {
    await waitAnHour();
    const file = await put();
    const found = await next(file);
    expect(found.find((text) => text.startsWith(says))).toMatch(/ was ever started; 1 \w+ waits .*"paydrop start /);
    expect(found.join(' ')).not.toContain('There is nothing to do');
    if (file && 'batch_no' in file) {
      const batch = file as BatchRow;
      const row = await readFileRow(silent.ledger, batch.file_id);
      expect((await whyBatch(silent.ledger, here, row, batch)).next.join(' ')).toContain(says);
    }
  });

  it('says of a drop that no process lists its folder', async () => {
    await waitAnHour();
    const path = await freshFolder();
    await writeFile(join(path, 'june.csv'), '');
    const settled = { ...here, folders: here.folders.map((folder) => ({ ...folder, path })) };
    expect(await whyUntaken(silent.ledger, settled, 'june.csv')).toMatchObject({
      about: 'june.csv, a drop',
      now: ['It has not been taken yet, and nothing of it was sent.'],
      next: [
        expect.stringMatching(/^No process at site main takes drops: .* 1 drop folder waits to be listed\. Start /),
      ],
    });
    expect(await whyUntaken(silent.ledger, settled, 'july.csv')).toBeUndefined();
  });
});
