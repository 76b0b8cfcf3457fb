import { setTimeout as sleep } from 'node:timers/promises';
import { saidWord } from '../../../schemas/shown.ts';
import { DUTIES, EVERY_ROLE, type Role } from '../../../schemas/jobs.ts';
import { startWorkers, type Workers } from '../../../workers/main.ts';
import type { OnScan } from '../../../workers/watch/watch.ts';
import { REPROCESS } from '../../actions/reprocess/run-reprocess.ts';
import type { App } from '../../app.ts';
import { countClaims } from '../../files/claims/find-claims.ts';
import { claimFoldersHere } from '../../config/config.ts';
import { closedAccounts } from '../../calendar/send-window.ts';
import { readShown } from '../../explain/read-blocks.ts';
import { listFailingFiles } from '../../ledger/alarm/note-failure.ts';
import { findOpenRuns } from '../../ledger/reprocess/move-run.ts';
import { isMoving, readOpenFiles } from '../../ledger/overview/overview.ts';

/**
 * Runs the workers during `last`, and gives signs of life meanwhile. Afterwards nothing new starts, and running calls are
 * awaited.
 * @param options.stays false when this process ends by itself, and serves no dashboard
 */
export async function withWorkers<Result>(
  app: App,
  last: (workers: Workers) => Promise<Result>,
  {
    roles = EVERY_ROLE,
    onScan,
    stays = true,
  }: { roles?: ReadonlySet<Role>; onScan?: OnScan | undefined; stays?: boolean } = {},
): Promise<Result> {
  const { instance } = app.ledger;
  const workers = await startWorkers(app, roles, onScan, REPROCESS);
  try {
    // Only now: a process that fails to start, again and again, does no work.
    const done = stays ? roles : new Set([...roles].filter((role) => role !== DUTIES.web.role));
    await instance.announce({ site: app.settings.site, roles: done, stays, listedMs: () => oldestListingMs(app) });
    return await last(workers);
  } finally {
    await workers.stop();
    await instance.depart();
  }
}

function oldestListingMs({ clock, health: { watched, listedAt } }: App): number | undefined {
  const ages = [...watched].map(([id, since]) => clock.now().getTime() - (listedAt.get(id) ?? since).getTime());
  return ages.length === 0 ? undefined : Math.max(0, ...ages);
}

/** Pause between two checks, in ms. */
const LOOK_MS = 200;

/**
 * Waits until no drop settles, no claim lies in a work folder and nothing moves in the ledger. Work that waits for a
 * person (held, unknown, refused) or for the window of its account does not count.
 * @param failedSince if given, it does not wait for files that have failed repeatedly, and again since this time
 * @returns false when the time ran out or `stop` was aborted
 */
export async function waitUntilIdle(
  app: App,
  workers: Workers,
  timeoutMs: number,
  show: (text: string) => void,
  stop?: AbortSignal,
  failedSince?: Date,
): Promise<boolean> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end && !stop?.aborted) {
    const again = await findOpenRuns(app.ledger, app.settings.site);
    const settling = await workers.look();
    // Check in the order a file travels, from what is sent again on: what has left one place is found in the next.
    const givenUp = failedSince ? await listFailingFiles(app.ledger, failedSince) : [];
    const works = claimFoldersHere(app.settings).map((folder) => folder.work);
    const claimed = await countClaims(works, givenUp);
    const closed = closedAccounts(app.settings.accounts.values(), app.clock.now());
    if (again.length === 0 && settling === 0 && claimed === 0 && !(await isMoving(app.ledger, closed, givenUp))) {
      // Outputs written meanwhile still have to be uploaded.
      await workers.look();
      return true;
    }
    show(await describe(app, settling, claimed));
    await sleep(LOOK_MS);
  }
  return false;
}

async function describe(app: App, settling: number, claimed: number): Promise<string> {
  const open = await readShown(app.ledger, app.settings, await readOpenFiles(app.ledger));
  const parts = open.map(
    (file) => `${file.name} ${saidWord(file.shown)}${file.batches ? ` ${file.done}/${file.batches}` : ''}`,
  );
  const early = [settling ? `${settling} settling` : '', claimed ? `${claimed} being read` : ''];
  return [...early, ...parts].filter(Boolean).join(' · ');
}
