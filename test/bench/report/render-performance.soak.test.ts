import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { drawPlots } from '../../../bench/report/draw-plots.ts';
import { mergeRuns, readRecord } from '../../../bench/report/publish.ts';
import { renderPerformance } from '../../../bench/report/render-performance.ts';
import { emptyRun } from '../support/empty-run.ts';
import { measured } from '../support/measured.ts';

describe('renderPerformance', () => {
  it('gives the page and the plots that lie in docs', async () => {
    const run = await readRecord();
    expect(await readFile('docs/performance.md', 'utf8')).toBe(renderPerformance(run));
    for (const [name, plot] of Object.entries(drawPlots(run)))
      expect(await readFile(`docs/performance/${name}`, 'utf8'), name).toBe(plot);
  });

  it('says aloud that a goal was missed, and does not make up what was not measured', () => {
    const rows = 1_000_000;
    const slow = [measured({ subject: 'csv-parse', rows }, [1]), measured({ subject: 'paydrop', rows }, [2])];
    const page = renderPerformance(emptyRun(slow));
    expect(page).toContain(
      '| checking 1,000,000 rows, against bare csv-parse | at least 8 times as fast | 0.5 times as fast | **missed** |',
    );
    expect(page).toContain('| the status, with 10,000,000 rows in the ledger | at most 200 ms |  | not measured |');
    expect(page).not.toMatch(/NaN|undefined|Infinity/);
  });
});

describe('mergeRuns', () => {
  it('puts measured parts in the place of older ones and keeps the others', () => {
    const before = emptyRun([measured({ part: 'validate' }, [1]), measured({ part: 'polling' }, [2])]);
    const after = mergeRuns(before, emptyRun([measured({ part: 'validate' }, [3])]));
    expect(after.measurements.map(({ part, samples }) => [part, samples[0]?.seconds])).toEqual([
      ['polling', 2],
      ['validate', 3],
    ]);
  });
});
