import { reconcileBatch } from '../support/end-batches.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../schemas/errors.ts';
import { describeHoldReasons, readHoldReasons, remedyOf } from '../../src/explain/hold-reasons.ts';
import { copyFaults } from '../../src/ledger/row/copy-rows.ts';
import type { FileRow } from '../../src/ledger/engine/records.ts';
import { transact } from '../../src/ledger/engine/transaction.ts';
import { keyOf, openTestLedger, outcomesOf } from '../support/ledger-world.ts';
import { openedForTests } from '../support/opened-for-tests.ts';
import { stepText } from '../../schemas/steps.ts';
import { describeHolds } from '../../src/explain/describe-holds.ts';
import type { HoldingBatch, Stop } from '../../src/ledger/account/read-holds.ts';
import { FolderConfig, ScheduleConfig } from '../../schemas/config.ts';
import { addDays } from '../../src/calendar/calendar.ts';
import type { EffectRules } from '../../src/rows/rows.ts';
import type { Folder, Settings } from '../../src/config/config.ts';
import { describeTaking } from '../../src/explain/read-schedules.ts';
import { handClock } from '../../src/kernel/clock.ts';
import { upTo } from '../support/payment-rows.ts';
import { recordOutput } from '../../src/ledger/file/complete-file.ts';
import { completeFile } from '../support/write-outputs.ts';
import { readFileFigures } from '../../src/ledger/file/file-figures.ts';
import { readFileRow, readOutputs } from '../../src/ledger/file/read-file.ts';
import { readControlTotals } from '../../src/explain/read-control-totals.ts';

const world = openedForTests(openTestLedger);

describe('hold reasons', () => {
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

  const RULES: EffectRules = { duplicateRows: 'hold', sameTotals: 'warn', chargedBefore: 'hold' };
  const codes = async (rules: Partial<EffectRules> | null, file = held) =>
    (await readHoldReasons(world.ledger, { ...file, fault_rules: rules && { ...RULES, ...rules } })).map(
      ({ code }) => code,
    );

  describe('readHoldReasons', () => {
    it('has what held the file by the rules of that time, and no other fault', async () => {
      expect(await codes({})).toEqual(['CHARGED_BEFORE']);
      expect(await codes({ sameTotals: 'hold' })).toEqual(['CHARGED_BEFORE', 'SAME_TOTALS']);
      expect(await codes({ chargedBefore: 'warn' })).toEqual([]);
    });

    it('goes by the table of a file that was not read', async () => {
      expect(await codes(null)).toEqual(['CHARGED_BEFORE', 'SAME_TOTALS']);
    });

    it('has nothing of a file that is not held', async () => {
      expect(await codes({}, { ...held, state: 'accepted' })).toEqual([]);
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
    [
      { complete: { by: 'quiet', quietMs: 10_000, movedInMs: 2_000 } },
      'It is taken after it is unchanged for 10 seconds, or for 2 seconds if it was moved in.',
    ],
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

async function read(fileId: string) {
  const file = await readFileRow(world.ledger, fileId);
  const [figures, outputs] = [await readFileFigures(world.ledger, file), await readOutputs(world.ledger, fileId)];
  return readControlTotals(world.ledger, file, { figures, outputs });
}

/** Lists the states in one line, such as `H0 agree`. */
async function states(fileId: string): Promise<string> {
  return (await read(fileId)).map(({ id, state }) => `${id} ${state}`).join(', ');
}

const EARLY = 'H0 agree, H1 agree, H2 agree, H3 agree, H4 agree, H5 agree';
const NONE = 'H0 not yet, H1 not yet, H2 not yet, H3 not yet, H4 not yet, H5 not yet';

async function reconcile(fileId: string, batchNo: number): Promise<void> {
  const batch = await world.putBatch({ fileId, batchNo }, 'result_in');
  const { file_no: fileNo } = await readFileRow(world.ledger, fileId);
  await reconcileBatch(world.ledger, keyOf(batch), fileNo, outcomesOf(batch), {});
}

describe('readControlTotals', () => {
  it('says of a file on its way what agrees by now, with both figures', async () => {
    expect(await states((await world.claimed()).file_id)).toBe(`${NONE}, H6 not yet, H7 not yet, H8 not yet`);
    const { file_id: fileId } = await world.accepted({ batches: 2, withheld: 1 });
    expect(await states(fileId)).toBe(`${EARLY}, H6 not yet, H7 not yet, H8 not yet`);
    const [, , , rows, batches] = await read(fileId);
    expect(rows!.says).toBe('5 rows = 4 valid + 1 withheld');
    expect(batches!.says).toBe('valid 4 rows 14.00 = batches 4 rows 14.00');
  });

  it('compares outcomes and cancelled batches with what was cut, once every batch has ended', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 2 });
    await reconcile(fileId, 1);
    await world.putBatch({ fileId, batchNo: 2 }, 'cancelled');
    expect(await states(fileId)).toBe(`${EARLY}, H6 agree, H7 agree, H8 not yet`);
    await recordOutput(
      world.ledger,
      { file: await readFileRow(world.ledger, fileId) },
      { kind: 'summary-txt', name: 's', sha256: '', bytes: 0, rows: 0 },
    );
    expect(await states(fileId)).toBe(`${EARLY}, H6 agree, H7 agree, H8 agree`);
  });

  it('shows a lost row', async () => {
    const { file_id: fileId } = await world.accepted({ batches: 1 });
    await reconcile(fileId, 1);
    const { file_no: fileNo } = await readFileRow(world.ledger, fileId);
    await world.force('UPDATE batch_outcome SET rows = rows - 1 WHERE file_no = $1', [fileNo]);
    expect(await states(fileId)).toContain('H7 differ');
  });

  it('shows a result that does not fit', async () => {
    const { file_id: fileId } = await world.batchIn('exception');
    expect(await states(fileId)).toContain('H6 differ, H7 not yet');
  });

  it.each([
    [{ rows: 9 }, 'CONTROL_TOTALS', 'H0 differ, H1 agree'],
    [null, 'MODIFIED_AFTER_CLAIM', 'H0 agree, H1 differ'],
  ])('shows what a held file differs in: %j, %s', async (control, code, expected) => {
    const { file_id: fileId } = await world.held();
    await world.force('UPDATE file SET control = $2, reason_code = $3 WHERE file_id = $1', [fileId, control, code]);
    expect(await states(fileId)).toContain(expected);
  });

  it('needs no result of a file that was cancelled before anything was sent, and nothing of a refused one', async () => {
    const { file_id: fileId } = await world.accepted();
    await world.putBatch({ fileId, batchNo: 1 }, 'cancelled');
    await world.putFile(fileId, 'cancelled');
    expect(await states(fileId)).toBe(`${EARLY}, H6 not needed, H7 agree, H8 not needed`);
    expect(await read((await world.rejected()).file_id)).toEqual([]);
  });

  it('has of a completed file what was checked when it was completed', async () => {
    const { file_id: fileId } = await world.accepted();
    await reconcile(fileId, 1);
    const controlTotals = [{ id: 'H8', holds: true, says: 'as it was checked' }];
    await completeFile(world.ledger, { file: await readFileRow(world.ledger, fileId) }, { controlTotals });
    expect(await read(fileId)).toEqual([{ id: 'H8', state: 'agree', says: 'as it was checked' }]);
  });
});
