import { dayInZone, formatInZone } from '../../calendar/zone-time.ts';

/** Stage of a bank charge; `since` is when it got there. */
export type BankState = {
  readonly stage: 'to be sent' | 'pending' | BankStep['stage'];
  readonly since: Date;
  /** Why it was rejected or returned, if that was said. */
  readonly code?: number;
  /** Of a returned charge: when the bank had paid it. */
  readonly acceptedAt?: Date;
};

/** What decides about a bank charge besides its amount. */
export type BankCourse = {
  /** How a payment of the history ends. */
  readonly fate?: BankFate;
  /** What was done by hand, in the order in which it was done. */
  readonly steps?: readonly BankStep[];
};

/** Something done to a bank charge by hand. */
export type BankStep = {
  readonly stage: 'accepted' | 'rejected' | 'returned';
  /** By the sandbox's clock, ISO 8601 in UTC. */
  readonly at: string;
  readonly code?: number;
};

/** How a bank charge ends, and the code of its rejection or return, if it is known. */
export type BankFate = { readonly ends: BankStep['stage']; readonly code?: number };

/**
 * Returns the present stage of a bank charge. It is not stored, so it follows the clock both ways and survives
 * restarts. What was done by hand counts from its moment on, and the bank does nothing more by itself then.
 */
export function bankStateOf(takenAt: Date, amountCents: number, now: Date, course: BankCourse = {}): BankState {
  const { fate, steps = [] } = course;
  const last = steps.findLastIndex(({ at }) => Date.parse(at) <= now.getTime());
  const step = steps[last];
  if (!step) return stateByItself(takenAt, fate ?? { ends: fateOf(amountCents) }, now);
  const since = new Date(step.at);
  const known = { stage: step.stage, since, ...codeOf(step) };
  if (step.stage !== 'returned') return known;
  const before = bankStateOf(takenAt, amountCents, since, { ...course, steps: steps.slice(0, last) });
  return { ...known, acceptedAt: before.since };
}

function stateByItself(takenAt: Date, fate: BankFate, now: Date): BankState {
  const { leavesAt, answeredAt, returnedAt } = bankDates(takenAt);
  if (now < leavesAt) return { stage: 'to be sent', since: takenAt };
  if (now < answeredAt) return { stage: 'pending', since: leavesAt };
  if (fate.ends === 'rejected') return { stage: 'rejected', since: answeredAt, ...codeOf(fate) };
  if (fate.ends === 'accepted' || now < returnedAt) return { stage: 'accepted', since: answeredAt };
  return { stage: 'returned', since: returnedAt, acceptedAt: answeredAt, ...codeOf(fate) };
}

function codeOf({ code }: { readonly code?: number }): { code?: number } {
  return code === undefined ? {} : { code };
}

/** When a bank charge reaches each stage; its amount decides whether it does. */
type BankDates = { readonly leavesAt: Date; readonly answeredAt: Date; readonly returnedAt: Date };

/**
 * Returns the dates of a bank charge. It leaves with the first file after it was taken. The bank answers at the same
 * hour some business days later.
 */
export function bankDates(takenAt: Date): BankDates {
  // Files leave at full hours, so all charges of one hour share their dates, and long reports need few lookups.
  const hour = Math.floor(takenAt.getTime() / HOUR_MS);
  const known = DATES_OF_HOURS.get(hour) ?? findDates(takenAt);
  DATES_OF_HOURS.set(hour, known);
  return known;
}

/** The code of a return without one. The vendor lists it; the test account's own code is not known. */
export const RETURN_CODE = 63;

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const DATES_OF_HOURS = new Map<number, BankDates>();

function findDates(takenAt: Date): BankDates {
  const { day, hour } = findDeparture(takenAt);
  const answerDay = addBusinessDays(day, ANSWER_DAYS);
  return {
    leavesAt: momentOf(day, hour),
    answeredAt: momentOf(answerDay, hour),
    returnedAt: momentOf(addBusinessDays(answerDay, RETURN_DAYS), hour),
  };
}

/** Finds the first hour after that moment at which a file leaves. */
function findDeparture(takenAt: Date): { day: string; hour: number } {
  let day = dayInZone(takenAt, BANK_ZONE);
  for (;;) {
    const hour = hoursOf(day).find((departs) => momentOf(day, departs) > takenAt);
    if (hour !== undefined) return { day, hour };
    day = nextDay(day);
  }
}

function addBusinessDays(day: string, count: number): string {
  let reached = day;
  for (let left = count; left > 0; ) {
    reached = nextDay(reached);
    if (hoursOf(reached).length > 0) left -= 1;
  }
  return reached;
}

function hoursOf(day: string): readonly number[] {
  return DEPARTURE_HOURS[new Date(day).getUTCDay()] ?? [];
}

function nextDay(day: string): string {
  return new Date(Date.parse(day) + DAY_MS).toISOString().slice(0, 10);
}

/** Returns the moment of a full hour on the zone's clock. */
function momentOf(day: string, hour: number): Date {
  const time = `${day}T${String(hour).padStart(2, '0')}:00:00`;
  // The clock changes on Sundays, when no file leaves, so a moment some hours away has the same offset.
  const offset = formatInZone(new Date(`${time}-08:00`), BANK_ZONE).slice(-6);
  return new Date(`${time}${offset}`);
}

/**
 * How the bank processes the charges of the test account.
 *
 * The vendor states when files leave and what happens to each amount. Assumption: how long the bank then takes; clients
 * are told to expect three to five days in all. Bank holidays are not known here.
 */
const BANK_ZONE = 'America/Vancouver';

/** Full hours on the zone's clock at which a file leaves, by day of the week, Sunday first. */
export const DEPARTURE_HOURS: readonly (readonly number[])[] = [[], [3, 15], [3, 15], [15], [15], [15], []];

/** Business days from departure to the bank's answer. */
const ANSWER_DAYS = 2;

/** Business days from acceptance to the return of the payment. */
const RETURN_DAYS = 3;

/** Returns the outcome of an amount, whatever its sign. Assumption: refunds have the same outcomes. */
export function fateOf(amountCents: number): BankStep['stage'] {
  return FATES.get(Math.abs(amountCents)) ?? 'rejected';
}

const FATES: ReadonlyMap<number, BankStep['stage']> = new Map([
  [100, 'accepted'],
  [300, 'returned'],
]);
