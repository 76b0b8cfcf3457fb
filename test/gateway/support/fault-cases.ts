import fc from 'fast-check';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { FAULT_KINDS, type FaultName } from '../../../src/sandbox/faults/fault-kinds.ts';
import { FAULT_EXPECTATIONS } from '../../support/fault-expectations.ts';
import { type AnyParameters, arbitraryParameters } from './arbitrary-parameters.ts';
import { ALL_OPERATIONS } from './call.ts';
import { openFaultLane } from './fault-lane.ts';
import { FIXED_SEED, seededRandom } from '../../support/random.ts';

/** One call struck by a fault. */
export type FaultCase = {
  readonly number: number;
  readonly operation: OperationName;
  readonly kind: FaultName;
  /** What the service would answer without the fault. */
  readonly wish: 'good' | 'declined';
  /** What does not affect the outcome is random; the lane fills in the rest. */
  readonly parameters: AnyParameters;
  /** Rows of a batch. */
  readonly rows: number;
};

const ALL_KINDS = Object.keys(FAULT_KINDS) as FaultName[];
/** They are slow, so there are no more of them than necessary. */
const SLOW_KINDS = ALL_KINDS.filter((kind) => FAULT_EXPECTATIONS[kind].isEndless || kind === 'huge-answer');
const QUICK_KINDS = ALL_KINDS.filter((kind) => !SLOW_KINDS.includes(kind));

/** The number of cases, and the minimum for each kind. */
type FaultScale = { readonly count: number; readonly leastOfAKind: number };

/** Draws the same cases for the same seed: each kind as often as required, the rest and the order at random. */
export function drawFaultCases(seed: number, { count, leastOfAKind }: FaultScale): FaultCase[] {
  const random = seededRandom(seed);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const kinds = ALL_KINDS.flatMap((kind) => Array.from({ length: leastOfAKind }, () => kind));
  while (kinds.length < count) kinds.push(pick(QUICK_KINDS));
  const pools = new Map(ALL_OPERATIONS.map((name) => [name, sampleParameters(name, seed)]));
  return shuffle(kinds, random).map((kind, number) => {
    const operation = pick(ALL_OPERATIONS.filter((name) => expectationOf(name, kind) !== null));
    const wish = DECLINABLE.includes(operation) && random() < 0.3 ? 'declined' : 'good';
    return {
      number,
      operation,
      kind,
      wish,
      parameters: pick(pools.get(operation) ?? []),
      rows: 1 + Math.floor(random() * 3),
    };
  });
}

const POOL = 60;

function sampleParameters(operation: OperationName, seed: number): AnyParameters[] {
  return fc.sample(arbitraryParameters(operation, 'NA'), { seed, numRuns: POOL });
}

/** Operations that the service can decline for a customer code, a card or a transaction. */
const DECLINABLE: readonly OperationName[] = [
  'processCreditCard',
  'createCustomerCodeAndProcessCreditCard',
  'processCreditCardWithCustomerCode',
  'processACHEFTWithCustomerCode',
  'processCreditCardRefundWithTransactionId',
  'processACHEFTRefundWithTransactionId',
];

type AnswerKind = AnyAnswer['kind'];

/** Returns what the client may answer to a case; see test/support/fault-expectations.ts. */
export function expectedKinds({ operation, kind, wish }: FaultCase): readonly AnswerKind[] {
  const isBank = OPERATIONS[operation].effect === 'charge' && operation.includes('ACHEFT');
  return (expectationOf(operation, kind) ?? []).map((expected) => {
    if (expected !== 'approved') return expected;
    if (wish === 'declined') return 'declined';
    return isBank ? 'accepted' : expected;
  });
}

/** Treats a change of a record like a charge, and a read of records like that of a result. Only results hold files. */
function expectationOf(operation: OperationName, kind: FaultName): readonly AnswerKind[] | null {
  const { charge, submit, fetch } = FAULT_EXPECTATIONS[kind];
  if (operation.endsWith('Batch')) return submit;
  if (OPERATIONS[operation].effect !== 'read') return charge;
  return operation === 'getBatchProcessResultFile' || charge !== null ? fetch : null;
}

function shuffle<Value>(values: Value[], random: () => number): Value[] {
  for (let last = values.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [values[last], values[other]] = [values[other]!, values[last]!];
  }
  return values;
}

/** PAYDROP_FAULT_SEED selects other cases, or repeats those of a failed run. */
export const FAULT_SEED = Number(process.env['PAYDROP_FAULT_SEED'] ?? FIXED_SEED);

/** Returns how often the rarest kind is struck. */
export function leastOfAKind(cases: readonly FaultCase[]): number {
  return Math.min(...Object.keys(FAULT_KINDS).map((kind) => cases.filter((each) => each.kind === kind).length));
}

const LANES = 40;

/** Runs cases side by side, each lane one at a time. Returns what was wrong, each with its case. */
export async function runFaultCases(cases: readonly FaultCase[]): Promise<string[]> {
  const lanes = await Promise.all(Array.from({ length: Math.min(LANES, cases.length / 10) }, openFaultLane));
  const waiting = [...cases];
  const wrong: string[] = [];
  const work = lanes.map(async (lane) => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const fault of await lane.run(next)) wrong.push(describeCase(next, fault));
    }
    wrong.push(...lane.audit());
  });
  try {
    await Promise.all(work);
  } finally {
    await Promise.all(lanes.map((lane) => lane.close()));
  }
  return wrong;
}

function describeCase({ number, operation, kind, wish, rows }: FaultCase, fault: string): string {
  return `case ${number}, ${operation} (${wish}, ${rows} rows) struck by ${kind}: ${fault}`;
}
