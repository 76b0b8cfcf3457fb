import type { AccountConfig, FolderConfig } from '../../../schemas/config.ts';
import type { Circumstances } from '../../../workers/intake/decide-intake.ts';
import type { CheckRules } from '../../csv/check/check-payment-file.ts';
import type { Account } from '../../config/config.ts';
import { limitsOf } from '../../config/limits.ts';
import { isApprovalDue } from '../../config/second-person.ts';
import { dayInZone } from '../../calendar/zone-time.ts';

/** The rules for checking and deciding about a file before it is dropped. */
export type FolderRules = CheckRules & Pick<Circumstances, 'maxBytes' | 'limits' | 'approvalDue'>;

type Rules = Pick<FolderConfig, 'operation' | 'limits' | 'maxBytes'> & CheckRules['folder'];
type AccountRules = CheckRules['account'] & Pick<Account, 'secondPerson'> & Pick<AccountConfig, 'limits' | 'timeZone'>;

/** Returns the rules by which a folder's intake checks a file and decides about it. */
export function rulesOfFolder<F extends Rules, A extends AccountRules>(account: A, folder: F, now: Date) {
  const limits = limitsOf(account, folder);
  return {
    operation: folder.operation,
    account,
    folder,
    today: dayInZone(now, account.timeZone),
    maxBytes: folder.maxBytes,
    largestRowCents: limits.rowCents,
    limits,
    approvalDue: isApprovalDue(account, folder.operation),
  } satisfies FolderRules;
}
