import { setTimeout as sleep } from 'node:timers/promises';
import { upTo } from '../../support/payment-rows.ts';
import type { Order } from '../support/order.ts';
import { type ActionOf, type Left, otherThan, type Play, waitFor } from './act-steps.ts';
import { waitToBeToldOf } from './person.ts';

/** Kills the first host that passes a crash point, and no other. */
export async function killAt(order: Order, { fleet, count, dropFiles }: Play): Promise<string | undefined> {
  await Promise.all(fleet.hosts.map((host) => host.daemon.arm(order)));
  await dropFiles();
  const dead = () => fleet.hosts.filter((host) => !host.daemon.isAlive());
  await waitFor(fleet, async () => dead().length > 0);
  const name = order.move === undefined ? order.point : `${order.point} of ${order.move}`;
  const deaths = dead().length;
  upTo(deaths).forEach(() => count(`point ${name}`));
  for (const { daemon } of fleet.hosts) if (daemon.isAlive()) await daemon.arm(undefined);
  await fleet.startAll();
  return deaths > 0 ? undefined : `${name} was not reached`;
}

export async function killServer(
  { afterMs, off, isReported = false }: ActionOf<'postgres'>,
  { fleet, count, dropFiles }: Play,
): Promise<Left> {
  await dropFiles();
  await sleep(afterMs);
  const host = off === undefined ? undefined : fleet.hosts[off]!;
  await host?.daemon.kill();
  await fleet.server.kill();
  await fleet.ledger.close();
  count('postgres');
  await fleet.server.restart();
  if (!host) return {};
  count('daemon, as the server died');
  const other = otherThan(off!, fleet);
  if (other === host) return {};
  const trouble = await waitToBeToldOf(fleet, host.name);
  if (trouble !== undefined || !isReported) return { trouble };
  const { status, said } = await other.run('sender', 'report', '--from', host.journal);
  count('journal of a dead host reported by another');
  return { trouble: [0, 5].includes(status) ? undefined : `"sender report" ended with ${status}: ${said}` };
}
