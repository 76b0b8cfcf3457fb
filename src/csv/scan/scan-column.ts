import { type ColumnKind, COLUMNS, type ColumnName } from '../../../schemas/columns.ts';
import { FOLDER_OPERATIONS } from '../../../schemas/operations.ts';
import type { CheckRules } from '../check/check-rules.ts';
import { maxLengthOf } from '../rules/max-length.ts';
import { markOfDay } from './scan-date.ts';
import { accountTypeWords, mopWords, type Word } from './scan-word.ts';

/** What the scanner must know of a column. All have the same fields, because it would stumble over different ones. */
export type ScanColumn = {
  readonly kind: Exclude<ColumnKind, 'invoice' | 'customerCode'>;
  readonly place: number;
  readonly required: boolean;
  /** Of a text, in characters, of which each is one byte here. */
  readonly maxLength: number;
  /** A comma in quotes becomes a space. */
  readonly replacesCommas: boolean;
  /** Letters, digits, `-`, `_` and `.` only. */
  readonly isCode: boolean;
  /** Declines what a spreadsheet may have made of `12/17`. */
  readonly refusesDays: boolean;
  /** Of an address in the United States, where what is odd about it is noted. */
  readonly part: 'state' | 'zipCode' | undefined;
};

/** What the rules say of all rows of a file. */
export type ScanRules = {
  readonly sign: 1 | -1;
  /** Above it a row needs a note; Infinity where none is set. */
  readonly largestCents: number;
  /** Of the current day, see `markOfDay`. */
  readonly today: number;
  /** Months since the year 0 up to the current one, in the zone of the account. */
  readonly thisMonth: number;
  /** The first nine digits of an account number must be a routing number with a right check digit. */
  readonly routingCheck: boolean;
  readonly mops: readonly Word[];
  readonly accountTypes: readonly Word[];
};

/** Those of the rules that the scanner knows. */
export type RulesOfScan = Pick<CheckRules, 'operation' | 'today' | 'largestRowCents'> & {
  readonly account: CheckRules['account'];
  readonly folder: Pick<CheckRules['folder'], 'textCommas' | 'routingCheck'>;
};

/** No more than these, because the rules of a file may hold what cannot or may not go to another thread. */
export function rulesOfScan({ operation, today, largestRowCents, account, folder }: CheckRules): RulesOfScan {
  return {
    operation,
    today,
    largestRowCents,
    account: { server: account.server, country: account.country, currency: account.currency },
    folder: { textCommas: folder.textCommas, routingCheck: folder.routingCheck },
  };
}

export function scanColumn(
  name: ColumnName,
  place: number,
  rules: Pick<RulesOfScan, 'folder' | 'account'>,
): ScanColumn {
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

export function scanRules({ operation, account, folder, today, largestRowCents }: RulesOfScan): ScanRules {
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
