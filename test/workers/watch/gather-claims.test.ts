import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MOST_FILES } from '../../../schemas/jobs.ts';
import type { App } from '../../../src/app.ts';
import { newFileId } from '../../../src/kernel/ids.ts';
import { openTelemetry } from '../../../src/telemetry/open-telemetry.ts';
import { gatherClaims } from '../../../workers/watch/watch.ts';

/** Returns a gatherer of claims, and the jobs it adds. */
async function gather() {
  const jobs: unknown[] = [];
  const add: App['queue']['add'] = async (name, _id, payload, options) =>
    void jobs.push([name, payload, options?.site]);
  const app = {
    settings: { site: 'here' },
    telemetry: await openTelemetry(undefined),
    queue: { add },
  } as unknown as App;
  return { claims: gatherClaims(app), jobs };
}

// On a busy machine a moment may be long.
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('gatherClaims', () => {
  it('asks for the first at once, and for the others together', async () => {
    const { claims, jobs } = await gather();
    const [first, second, third] = [newFileId(), newFileId(), newFileId()];
    await claims.add(first);
    expect(jobs).toEqual([['intake', { fileId: first }, 'here']]);
    await claims.add(second);
    await claims.add(third);
    await claims.flush();
    expect(jobs.slice(1)).toEqual([['intake', { fileId: second, more: [third] }, 'here']]);
  });

  it('asks for nothing when nothing is left', async () => {
    const { claims, jobs } = await gather();
    await claims.flush();
    await claims.add(newFileId());
    await claims.flush();
    expect(jobs).toHaveLength(1);
  });

  it('loses none of many, whenever it asks', async () => {
    const { claims, jobs } = await gather();
    const fileIds = Array.from({ length: 3 * MOST_FILES }, newFileId);
    for (const fileId of fileIds) await claims.add(fileId);
    await claims.flush();
    const asked = jobs.map((job) => (job as [string, { fileId: string; more?: string[] }])[1]);
    expect(asked.flatMap(({ fileId, more = [] }) => [fileId, ...more])).toEqual(fileIds);
    expect(asked.length).toBeGreaterThan(3);
  });
});
