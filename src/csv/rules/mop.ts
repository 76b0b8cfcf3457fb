import type { Server } from '../../../schemas/operations.ts';
import { acceptsMop, type Currency, SERVER_MOPS } from '../../../schemas/restrictions.ts';
import type { CellRule } from './cell-rule.ts';
import { findDamage } from './spreadsheet-damage.ts';

/** Returns the rule for methods of payment: listed by the server and accepted in the currency of the account. */
export function mopRule(account: { server: Server; currency: Currency }): CellRule {
  const listed: readonly string[] = SERVER_MOPS[account.server];
  return (cell, report) => {
    const upper = cell.toUpperCase();
    const mop = upper === 'MAESTRO' ? 'MAESTR' : upper;
    if (listed.includes(mop)) {
      if (acceptsMop(account.server, account.currency, mop)) return mop;
      report('MOP_RESTRICTED', `${mop} in ${account.currency}`);
      return '';
    }
    const damage = findDamage(cell);
    if (damage) report('SPREADSHEET_DAMAGE', damage);
    else report('MOP_UNKNOWN');
    return '';
  };
}
