import { describe, expect, it } from 'vitest';
import { renderLimits } from '../../../bench/report/render-limits.ts';
import { emptyRun } from '../support/empty-run.ts';
import { measured } from '../support/measured.ts';

describe('renderLimits', () => {
  it('tells what each station of the largest file took of the processors', () => {
    const figures = { intakeSeconds: [6], intakeProcessorMs: [4_000], intakeDatabaseMs: [5_000] };
    const stations = { part: 'stations', condition: 'batches of 500' };
    const page = renderLimits(
      emptyRun([measured({ ...stations, rows: 10 }, [1]), measured({ ...stations, rows: 1_000 }, [9], figures)]),
    );
    expect(page).toContain('| intake, batches of 500 | 1,000 | 6 s | 4 s | 5 s |');
    expect(page).toContain('| poll, batches of 500 | 1,000 |  |  |  |');
    expect(page.filter((line) => line.includes('| 10 |'))).toEqual([]);
  });

  it('tells how much of all cores the whole way took, where that is known', () => {
    const figures = { processorMs: [3_000], databaseMs: [2_000], serviceBusySeconds: [1] };
    const way = { part: 'drop-to-result', condition: 'batches of 500', rows: 1_000 };
    expect(renderLimits(emptyRun([measured(way, [4], figures)]))).toContain(
      '| batches of 500 | 1,000 | 4 s | 3 s | 2 s | 1 s | 75 % |',
    );
    expect(renderLimits(emptyRun([measured({ ...way, part: 'small-files' }, [4])]))).toContain(
      '| small files, batches of 500 | 1,000 | 4 s |  |  |  |  |',
    );
  });
});
