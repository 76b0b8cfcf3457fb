import { readFile, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { AFTERNOON, DURABLE, type Measurement } from '../measure/record.ts';
import { lookUp, ratioOf } from '../measure/statistics.ts';

/**
 * Compares with the committed ratios. A ratio that fell is measured again, because another program may have slowed the
 * machine.
 * @param measureAgain repeats the whole quick run
 * @returns one sentence for each ratio that fell twice
 */
export async function guardRatios(
  measurements: readonly Measurement[],
  committed: Ratios,
  measureAgain: () => Promise<readonly Measurement[]>,
): Promise<string[]> {
  const fallen = judgeRatios(quickRatios(measurements), committed);
  if (fallen.length === 0) return [];
  const again = new Set(judgeRatios(quickRatios(await measureAgain()), committed).map(({ name }) => name));
  return fallen.filter(({ name }) => again.has(name)).map(describeFallen);
}

/** Share that a ratio may lose against the committed one; a smaller loss is machine noise. */
const MOST_LOST = 0.3;

type Fallen = { readonly name: string; readonly committed: number; readonly measured: number };

/** Returns the ratios that fell too far. Ratios that were not measured, or not committed yet, are skipped. */
export function judgeRatios(measured: Ratios, committed: Ratios): Fallen[] {
  return Object.entries(committed).flatMap(([name, before]) => {
    const now = measured[name];
    return now === undefined || now >= before * (1 - MOST_LOST) ? [] : [{ name, committed: before, measured: now }];
  });
}

export function describeFallen({ name, committed, measured }: Fallen): string {
  const lost = Math.round((1 - measured / committed) * 100);
  return `${name} fell by ${lost} %: it was ${committed.toFixed(2)} times as fast and is ${measured.toFixed(2)}`;
}

/** Speed relative to a peer, by name; larger is better. */
type Ratios = Readonly<Record<string, number>>;

/** Returns the ratios that the guard watches, from a quick run. Those that were not measured are left out. */
export function quickRatios(measurements: readonly Measurement[]): Ratios {
  const of = (part: string, subject: string) => lookUp(measurements, { part, subject });
  const intakeOf = (condition: string) => lookUp(measurements, { part: 'import-profile', condition });
  const againstPeer = (part: string, peer: string) => ratioOf(of(part, peer), of(part, 'paydrop'));
  const ratios = {
    'validation against bare csv-parse': ratioOf(of('validate', 'csv-parse'), of('validate', 'paydrop')),
    'validation against the floor': ratioOf(of('validate', 'floor'), of('validate', 'paydrop')),
    'intake against parsing, checking and serialising': ratioOf(of('stations', AFTERNOON), of('stations', 'paydrop'), {
      under: 'intakeSeconds',
    }),
    'intake by a profile against the layout': ratioOf(intakeOf('in the layout'), intakeOf('by an import profile'), {
      over: 'intakeSeconds',
      under: 'intakeSeconds',
    }),
    'drop to result against the afternoon script': againstPeer('drop-to-result', AFTERNOON),
    'drop to result against the durable peer': againstPeer('drop-to-result', DURABLE),
    'small files against the afternoon script': againstPeer('small-files', AFTERNOON),
    'small files against the durable peer': againstPeer('small-files', DURABLE),
  };
  return Object.fromEntries(
    Object.entries(ratios).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}

const FILE = new URL('../ratios.json', import.meta.url);

/** Reads the ratios the guard compares with. Seconds would say more about the machine than about the program. */
export async function readCommittedRatios(): Promise<Ratios> {
  return z.record(z.string(), z.number()).parse(JSON.parse(await readFile(FILE, 'utf8')));
}

export async function writeCommittedRatios(ratios: Ratios): Promise<void> {
  const rounded = Object.fromEntries(
    Object.entries(ratios).map(([name, value]) => [name, Number(value.toPrecision(3))]),
  );
  await writeFile(FILE, `${JSON.stringify(rounded, null, 2)}\n`);
}
