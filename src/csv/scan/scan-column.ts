import { type ColumnKind, COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { maxLengthOf } from '../rules/max-length.ts';
import { markOfDay } from './scan-date.ts';
import { accountTypeWords, mopWords, type Word } from './scan-word.ts';

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
    maxLength: isText ? maxLengthOf(name) : 0,
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
