import { join } from 'node:path';
import { type ActionOf, goBack, type Left, otherThan, type Play, workOn, workTo } from './act-steps.ts';
import { waitToBeToldOf } from './person.ts';

export async function copyBack(act: ActionOf<'copy-back'>, play: Play): Promise<Left> {
  await workTo(act.from, play);
  await play.fleet.server.copy();
  await workOn(act, play);
  await goBack(play);
  play.count('copy-back: a copied folder of the database put in its place');
  return { isForgotten: true };
}

export async function promoteStale(act: ActionOf<'promote-stale'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  await fleet.server.openStandby();
  await workTo(act.from, play);
  await fleet.server.cutStandby();
  await workOn(act, play);
  fleet.accounts.forgotten.add(account);
  await fleet.server.promoteStandby(act.splitMs);
  await fleet.ledger.close();
  count('postgres');
  count(`promote-stale: a standby that lags promoted${act.splitMs > 0 ? ', its primary alive for a while' : ''}`);
  return { isForgotten: true };
}

export async function restoreElsewhere(act: ActionOf<'restore-on-other-host'>, play: Play): Promise<Left> {
  const { fleet, account, count } = play;
  const sender = fleet.hosts[act.host]!;
  const other = otherThan(act.host, fleet);
  if (other !== sender) await other.daemon.stop();
  await workTo(act.from, play);
  const backup = join(fleet.server.folder, `${account}.backup`);
  const made = await sender.run('backup', backup);
  if (made.status !== 0) return { trouble: `"backup" ended with ${made.status}: ${made.said}` };
  await workOn(act, play);
  await Promise.all(fleet.hosts.map((host) => host.daemon.stop()));
  fleet.accounts.forgotten.add(account);
  const restored = await other.run('restore', backup, '--replace');
  if (![0, 5].includes(restored.status))
    return { trouble: `"restore" ended with ${restored.status}: ${restored.said}` };
  count('restore-on-other-host: a backup restored on a host that sent nothing of it');
  await other.start();
  return { trouble: other === sender ? undefined : await waitToBeToldOf(fleet, sender.name), isForgotten: true };
}
