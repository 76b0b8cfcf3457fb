import type { Gateway } from '../../gateway/create-gateway.ts';
import type { Account } from '../../config/config.ts';
import type { Ledger } from '../../ledger/engine/open-ledger.ts';
import type { BatchRow, FileRow } from '../../ledger/engine/records.ts';

/** Context for resolving one batch. It needs no queue: the sweep finds in the ledger what became due. */
export type ResolutionContext = {
  readonly ledger: Ledger;
  readonly account: Pick<Account, 'agentCode' | 'server' | 'resolveWaitMs' | 'secondPerson'>;
  readonly gateway: Pick<Gateway, 'fetchBatchResult' | 'askTime'>;
  readonly file: FileRow;
  readonly batch: BatchRow;
  /** `operator:<user>` */
  readonly actor: string;
  /** Tries everything and changes nothing. */
  readonly dryRun: boolean;
};
