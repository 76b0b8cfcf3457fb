import type { Customer } from '../customers/customer.ts';
import { dueMoments } from '../time/due-moments.ts';
import type { StoredCustomer } from './book-entry.ts';

/** A recurring payment that is due. */
export type DueRun = {
  /** Key of the customer record. */
  readonly key: string;
  readonly account: string;
  readonly customerCode: string;
  readonly dueMs: number;
};

/** The customer records with recurring payments, and how far each has paid. */
export type ScheduleBook = {
  /** Returns whether anything is due by then; fast, because every call uses it. */
  hasDue(untilMs: number): boolean;
  /** Lists the earliest unbooked runs that are due by then, in order. */
  listDue(untilMs: number, most: number): readonly DueRun[];
  /** Takes a record that was created or changed; drops a record that is no longer recurring. */
  keep(stored: StoredCustomer): void;
  forget(key: string): void;
  /** Notes that a run was booked, so that it is never due again. */
  noteRun(key: string, dueMs: number): void;
};

export function keepSchedules(open: (stored: StoredCustomer) => Customer): ScheduleBook {
  const plans = new Map<string, Plan>();
  /** Kept when a record is deleted, because its code may be used again. */
  const lastRuns = new Map<string, number>();
  /** Undefined when it must be recomputed. */
  let earliestMs: number | undefined;

  function startRuns(untilMs: number): Turn[] {
    return [...plans].flatMap(([key, { account, customerCode, schedule, fromMs }]) => {
      const afterMs = Math.max(fromMs, lastRuns.get(key) ?? Number.NEGATIVE_INFINITY);
      const moments = dueMoments(schedule, afterMs, untilMs);
      const first = moments.next();
      return first.done ? [] : [{ run: { key, account, customerCode, dueMs: first.value }, moments }];
    });
  }

  function findEarliest(): number {
    const firsts = startRuns(Number.POSITIVE_INFINITY).map(({ run }) => run.dueMs);
    return firsts.reduce((earliest, dueMs) => Math.min(earliest, dueMs), Number.POSITIVE_INFINITY);
  }

  return {
    hasDue: (untilMs) => {
      if (plans.size === 0) return false;
      earliestMs ??= findEarliest();
      return earliestMs <= untilMs;
    },
    listDue: (untilMs, most) => takeEarliest(startRuns(untilMs), most),
    keep: (stored) => {
      earliestMs = undefined;
      plans.delete(stored.key);
      if (stored.scheduledFrom === undefined) return;
      const { code, schedule } = open(stored);
      const fromMs = Date.parse(stored.scheduledFrom);
      plans.set(stored.key, { account: stored.account, customerCode: code, schedule, fromMs });
    },
    forget: (key) => {
      earliestMs = undefined;
      plans.delete(key);
    },
    noteRun: (key, dueMs) => {
      earliestMs = undefined;
      lastRuns.set(key, Math.max(lastRuns.get(key) ?? Number.NEGATIVE_INFINITY, dueMs));
    },
  };
}

type Plan = {
  readonly account: string;
  readonly customerCode: string;
  readonly schedule: Customer['schedule'];
  /** Runs that were due before the last change of the record are not made up for. */
  readonly fromMs: number;
};

type Turn = { readonly run: DueRun; readonly moments: Generator<number> };

function takeEarliest(turns: Turn[], most: number): DueRun[] {
  const runs: DueRun[] = [];
  let waiting = turns;
  while (runs.length < most) {
    const earliest = waiting.reduce<Turn | undefined>(
      (best, turn) => (best && best.run.dueMs <= turn.run.dueMs ? best : turn),
      undefined,
    );
    if (!earliest) break;
    runs.push(earliest.run);
    const next = earliest.moments.next();
    const rest = next.done ? [] : [{ ...earliest, run: { ...earliest.run, dueMs: next.value } }];
    waiting = [...waiting.filter((turn) => turn !== earliest), ...rest];
  }
  return runs;
}
