import { z } from 'zod';
import { REJECTIONS } from '../rejections.ts';
import { WIRE_OPERATIONS, type WireOperation } from '../wire.ts';

/**
 * Bodies of the sandbox's control API. Unknown keys are refused, because a misspelled key would be ignored. The checks are
 * internal: their types need zod, which is inside the package.
 */

const OPERATION_NAMES: readonly ['*', 'recurring', ...WireOperation[]] = ['*', 'recurring', ...WIRE_OPERATIONS];
const Count = z.int('must be a whole number').min(0, 'must not be negative');

/** Node takes a longer delay as 1 ms. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

const MOVES = 'must be {"set": "2026-06-15T09:00:00Z"} or {"advanceMs": 86400000}';
const TIMES = 'must be a number from 1, or "always"';

/** A move of the sandbox's clock: to a moment, or by this many milliseconds. @internal */
export const ClockMove = z.union(
  [
    z.strictObject({ set: z.iso.datetime({ offset: true, error: MOVES }) }),
    z.strictObject({ advanceMs: z.int(MOVES) }),
  ],
  { error: MOVES },
);

/** A fault to plan. The sandbox looks its kind up in its own table. @internal */
export const FaultRequest = z.strictObject(
  {
    kind: z.string('must name a kind of fault'),
    operation: z
      .enum(OPERATION_NAMES, { error: 'must be an operation in the spelling of the spec, or "*"' })
      .optional(),
    times: z.union([z.int(TIMES).min(1, TIMES), z.literal('always')], { error: TIMES }).optional(),
    after: Count.optional(),
    chance: z.number('must be a number').min(0, 'must be 0 to 1').max(1, 'must be 0 to 1').optional(),
    seed: z.int('must be a whole number').optional(),
    code: z
      .int('must be a number')
      .refine((code) => REJECTIONS[code] !== undefined, 'must be a listed rejection code')
      .optional(),
    delayMs: Count.max(LONGEST_DELAY_MS, `must be ${LONGEST_DELAY_MS} at most`).optional(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'must be an object such as {"kind": "no-answer"}' : undefined) },
);

/** One call of a script that the sandbox plays, and its answer. Recorded files hold one a line. @internal */
export const ScriptStep = z.strictObject(
  {
    at: z.string().optional(),
    operation: z.string('must be an operation'),
    parameters: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]), 'must be an object'),
    status: z.int().min(200).max(599).optional(),
    response: z.string().optional(),
    fault: z.string().optional(),
    path: z.string().optional(),
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'must be an object with operation and parameters' : undefined) },
);

const CHOICE = 'must be {"transactionId": "A6000001"} or {"all": true}';
const RETURN_CODE = 'must be a number from 1 to 999';
const OfOne = z.strictObject({ transactionId: z.string(CHOICE).regex(/^A[0-9A-F]{7,15}$/, CHOICE) });
const OfAll = z.strictObject({ all: z.literal(true, CHOICE), account: z.string('must be an agent code').optional() });
/** Return codes are not rejection codes: they come from the bank, and no list of them is complete. */
const Coded = { code: z.int(RETURN_CODE).min(1, RETURN_CODE).max(999, RETURN_CODE).optional() };

/** Bank payments: one, or all that are due, of one account or of all. */
export type BankOrder = {
  readonly transactionId?: string | undefined;
  readonly all?: true | undefined;
  readonly account?: string | undefined;
  readonly code?: number | undefined;
};

/** Bank payments to settle. @internal */
export const BankSettlement: z.ZodType<BankOrder> = z.union([OfOne, OfAll], { error: CHOICE });

/** Bank payments to reject or return, and the code of why. @internal */
export const BankFailure: z.ZodType<BankOrder> = z.union([OfOne.extend(Coded), OfAll.extend(Coded)], {
  error: `${CHOICE}, and may have a "code" from 1 to 999`,
});
