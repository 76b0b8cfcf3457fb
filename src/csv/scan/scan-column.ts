import { type ColumnKind, type ColumnName, COLUMNS } from '../../../schemas/layouts.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { limitOf } from '../rules/rule-of-column.ts';
import { markOfDay } from './scan-number.ts';
import { acceptsMop, SERVER_MOPS } from '../../../schemas/restrictions.ts';
import { type Brand, brandOf } from '../rules/card-brand.ts';
import { DECLINED, type RowScan } from './row-scan.ts';

/** What the scanner knows of a column. All objects have the same fields, because mixed shapes would slow it. */
export type ScanColumn = {
  readonly kind: Exclude<ColumnKind, 'invoice' | 'customerCode'>;
  readonly place: number;
  readonly required: boolean;
  /** For texts: in characters, each of which is one byte here. */
  readonly maxLength: number;
  /** Replaces a comma in quotes with a space. */
  readonly replacesCommas: boolean;
  /** Accepts letters, digits, `-`, `_` and `.` only. */
  readonly isCode: boolean;
  /** Declines what a spreadsheet may have made of `12/17`. */
  readonly refusesDays: boolean;
  /** Set for the parts of a US address, whose oddities are noted. */
  readonly part: 'state' | 'zipCode' | undefined;
};

/** What the rules say of all rows of a file. */
export type ScanRules = {
  readonly sign: 1 | -1;
  /** Above this amount a row needs a note; Infinity if unset. */
  readonly largestCents: number;
  /** `markOfDay` of the current day. */
  readonly today: number;
  /** Months from the year 0 to the current one, in the time zone of the account. */
  readonly thisMonth: number;
  /** The first nine digits of an account number must be a routing number with a valid check digit. */
  readonly routingCheck: boolean;
  readonly mops: readonly Word[];
  readonly accountTypes: readonly Word[];
};

export function scanColumn(name: ColumnName, place: number, rules: CheckRules): ScanColumn {
  const { kind, required, freeText } = COLUMNS[name];
  const isText = kind === 'invoice' || kind === 'customerCode' || kind === 'text';
  return {
    kind: isText ? 'text' : kind,
    place,
    required,
    maxLength: isText ? limitOf(name, rules.account.serviceLimits).maxLength : 0,
    replacesCommas: freeText && rules.folder.textCommas === 'replace',
    isCode: kind === 'customerCode',
    refusesDays: kind === 'invoice' || kind === 'customerCode',
    part: rules.account.country === 'US' && (name === 'state' || name === 'zipCode') ? name : undefined,
  };
}

export function scanRules({ operation, account, folder, today, largestRowCents }: CheckRules): ScanRules {
  return {
    sign: FOLDER_OPERATIONS[operation].sign,
    largestCents: largestRowCents ?? Infinity,
    today: markOfDay(Number(today.slice(0, 4)), Number(today.slice(5, 7)), Number(today.slice(8, 10))),
    thisMonth: Number(today.slice(0, 4)) * 12 + Number(today.slice(5, 7)),
    routingCheck: folder.routingCheck,
    mops: mopWords(account),
    accountTypes: accountTypeWords(),
  };
}

/** `written` is in capital letters; `sent` is what goes to the service. */
type Word = { readonly written: Uint8Array; readonly sent: Uint8Array; readonly brand: Brand | undefined };

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
