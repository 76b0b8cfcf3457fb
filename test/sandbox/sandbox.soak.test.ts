import { describe, expect, it } from 'vitest';
import { killRepeatedly, useSandboxes } from './support/sandbox-world.ts';
import type { HandlerContext } from '../../src/sandbox/handlers/handler.ts';
import { HANDLERS } from '../../src/sandbox/handlers/handlers.ts';
import { runSchedules } from '../../src/sandbox/time/run-schedules.ts';
import { makeCall, makeContext } from './support/make-context.ts';
import { ALL_CODES, testCodes } from './support/test-codes.ts';

const world = useSandboxes();

/** start-sandbox.test.ts kills twice. */
describe('a sandbox killed with SIGKILL many times', () => {
  it('has booked all of a batch or nothing, at whatever moment it died', async () => {
    await killRepeatedly(world, [0, 4, 11, 23, ...Array.from({ length: 26 }, (_, round) => 2 * round)]);
  }, 300_000);
});

/** every-code.test.ts tries some. */
testCodes(ALL_CODES);

const CUSTOMER = {
  customerCode: 'C1',
  creditCardNum: '4222222222222220',
  creditCardExpiry: '12/49',
  mop: 'VISA',
  recurring: 'true',
  amount: '5.00',
  beginDate: '2026-06-15T00:00:00Z',
  endDate: '9999-12-31T00:00:00Z',
  scheduleType: 'Weekly',
  scheduleDate: '5',
};

it('goes through many years, and through a clock at the end of time in pieces', async () => {
  const lines: string[] = [];
  const warn = (_: object, message: string) => void lines.push(message);
  const { context, clock } = await makeContext();
  const log = { ...context.log, warn } as unknown as HandlerContext['log'];
  await HANDLERS.createCreditCardCustomerCode?.answer(makeCall('createCreditCardCustomerCode', CUSTOMER), context);
  clock.set('2126-06-15T10:00:00Z');
  await runSchedules({ ...context, log });
  expect(context.books.rows()).toHaveLength(5218);
  expect(lines).toEqual([]);
  clock.set('9998-01-01T00:00:00Z');
  await runSchedules({ ...context, log });
  expect(context.books.rows()).toHaveLength(5218 + 20_000);
  expect(lines).toEqual(['more recurring payments are due; they follow with the next call']);
});
