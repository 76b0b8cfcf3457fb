import { medianOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';

export const STATIONS = ['claim', 'intake', 'submit', 'poll', 'deliver'];

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
