import type { App } from '../../src/app.ts';
import type { OddDrop } from '../../src/files/claims/odd-drop.ts';
import { quarantineDrop } from '../../src/files/claims/quarantine-drop.ts';
import { newFileId } from '../../src/kernel/ids.ts';
import { maskName } from '../../src/kernel/mask.ts';

/** Quarantines a drop that is not a plain file, unopened. */
export async function quarantineOdd(app: App, drop: OddDrop, from: string): Promise<void> {
  const named = { ...drop, name: maskName(drop.name) };
  const done = await quarantineDrop(named, {
    quarantineRoot: app.settings.paths.quarantine,
    fileId: newFileId(),
    from,
    clock: app.clock,
  });
  if (done.is === 'quarantined')
    app.log.warn({ code: drop.code, folder: from, dir: done.dir }, `drop set aside: ${done.reason.reason}`);
}
