import { testRecovery } from './support/recover-rows.ts';

/** See recovery.test.ts. */
testRecovery({ accounts: 4, batchesEach: 5, rowsABatch: 500 });
