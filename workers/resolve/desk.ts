import type { Gateway } from '../../src/gateway/create-gateway.ts';
import type { Account } from '../../src/kernel/config.ts';
import type { Ledger } from '../../src/ledger/open-ledger.ts';
import type { BatchRow, FileRow } from '../../src/ledger/records.ts';

/** What a person works with who resolves one batch. It needs no queue: the sweep finds what became due in the ledger. */
export type Desk = {
  readonly ledger: Ledger;
  readonly account: Pick<Account, 'agentCode' | 'server' | 'resolveWaitMs' | 'secondPerson'>;
  readonly gateway: Pick<Gateway, 'fetchBatchResult' | 'askTime'>;
  readonly file: FileRow;
  readonly batch: BatchRow;
  /** `operator:<user>` */
  readonly actor: string;
  /** Everything is tried and nothing is changed. */
  readonly dryRun: boolean;
};
