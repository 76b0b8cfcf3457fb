import { createHash } from 'node:crypto';
import { FaultRequest } from '../../../schemas/sandbox/control.ts';
import type { WireOperation } from '../../../schemas/wire.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { FaultKind, FaultNeed } from './fault-kind.ts';
import { FAULT_KINDS, type FaultName, isFaultName } from './fault-kinds.ts';

/** A fault to come. Defaults: every operation, once, from the first call on, with certainty. */
export type FaultPlan = {
  /** `reject` declines a payment with `code`; each row of a batch counts as a call. */
  readonly kind: FaultName | 'reject';
  /** In the spec's spelling; `*` for every call. Only `reject` knows `recurring`. */
  readonly operation?: WireOperation | 'recurring' | '*';
  /** A listed rejection code, only for `reject`. */
  readonly code?: number;
  readonly times?: number | 'always';
  /** Number of matching calls that pass first. */
  readonly after?: number;
  /** Probability that a matching call is struck, 0 to 1. Drawn from `seed`, so a run can be repeated. */
  readonly chance?: number;
  readonly seed?: number;
  /** Only for kinds that wait. */
  readonly delayMs?: number;
};

/** A complete plan and its counts so far. */
export type PlannedFault = Required<Omit<FaultPlan, 'code' | 'delayMs'>> & {
  /** Undefined for all kinds but `reject`. */
  readonly code: number | undefined;
  /** Undefined for kinds that do not wait. */
  readonly delayMs: number | undefined;
  /** Matching calls, struck or not. */
  readonly seen: number;
  /** How often it has struck. */
  readonly fired: number;
};

/** The faults, as tests and the control API use them. */
export type Faults = {
  /**
   * Adds a fault. If several match a call, the first planned strikes, until it has struck `times` times.
   * @throws PipelineError USAGE when the plan is invalid; the message says why
   */
  plan(plan: FaultPlan): PlannedFault;
  /** Lists all faults in planning order, used-up faults included. */
  list(): readonly PlannedFault[];
  /** Forgets all faults. Connections are accepted again when the promise resolves. */
  clear(): Promise<void>;
};

/** A moment at which a fault may strike. */
export type Occasion = {
  readonly strikes: readonly FaultKind['strikes'][];
  readonly operation?: WireOperation | undefined;
  readonly has?: (need: FaultNeed) => boolean;
};

export type FaultPlanner = Faults & {
  /** Returns the fault that strikes here, if any, and counts it as fired. */
  take(occasion: Occasion): StrikingFault | undefined;
  /** Returns `REJECT: n` for the next payment of an operation, if a rejection is due, and counts it as fired. */
  takeRejection(operation: WireOperation | 'recurring'): string | undefined;
};

/** A fault of the connection or the answer. */
export type StrikingFault = PlannedFault & { readonly kind: FaultName };

/** Shuts and opens the listener. */
type Door = { shut(forMs: number | undefined): void; open(): Promise<void> };

export function planFaults(door: Door): FaultPlanner {
  let planned: Entry[] = [];
  return {
    plan: (plan) => {
      const entry: Entry = { ...readPlan(plan), seen: 0, fired: 0 };
      planned.push(entry);
      if (isStriking(entry) && FAULT_KINDS[entry.kind].strikes === 'planned') {
        entry.fired = entry.times === 'always' ? 1 : entry.times;
        door.shut(entry.times === 'always' ? undefined : (entry.delayMs ?? 0) * entry.times);
      }
      return { ...entry };
    },
    list: () => planned.map((entry) => ({ ...entry })),
    clear: async () => {
      planned = [];
      await door.open();
    },
    take: (occasion) => {
      // Counts each matching fault until one strikes; faults planned later do not see the call.
      const struck = planned.filter(isStriking).find((entry) => fits(entry, occasion) && isDue(entry));
      if (struck) struck.fired += 1;
      return struck && { ...struck };
    },
    takeRejection: (operation) => {
      const struck = planned.find((entry) => !isStriking(entry) && isMeant(entry, operation) && isDue(entry));
      if (!struck) return undefined;
      struck.fired += 1;
      return `REJECT: ${struck.code}`;
    },
  };
}

type Entry = Omit<PlannedFault, 'seen' | 'fired'> & { seen: number; fired: number };

function isStriking(entry: Entry): entry is Entry & { kind: FaultName } {
  return entry.kind !== 'reject';
}

function fits(entry: Entry & { kind: FaultName }, occasion: Occasion): boolean {
  const row: FaultKind = FAULT_KINDS[entry.kind];
  if (!occasion.strikes.includes(row.strikes) || !isMeant(entry, occasion.operation)) return false;
  const need = row.strikes === 'answer' ? row.needs : undefined;
  return need === undefined || occasion.has?.(need) === true;
}

/** Returns whether a fault is not used up and names the operation. */
function isMeant({ operation, times, fired }: Entry, wanted: string | undefined): boolean {
  return (times === 'always' || fired < times) && (operation === '*' || operation === wanted);
}

function isDue(entry: Entry): boolean {
  entry.seen += 1;
  return entry.seen > entry.after && drawNumber(entry.seed, entry.seen) < entry.chance;
}

function readPlan(plan: unknown): Omit<PlannedFault, 'seen' | 'fired'> {
  const read = FaultRequest.safeParse(plan);
  if (!read.success) {
    throw fault(read.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`.trim()).join('; '));
  }
  const { kind, operation = '*', times = 1, after = 0, chance = 1, seed = 1, code, delayMs } = read.data;
  if (kind === 'reject') {
    if (code === undefined) throw fault('reject takes a rejection code, such as "code": 14');
    if (delayMs !== undefined) throw fault('reject does not wait, so it takes no delayMs');
    return { kind, operation, code, times, after, chance, seed, delayMs };
  }
  if (!isFaultName(kind)) throw fault(`there is no kind "${kind.slice(0, 40)}"`);
  if (code !== undefined) throw fault('only reject takes a code');
  if (operation === 'recurring') throw fault('a recurring payment is no call, so only reject strikes it');
  const row: FaultKind = FAULT_KINDS[kind];
  if (operation !== '*' && SEEN_BEFORE_OPERATION.includes(row.strikes)) {
    throw fault(`${kind} strikes before the operation is known, so it cannot have one`);
  }
  if (row.strikes === 'planned' && (after > 0 || chance < 1)) {
    throw fault(`${kind} strikes at once, so it takes neither after nor chance`);
  }
  if (delayMs !== undefined && row.delayMs === undefined) throw fault(`${kind} does not wait, so it takes no delayMs`);
  return { kind, operation, code, times, after, chance, seed, delayMs: delayMs ?? row.delayMs };
}

const SEEN_BEFORE_OPERATION: readonly FaultKind['strikes'][] = ['planned', 'accept', 'first-byte'];

function fault(reason: string): PipelineError {
  return new PipelineError('USAGE', 'plan the fault', reason, { next: 'See docs/sandbox.md for the kinds.' });
}

/** Returns the n-th number of a seed, at least 0 and below 1. It looks random and is the same each time. */
export function drawNumber(seed: number, n: number): number {
  return createHash('sha256').update(`${seed} ${n}`).digest().readUInt32BE() / 2 ** 32;
}
