import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBinaries } from '../../../src/ledger/postgres/prepare-binaries.ts';

describe('findBinaries', () => {
  it('finds the programs of this platform and their version', async () => {
    const { folder, version } = await findBinaries();
    expect(version).toMatch(/^18\./);
    for (const name of ['initdb', 'pg_ctl', 'postgres']) await access(join(folder, 'bin', name));
  });

  it.each([
    ['sunos', 'x64', 'its programs for sunos-x64 are not installed'],
    ['win32', 'x64', 'it is not supported on Windows'],
  ])('advises DATABASE_URL on %s', async (platform, arch, reason) => {
    await expect(findBinaries(platform, arch)).rejects.toMatchObject({
      code: 'LEDGER_START_FAILED',
      message: expect.stringMatching(new RegExp(`${reason}.*\\. Set DATABASE_URL`)),
    });
  });
});
