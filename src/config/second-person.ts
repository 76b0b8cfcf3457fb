import { FOLDER_OPERATIONS, type FolderOperation } from '../../schemas/operations.ts';
import type { Account } from './config.ts';

type Rules = Pick<Account, 'secondPerson'>;

/** Whether every file of this operation waits for approval, however good it is. */
export function isApprovalDue({ secondPerson }: Rules, operation: FolderOperation): boolean {
  return secondPerson.refunds && FOLDER_OPERATIONS[operation].sign < 0;
}

/**
 * Whether it takes two persons to let a held file of this operation go.
 * @param account undefined when it is not in the configuration any more; nobody then says that one person is enough
 */
export function takesTwoToApprove(account: Rules | undefined, operation: FolderOperation): boolean {
  return account === undefined || account.secondPerson.overrides || isApprovalDue(account, operation);
}
