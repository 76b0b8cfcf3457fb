import { systemClock } from '../../../src/kernel/clock.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { bindAll } from '../../support/bind-for-test.ts';
import { letSend } from '../../support/force-sql.ts';
import { declareNow } from '../../support/calls.ts';

/** Opens the ledger at a URL, declares a call of the given batches, reports that, and holds them until it is killed. */
export type Order = { url: string; send: string[] };

const order = JSON.parse(process.argv[2]!) as Order;
const ledger = await openLedger({ url: order.url }, { clock: systemClock, log: silentLog() })
  .then(letSend)
  .then(bindAll);
for (const fileId of order.send) await declareNow(ledger, { fileId, batchNo: 1 }, { leaseMs: 600_000 });
console.log(ledger.instance.id);
