import { readObstacles } from '../../workers/upkeep/alarms/obstacles.ts';
import type { Settings } from '../config/config.ts';
import type { Ledger } from '../ledger/engine/open-ledger.ts';
import { listLost, sumAgain } from '../ledger/overview/may-go-again.ts';
import { readOpenFiles } from '../ledger/overview/overview.ts';
import { type Depth, listReady, readStages, type ReadyBatch } from '../ledger/overview/read-stages.ts';
import { type Block, readBlocks, readShown } from './read-blocks.ts';
import { readNeeds } from './needs-you.ts';

/** What of an account is not sent, and why, the worst cause first. */
export type Blocked = {
  readonly account: string;
  readonly causes: readonly [Block, ...Block[]];
  readonly depth: Depth;
  /** The first of the batches that wait. */
  readonly batches: readonly ReadyBatch[];
};

/** Everything that is open. */
export type QueueState = Awaited<ReturnType<typeof readQueue>>;

/** Batches shown of each account that is blocked. */
export const SHOWN_OF_BLOCKED = 20;

/**
 * Reads what is open, where it is, what keeps it there and what may go again, all from the ledger.
 * @param options.actor who looks, as in the audit trail
 * @param options.account only this one; undefined for all
 */
export async function readQueue(
  ledger: Ledger,
  settings: Settings,
  { actor, account }: { actor: string; account?: string | undefined },
) {
  const isOwn = (of: { account: string | null }) =>
    account === undefined || of.account === account || of.account === '*';
  const [depths, needs, blocksOf, open, obstacles, again, unpaid, lost] = await Promise.all([
    readStages(ledger),
    readNeeds(ledger, settings, actor),
    readBlocks(ledger, settings),
    readOpenFiles(ledger, account),
    readObstacles(ledger, settings),
    // What may be tried again without any change.
    sumAgain(ledger, { advice: 'later', account }),
    sumAgain(ledger, { account }),
    listLost(ledger),
  ]);
  const stages = depths.filter(isOwn);
  const ownNeeds = needs.filter(isOwn);
  const needed = new Set(needs.map(({ fileId }) => fileId));
  const shown = await readShown(ledger, settings, open);
  return {
    stages,
    needs: ownNeeds,
    blocked: await readBlocked(ledger, stages, blocksOf),
    waiting: shown.filter((file) => !needed.has(file.file_id) && file.shown !== 'blocked'),
    failed: obstacles.filter((obstacle) => obstacle.account === null || isOwn(obstacle)),
    again,
    unpaid,
    lost: lost.filter(isOwn),
  };
}

async function readBlocked(
  ledger: Ledger,
  stages: readonly Depth[],
  blocksOf: (account: string) => readonly Block[],
): Promise<Blocked[]> {
  const stopped = stages.flatMap((depth) => {
    const [first, ...others] = depth.stage === 'to_send' ? blocksOf(depth.account) : [];
    return first ? [{ account: depth.account, causes: [first, ...others] as const, depth }] : [];
  });
  const ready = await listReady(
    ledger,
    stopped.map(({ account }) => account),
    SHOWN_OF_BLOCKED,
  );
  return stopped
    .map((group) => ({ ...group, batches: ready.filter(({ account }) => account === group.account) }))
    .filter(({ batches }) => batches.length > 0);
}
