import { z } from 'zod';

/** Kinds of settings that several parts of `paydrop.yaml` have, of the core and of features. */

/** A timer with a longer delay fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

const DAY_MS = 86_400_000;

/** A wait stored in the ledger, in ms; its end must be a moment that can be written. */
export const Wait = z
  .int()
  .nonnegative()
  .max(366 * DAY_MS);

/** Interval of a repeated action, in ms; at 0 a processor would do nothing else. */
export const Interval = z.int().min(10).max(LONGEST_TIMER_MS);

/** Longest wait for an answer, in ms. At 0 nothing would ever be answered, and every batch would be in doubt. */
export const Patience = z.int().min(1).max(LONGEST_TIMER_MS);

/** `env:NAME`, `file:PATH`, or the text itself. The text is for the sandbox only, because it is then in the file. */
export const Secret = z.string().min(1);

/** Money in units of the account's currency, with at most two decimals. */
export const Amount = z.number().positive().multipleOf(0.01).max(90_000_000_000);

/** A time of day in some zone, `22:00`. */
export const WallTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'write it as 22:00');

export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;

/** Days on which something happens, for every setting with a calendar. */
export const CALENDAR = {
  days: z
    .array(z.enum(WEEKDAYS))
    .min(1)
    .default([...WEEKDAYS])
    .describe('Days of the week; left out, all seven'),
  holidays: z.array(z.iso.date()).default([]).describe('Days without it, such as 2026-12-25'),
};

/** Source of a key that must not be in the configuration itself. */
export const KeySource = z
  .string()
  .regex(/^(file|env|command):\S/, 'write file:PATH, env:NAME or command:PROGRAM ARG…');

/** Name of something that the configuration defines, such as an account. */
export const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,30}$/);
