import { testRecovery } from './support/recover-rows.ts';

/** After a kill of everything. */
testRecovery({ accounts: 4, batchesEach: 5, rowsABatch: 500 });
