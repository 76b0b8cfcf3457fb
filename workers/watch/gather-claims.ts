import { MOST_FILES } from '../../schemas/jobs.ts';
import type { App } from '../../src/app.ts';
import { askForClaimed } from './take-claim.ts';

/** Longest wait of a claimed file for its intake job, in ms, plus the claim in progress. */
const GATHER_MS = 250;

export type GatheredClaims = {
  add(fileId: string): Promise<void>;
  /** Adds the job for those that are left. */
  flush(): Promise<void>;
};

/**
 * Gathers files that are claimed in quick succession into shared intake jobs; the first does not wait. If the process
 * dies, the sweep finds the others in the ledger.
 */
export function gatherClaims(app: App): GatheredClaims {
  let gathered: string[] = [];
  let askedAt = -Infinity;
  const flush = async () => {
    const fileIds = gathered;
    gathered = [];
    askedAt = performance.now();
    if (fileIds.length > 0) await askForClaimed(app, fileIds);
  };
  return {
    flush,
    add: async (fileId) => {
      gathered.push(fileId);
      if (gathered.length === MOST_FILES || performance.now() - askedAt >= GATHER_MS) await flush();
    },
  };
}
