import { medianOf } from '../measure/statistics.ts';
import type { BenchRun, Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';

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
    'give can only become faster by less work. Why, and what was tried, stands in `bench/README.md`.',
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

const STATIONS = ['claim', 'intake', 'submit', 'poll', 'deliver'];

/** Renders the section on the single stages. */
export function renderStations(measurements: readonly Measurement[]): string[] {
  const worked = measurements.filter(({ part, subject }) => part === 'stations' && subject === 'paydrop');
  const prepared = measurements.filter(({ part, subject }) => part === 'stations' && subject !== 'paydrop');
  return [
    '## Stage by stage',
    '',
    'The stages of one file, one after the other in one process. Intake checks, seals and writes every row to the ledger;',
    'submit and poll call the stand-in of the service; deliver writes the outputs and reads them back. In brackets: how late',
    'the event loop was at most in 99 of 100 looks, in ms.',
    '',
    ...table(
      ['Seconds (delay)', 'Rows', ...STATIONS, 'Rows/s of deliver', 'Memory'],
      worked.map((measurement) => [
        measurement.condition,
        count(measurement.rows),
        ...STATIONS.map((station) => stationCell(measurement, station)),
        figure(rateOf(measurement, 'deliverSeconds')),
        figure(medianOf(measurement, 'peakMb'), ' MB'),
      ]),
    ),
    'What the afternoon script takes to parse, check and serialise the same file, with nothing sealed and nothing on the disk:',
    '',
    ...table(
      ['Afternoon script', 'Rows', 'Seconds', 'Memory'],
      prepared.map((measurement) => [
        measurement.condition,
        count(measurement.rows),
        figure(medianOf(measurement)),
        figure(medianOf(measurement, 'peakMb'), ' MB'),
      ]),
    ),
  ];
}

function stationCell(measurement: Measurement, station: string): string {
  const seconds = medianOf(measurement, `${station}Seconds`);
  const delay = medianOf(measurement, `${station}DelayP99Ms`);
  return seconds === undefined ? '' : `${figure(seconds)} (${figure(Math.round(delay ?? 0))})`;
}

function rateOf(measurement: Measurement, quantity: string): number | undefined {
  const seconds = medianOf(measurement, quantity);
  return seconds === undefined ? undefined : measurement.rows / seconds;
}

/** Renders where paydrop's own time goes, by owner of the code. */
export function renderProfile(measurements: readonly Measurement[]): string[] {
  const profiles = measurements.filter(({ part }) => part === 'profile');
  const owners = [...new Set(profiles.flatMap(ownersIn))];
  const spentBy = (owner: string) => profiles.map((profile) => medianOf(profile, `${owner} allMs`) ?? 0);
  const wholes = profiles.map((profile) => sum(ownersIn(profile).map((owner) => medianOf(profile, `${owner} allMs`)!)));
  const shown = owners.filter((owner) => spentBy(owner).some((ms, place) => ms >= LEAST_SHARE * wholes[place]!));
  return [
    '### Of that, in Node',
    '',
    'What the profiler of Node says the threads of paydrop did in one round, in seconds; in brackets how much of it was outside of',
    'JavaScript, in calls of the system, hashes and ciphers. What Node does is counted for the folder or package that asked for it,',
    'and the start of the program is part of it. The profiler itself costs time, and what V8 compiles in the background it does',
    'not see.',
    '',
    ...table(
      ['For', ...profiles.map(({ condition, rows }) => `${condition}, ${count(rows)} rows`)],
      [
        ...shown
          .toSorted((one, other) => sum(spentBy(other)) - sum(spentBy(one)))
          .map((owner) => [nameOf(owner), ...profiles.map((profile) => cell(profile, owner))]),
        ...(profiles.length > 0 ? [['all of it', ...wholes.map((ms) => figure(ms / 1_000))]] : []),
      ],
    ),
  ];
}

/** Owners below this share of every profile are left out. */
const LEAST_SHARE = 0.015;

function ownersIn({ samples }: Measurement): string[] {
  const names = Object.keys(samples[0]?.figures ?? {});
  return names.filter((name) => name.endsWith(' allMs')).map((name) => name.slice(0, -' allMs'.length));
}

function cell(profile: Measurement, owner: string): string {
  const [all = 0, native = 0] = ['allMs', 'nativeMs'].map((of) => medianOf(profile, `${owner} ${of}`));
  return all < SHOWN_MS ? '' : `${seconds(all)}${native < SHOWN_MS ? '' : ` (${seconds(native)})`}`;
}

/** Less than this is only a few profiler samples. */
const SHOWN_MS = 10;

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

function nameOf(owner: string): string {
  return owner.includes(' ') ? owner : `\`${owner}\``;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
