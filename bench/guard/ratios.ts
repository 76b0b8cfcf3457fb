import { lookUp, ratioOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';

/** Speed relative to a peer, by name; larger is better. */
export type Ratios = Readonly<Record<string, number>>;

/** Returns the ratios that the guard watches, from a quick run. Those that were not measured are left out. */
export function quickRatios(measurements: readonly Measurement[]): Ratios {
  const of = (part: string, subject: string) => lookUp(measurements, { part, subject });
  const ratios = {
    'validation against bare csv-parse': ratioOf(of('validate', 'csv-parse'), of('validate', 'paydrop')),
    'validation against the floor': ratioOf(of('validate', 'floor'), of('validate', 'paydrop')),
    'intake against parsing, checking and serialising': ratioOf(
      of('stations', 'afternoon script'),
      of('stations', 'paydrop'),
      { under: 'intakeSeconds' },
    ),
    'drop to result against the afternoon script': ratioOf(
      of('drop-to-result', 'afternoon script'),
      of('drop-to-result', 'paydrop'),
    ),
    'small files against the afternoon script': ratioOf(
      of('small-files', 'afternoon script'),
      of('small-files', 'paydrop'),
    ),
  };
  return Object.fromEntries(
    Object.entries(ratios).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
