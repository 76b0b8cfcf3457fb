import { acceptsMop, SERVER_MOPS } from '../../../schemas/restrictions.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { type Brand, brandOf } from '../rules/card-brand.ts';
import { DECLINED, type RowScan } from './row-scan.ts';

/** `written` is in capital letters; `sent` is what goes to the service. */
export type Word = { readonly written: Uint8Array; readonly sent: Uint8Array; readonly brand: Brand | undefined };

/** Scans one of a few words, in any case. */
export function scanWord(scan: RowScan, at: number, words: readonly Word[]): number {
  for (const { written, sent, brand } of words) {
    if (!startsWith(scan.input, at, written)) continue;
    for (let place = 0; place < sent.length; place += 1) scan.output[scan.to + place] = sent[place]!;
    scan.to += sent.length;
    scan.brand = brand;
    return at + written.length;
  }
  return DECLINED;
}

/** Returns the methods of payment that the server lists and the account's currency allows. */
export function mopWords({ server, currency }: CheckRules['account']): Word[] {
  const mops = SERVER_MOPS[server].filter((mop) => acceptsMop(server, currency, mop));
  return mops.map((mop) => wordOf(mop, mop, brandOf(mop)));
}

/** Lists the longer word first, because the shorter one is its prefix. */
export function accountTypeWords(): Word[] {
  return [wordOf('CHECKING'), wordOf('SAVINGS', 'SAVING'), wordOf('SAVING')];
}

function wordOf(written: string, sent = written, brand?: Brand): Word {
  return { written: Buffer.from(written), sent: Buffer.from(sent), brand };
}

/** Clears the case bit: only a letter becomes its capital. */
const NOT_CASE = 0xdf;

function startsWith(input: Uint8Array, at: number, word: Uint8Array): boolean {
  for (let place = 0; place < word.length; place += 1) {
    if ((input[at + place]! & NOT_CASE) !== word[place]) return false;
  }
  return true;
}
