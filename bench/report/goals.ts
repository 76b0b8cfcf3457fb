import { AS_INSTALLED } from '../parts/contestants.ts';
import { answers } from '../parts/answers.ts';
import { gate, UNASKED } from '../parts/gate.ts';
import { night } from '../parts/night.ts';
import { lookUp, medianOf, type Quantity, ratioOf } from '../measure/statistics.ts';
import { AFTERNOON, type BenchRun, DURABLE, type Measurement } from '../measure/record.ts';

/** A performance goal of paydrop. */
export type Goal = {
  readonly goal: string;
  readonly is: 'at least' | 'at most';
  readonly limit: number;
  readonly unit: string;
  /** Undefined when it was not measured in this run. */
  readonly measured: number | undefined;
};

/** Returns every goal with its measured value. */
export function goalsOf(run: BenchRun): Goal[] {
  return [...checkingGoals(run), ...wayGoals(run), ...memoryGoals(run), ...startGoals(run), ...answeringGoals(run)];
}

export function isMet({ is, limit, measured }: Goal): boolean | undefined {
  if (measured === undefined) return undefined;
  return is === 'at least' ? measured >= limit : measured <= limit;
}

const MILLION = 1_000_000;

function checkingGoals({ measurements }: BenchRun): Goal[] {
  const of = (subject: string) =>
    lookUp(measurements, { part: 'validate', condition: 'ordinary', rows: MILLION, subject });
  const intake = stationsOf(measurements, MILLION);
  const script = lookUp(measurements, { part: 'stations', subject: AFTERNOON, rows: MILLION });
  return [
    atLeast(
      'checking 1,000,000 rows, against bare csv-parse',
      8,
      ' times as fast',
      ratioOf(of('csv-parse'), of('paydrop')),
    ),
    atMost('checking 1,000,000 rows, against the floor', 5, ' times as long', ratioOf(of('paydrop'), of('floor'))),
    atMost(
      'intake of 1,000,000 rows, against parsing, checking and serialising',
      0.6,
      ' times as long',
      ratioOf(intake, script, { over: 'intakeSeconds' }),
    ),
    atMost(
      'delay of the event loop during that intake, 99th percentile',
      50,
      ' ms',
      medianOf(intake, 'intakeDelayP99Ms'),
    ),
  ];
}

/** For each size: how long at most against the afternoon script, how fast at least against the durable peer. */
const WAY_LIMITS: readonly (readonly [rows: number, asLong: number, asFast: number])[] = [
  [10_000, 1, 1.3],
  [100_000, 0.7, 1.6],
  [MILLION, 0.45, 3.3],
];

function wayGoals({ measurements }: BenchRun): Goal[] {
  const perRow = (rows: number) => divide(medianOf(wayOf(measurements, rows)), rows);
  return [
    ...WAY_LIMITS.map(([rows, asLong]) =>
      atMost(
        `drop to result of ${count(rows)} rows, against the afternoon script`,
        asLong,
        ' times as long',
        ratioOf(wayOf(measurements, rows), wayOf(measurements, rows, AFTERNOON)),
      ),
    ),
    ...WAY_LIMITS.map(([rows, , asFast]) =>
      atLeast(
        `drop to result of ${count(rows)} rows, against the durable peer`,
        asFast,
        ' times as fast',
        ratioOf(wayOf(measurements, rows, DURABLE), wayOf(measurements, rows)),
      ),
    ),
    atMost(
      'time per row with 1,000,000 rows, against 10,000',
      1.5,
      ' times as long',
      divide(perRow(MILLION), perRow(10_000)),
    ),
    atLeast(
      'files of 100 rows, drop to result',
      60,
      ' per second',
      filesPerSecond(smallOf(measurements, 100, 'paydrop')),
    ),
    atMost(
      'the gate that asks what was learned late, 300 files of 100 rows from intake to result',
      1.03,
      ' times as long',
      ratioOf(gateOf(measurements, AS_INSTALLED), gateOf(measurements, UNASKED)),
    ),
    atMost(
      'from an answer to its commit while connections take 300 ms, 999 of 1,000',
      20,
      ' ms',
      medianOf(answersOf(measurements), 'p999Ms'),
    ),
    ...[100, 10].map((rows) =>
      atLeast(
        `files of ${rows} rows, against the durable peer`,
        1,
        ' times as fast',
        ratioOf(smallOf(measurements, rows, DURABLE), smallOf(measurements, rows, 'paydrop')),
      ),
    ),
    atLeast(
      'a night, against the durable peer',
      0.9,
      ' times as fast',
      ratioOf(nightOf(measurements, DURABLE), nightOf(measurements, 'paydrop')),
    ),
  ];
}

function answersOf(measurements: readonly Measurement[]): Measurement | undefined {
  return lookUp(measurements, { part: answers.name });
}

function gateOf(measurements: readonly Measurement[], condition: string): Measurement | undefined {
  return measurements.find((each) => each.part === gate.name && each.condition === condition);
}

function nightOf(measurements: readonly Measurement[], subject: string): Measurement | undefined {
  return measurements.find((each) => each.part === night.name && each.subject === subject);
}

function smallOf(measurements: readonly Measurement[], rows: number, subject: string): Measurement | undefined {
  return measurements.find(
    (each) => each.part === 'small-files' && each.subject === subject && rowsOfEach(each) === rows,
  );
}

/** Returns the rows of each of many files of one size; undefined when the contestant was left out. */
export function rowsOfEach(measurement: Measurement): number | undefined {
  return divide(measurement.rows, medianOf(measurement, 'files'));
}

function memoryGoals({ measurements }: BenchRun): Goal[] {
  const peak = (rows: number) => medianOf(wayOf(measurements, rows), 'peakMb');
  return [
    atMost('memory of all processes with 1,000,000 rows', 250, ' MB', peak(MILLION)),
    atMost('memory of all processes with 100,000 rows', 200, ' MB', peak(100_000)),
    atMost('memory with 1,000,000 rows, against 100,000', 1.2, ' times as much', divide(peak(MILLION), peak(100_000))),
  ];
}

function startGoals({ measurements }: BenchRun): Goal[] {
  const start = lookUp(measurements, { part: 'start' });
  return [
    atMost('`paydrop start` in a new folder, until it watches', 1_500, ' ms', medianOf(start, 'firstMs')),
    atMost('`paydrop find` beside it', 250, ' ms', medianOf(start, 'findMs')),
    atMost('`paydrop status` beside it', 250, ' ms', medianOf(start, 'statusMs')),
  ];
}

/** Each query and the figure that holds its time. */
const QUESTIONS: readonly (readonly [string, Quantity])[] = [
  ['find an invoice', 'findMs'],
  ['the status', 'statusMs'],
  ['the front page of the dashboard', 'frontMs'],
  ['the front page with 2,350 batches finished today and 200 open', 'busyFrontMs'],
];

function answeringGoals({ measurements }: BenchRun): Goal[] {
  const asked = lookUp(measurements, { part: 'questions', rows: 10_000_000 });
  const rows = 'with 10,000,000 rows in the ledger';
  return [
    ...QUESTIONS.map(([question, figure]) => atMost(`${question}, ${rows}`, 200, ' ms', medianOf(asked, figure))),
    atMost(`the slowest page of that day, ${rows}`, 100, ' ms', medianOf(asked, 'slowestPageMs')),
    atMost(
      'what each of 50 viewers of the work queue gets while it changes',
      5_000,
      ' B/s',
      medianOf(asked, 'viewedBytes'),
    ),
  ];
}

function wayOf(
  measurements: readonly Measurement[],
  rows: number,
  subject = 'paydrop',
  condition = AS_INSTALLED,
): Measurement | undefined {
  return lookUp(measurements, { part: 'drop-to-result', subject, condition, rows });
}

export function filesPerSecond(measurement: Measurement | undefined): number | undefined {
  return divide(medianOf(measurement, 'files'), medianOf(measurement));
}

function stationsOf(measurements: readonly Measurement[], rows: number): Measurement | undefined {
  return lookUp(measurements, { part: 'stations', subject: 'paydrop', condition: AS_INSTALLED, rows });
}

function atLeast(goal: string, limit: number, unit: string, measured: number | undefined): Goal {
  return { goal, is: 'at least', limit, unit, measured };
}

function atMost(goal: string, limit: number, unit: string, measured: number | undefined): Goal {
  return { goal, is: 'at most', limit, unit, measured };
}

function divide(over: number | undefined, under: number | undefined): number | undefined {
  return over === undefined || under === undefined ? undefined : over / under;
}

function count(rows: number): string {
  return rows.toLocaleString('en-US');
}
