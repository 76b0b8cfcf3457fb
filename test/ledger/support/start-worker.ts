import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { buildProgram } from '../../support/build-program.ts';
import type { Order } from './worker.ts';
import { silentLog } from '../../../src/kernel/log.ts';
import { openLedger } from '../../../src/ledger/engine/open-ledger.ts';
import { relayDatabase } from '../../support/database-relay.ts';
import type { LedgerWorld } from '../../support/ledger-world.ts';

/** Starts `support/worker.ts` as a separate process and kills it when the test ends. */
export async function startWorker(url: string, order: Partial<Order> = {}) {
  const { fileOf } = await buildProgram();
  const words = JSON.stringify({ prepare: [], send: [], ...order, url });
  const child = spawn(process.execPath, [fileOf('test/ledger/support/worker.ts'), words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    /** Resolves with its instance id once it holds everything it was told to take. */
    ready: async (): Promise<string> => {
      const { value, done } = await lines.next();
      if (done) throw new Error('the worker ended without a word');
      return value;
    },
    kill,
  };
}

/** Opens the ledger of the world once more for this test, through a relay. `said` is what goes to the server from now on. */
export async function openRelayed(world: LedgerWorld) {
  const relay = await relayDatabase(world.url);
  onTestFinished(() => relay.close());
  const opened = await openLedger({ url: relay.url }, { clock: world.clock, log: silentLog() });
  const ledger = { ...opened, bound: world.ledger.bound };
  onTestFinished(() => ledger.close());
  Object.assign(ledger.admitted, world.ledger.admitted);
  const said: string[] = [];
  relay.decide((text) => (said.push(text), 'pass'));
  return { relay, ledger, said };
}
