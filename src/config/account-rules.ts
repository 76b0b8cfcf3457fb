import { type AccountConfig, type FolderConfig, RETENTION_DAYS } from '../../schemas/config.ts';
import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import type { Account, Settings } from './config.ts';

/** Limits of a file and a day, in rows and cents; undefined for no limit. */
export type Limits = {
  readonly rowCents: number | undefined;
  readonly fileRows: number | undefined;
  readonly fileCents: number | undefined;
  readonly dayCents: number | undefined;
};

/** Returns the limits of an account and one of its folders; the tighter one applies. */
export function limitsOf(account: Pick<AccountConfig, 'limits'>, folder?: Pick<FolderConfig, 'limits'>): Limits {
  const [all, own] = [account.limits, folder?.limits];
  return {
    rowCents: centsOf(tighter(all.rowAmount, own?.rowAmount)),
    fileRows: tighter(all.fileRows, own?.fileRows),
    fileCents: centsOf(tighter(all.fileTotal, own?.fileTotal)),
    dayCents: centsOf(all.dayTotal),
  };
}

function tighter(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}

/** The schema allows two decimals, so rounding restores the exact number of cents. */
function centsOf(amount: number | undefined): number | undefined {
  return amount === undefined ? undefined : Math.round(amount * 100);
}

type Rules = Pick<Account, 'secondPerson'>;

/** Returns whether every file of this operation needs approval, even without faults. */
export function isApprovalDue({ secondPerson }: Rules, operation: FolderOperation): boolean {
  return secondPerson.refunds && FOLDER_OPERATIONS[operation].sign < 0;
}

/**
 * Returns whether it takes two users to approve a held file of this operation.
 * @param account undefined when it is no longer configured; two are then required
 */
export function takesTwoToApprove(account: Rules | undefined, operation: FolderOperation): boolean {
  return account === undefined || account.secondPerson.overrides || isApprovalDue(account, operation);
}

/** Returns whether the author of a profile cannot also confirm it, for any of the folders that it reads. */
export function takesTwoToConfirm(
  { accounts, folders }: Pick<Settings, 'accounts' | 'folders'>,
  profile: string,
): boolean {
  return folders.some(
    ({ profile: name, account, operation }) =>
      name === profile && (accounts.get(account)?.secondPerson.profiles ?? operation === 'ach-refund'),
  );
}

/** Returns how long sealed originals are kept, by account. Accounts no longer configured get the default. */
export function retentionDays({ accounts }: Pick<Settings, 'accounts'>): {
  byAccount: Record<string, number>;
  others: number;
} {
  const byAccount = Object.fromEntries([...accounts].map(([name, { retention }]) => [name, retention.days]));
  return { byAccount, others: RETENTION_DAYS };
}
