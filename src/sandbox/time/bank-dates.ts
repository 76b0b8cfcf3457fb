import { dayInZone, formatInZone } from '../../calendar/zone-time.ts';
import { ANSWER_DAYS, BANK_ZONE, DEPARTURE_HOURS, RETURN_DAYS } from './bank-timetable.ts';

/** When a bank charge reaches each stage; its amount decides whether it does. */
export type BankDates = { readonly leavesAt: Date; readonly answeredAt: Date; readonly returnedAt: Date };

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
