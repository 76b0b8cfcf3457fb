import { testRecovery } from './support/recover-rows.ts';

/** recovery.soak.test.ts has more of them. */
testRecovery({ accounts: 2, batchesEach: 2, rowsABatch: 10 });
