import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import type { Account, Settings } from './config.ts';

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
