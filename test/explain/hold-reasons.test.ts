import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { describeHoldReasons, readHoldReasons, remedyOf } from '../../src/explain/hold-reasons.ts';
import { copyFaults } from '../../src/ledger/row/copy-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { openTestLedger } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { stepText } from '../../schemas/steps.ts';
import { describeHolds } from '../../src/explain/describe-holds.ts';
import type { HoldingBatch, Stop } from '../../src/ledger/account/read-holds.ts';
import { FolderConfig, ScheduleConfig } from '../../schemas/config.ts';
import { addDays } from '../../src/calendar/calendar.ts';
import type { Folder, Settings } from '../../src/config/config.ts';
import { describeTaking } from '../../src/explain/read-schedules.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { upTo } from '../support/payment-rows.ts';

describe('hold reasons', () => {
  const world = openedForTests(openTestLedger);
  let held: FileRow;
  beforeAll(async () => {
    held = await world.held();
    await transact(world.ledger, (tx) =>
      copyFaults(tx, held.file_no, 1, [
        { code: 'EXPIRY_PAST', line: 3 },
        { code: 'CHARGED_BEFORE', line: 2, detail: 'line 2 of file abc' },
        { code: 'CHARGED_BEFORE', line: 4, detail: 'line 4 of file abc' },
        { code: 'SAME_TOTALS', line: 0 },
      ]),
    );
  });

  const codes = async (folder?: Parameters<typeof settingsWith>[0], file = held) =>
    (await readHoldReasons(world.ledger, settingsWith(folder), file)).map(({ code }) => code);

  describe('readHoldReasons', () => {
    it('has what holds the file by the rules of its folder, and no other fault', async () => {
      expect(await codes({ path: held.folder })).toEqual(['CHARGED_BEFORE']);
      expect(await codes({ path: held.folder, sameTotals: 'hold' })).toEqual(['CHARGED_BEFORE', 'SAME_TOTALS']);
      expect(await codes({ path: held.folder, chargedBefore: 'warn' })).toEqual([]);
    });

    it('goes by the table when the folder is not configured any more', async () => {
      expect(await codes()).toEqual(['CHARGED_BEFORE', 'SAME_TOTALS']);
    });

    it('has nothing of a file that is not held', async () => {
      expect(await codes({ path: held.folder }, { ...held, state: 'accepted' })).toEqual([]);
    });
  });

  describe('describeHoldReasons', () => {
    it('says each reason on a line, with its rows where it is about rows', () => {
      expect(
        describeHoldReasons([
          { code: 'CHARGED_BEFORE', count: 2, line: 2, detail: 'line 2 of file abc' },
          { code: 'APPROVAL_DUE', count: 1, line: 0, detail: null },
          { code: 'WRONG_SIGN', count: 1, line: 7, detail: null },
        ]).split('\n'),
      ).toEqual([
        'Needs approval because',
        `  ${ERRORS.CHARGED_BEFORE.means} (2 rows, the first on line 2): line 2 of file abc`,
        `  ${ERRORS.APPROVAL_DUE.means}`,
        `  ${ERRORS.WRONG_SIGN.means} (1 row, the first on line 7)`,
      ]);
    });

    it('is empty when there is none', () => {
      expect(describeHoldReasons([])).toBe('');
    });
  });
});

const since = new Date('2026-06-15T10:00:00Z');
const stop: Stop = { account: 'main', kind: 'pause', reason: 'wait', actor: 'operator:ada', since };
const batch: HoldingBatch = {
  fileId: 'g7fhpaqs00000000',
  name: 'june.csv',
  batchNo: 2,
  state: 'unknown',
  rows: 3,
  cents: 7_500,
  since,
  reason: 'the connection was reset',
};
const KEY = { fileId: batch.fileId, batchNo: 2 };
const ask = (stops: Stop[], batches: HoldingBatch[]) => describeHolds({ stops, batches }, 'America/Toronto');

describe('describeHolds', () => {
  it.each([
    [
      {},
      [
        'It was paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait. ',
        'To go on: ',
        { action: 'resume', account: 'main' },
        '.',
      ],
    ],
    [
      { account: '*' },
      [
        'All accounts were paused by operator:ada at 2026-06-15 06:00:00 -04:00: wait. ',
        'To go on: ',
        { action: 'resume', account: '*' },
        '.',
      ],
    ],
    [
      { kind: 'fault' },
      [
        'It was stopped at 2026-06-15 06:00:00 -04:00: wait. ',
        'When the cause is fixed: ',
        { action: 'resume', account: 'main' },
        '.',
      ],
    ],
  ] as [Partial<Stop>, unknown[]][])('says who or what stopped it and how to go on: %j', (more, expected) => {
    expect(ask([{ ...stop, ...more }], [])).toEqual([expected]);
  });

  it('says after a restore what to compare first', () => {
    const [step] = ask([{ ...stop, kind: 'journal' }], []);
    expect(stepText(step!)).toMatch(
      /may be older than what was sent\. See "paydrop account forgotten main" and "paydrop unknown list", .*: "paydrop account reconcile main --report PATH --reason …"\. .*: "paydrop account resume main --reason …"\.$/,
    );
  });

  it.each([
    ['unknown', /has been in doubt since .*: the connection was reset\. /, [{ see: 'doubt', ...KEY }]],
    [
      'refused',
      /was refused at .*Nothing was charged/,
      [
        { action: 'retry', ...KEY },
        { action: 'withdraw', ...KEY },
      ],
    ],
    ['sending', /has been in progress since .*There is nothing to do\./, []],
    ['preparing', /has been in progress since .*There is nothing to do\./, []],
  ] as const)('says what to do about a batch that is %s, with its money', (state, expected, named) => {
    const [step] = ask([], [{ ...batch, state }]);
    const said = stepText(step!);
    expect(said).toMatch(expected);
    expect(step!.filter((part) => typeof part !== 'string')).toEqual(named);
    expect(said).toContain('Batch 2 of june.csv (g7fhpaqs00000000/2, 3 rows, 75.00)');
  });

  it('says nothing when nothing holds', () => {
    expect(ask([], [])).toEqual([]);
  });
});

describe('describe taking', () => {
  const NIGHT = ScheduleConfig.parse({ does: 'take', at: '22:00', timeZone: 'America/Toronto' });
  const MONDAYS = upTo(600).map((week) => addDays('2026-06-08', week * 7));
  const NEVER = ScheduleConfig.parse({ does: 'take', at: '22:00', days: ['mon'], holidays: MONDAYS });

  it.each([
    [{ complete: { by: 'quiet', quietMs: 10_000 } }, 'It is taken after it is unchanged for 10 seconds.'],
    [{ complete: { by: 'quiet', quietMs: 60 } }, 'It is taken after it is unchanged for a second.'],
    [{ complete: { by: 'marker' } }, 'It is taken at the next scan of the folder, within seconds.'],
    [{ schedule: 'night' }, 'The schedule "night" takes files from this folder, next at 2026-06-15 22:00:00 -04:00.'],
    [{ schedule: 'never' }, 'Only the schedule "never" takes files from this folder, and it has no days left.'],
  ])('describeTaking of a folder with %j', (settings, sentence) => {
    const folder = FolderConfig.parse({ path: 'drop', account: 'main', operation: 'card', ...settings });
    const schedules: Settings['schedules'] = { night: NIGHT, never: NEVER };
    const app = { settings: { schedules } as Settings, clock: handClock('2026-06-15T10:00:00Z') };
    expect(describeTaking(app, folder as Folder)).toBe(sentence);
  });
});

describe('remedyOf', () => {
  it('is the sentence of the table', () => {
    expect(remedyOf('DUPLICATE_FILE')).toBe(ERRORS.DUPLICATE_FILE.remedy);
  });

  it.each([null, '', 'GONE_SINCE', 'constructor'])('is empty for %j', (code) => {
    expect(remedyOf(code)).toBe('');
  });
});

/** Settings with one folder or none. */
function settingsWith(folder?: Partial<FolderConfig> & { path: string }): Pick<Settings, 'folders'> {
  if (!folder) return { folders: [] };
  const parsed = FolderConfig.parse({ account: 'main', operation: 'ach-charge', ...folder });
  return { folders: [{ ...parsed, id: folder.path, work: 'work', routingCheck: parsed.routingCheck ?? false }] };
}
