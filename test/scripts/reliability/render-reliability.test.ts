import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { PublishedRun } from '../../../scripts/reliability/reports.ts';
import { renderReliability } from '../../../scripts/reliability/render-reliability.ts';

async function recorded(): Promise<PublishedRun> {
  return PublishedRun.parse(JSON.parse(await readFile('docs/reliability.json', 'utf8')));
}

describe('renderReliability', () => {
  it('gives the page that lies in docs', async () => {
    expect(await readFile('docs/reliability.md', 'utf8')).toBe(renderReliability(await recorded()));
  });

  it('says aloud that something failed, and that a defect was noticed by nobody', async () => {
    const { reports, ...run } = await recorded();
    const [simulation] = reports.filter(({ kind }) => kind === 'simulation');
    const page = renderReliability({
      ...run,
      reports: [
        { ...simulation!, failed: 7, scenarios: 1_000 } as (typeof reports)[number],
        { kind: 'defects', scenarios: 20, trials: [{ name: 'gate removed', caughtBy: [], seconds: 3 }] },
      ],
    });
    expect(page).toContain('| scenarios of the simulation | 1,000 | 7 |');
    expect(page).toContain('1 were MISSED');
    expect(page).toContain('| gate removed | NOBODY |');
    expect(page).toContain('| a scenario, with all that goes wrong in it | 1,000 | no bound, 7 failed |');
  });
});
