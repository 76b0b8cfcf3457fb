import { writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { columnsOf } from '../../schemas/layouts.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import type { CheckRules } from '../../src/csv/check/check-rules.ts';
import type { Account } from '../../src/config/config.ts';
import type { PaymentRow } from '../../src/rows/rows.ts';
import { checkByBytes, checkByReference, outcomeOf, type Reading } from '../csv/compare/check-by-bytes.ts';
import { chooseRules } from '../csv/compare/compare-file.ts';
import { drawnChooser, flipBytes } from '../simulation/choose.ts';
import { linesOf } from '../simulation/checks/check-outputs.ts';
import { DAMAGES, type DraftFile, draftFile, isTelling, placeOf, writeDraft } from '../simulation/files/draft-file.ts';
import { draws, sometimes } from '../support/draws.ts';
import { FIXED_SEED, type LongRun, tryProperty } from '../support/random.ts';

/** A file without a fault that was then damaged in one to three ways. */
type DamagedFile = {
  readonly rules: CheckRules;
  readonly draft: DraftFile;
  readonly damages: readonly string[];
  readonly bytes: Buffer;
  /** Bytes of the pieces in which it comes once more. */
  readonly early: number;
  readonly again: number;
};

const DAMAGE = fc.oneof(...DAMAGES.map((damage) => ({ arbitrary: fc.constant(damage), weight: damage.weight })));

const DAMAGED_FILE: fc.Arbitrary<DamagedFile> = fc
  .record({
    rules: draws(16),
    // A draft has up to 25 rows, and takes up to 30 draws for one.
    draft: draws(760),
    // Random bytes take 200 draws.
    damages: fc.array(fc.tuple(DAMAGE, draws(201)), { minLength: 1, maxLength: 3 }),
    turns: sometimes(40, draws(40)),
    early: fc.integer({ min: 1, max: 400 }),
    again: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ turns, early, again, ...drawn }) => {
    const rules = chooseRules(drawnChooser(drawn.rules));
    const account = { ...rules.account, timeZone: 'UTC' } as Account;
    const draft = draftFile(drawnChooser(drawn.draft), account, rules.operation, 'D');
    for (const [damage, choices] of drawn.damages) damage.spoil(draft, drawnChooser(choices));
    const written = writeDraft(draft).bytes;
    const bytes = turns ? flipBytes(written, drawnChooser(turns)) : written;
    const damages = drawn.damages.map(([{ name }]) => name);
    if (turns) damages.push('bytes changed, taken out or put in');
    const shown = () => inspect({ rules, damages, text: bytes.toString('latin1'), early, again }, { depth: 4 });
    return { rules, draft, damages, bytes, early, again, [fc.toStringMethod]: shown };
  });

/** Reads a damaged file in several ways. Returns its check, and what does not hold, in words. */
async function readDamaged({ rules, draft, bytes, early, again }: DamagedFile) {
  const read = await checkByReference(pieces(bytes, bytes.length), rules);
  const plain = JSON.stringify(outcomeOf(read));
  const fast = await checkByBytes(pieces(bytes, bytes.length), rules);
  const scanned = await checkByBytes(pieces(bytes, early), rules, 2);
  const plainEarly = JSON.stringify(outcomeOf(await checkByReference(pieces(bytes, bytes.length), rules, 2)));
  const inPieces = await checkByBytes(pieces(bytes, again), rules);
  const complaints = [
    ...(JSON.stringify(fast) === plain ? [] : ['the check by bytes says something else than the reference']),
    ...(JSON.stringify(scanned) === plainEarly ? [] : ['lines that are scanned as bytes are read otherwise']),
    ...(JSON.stringify(inPieces) === plain ? [] : ['it is read otherwise when it comes in other pieces']),
    ...checkRows(read, textOf(bytes, rules)),
    ...checkNumbers(read, draft),
  ];
  return { check: read.check, complaints };
}

/** Yields the bytes in pieces of this size, as a disk or a network may deliver them. */
async function* pieces(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Returns the text as UTF-8, so that lines can be read simply, whatever the folder's charset is. */
function textOf(bytes: Buffer, { folder }: CheckRules): Buffer {
  return folder.charset === 'utf-8' ? bytes : Buffer.from(new TextDecoder(folder.charset).decode(bytes));
}

/** Checks that each record comes out once and in order, valid or with a reason, and that valid money is right. */
function checkRows({ check, rows }: Reading, bytes: Buffer): string[] {
  if (check.faultCounts.SECURITY_CODE !== undefined) {
    if (check.verdict !== 'reject') return ['a file with security codes was not refused'];
    // Where a title names the codes, their column is uncertain, so no row comes out.
    if (rows.length === 0) return [];
  }
  if (check.faultCounts.WRONG_SEPARATOR !== undefined) {
    // Its lines are counted, and none is read as a row.
    return check.verdict === 'reject' && rows.length === 0 ? [] : ['a file with another separator was read'];
  }
  const complaints: string[] = [];
  const payments = rows.flatMap(({ payment }) => (payment ? [payment] : []));
  const cents = payments.reduce((sum, { amountCents }) => sum + amountCents, 0);
  if (rows.length !== check.records) complaints.push(`${check.records} records, but ${rows.length} rows came out`);
  if (payments.length !== check.valid.rows) complaints.push('valid rows are counted wrongly');
  if (payments.length + check.invalid.rows !== check.records) complaints.push('valid and withheld are not all');
  if (cents !== check.valid.cents) complaints.push('the total is not that of the rows');
  if (rows.some((row, index) => index > 0 && row.raw.line <= rows[index - 1]!.raw.line))
    complaints.push('rows are out of order');
  for (const row of rows)
    if (!row.payment && row.faults.length === 0) complaints.push(`line ${row.raw.line} is withheld without a reason`);
  if (check.layout !== null) complaints.push(...compareWithBytes(check, payments, bytes));
  return complaints;
}

/**
 * Compares payments with the bytes, read by other code. Files with quotes or NULs are left out, because reading them
 * takes csv-parse. An apostrophe before a spreadsheet formula is no part of a cell.
 */
function compareWithBytes({ layout }: FileCheck, payments: readonly PaymentRow[], bytes: Buffer): string[] {
  if (bytes.includes('"') || bytes.includes(0)) return [];
  const lines = linesOf(bytes);
  const columns = columnsOf(layout!);
  return payments.flatMap(({ line, invoice, amountCents, number }) => {
    const cells = (lines[line - 1] ?? '').split(',').map((cell) => cell.trim().replace(/^'(?='*[=+@-])/, ''));
    const of = (name: (typeof columns)[number]) => cells[columns.indexOf(name)] ?? '';
    const written = columns.includes('cardNumber') ? of('cardNumber') : of('accountNumber');
    const isSame =
      Math.round(Number(of('amount')) * 100) === amountCents &&
      number === written.replace(/[ -]/g, '') &&
      (!/^[\w-]*$/.test(of('invoice')) || of('invoice') === invoice);
    return isSame ? [] : [`line ${line} is another payment than the one that was written`];
  });
}

/** Checks that faults, which people see in notices, show no whole number of a payer. */
function checkNumbers({ check, rows }: Reading, draft: DraftFile): string[] {
  const at = placeOf(draft, 'cardNumber', 'accountNumber');
  const numbers = draft.rows.map((row) => row[at] ?? '').filter((cell) => /^\d+$/.test(cell) && isTelling(cell));
  const said = JSON.stringify([check.faults, rows.map(({ faults }) => faults)]);
  return numbers.some((number) => said.includes(number)) ? ['a whole number stands in a fault'] : [];
}

/** Tries so many damaged files, half of them the same in every run. */
export function testDamages({ runs, limitMs, record }: LongRun): void {
  it(
    `${runs} damaged files lose no row, change no payment and show no number, in whatever pieces they come`,
    async () => {
      const begin = performance.now();
      const sum = { files: 0, rows: 0, verdicts: new Map<string, number>(), damages: new Map<string, number>() };
      const property = fc.asyncProperty(DAMAGED_FILE, async (file) => {
        const { check, complaints } = await readDamaged(file);
        sum.files += 1;
        sum.rows += check.records;
        count(sum.verdicts, check.verdict);
        for (const damage of file.damages) count(sum.damages, damage);
        expect(complaints).toEqual([]);
      });
      await tryProperty(property, runs);
      expect(new Set(sum.verdicts.keys())).toEqual(new Set(['accept', 'hold', 'reject']));
      if (runs >= 50 * DAMAGES.length)
        expect(DAMAGES.filter(({ name }) => !sum.damages.has(name)).map(({ name }) => name)).toEqual([]);
      if (record === undefined) return;
      const [verdicts, damages] = [sum.verdicts, sum.damages].map((tally) => Object.fromEntries(tally));
      const seconds = Math.round((performance.now() - begin) / 1_000);
      const { files, rows } = sum;
      const report = { kind: 'damage', seed: FIXED_SEED, seconds, files, rows, failed: 0, verdicts, damages };
      await writeFile(record, `${JSON.stringify(report)}\n`);
    },
    limitMs,
  );
}

function count(tally: Map<string, number>, name: string): void {
  tally.set(name, (tally.get(name) ?? 0) + 1);
}
