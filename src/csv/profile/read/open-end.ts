import { COLUMNS, type ColumnKind } from '../../../../schemas/layouts.ts';
import type { Profile, Title } from '../../../../schemas/profiles.ts';
import { mentionsOf } from '../profile-titles.ts';

/** Kinds whose beginning can be another number or code. Of the others a part fits no rule, or is only a text. */
const CUTTABLE: readonly ColumnKind[] = ['invoice', 'customerCode', 'accountNumber', 'amount'];

/**
 * Returns whether the cell of a column may be the beginning of a longer one that reads otherwise. So it matters whether
 * the last line of the file has an end.
 */
export function mayBeCut(profile: Profile, title: Title | undefined): boolean {
  const columns = mentionsOf(profile).flatMap((mention) => (mention.title === title ? (mention.column ?? []) : []));
  return columns.some((column) => CUTTABLE.includes(COLUMNS[column].kind) && !isWholeOnly(profile, title));
}

/** An amount that must have its decimals, and no sign behind them, fits no longer when it is cut. */
function isWholeOnly({ columns: { amount } }: Profile, title: Title | undefined): boolean {
  if (!amount?.number || ![amount.from, amount.positive, amount.negative].includes(title)) return false;
  const { unit, places, whole, negative } = amount.number;
  return unit === 'cents' || (places === 2 && whole === 'refuse' && !negative.includes('trailing-minus'));
}
