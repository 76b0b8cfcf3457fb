/**
 * Submits one batch in a separate process, which a test may kill or stop. It prints `prepared` when it has read the batch
 * and declared nothing. Then it waits for a line if the orders say so, and finally prints the batch's state.
 */
import { once } from 'node:events';
import { readFileSync, writeSync } from 'node:fs';
import { type App, openApp } from '../../../src/app.ts';
import type { Account, Settings } from '../../../src/config/config.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import type { BatchKey } from '../../../src/ledger/engine/move.ts';
import { readBatchRow } from '../../../src/ledger/file/read-file.ts';
import { submitBatch } from '../../support/work-alone.ts';

export type Orders = {
  settings: Omit<Settings, 'accounts'> & { accounts: [string, Account][] };
  key: BatchKey;
  waitsBeforeSending: boolean;
};

const { settings, key, waitsBeforeSending } = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Orders;
const app = await openApp({ ...settings, accounts: new Map(settings.accounts) }, { log: silentLog(), env: {} });
await submitBatch(withPause(app), key);
writeSync(1, `${(await readBatchRow(app.ledger, key)).state}\n`);
process.exit(0);

function withPause(app: App): App {
  return {
    ...app,
    gateway: (account) => {
      const gateway = app.gateway(account);
      return {
        ...gateway,
        submitBatch: async (call) => {
          writeSync(1, 'prepared\n');
          if (waitsBeforeSending) await once(process.stdin, 'data');
          return gateway.submitBatch(call);
        },
      };
    },
  };
}
