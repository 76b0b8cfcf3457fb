import { MOST_FILES } from '../../schemas/jobs.ts';
import type { App } from '../../src/app.ts';
import { askForClaimed } from './take-claim.ts';

/** Longest wait of a claimed file until its intake is asked for, in ms, but for the claim that is under way. */
const GATHER_MS = 250;

export type GatheredClaims = {
  add(fileId: string): Promise<void>;
  /** Asks for those that are left. */
  flush(): Promise<void>;
};

/**
 * Asks for the intake of files that are claimed one soon after the other, several at a time; the first does not wait. Those
 * of a process that dies meanwhile are found in the ledger by the sweep.
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
