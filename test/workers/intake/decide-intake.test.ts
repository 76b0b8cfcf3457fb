import { ask } from '../../../src/ledger/engine/ask.ts';
import { describe, expect, it } from 'vitest';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { ERRORS, type FaultCode } from '../../../schemas/errors.ts';
import type { FileCheck } from '../../../src/csv/check/check-payment-file.ts';
import type { ControlNote } from '../../../src/rows/rows.ts';
import { type Circumstances, decideIntake } from '../../../workers/intake/decide-intake.ts';
import { weighClocks } from '../../../workers/intake/find-earlier-payments.ts';
import { findDuplicates } from '../../../workers/intake/find-duplicate.ts';
import { forceSql } from '../../support/force-sql.ts';
import { achRow, lines } from '../../support/payment-rows.ts';
import { openEarlierPaymentsWorld } from '../support/look-back-world.ts';

const SHA = 'a'.repeat(64);

const GOOD: FileCheck = {
  verdict: 'accept',
  layout: 'ach',
  headerLine: null,
  faults: [],
  faultCounts: {},
  bytes: 300,
  sha256: SHA,
  physicalLines: 3,
  blankLines: 0,
  records: 3,
  valid: { rows: 3, cents: 7_500 },
  invalid: { rows: 0 },
  declaredCents: 7_500,
};

const NOTHING_SPECIAL: Circumstances = {
  effects: { duplicateRows: 'hold', sameTotals: 'hold', chargedBefore: 'hold' },
  control: null,
  claimedSha256: SHA,
  changed: false,
  sameName: undefined,
  maxBytes: undefined,
  limits: { fileRows: undefined, fileCents: undefined },
  approvalDue: false,
  history: undefined,
};

function decide(check: Partial<FileCheck> = {}, around: Partial<Circumstances> = {}) {
  return decideIntake({ ...GOOD, ...check }, { ...NOTHING_SPECIAL, ...around });
}

function checked(verdict: FileCheck['verdict'], faultCounts: Partial<Record<FaultCode, number>>): Partial<FileCheck> {
  return { verdict, faultCounts };
}

describe('decideIntake', () => {
  it('accepts what passed every check', () => {
    expect(decide()).toEqual({ decision: { verdict: 'accept' }, faults: [] });
  });

  it('refuses what is larger than the folder takes, however good its rows are', () => {
    const { decision, faults } = decide({}, { maxBytes: 299 });
    expect(decision).toMatchObject({ verdict: 'reject', code: 'FILE_TOO_LARGE' });
    expect(faults).toEqual([{ code: 'FILE_TOO_LARGE', line: 0, detail: '300 bytes, at most 299' }]);
    expect(decide({}, { maxBytes: 300 }).decision).toEqual({ verdict: 'accept' });
  });

  it('says that the name came before, and accepts all the same', () => {
    expect(decide({}, { sameName: 'abc' })).toEqual({
      decision: { verdict: 'accept' },
      faults: [{ code: 'NAME_SEEN_BEFORE', line: 0, detail: 'file abc' }],
    });
  });

  it('holds a file that was changed after the claim', () => {
    const { decision, faults } = decide({}, { changed: true });
    expect(decision).toMatchObject({ verdict: 'hold', code: 'MODIFIED_AFTER_CLAIM' });
    expect(faults).toMatchObject([{ code: 'MODIFIED_AFTER_CLAIM', line: 0 }]);
  });

  it.each([
    ['reject', { EMPTY: 1 }, 'EMPTY'],
    ['reject', { AMOUNT_FORMAT: 3, COLUMN_COUNT: 1 }, 'COLUMN_COUNT'],
    ['reject', { WRONG_SIGN: 2, COLUMN_COUNT: 1 }, 'COLUMN_COUNT'],
    ['reject', { COLUMN_COUNT: 1, SECURITY_CODE: 1 }, 'SECURITY_CODE'],
    ['hold', { TEXT_REPLACED: 5, WRONG_SIGN: 1 }, 'WRONG_SIGN'],
    ['hold', { AMOUNT_FORMAT: 5, TOO_MANY_BAD_ROWS: 1 }, 'TOO_MANY_BAD_ROWS'],
  ] as [FileCheck['verdict'], Partial<Record<FaultCode, number>>, string][])(
    '%s for %j is put down to %s',
    (verdict, counts, code) => {
      expect(decide(checked(verdict, counts)).decision).toMatchObject({ verdict, code });
    },
  );

  it('a refusal stays one, whatever else would hold the file', () => {
    const { decision } = decide(checked('reject', { COLUMN_COUNT: 1 }), { changed: true, control: { rows: 9 } });
    expect(decision).toMatchObject({ verdict: 'reject', code: 'COLUMN_COUNT' });
  });

  it('counts the rows in the reason and tells the particulars', () => {
    const check = {
      ...checked('hold', { WRONG_SIGN: 2 }),
      faults: [{ code: 'WRONG_SIGN' as const, line: 2, detail: 'refund in a charge folder' }],
    };
    expect(decide(check).decision).toMatchObject({
      reason: 'the sign of the amount contradicts the folder (2 rows): refund in a charge folder',
    });
  });
});

describe('decideIntake, with a control file', () => {
  it.each([
    [{ rows: 3 }],
    [{ totalCents: 7_500 }],
    [{ sha256: SHA }],
    [{ rows: 3, totalCents: 7_500, sha256: SHA }],
  ] as [ControlNote][])('%j agrees', (control) => {
    expect(decide({}, { control })).toEqual({ decision: { verdict: 'accept' }, faults: [] });
  });

  it.each([
    [{ rows: 4 }, 'it says 4 rows, the file has 3'],
    [{ rows: 0 }, 'it says 0 rows, the file has 3'],
    [{ totalCents: 7_501 }, 'it says a total of 75.01, the file has 75.00'],
    [{ totalCents: -7_500 }, 'it says a total of -75.00, the file has 75.00'],
    [{ sha256: 'b'.repeat(64) }, 'its sha256 does not match the file'],
    [{ rows: 3, totalCents: 7_500, sha256: 'b'.repeat(64) }, 'its sha256 does not match the file'],
  ] as [ControlNote, string][])('%j differs: held', (control, detail) => {
    const { decision, faults } = decide({}, { control });
    expect(decision).toMatchObject({ verdict: 'hold', code: 'CONTROL_TOTALS' });
    expect(faults).toEqual([{ code: 'CONTROL_TOTALS', line: 0, detail }]);
  });

  it('counts rows that were withheld, because the sender counted them too', () => {
    const check = { invalid: { rows: 1 }, valid: { rows: 2, cents: 5_000 }, faultCounts: { EXPIRY_PAST: 1 } };
    expect(decide(check, { control: { rows: 3, totalCents: 7_500 } }).decision).toEqual({ verdict: 'accept' });
    expect(decide(check, { control: { rows: 2 } }).decision).toMatchObject({ code: 'CONTROL_TOTALS' });
  });

  it('says everything that differs', () => {
    expect(decide({}, { control: { rows: 4, totalCents: 1, sha256: 'c' } }).faults).toHaveLength(3);
  });

  it('one that cannot be read holds the file', () => {
    const { decision, faults } = decide({}, { control: { fault: 'CONTROL_FILE', reason: 'line 2 is not known' } });
    expect(decision).toMatchObject({ verdict: 'hold', code: 'CONTROL_FILE' });
    expect(faults).toEqual([{ code: 'CONTROL_FILE', line: 0, detail: 'line 2 is not known' }]);
  });
});

describe('decideIntake, with limits', () => {
  it.each([
    [{ fileRows: 3, fileCents: 7_500 }, []],
    [{ fileRows: 2, fileCents: undefined }, ['LIMIT_FILE_ROWS: 3 rows, at most 2']],
    [{ fileRows: undefined, fileCents: 7_499 }, ['LIMIT_FILE_TOTAL: 75.00, at most 74.99']],
    [{ fileRows: 1, fileCents: 1 }, ['LIMIT_FILE_ROWS: 3 rows, at most 1', 'LIMIT_FILE_TOTAL: 75.00, at most 0.01']],
  ])('%j', (limits, expected) => {
    const { decision, faults } = decide({}, { limits });
    expect(faults.map(({ code, detail }) => `${code}: ${detail}`)).toEqual(expected);
    expect(decision.verdict).toBe(expected.length > 0 ? 'hold' : 'accept');
  });

  it('counts refunds without their sign', () => {
    const check = { valid: { rows: 3, cents: -7_500 } };
    const limits = { fileRows: undefined, fileCents: 7_499 };
    expect(decide(check, { limits }).decision).toMatchObject({ code: 'LIMIT_FILE_TOTAL' });
  });

  it('holds what is to be approved in any case, and names that last', () => {
    expect(decide({}, { approvalDue: true }).decision).toMatchObject({ verdict: 'hold', code: 'APPROVAL_DUE' });
    const { decision } = decide({}, { approvalDue: true, control: { rows: 4 } });
    expect(decision).toMatchObject({
      code: 'CONTROL_TOTALS',
      reason: expect.stringMatching(/; also refunds of this account need approval$/),
    });
  });
});

describe('decideIntake, with other files', () => {
  const sameRows = { code: 'SAME_ROWS' as const, line: 0, detail: '"monday.csv" (file abc)' };
  const sameTotals = { code: 'SAME_TOTALS' as const, line: 0, detail: 'as in "monday.csv"' };
  const NONE = { faults: [], charged: [], duplicateOf: undefined };

  it('holds for the same rows and names the first file', () => {
    const { decision, faults } = decide({}, { history: { ...NONE, faults: [sameRows], duplicateOf: 'abc' } });
    expect(decision).toMatchObject({ verdict: 'hold', code: 'SAME_ROWS', duplicateOf: 'abc' });
    expect(faults).toEqual([sameRows]);
  });

  it('counts the rows that came before, whose faults are written already', () => {
    const charged = [{ code: 'CHARGED_BEFORE' as const, rows: 2, detail: 'line 4 of file abc' }];
    const { decision, faults } = decide({}, { history: { ...NONE, charged } });
    expect(decision).toMatchObject({
      verdict: 'hold',
      code: 'CHARGED_BEFORE',
      reason: expect.stringMatching(/ \(2 rows\): the first is line 4 of file abc$/),
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['hold', 'hold'],
    ['warn', 'accept'],
  ] as const)('goes by the folder, which says %s', (setting, verdict) => {
    const effects = { duplicateRows: 'hold', sameTotals: setting, chargedBefore: setting } as const;
    const history = {
      ...NONE,
      faults: [sameTotals],
      charged: [{ code: 'CHARGED_BEFORE' as const, rows: 1, detail: 'x' }],
    };
    expect(decide({}, { effects, history }).decision.verdict).toBe(verdict);
  });

  it('says all reasons of a held file, and only its own of a refused one', () => {
    const history = {
      ...NONE,
      faults: [sameRows],
      charged: [{ code: 'CHARGED_BEFORE' as const, rows: 1, detail: 'x' }],
    };
    const held = decide(checked('hold', { WRONG_SIGN: 1 }), { history, approvalDue: true }).decision;
    expect(held).toMatchObject({
      code: 'WRONG_SIGN',
      reason: expect.stringMatching(
        new RegExp(
          `; also ${(['SAME_ROWS', 'APPROVAL_DUE', 'CHARGED_BEFORE'] as const).map((code) => ERRORS[code].means).join('; ')}$`,
        ),
      ),
    });
    const refused = decide(checked('reject', { EMPTY: 1, NO_ROWS: 1 }), {}).decision;
    expect(refused).toMatchObject({ code: 'EMPTY', reason: 'the file has no bytes' });
  });
});

const DAY_MS = 86_400_000;
const NOON = Date.parse('2026-06-15T12:00:00Z');

/** Returns the moment this many days after `NOON`. */
const at = (days: number) => new Date(NOON + days * DAY_MS);

describe('weighClocks', () => {
  it.each([
    ['clocks that follow on the last file', { host: 0.5, database: 0.4, last: 0 }, undefined, [0.4, 0.5]],
    ['the first file of an account', { host: 0, database: 0 }, 0, [0, 0]],
    ['a long pause', { host: 31, database: 31, last: 0 }, 31, [31, 31]],
    ['a host that is ahead', { host: 400, database: 0, last: 0 }, 0, [0, 400]],
    ['host and database that are ahead', { host: 400, database: 400, last: 0 }, 0, [0, 400]],
    ['host and database that are behind', { host: -400, database: -400, last: 0 }, 0, [-400, 0]],
    ['a service that is ahead', { host: 2, database: 2, last: 0 }, 400, [2, 400]],
    ['a service that does not say', { host: 400, database: 400, last: 0 }, undefined, [0, 400]],
  ] as const)(
    'takes the earliest for now and the latest for the file: %s',
    async (_, times, service, [now, agedFrom]) => {
      const { host, database, last } = { last: undefined, ...times };
      const clocks = { databaseNow: at(database), lastFrom: last === undefined ? null : at(last) };
      const weighed = await weighClocks(at(host), clocks, async () =>
        service === undefined ? undefined : at(service),
      );
      expect(weighed).toEqual({ now: at(now), agedFrom: at(agedFrom) });
    },
  );

  it('asks the service only where its time may matter', async () => {
    const ask = () => Promise.reject(new Error('it is not needed'));
    await expect(weighClocks(at(1), { databaseNow: at(0), lastFrom: at(0) }, ask)).resolves.toBeDefined();
    await expect(weighClocks(at(1.1), { databaseNow: at(0), lastFrom: at(0) }, ask)).rejects.toThrow();
  });
});

const world = openedForTests(openEarlierPaymentsWorld);

it('findDuplicates names the file that had the same bytes, also for a file that is not in the ledger', async () => {
  const account = world.freshAccount();
  const first = await world.take(account, 'any', lines([achRow(1)]));
  const { rows } = await world.app.ledger.pool.query<{ sha256: string; name: string }>(
    'SELECT sha256, name FROM file WHERE file_id = $1',
    [first],
  );
  const { sha256, name } = rows[0]!;
  const find = (change: object) =>
    ask(world.app.ledger.pool, findDuplicates([{ file: { file_id: '', account, sha256, ...change } }]))
      .then(([found]) => found)
      .then(([why]) => why);
  const detail = `they were in "${name}" (file ${first}), which is in progress`;
  expect(await find({})).toEqual({ code: 'DUPLICATE_FILE', detail, duplicateOf: first });
  await forceSql(world.app, `UPDATE file SET state = 'completed', invalid_rows = 3 WHERE file_id = '${first}'`);
  expect(await find({})).toMatchObject({
    detail: expect.stringContaining('which is completed; 3 rows of it were withheld and not paid'),
  });
  expect(await find({ sha256: '0'.repeat(64) })).toBeUndefined();
  expect(await find({ account: world.freshAccount() })).toBeUndefined();
  expect(await find({ file_id: first })).toBeUndefined();
});
