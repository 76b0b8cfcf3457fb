import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/step-world.ts';
import { ALARM_KINDS, type AlarmKind } from '../../../../schemas/alarms.ts';
import { describeAlarm } from '../../../../workers/upkeep/alarms/describe-alarm.ts';
import type { FailingWork } from '../../../../src/ledger/alarm/read-failing.ts';
import { noteFailure } from '../../../../src/ledger/alarm/note-failure.ts';
import { describeFailing, readObstacles } from '../../../../workers/upkeep/alarms/obstacles.ts';
import { openPipelineWorld } from '../../../support/pipeline-world.ts';

const FIGURES = { rows: 2, cents: 5_000, batches: 3, minutes: 4, code: 'DUPLICATE_ROW' };

function textOf(kind: AlarmKind, subject = 'f/1', account: string | null = 'main'): string {
  return describeAlarm({ kind, subject, account, figures: FIGURES });
}

describe('describeAlarm', () => {
  it.each(Object.keys(ALARM_KINDS) as AlarmKind[])('is a sentence for %s', (kind) => {
    expect(textOf(kind)).toMatch(/^([A-Z]|f\/1: ).*\.$/);
    expect(textOf(kind)).not.toMatch(/undefined|null|NaN/);
    expect(describeAlarm({ kind, subject: 's', account: null, figures: {} })).not.toMatch(/undefined|null|NaN/);
  });

  it.each([
    ['batch_unknown', /^Batch f\/1: 2 rows, 50\.00 in doubt\..*"paydrop resolve f\/1"/],
    ['file_held', /2 rows, 50\.00: [^.]* \(DUPLICATE_ROW\)\. "paydrop approve f\/1 --reason …"/],
    ['rows_withheld', /^File f\/1: 2 rows were withheld and not paid: 50\.00\. .*"paydrop why f\/1"/],
    ['account_stopped', /^Account main: 3 batches with 2 rows, 50\.00 wait\. "paydrop account list" says why/],
    ['not_reached', /^Account f\/1: 3 batches with 2 rows, 50\.00 wait and are tried again\./],
    ['transfer', /^No output has come through for 4 minutes to f\/1\./],
    ['silence', /^Folder f\/1 was not listed for 4 minutes\.$/],
  ] as const)('says counts, totals and the command: %s', (kind, text) => {
    expect(textOf(kind)).toMatch(text);
  });

  it('tells what is fetched from what is uploaded', () => {
    expect(textOf('transfer', 'pull:drop/card')).toMatch(
      /from the SFTP server into folder drop\/card\. It is tried again/,
    );
    expect(textOf('transfer', 'push:bank:/results')).toMatch(
      /to bank:\/results\. It is tried again by itself; the outputs/,
    );
  });

  it.each(Object.keys(ALARM_KINDS) as AlarmKind[])('makes words agree with one thing of each: %s', (kind) => {
    const figures = { rows: 1, cents: 5_000, batches: 1, minutes: 1, count: 2, unreadable: 1 };
    for (const subject of ['f', 'polls:main', 'pull:drop', 'push:bank']) {
      const text = describeAlarm({ kind, subject, account: 'main', figures });
      expect(text).not.toMatch(/\b1 (?:\w+ )?(?:rows|batches|minutes|amounts)\b|\b1 [^:.]* (?:wait|are|do|were)\b/);
    }
  });

  it('says of less than a minute that it is no minute yet', () => {
    const silent = (figures: object) =>
      describeAlarm({ kind: 'silence', subject: 'drop/card', account: null, figures });
    expect(silent({ minutes: 0 })).toBe('Folder drop/card was not listed for less than a minute.');
    expect(silent({ minutes: 1 })).toBe('Folder drop/card was not listed for 1 minute.');
  });

  it('tells polls from folders, and all accounts from one', () => {
    expect(textOf('silence', 'polls:main')).toMatch(
      /^Account main: the service has 3 batches with 2 rows, 50\.00, and/,
    );
    expect(textOf('account_stopped', '*', null)).toMatch(/^All accounts: /);
  });

  it('does not offer to approve a file without a row that could be sent', () => {
    const figures = { rows: 0, cents: 0, code: 'POISON_FILE' };
    expect(describeAlarm({ kind: 'file_held', subject: 'f', account: 'main', figures })).toBe(
      'File f: 0 rows, 0.00: each of 3 tries to read the file ended the program or the thread that read it (POISON_FILE). "paydrop decline f --reason …".',
    );
  });

  it('counts one as one', () => {
    const figures = { rows: 1, cents: 500, batches: 1, minutes: 1 };
    const said = (['account_stopped', 'not_reached', 'trouble'] as const).map((kind) =>
      describeAlarm({ kind, subject: 'main', account: 'main', figures }),
    );
    expect(said).toEqual([
      expect.stringContaining('1 batch with 1 row, 5.00 waits.'),
      expect.stringContaining('1 batch with 1 row, 5.00 waits and is tried again.'),
      expect.stringContaining('for 1 minute.'),
    ]);
  });

  it('tells an expected file from a run', () => {
    expect(textOf('late', 'expect:drop/dues 2026-06-15')).toMatch(
      /into folder drop\/dues on 2026-06-15\. Ask the sender/,
    );
    expect(textOf('late', 'nightly 2026-06-15')).toMatch(/^The run of schedule nightly on 2026-06-15 was missed/);
  });

  it('sums a file that is done per outcome', () => {
    const outcomes = { approved: { rows: 1, cents: 2_500 }, declined: { rows: 1, cents: 2_500 } };
    const text = describeAlarm({
      kind: 'file_done',
      subject: 'f',
      account: 'main',
      figures: { rows: 2, cents: 5_000, outcomes },
    });
    expect(text).toBe(
      'File f: 2 rows, 50.00; 1 row, 25.00 APPROVED (charged or refunded); 1 row, 25.00 DECLINED (refused by the service with a code).',
    );
  });
});

const world = openedForTests(openPipelineWorld);

const WORK: FailingWork = {
  work: 'poll',
  subject: 'f1/2',
  account: null,
  fileId: 'f1',
  batchNo: 2,
  name: 'june.csv',
  code: null,
  reason: 'no answer',
  failures: 4,
  since: new Date(0),
  lastAt: new Date(1),
};

describe('describeFailing', () => {
  it('says what, how often, why and what helps, with the batch in place', () => {
    expect(describeFailing(WORK)).toMatchObject({
      what: 'Cannot fetch the result of f1/2',
      name: 'june.csv',
      why: 'failed 4 times: no answer',
      next: expect.stringContaining('"paydrop repoll f1/2"'),
    });
    const sending = describeFailing({ ...WORK, work: 'submit', account: 'main', fileId: null, batchNo: null });
    expect(sending.next).toContain('"paydrop account pause main"');
  });
});

describe('readObstacles', () => {
  it('is empty when all is well, and tells of failing work and of drops in quarantine', async () => {
    const { app, settings } = world;
    expect(await readObstacles(app.ledger, settings)).toEqual([]);
    const item = { work: 'watch', subject: 'drop/card', account: 'main' } as const;
    for (let n = 0; n < 3; n += 1) await noteFailure(app.ledger, item, { reason: 'it is away' }, 1_000);
    await mkdir(join(settings.paths.quarantine, 'x'), { recursive: true });
    const found = await readObstacles(app.ledger, settings);
    expect(found.map(({ key, what }) => [key, what])).toEqual([
      ['watch', 'Cannot take drops from folder drop/card'],
      ['quarantine', 'A drop lies in quarantine'],
    ]);
    expect(found[1]!.since).toBeInstanceOf(Date);
    await rm(settings.paths.quarantine, { recursive: true });
  });
});
