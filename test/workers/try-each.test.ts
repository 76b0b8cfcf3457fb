import { describe, expect, it } from 'vitest';
import { PipelineError } from '../../src/kernel/errors.ts';
import { tryEach } from '../../workers/transfer/pull.ts';

/** Returns what was tried, and the final error. */
async function tried(faults: Record<string, Error>): Promise<{ seen: string[]; error: unknown }> {
  const seen: string[] = [];
  const error = await tryEach(['a', 'b', 'c'], async (name) => {
    seen.push(name);
    if (faults[name]) throw faults[name];
  }).catch((thrown: unknown) => thrown);
  return { seen, error };
}

describe('tryEach', () => {
  const refused = new PipelineError('REMOTE_FAILED', 'rename a file', 'permission denied');

  it('does the work for each', async () => {
    expect(await tried({})).toEqual({ seen: ['a', 'b', 'c'], error: undefined });
  });

  it('goes on after a refusal, and throws the first at the end', async () => {
    const later = new PipelineError('REMOTE_FAILED', 'fetch a file', 'permission denied');
    const { seen, error } = await tried({ a: refused, b: later });
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(error).toBe(refused);
  });

  it('ends at once when the server or this host is at fault', async () => {
    const gone = new PipelineError('REMOTE_UNREACHABLE', 'fetch a file', 'ECONNRESET');
    expect(await tried({ a: refused, b: gone })).toEqual({ seen: ['a', 'b'], error: gone });
    const full = new Error('ENOSPC');
    expect(await tried({ a: full })).toEqual({ seen: ['a'], error: full });
  });
});
