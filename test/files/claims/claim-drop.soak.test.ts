import { describe, it } from 'vitest';
import { claimTogether, killWhileClaiming } from '../support/claim-by-processes.ts';

/** See claim-drop.test.ts. */
describe('claimDrop, for long', () => {
  it('gives every file to exactly one of eight processes', async () => {
    await claimTogether({ files: 4_000, processes: 8 });
  }, 300_000);

  it.each([1, 3, 10, 30, 60, 100, 150, 190])(
    'loses no file and no sidecar when a process is killed after %i claims',
    async (claims) => {
      await killWhileClaiming({ files: 200, claims });
    },
    120_000,
  );
});
