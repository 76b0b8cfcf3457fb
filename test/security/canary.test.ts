import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findCanaries } from '../support/canaries.ts';
import { CARDS, testCanaries } from './support/run-canaries.ts';

/** canary.soak.test.ts has the queue in Redis as well. */
testCanaries(['postgres']);

describe('findCanaries', () => {
  it.each(['utf8', 'base64', 'hex', 'utf16le'] as const)('finds a number that is there in %s', async (encoding) => {
    const folder = await mkdtemp(join(tmpdir(), 'paydrop-leak-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const [card = ''] = CARDS;
    for (const before of ['', 'a', 'ab']) {
      const text = `${before}${card},rest`;
      const leak =
        encoding === 'base64' || encoding === 'hex'
          ? Buffer.from(text).toString(encoding)
          : Buffer.from(text, encoding);
      await writeFile(join(folder, 'leak'), leak);
      expect(await findCanaries([folder], [card])).toHaveLength(1);
    }
  });
});
