/**
 * Loaded into the daemon before the program itself (`node --import`), by the chaos runner alone: makes the process die
 * at a crash point, as if its plug was pulled there, or stand still. Orders come over the channel to the runner, or in CHAOS_ORDER for
 * what happens at the start. A daemon whose runner is gone dies as well.
 */
import { armCrashPoints } from '../../../src/kernel/crash-point.ts';
import type { Order } from './order.ts';

const fromStart = process.env['CHAOS_ORDER'];
let order = fromStart === undefined ? undefined : (JSON.parse(fromStart) as Order | undefined);

process.on('message', (message) => {
  order = typeof message === 'object' ? (message as Order) : undefined;
  process.send?.('armed');
});
process.on('disconnect', die);
// The channel must not keep alive a daemon that has come to its end.
process.channel?.unref();

armCrashPoints((name, moves) => {
  if (order?.point !== name) return;
  const { move } = order;
  if (move !== undefined && !moves.some((made) => made.move === move)) return;
  order = { ...order, hits: order.hits - 1 };
  if (order.hits > 0) return;
  const { freeze } = order;
  if (!freeze) return die();
  order = freeze.next;
  process.kill(process.pid, 'SIGSTOP');
});

function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
