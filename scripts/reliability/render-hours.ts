import { plotLines } from '../../bench/report/draw-plots.ts';
import type { PublishedRun, ReportOf } from './reports.ts';
import { ofKind } from './sum-reports.ts';

type Hours = ReportOf<'hours'>;

/** Returns the latest hours on several hosts, and the version they ran with. */
function findHours(runs: readonly PublishedRun[]): { run: PublishedRun; hours: Hours } | undefined {
  const run = runs.findLast(({ reports }) => ofKind(reports, 'hours').length > 0);
  return run && { run, hours: ofKind(run.reports, 'hours').at(-1)! };
}

/** Renders the section of docs/reliability.md about the latest hours on several hosts. */
export function renderHours(runs: readonly PublishedRun[]): string[] {
  const found = findHours(runs);
  if (!found) return [];
  const { run, hours } = found;
  const count = (number: number) => number.toLocaleString('en-US');
  const verdict =
    hours.failures.length === 0
      ? 'Afterwards every row was in the books once, with its amount and the outcome that the ledger says; each account was' +
        '\nserved in the order of its files; every result held its rows in their order; the audit trail was whole.'
      : `It FAILED: ${hours.failures.join('; ')}.`;
  return [
    '## Hours on three hosts',
    '',
    `${run.day}, version ${run.commit}: ${hours.hours} hours with three hosts that share a PostgreSQL, each with folders of its own`,
    `and every role. ${count(hours.files)} files with ${count(hours.rows)} rows came in at an even pace. Meanwhile a host was killed`,
    `${count(hours.kills)} times, ${count(hours.restarts)} restarts went through the hosts one after the other, and a replica took the database's`,
    `place ${count(hours.promotions)} times. A kill met a call in progress, and left its batch in doubt, ${count(hours.resolved)} times. What had been dropped`,
    `before was completed at most ${hours.longestRestSeconds.toFixed(0)} s later.`,
    '',
    verdict,
    '',
    'The third host was never killed, only restarted.',
    '',
    ...Object.keys(drawHours(runs)).flatMap((name) => [`![${TITLES[name]!.title}](reliability/${name})`, '']),
  ];
}

const TITLES: Record<string, { title: string; y: string }> = {
  'memory.svg': { title: 'Memory of each host', y: 'MB' },
  'descriptors.svg': { title: 'Open descriptors of each host', y: 'descriptors' },
  'connections.svg': { title: 'Connections to the database', y: 'connections of all hosts' },
};

/** Draws the pictures of that section, keyed by file name. */
export function drawHours(runs: readonly PublishedRun[]): Record<string, string> {
  const found = findHours(runs);
  if (!found) return {};
  const { minutes } = found.hours;
  const names = [...new Set(minutes.flatMap(({ hosts }) => hosts.map(({ name }) => name)))];
  const ofHosts = (quantity: 'rssMb' | 'descriptors') =>
    names.map((name) => ({
      name: `host ${name}`,
      points: minutes.flatMap(({ minute, hosts }) => {
        const host = hosts.find((each) => each.name === name);
        return host ? [[minute, host[quantity]] as const] : [];
      }),
    }));
  const all = [{ name: 'all hosts', points: minutes.map(({ minute, connections }) => [minute, connections] as const) }];
  const series = { 'memory.svg': ofHosts('rssMb'), 'descriptors.svg': ofHosts('descriptors'), 'connections.svg': all };
  return Object.fromEntries(
    Object.entries(series).map(([name, lines]) => [
      name,
      plotLines({ ...TITLES[name]!, x: 'minutes', series: lines, isEven: true }),
    ]),
  );
}
