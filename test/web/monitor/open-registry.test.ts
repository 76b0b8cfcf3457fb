import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { METRICS } from '../../../schemas/metrics.ts';
import { openPipelineWorld, type PipelineWorld } from '../../support/pipeline-world.ts';
import { beforeStatement } from '../../workers/support/failing-app.ts';
import { openRegistry } from '../../../src/web/monitor/open-monitor.ts';

let world: PipelineWorld;
beforeAll(async () => {
  world = await openPipelineWorld();
});
afterAll(() => world.close());

describe('openRegistry', () => {
  it('writes every figure of the table with its help, beside those of the process', async () => {
    const page = openRegistry(world.app);
    const text = await page.render();
    expect(page.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const [name, { help }] of Object.entries(METRICS)) expect(text).toContain(`# HELP ${name} ${help}\n`);
    expect(text).toContain('paydrop_batches{account="main",state="ready"} 0');
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('forgets what it cannot read any more', async () => {
    let isSilent = false;
    const app = beforeStatement(world.app, /FROM file/, async () => {
      if (isSilent) throw new Error('gone');
    });
    const page = openRegistry(app);
    expect(await page.render()).toMatch(/^paydrop_unknown_cents\{account="main"\} 0$/m);
    isSilent = true;
    const text = await page.render();
    expect(text).toMatch(/^paydrop_ledger_up 0$/m);
    expect(text).not.toMatch(/^paydrop_unknown_cents\{/m);
  });

  it('may be open several times in one process', async () => {
    const pages = [openRegistry(world.app), openRegistry(world.app)];
    for (const page of pages) expect(await page.render()).toContain('paydrop_queue_up 1');
  });
});
