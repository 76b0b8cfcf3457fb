import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { drawPlots, plotBars, plotLines } from '../../bench/report/draw-plots.ts';
import { mergeRuns, readRecord } from '../../bench/report/publish.ts';
import { renderPerformance } from '../../bench/report/render-performance.ts';
import { AS_INSTALLED } from '../../bench/parts/contestants.ts';
import { type Goal, goalsOf, isMet } from '../../bench/report/goals.ts';
import { describeRun } from '../../bench/report/describe-run.ts';
import { renderWay } from '../../bench/report/render-way.ts';
import { renderLimits, renderProfile } from '../../bench/report/render-limits.ts';
import { emptyRun, measured } from './support/measured.ts';

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

const WAY = { part: 'drop-to-result', condition: AS_INSTALLED, rows: 1_000 };
const SMALL = { part: 'small-files', condition: '100 rows each', rows: 1_000 };
const PEER = { subject: 'durable peer' };

describe('renderWay', () => {
  it('sets both peers beside paydrop, each with its ratio', () => {
    const page = renderWay([
      measured(WAY, [2]),
      measured({ ...WAY, ...PEER }, [3]),
      measured({ ...WAY, subject: 'afternoon script' }, [1]),
      measured(SMALL, [2], { files: [10] }),
      measured({ ...SMALL, ...PEER }, [1], { files: [10] }),
    ]);
    expect(page).toContain('| as installed | 1,000 | 2 s | 3 s | 1.5 x | 1 s | 2 x | 100 MB | 100 MB | 100 MB |  |');
    expect(page).toContain('| durable peer | 100 | 10 | 1 | 10 | 100 MB | 0.5 x |');
    expect(page).toContain('| paydrop | 100 | 10 | 2 | 5 | 100 MB |  |');
  });

  it('says of a peer that was left out why, and of one that is not in an old record that it was not measured', () => {
    const leftOut = { ...measured({ ...WAY, ...PEER }, []), leftOut: 'redis-server is not installed' };
    const page = renderWay([measured(WAY, [2]), leftOut]);
    expect(page).toContain('| as installed | 1,000 | 2 s | left out |  | not measured |  | 100 MB |  |  |  |');
    expect(page).toContain('The durable peer was left out: redis-server is not installed.');
    expect(describeRun(emptyRun([leftOut]))).toContain('left out: redis-server is not installed');
  });

  it('tells of a night how long files took, not only all of them', () => {
    const night = { part: 'night', condition: '3,000 files for 20 accounts', rows: 1_000 };
    const figures = { files: [3_000], medianSeconds: [1.5], p99Seconds: [9] };
    expect(renderWay([measured(night, [100], figures)])).toContain(
      '| paydrop | 3,000 | 1,000 | 100 | 30 | 1.5 s | 9 s | 100 MB |',
    );
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

const goal = (is: Goal['is'], measuredValue: number | undefined): Goal => ({
  goal: 'x',
  is,
  limit: 10,
  unit: ' ms',
  measured: measuredValue,
});

describe('isMet', () => {
  it.each([
    ['at least', 10, true],
    ['at least', 9.9, false],
    ['at most', 10, true],
    ['at most', 10.1, false],
    ['at most', undefined, undefined],
  ] as const)('%s 10, measured %s', (is, value, met) => {
    expect(isMet(goal(is, value))).toBe(met);
  });
});

describe('goalsOf', () => {
  it('leaves open what was not measured', () => {
    expect(new Set(goalsOf(emptyRun()).map(isMet))).toEqual(new Set([undefined]));
  });

  it('takes each figure from where it belongs', () => {
    const way = { part: 'drop-to-result', condition: AS_INSTALLED };
    const run = emptyRun([
      measured({ subject: 'csv-parse', rows: 1_000_000 }, [9]),
      measured({ subject: 'floor', rows: 1_000_000 }, [0.25]),
      measured({ subject: 'paydrop', rows: 1_000_000 }, [1]),
      measured({ ...way, rows: 10_000 }, [0.1]),
      measured({ ...way, rows: 100_000 }, [1]),
      measured({ ...way, rows: 1_000_000 }, [20]),
      measured({ ...way, rows: 1_000_000, subject: 'afternoon script' }, [50]),
      measured({ ...way, rows: 1_000_000, subject: 'durable peer' }, [180]),
      measured({ part: 'small-files', rows: 100_000 }, [10], { files: [1_000] }),
      measured({ part: 'small-files', rows: 100_000, subject: 'durable peer' }, [8], { files: [1_000] }),
      measured({ part: 'small-files', rows: 6_000 }, [5], { files: [600] }),
      measured({ part: 'small-files', rows: 6_000, subject: 'durable peer' }, [10], { files: [600] }),
      measured({ part: 'night', rows: 900 }, [100]),
      measured({ part: 'night', rows: 900, subject: 'durable peer' }, [95]),
      measured({ part: 'start', rows: 0 }, [1], { firstMs: [2_000], findMs: [200] }),
      measured({ part: 'questions', rows: 10_000_000 }, [1], { findMs: [1], statusMs: [2], frontMs: [300] }),
    ]);
    const found = Object.fromEntries(goalsOf(run).map((each) => [each.goal, [each.measured, isMet(each)]]));
    expect(found).toMatchObject({
      'checking 1,000,000 rows, against bare csv-parse': [9, true],
      'checking 1,000,000 rows, against the floor': [4, true],
      'drop to result of 1,000,000 rows, against the afternoon script': [0.4, true],
      'drop to result of 1,000,000 rows, against the durable peer': [9, true],
      'files of 100 rows, drop to result': [100, true],
      'files of 100 rows, against the durable peer': [0.8, false],
      'files of 10 rows, against the durable peer': [2, true],
      'a night, against the durable peer': [0.95, true],
      'memory of all processes with 1,000,000 rows': [100, true],
      'memory of all processes with 100,000 rows': [100, true],
      '`paydrop start` in a new folder, until it watches': [2_000, false],
      '`paydrop find` beside it': [200, true],
      'the front page of the dashboard, with 10,000,000 rows in the ledger': [300, false],
    });
    expect(found['time per row with 1,000,000 rows, against 10,000']![0]).toBeCloseTo(2);
  });
});

describe('plotBars', () => {
  const svg = plotBars({
    title: 'Rows checked',
    bars: [
      { name: 'paydrop', value: 200, label: '200', isOurs: true },
      { name: 'peer', value: 50, label: '50', isOurs: false },
    ],
  });

  it('draws bars from zero, so that their lengths may be compared', () => {
    const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths[0]! / widths[1]!).toBeCloseTo(4, 1);
  });

  it('tells ours from the others', () => {
    expect(svg.match(/<rect class="ours"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="bar"/g)).toHaveLength(1);
  });
});

const PLOT = {
  title: 'Seconds <of it>',
  x: 'rows',
  y: 'seconds',
  series: [
    {
      name: 'ours',
      points: [
        [10, 1],
        [1_000, 10],
      ],
    },
    {
      name: 'theirs',
      points: [
        [10, 1.1],
        [1_000, 10.1],
      ],
    },
    { name: 'nobody', points: [] },
  ],
} as const;

describe('plotLines', () => {
  const svg = plotLines(PLOT);

  it('draws a line with its points for each series that has some', () => {
    expect(svg.match(/<path class="line/g)).toHaveLength(2);
    expect(svg.match(/<circle/g)).toHaveLength(4);
    expect(svg).not.toContain('nobody');
  });

  it('puts ten times as much as far from one as a hundred from ten', () => {
    const placeOf = (label: string) =>
      new RegExp(`x="([\\d.]+)" y="[\\d.]+" text-anchor="middle">${label}<`).exec(svg)?.[1];
    const at = ['10', '100', '1,000'].map((label) => Number(placeOf(label)));
    expect(at[1]! - at[0]!).toBeCloseTo(at[2]! - at[1]!, 0);
  });

  it('keeps names of lines that end side by side apart', () => {
    const [ours, theirs] = ['ours', 'theirs'].map((name) =>
      Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]),
    );
    expect(Math.abs(ours! - theirs!)).toBeGreaterThanOrEqual(18);
  });

  it('draws axes of even steps from zero where that is asked for', () => {
    const even = plotLines({ ...PLOT, isEven: true });
    const marks = [...even.matchAll(/text-anchor="middle">([\d,]+)</g)].map(([, mark]) => mark);
    expect(marks).toEqual(['0', '200', '400', '600', '800', '1,000']);
  });

  it('escapes its words and can be read on dark pages', () => {
    expect(svg).toContain('Seconds &lt;of it&gt;');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).not.toContain('NaN');
  });
});

describe('renderLimits', () => {
  it('tells what each station of the largest file took of the processors', () => {
    const figures = { intakeSeconds: [6], intakeProcessorMs: [4_000], intakeDatabaseMs: [5_000] };
    const stations = { part: 'stations', condition: 'as installed' };
    const page = renderLimits(
      emptyRun([measured({ ...stations, rows: 10 }, [1]), measured({ ...stations, rows: 1_000 }, [9], figures)]),
    );
    expect(page).toContain('| intake, as installed | 1,000 | 6 s | 4 s | 5 s |');
    expect(page).toContain('| poll, as installed | 1,000 |  |  |  |');
    expect(page.filter((line) => line.includes('| 10 |'))).toEqual([]);
  });

  it('tells how much of all cores the whole way took, where that is known', () => {
    const figures = { processorMs: [3_000], databaseMs: [2_000], serviceBusySeconds: [1] };
    const way = { part: 'drop-to-result', condition: 'as installed', rows: 1_000 };
    expect(renderLimits(emptyRun([measured(way, [4], figures)]))).toContain(
      '| as installed | 1,000 | 4 s | 3 s | 2 s | 1 s | 75 % |',
    );
    expect(renderLimits(emptyRun([measured({ ...way, part: 'small-files' }, [4])]))).toContain(
      '| small files, as installed | 1,000 | 4 s |  |  |  |  |',
    );
  });
});

const profile = (condition: string, figures: Record<string, number>) =>
  measured(
    { part: 'profile', condition, rows: 1_000 },
    [1],
    Object.fromEntries(Object.entries(figures).map(([name, ms]) => [name, [ms]])),
  );

const rowsOf = (page: readonly string[]) => page.filter((line) => line.startsWith('|')).slice(2);

describe('renderProfile', () => {
  it('tells each owner beside the others, those who take most first, and what was no JavaScript', () => {
    const page = renderProfile([
      measured({ part: 'stations' }, [1], { 'src/web allMs': [9_000] }),
      profile('checking', { 'src/csv allMs': 500, 'src/csv nativeMs': 200, 'pg allMs': 100, 'pg nativeMs': 2 }),
      profile('small files', { 'pg allMs': 2_000, 'pg nativeMs': 1_500, 'Node and V8 allMs': 1_000 }),
    ]);
    expect(page).toContain('| For | checking, 1,000 rows | small files, 1,000 rows |');
    expect(rowsOf(page)).toEqual([
      '| `pg` | 0.10 | 2.00 (1.50) |',
      '| Node and V8 |  | 1.00 |',
      '| `src/csv` | 0.50 (0.20) |  |',
      '| all of it | 0.6 | 3 |',
    ]);
  });

  it('passes over those who take next to nothing anywhere, and counts them into the whole', () => {
    const page = renderProfile([profile('checking', { 'src/csv allMs': 990, 'zod allMs': 10 })]);
    expect(rowsOf(page)).toEqual(['| `src/csv` | 0.99 |', '| all of it | 1 |']);
  });

  it('says that there is no profile', () => {
    expect(renderProfile([])).toContain('Not measured in this run.');
  });
});
