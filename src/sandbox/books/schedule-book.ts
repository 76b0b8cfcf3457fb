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

/** The customer records that pay again and again, and how far each has paid. */
export type ScheduleBook = {
  /** Whether anything is due by then; quick, because every call asks. */
  hasDue(untilMs: number): boolean;
  /** The earliest runs that are due by then and were not booked, in order. */
  listDue(untilMs: number, most: number): readonly DueRun[];
  /** Takes a record that was created or changed; one that is not recurring any more is dropped. */
  keep(stored: StoredCustomer): void;
  forget(key: string): void;
  /** A run was booked, and is never due again. */
  noteRun(key: string, dueMs: number): void;
};

export function keepSchedules(open: (stored: StoredCustomer) => Customer): ScheduleBook {
  const plans = new Map<string, Plan>();
  /** Kept when a record is deleted, because another may be created under its code. */
  const lastRuns = new Map<string, number>();
  /** Undefined when it must be found anew. */
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
  /** What was due before the record was last changed is not made up for. */
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
