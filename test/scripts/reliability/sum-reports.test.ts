import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Published, type PublishedRun, type Report, type ReportOf } from '../../../scripts/reliability/reports.ts';
import { ofKind, sumReports } from '../../../scripts/reliability/sum-reports.ts';
import { drawHours, renderHours } from '../../../scripts/reliability/render-hours.ts';
import { renderReliability } from '../../../scripts/reliability/render-reliability.ts';

const simulation = (seed: number): ReportOf<'simulation'> => ({
  kind: 'simulation',
  seed,
  seconds: 10,
  scenarios: 100,
  failed: seed === 2 ? 1 : 0,
  counts: { steps: { sweep: 3, [`only ${seed}`]: 1 } },
});
const chaos = (seed: number): ReportOf<'chaos'> => ({
  kind: 'chaos',
  seed,
  wallSeconds: 60,
  stories: 2,
  acts: 24,
  rows: 500,
  kills: 20,
  killsByQueue: { postgres: 15, redis: 5 },
  tally: { sandbox: 2 },
  restMs: { median: seed * 1_000, longest: seed * 5_000 },
  failures: [],
});
const hours = (failures: string[]): ReportOf<'hours'> => ({
  kind: 'hours',
  hours: 2,
  seed: 1,
  files: 1_200,
  rows: 24_000,
  kills: 40,
  restarts: 9,
  promotions: 4,
  resolved: 3,
  longestRestSeconds: 61.4,
  minutes: [1, 2].map((minute) => ({
    minute,
    // A host that is being started is not measured.
    hosts: ['one', 'two']
      .slice(minute - 1)
      .map((name) => ({ name, rssMb: 100 + minute, descriptors: 30, sockets: 10 })),
    connections: 33,
    files: minute * 10,
  })),
  failures,
});
const reports: Report[] = [
  simulation(1),
  chaos(3),
  simulation(2),
  chaos(1),
  chaos(2),
  hours([]),
  hours(['a row is missing']),
  { kind: 'defects', scenarios: 20, trials: [{ name: 'gate removed', caughtBy: [], seconds: 3 }] },
  { kind: 'defects', scenarios: 20, trials: [{ name: 'gate removed', caughtBy: ['the simulation'], seconds: 3 }] },
];

describe('sumReports', () => {
  it('adds up the reports of each kind, also what only one of them has counted', () => {
    const sums = sumReports(reports);
    expect(sums.simulation).toEqual({
      scenarios: 200,
      failed: 1,
      seconds: 20,
      counts: { steps: { sweep: 6, 'only 1': 1, 'only 2': 1 } },
    });
    expect(sums.chaos).toMatchObject({
      kills: 60,
      killsByQueue: { postgres: 45, redis: 15 },
      tally: { sandbox: 6 },
      longestRestMs: 15_000,
      medianRestMs: 2_000,
    });
    expect(sums.hours).toEqual({ hours: 4, kills: 80, rows: 48_000, failed: 1 });
    expect(sums.defects).toEqual([{ name: 'gate removed', caughtBy: ['the simulation'], seconds: 3 }]);
  });

  it('counts nothing where there is no report', () => {
    expect(sumReports(reports).damage).toEqual({ files: 0, rows: 0, failed: 0, seconds: 0, verdicts: {}, damages: {} });
  });
});

const run = (report: Report): PublishedRun => ({
  day: '2026-11-28',
  commit: 'abcdefg',
  machine: 'a',
  reports: [report],
});

describe('renderHours', () => {
  it('tells of the latest hours what was done and found, with a picture of each quantity', () => {
    const runs = [run(hours(['a row is missing'])), run(hours([])), run(chaos(1))];
    const section = renderHours(runs).join('\n');
    expect(section).toContain('1,200 files with 24,000 rows');
    expect(section).toContain('at most 61 s later');
    expect(section).not.toContain('FAILED');
    const pictures = drawHours(runs);
    for (const [name, picture] of Object.entries(pictures)) {
      expect(section).toContain(`(reliability/${name})`);
      expect(picture).not.toContain('NaN');
    }
    expect(pictures['memory.svg']?.match(/<circle/g)).toHaveLength(3);
  });

  it('says aloud what failed, and nothing without such hours', () => {
    expect(renderHours([run(hours(['a row is missing']))]).join('\n')).toContain('It FAILED: a row is missing.');
    expect([renderHours([run(chaos(1))]), drawHours([run(chaos(1))])]).toEqual([[], {}]);
  });

  it('draws the pictures that lie in docs', async () => {
    for (const [name, picture] of Object.entries(drawHours((await recorded()).runs)))
      expect(await readFile(`docs/reliability/${name}`, 'utf8'), name).toBe(picture);
  });
});

describe('ofKind', () => {
  it('gives those of one kind in their order', () => {
    expect(ofKind(reports, 'chaos').map(({ seed }) => seed)).toEqual([3, 1, 2]);
  });
});

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
