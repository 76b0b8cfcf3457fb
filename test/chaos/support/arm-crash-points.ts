/**
 * The chaos runner alone loads this into the daemon before the program (`node --import`). The process then dies at a
 * crash point, as in a power cut, or freezes there. Orders come over the channel to the runner, or in CHAOS_ORDER for
 * the start. A daemon whose runner is gone dies too.
 */
import { armCrashPoints } from '../../../src/kernel/crash-point.ts';
import { cutPowerAfter } from '../power/power-files.ts';
import type { Order } from './acts.ts';

const fromStart = process.env['CHAOS_ORDER'];
let order = fromStart === undefined ? undefined : (JSON.parse(fromStart) as Order | undefined);

process.on('message', (message) => {
  order = typeof message === 'object' ? (message as Order) : undefined;
  process.send?.('armed');
});
process.on('disconnect', die);
// The channel must not keep an ending daemon alive.
process.channel?.unref();

armCrashPoints((name, moves) => {
  if (order?.point !== name) return;
  const { move, isTogether = false } = order;
  if (move !== undefined && moves.filter((made) => made.move === move).length < (isTogether ? 2 : 1)) return;
  order = { ...order, hits: order.hits - 1 };
  if (order.hits > 0) return;
  const { freeze, powerAfter } = order;
  if (powerAfter !== undefined) {
    order = undefined;
    return cutPowerAfter(process.env['POWER_HOME']!, powerAfter);
  }
  if (!freeze) return die();
  order = freeze.next;
  process.kill(process.pid, 'SIGSTOP');
});

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
