import { createInterface } from 'node:readline';
import { PipelineError } from '../../../../src/kernel/errors.ts';
import { silentLog } from '../../../../src/kernel/log.ts';
import { joinEmbeddedServer } from '../../../../src/ledger/postgres/join-embedded-server.ts';
import { findBinaries } from '../../../../src/ledger/postgres/prepare-binaries.ts';

/**
 * Joins the server named on the command line, reports that on stdout, and leaves when stdin says so. Without `stays` it
 * never leaves: it ends once nothing keeps it alive.
 */
const order = JSON.parse(process.argv[2] ?? '') as {
  dataDir: string;
  sharedFolder: string;
  stays: boolean;
  fsync: boolean;
};

try {
  const places = { findBinaries, sharedFolder: order.sharedFolder };
  const server = await joinEmbeddedServer({ ...order, log: silentLog() }, places);
  say({ kind: 'joined', connection: server.connection });
  if (order.stays) {
    for await (const line of createInterface({ input: process.stdin })) {
      if (line === 'leave') break;
    }
    await server.leave();
    say({ kind: 'left' });
    process.stdin.destroy();
  }
} catch (error) {
  if (!(error instanceof PipelineError)) throw error;
  say({ kind: 'failed', code: error.code, message: error.message });
}

function say(answer: object): void {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
