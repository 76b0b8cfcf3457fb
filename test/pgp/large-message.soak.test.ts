import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { COMPRESSIONS, writeLargeMessage } from './support/large-message.ts';

const MEGABYTES = 240;
/** The library alone takes about 80 MB, and data in flight up to 60 MB. */
const LIMIT_MB = 250;

describe(`a message of ${MEGABYTES} MB`, () => {
  it.each(COMPRESSIONS)(
    `is checked and opened with the process below ${LIMIT_MB} MB: %s`,
    async (compression) => {
      const { path, keyPath } = await writeLargeMessage(MEGABYTES * 1_000_000, compression);
      const words = ['--max-old-space-size=128', '--import', 'tsx', 'test/pgp/support/measured-message.ts'];
      const { stdout } = await promisify(execFile)(process.execPath, [...words, path, keyPath]);
      const { checked, opened, peakMb } = JSON.parse(stdout) as Record<'checked' | 'opened' | 'peakMb', number>;
      expect(checked).toBeGreaterThanOrEqual(MEGABYTES * 1_000_000);
      expect(opened).toBe(checked);
      expect(peakMb).toBeLessThan(LIMIT_MB);
    },
    300_000,
  );
});
