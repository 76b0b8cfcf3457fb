import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import type { Account } from './config.ts';

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
