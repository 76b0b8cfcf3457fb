import { inspect } from 'node:util';
import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { columnsOf } from '../../schemas/layouts.ts';
import type { FileCheck } from '../../src/csv/check/check-payment-file.ts';
import type { CheckRules } from '../../src/csv/check/check-rules.ts';
import type { Account } from '../../src/config/config.ts';
import type { PaymentRow } from '../../src/rows/rows.ts';
import { checkByBytes, checkByReference, outcomeOf, type Reading } from '../csv/compare/check-by-bytes.ts';
import { chooseRules } from '../csv/compare/compare-file.ts';
import { chooser, flipBytes } from '../simulation/choose.ts';
import { linesOf } from '../simulation/checks/check-outputs.ts';
import { DAMAGES, type DraftFile, draftFile, isTelling, placeOf, writeDraft } from '../simulation/files/draft-file.ts';
import { upTo } from '../support/payment-rows.ts';

/** One damaged file and its outcome. */
type PlayedFile = {
  readonly seed: number;
  readonly damages: readonly string[];
  readonly verdict: FileCheck['verdict'] | 'none';
  readonly rows: number;
  /** What does not hold, in words; empty when all is well. */
  readonly complaints: readonly string[];
};

/** Drafts a file without a fault, damages it in one to three ways, reads it, and checks that nothing is lost. */
export async function playFile(seed: number): Promise<PlayedFile> {
  const choose = chooser(seed);
  const rules = chooseRules(choose);
  const account = { ...rules.account, timeZone: 'UTC' } as Account;
  const draft = draftFile(choose, account, rules.operation, `D${seed}`);
  const damages = Array.from({ length: choose.between(1, 3) }, () => choose.weighted(DAMAGES));
  for (const damage of damages) damage.spoil(draft, choose);
  const written = writeDraft(draft).bytes;
  const isTurned = choose.happens(0.4);
  const bytes = isTurned ? flipBytes(written, choose) : written;
  const names = [...damages.map(({ name }) => name), ...(isTurned ? ['bytes changed, taken out or put in'] : [])];
  try {
    const read = await checkByReference(pieces(bytes, bytes.length), rules);
    const plain = JSON.stringify(outcomeOf(read));
    const fast = await checkByBytes(pieces(bytes, bytes.length), rules);
    const early = await checkByBytes(pieces(bytes, choose.between(1, 400)), rules, 2);
    const plainEarly = JSON.stringify(outcomeOf(await checkByReference(pieces(bytes, bytes.length), rules, 2)));
    const again = await checkByBytes(pieces(bytes, choose.between(1, 40)), rules);
    const complaints = [
      ...(JSON.stringify(fast) === plain ? [] : ['the check by bytes says something else than the reference']),
      ...(JSON.stringify(early) === plainEarly ? [] : ['lines that are scanned as bytes are read otherwise']),
      ...(JSON.stringify(again) === plain ? [] : ['it is read otherwise when it comes in other pieces']),
      ...checkRows(read, textOf(bytes, rules)),
      ...checkNumbers(read, draft),
    ];
    return { seed, damages: names, verdict: read.check.verdict, rows: read.check.records, complaints };
  } catch (error) {
    return { seed, damages: names, verdict: 'none', rows: 0, complaints: [inspect(error)] };
  }
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

/** Plays this many files that are the same in every run, and as many fresh ones. */
export function testDamages(files: number): void {
  it.each([
    [`${files} damaged files`, 0],
    [`${files} more that nobody has seen before`, randomInt(100_000, 2 ** 31)],
  ])(
    '%s lose no row, change no payment and show no number, in whatever pieces they come',
    async (_, from) => {
      const played: PlayedFile[] = [];
      for (const n of upTo(files)) played.push(await playFile(from + n));
      const failed = played.filter(({ complaints }) => complaints.length > 0);
      const again = failed.map(({ seed }) => `npm run damage -- --files 1 --seed ${seed}`);
      expect(failed, `Play them again:\n${again.join('\n')}`).toEqual([]);
      expect(new Set(played.map(({ verdict }) => verdict))).toEqual(new Set(['accept', 'hold', 'reject']));
    },
    240_000,
  );
}
