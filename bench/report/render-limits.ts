import { medianOf } from '../measure/look-up.ts';
import type { BenchRun, Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';
import { STATIONS } from './render-stations.ts';

/** Renders where the time goes: processor time of paydrop, of PostgreSQL and of the service. */
export function renderLimits({ measurements, machine }: BenchRun): string[] {
  const worked = measurements.filter(({ part, subject }) => part === 'stations' && subject === 'paydrop');
  const mostRows = Math.max(...worked.map(({ rows }) => rows));
  const ways = measurements.filter(
    ({ part, subject }) => subject === 'paydrop' && (part === 'drop-to-result' || part === 'small-files'),
  );
  return [
    '## Where the time goes',
    '',
    'How long the processors work for paydrop and for its PostgreSQL, in seconds. A stage that takes as long as both of them',
    'together waits for one while the other works; the whole way has them work side by side. What is near all that the cores can',
    'give can only become faster by less work. Why, and what was tried, stands in [bench/README.md](../bench/README.md).',
    '',
    ...table(
      ['Stage', 'Rows', 'Seconds', 'paydrop', 'PostgreSQL'],
      worked
        .filter(({ rows }) => rows === mostRows)
        .flatMap((measurement) => STATIONS.map((station) => stationRow(measurement, station))),
    ),
    ...table(
      ['From drop to result', 'Rows', 'Seconds', 'paydrop', 'PostgreSQL', 'service', `of ${machine.cores} cores`],
      ways.map((measurement) => wayRow(measurement, machine.cores)),
    ),
  ];
}

function stationRow(measurement: Measurement, station: string): string[] {
  return [
    `${station}, ${measurement.condition}`,
    count(measurement.rows),
    figure(medianOf(measurement, `${station}Seconds`), ' s'),
    figure(inSeconds(medianOf(measurement, `${station}ProcessorMs`)), ' s'),
    figure(inSeconds(medianOf(measurement, `${station}DatabaseMs`)), ' s'),
  ];
}

function wayRow(measurement: Measurement, cores: number): string[] {
  const seconds = medianOf(measurement);
  const own = inSeconds(medianOf(measurement, 'processorMs'));
  const database = inSeconds(medianOf(measurement, 'databaseMs'));
  const service = medianOf(measurement, 'serviceBusySeconds');
  const parts = [own, database, service];
  const isKnown = seconds !== undefined && parts.every((part) => part !== undefined);
  const share = isKnown ? parts.reduce((sum, part) => sum + part, 0) / (seconds * cores) : undefined;
  return [
    `${measurement.part === 'small-files' ? 'small files, ' : ''}${measurement.condition}`,
    count(measurement.rows),
    ...[seconds, ...parts].map((part) => figure(part, ' s')),
    share === undefined ? '' : `${Math.round(100 * share)} %`,
  ];
}

function inSeconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}
