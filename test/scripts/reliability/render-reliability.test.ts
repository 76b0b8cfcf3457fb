import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Published, type PublishedRun } from '../../../scripts/reliability/reports.ts';
import { ofKind } from '../../../scripts/reliability/sum-reports.ts';
import { renderReliability } from '../../../scripts/reliability/render-reliability.ts';

async function recorded(): Promise<Published> {
  return Published.parse(JSON.parse(await readFile('docs/reliability.json', 'utf8')));
}

describe('renderReliability', () => {
  it('gives the page that lies in docs', async () => {
    expect(await readFile('docs/reliability.md', 'utf8')).toBe(renderReliability(await recorded()));
  });

  it('says aloud that something failed, and that a defect was noticed by nobody', async () => {
    const [{ reports, ...run }] = (await recorded()).runs as [PublishedRun];
    const [simulation] = ofKind(reports, 'simulation');
    const failed: PublishedRun = { ...run, reports: [{ ...simulation!, failed: 7, scenarios: 600 }] };
    const missed: PublishedRun = {
      ...run,
      commit: 'abcdefg',
      reports: [
        { ...simulation!, failed: 0, scenarios: 400, seconds: 5_400 },
        { kind: 'defects', scenarios: 20, trials: [{ name: 'gate removed', caughtBy: [], seconds: 3 }] },
      ],
    };
    const page = renderReliability({ runs: [failed, missed] });
    expect(page).toContain(
      `| ${run.day} | abcdefg | 400 | 0 | 0 | 0 | 1.5 | ${run.machine} |\n| ${run.day} | ${run.commit} | 600 |`,
    );
    expect(page).toContain('| scenarios of the simulation | 1,000 | 7 |');
    expect(page).toContain('1 were MISSED');
    expect(page).toContain('| gate removed | NOBODY |');
    expect(page).toContain('| a scenario, with all that goes wrong in it | 1,000 | no bound, 7 failed |');
  });
});
