import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { prepareBatch } from '../../../src/ledger/batch/prepare-batch.ts';
import { sendBatch } from '../../../src/ledger/batch/send-batch.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { bindAll } from '../../support/bind-for-test.ts';
import { letSend } from '../../support/force-sql.ts';

/** Opens the ledger at a URL, takes the given batches, reports that, and holds them until it is killed. */
export type Order = { url: string; prepare: string[]; send: string[] };

const order = JSON.parse(process.argv[2]!) as Order;
const ledger = await openLedger({ url: order.url }, { clock: systemClock, log: silentLog() })
  .then(letSend)
  .then(bindAll);
for (const fileId of [...order.prepare, ...order.send]) {
  const batch = await prepareBatch(ledger, { fileId, batchNo: 1 }, 600_000);
  if (order.send.includes(fileId)) await sendBatch(ledger, batch!, { host: 'service.test', requestBytes: 1 });
}
console.log(ledger.instance.id);
