import { handClock } from '../../../src/kernel/clock.ts';
import { type CompleteBy, createFolderScanner, type Scan } from '../../../src/files/scan-folder.ts';

export const QUIET: CompleteBy = { by: 'quiet', quietMs: 10_000, probes: 3 };

/** Returns a scanner whose clock advances five seconds before every scan after the first. */
export function steppedScanner(path: string, complete: CompleteBy = QUIET) {
  const clock = handClock('2026-06-15T12:00:00Z');
  const scanner = createFolderScanner({ path, complete }, clock);
  return {
    clock,
    look: () => scanner.scan(),
    async looks(count: number): Promise<Scan> {
      let scan = await scanner.scan();
      for (let look = 1; look < count; look += 1) {
        clock.advance(5_000);
        scan = await scanner.scan();
      }
      return scan;
    },
  };
}

/** Returns what a folder holds once everything in it has settled. */
export async function settleDrops(path: string, complete: CompleteBy = QUIET): Promise<Scan> {
  return await steppedScanner(path, complete).looks(3);
}
