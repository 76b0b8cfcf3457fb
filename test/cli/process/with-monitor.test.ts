import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withMonitor } from '../../../src/cli/process/start.ts';
import { findFreePort } from '../../support/find-free-port.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

describe('withMonitor', () => {
  it('answers while the work lasts and not after it, also when the work fails', async () => {
    const port = await findFreePort();
    const settings = { ...world.settings, monitor: { host: '127.0.0.1', port } };
    const ask = () => fetch(`http://127.0.0.1:${port}/health/live`);
    const work = withMonitor({ ...world.app, settings }, async () => {
      expect((await ask()).status).toBe(200);
      throw new Error('enough');
    });
    await expect(work).rejects.toThrow('enough');
    await expect(ask()).rejects.toThrow('fetch failed');
  });

  it('opens nothing unless it is asked for', async () => {
    expect(world.settings.monitor).toBeUndefined();
    expect(await withMonitor(world.app, async () => 'done')).toBe('done');
  });
});
