import { testRecovery } from './support/recover-rows.ts';

testRecovery({ accounts: 4, batchesEach: 5, rowsABatch: 500 });
