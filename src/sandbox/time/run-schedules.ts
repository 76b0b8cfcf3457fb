import type { Server } from '../../../schemas/operations.ts';
import { reasonOf } from '../../kernel/errors.ts';
import { shownEnd } from '../batch/mask-number.ts';
import type { NewEntry } from '../books/book-row.ts';
import { payerOfRecord } from '../books/payment-book.ts';
import type { DueRun } from '../books/schedule-book.ts';
import type { Customer } from '../customers/customer.ts';
import type { HandlerContext } from '../handlers/handler.ts';
import { cardValues, findBreak, ruleSetting } from '../rules/find-break.ts';
import { isPaid, judgeCharge, readTotal, singleRow } from '../handlers/charge.ts';

/**
 * Books every recurring payment that is due on the sandbox's clock and not booked yet, earliest first. Each is judged
 * like a single charge by customer code. Assumption: it is booked at the moment it was due. Moving the clock back takes
 * nothing back.
 *
 * Concurrent calls are safe: the books are queried and written in one step. Each line names its run, so none is booked
 * twice, even after a kill. If very many are due, the rest follows with the next call.
 */
export async function runSchedules(context: HandlerContext): Promise<void> {
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (!context.books.schedules.hasDue(context.clock.now().getTime())) return;
    await context.books.decide(() => ({ entries: judgeRuns(context), answer: undefined }));
  }
  context.log.warn(
    { runs: MOST_ROUNDS * RUNS_OF_A_ROUND },
    'more recurring payments are due; they follow with the next call',
  );
}

/**
 * Runs the schedules before a call is answered or after the clock was moved. A failure does not cost the call its
 * answer: the runs follow with the next call. A call that writes reports a full disk itself.
 */
export async function tryToRunSchedules(context: HandlerContext): Promise<void> {
  await runSchedules(context).catch((error: unknown) => {
    context.log.error({ reason: reasonOf(error) }, 'recurring payments not booked');
  });
}

/** Other calls run between the rounds; a clock set centuries ahead must not keep them waiting. */
const RUNS_OF_A_ROUND = 200;
/** 20,000 payments at once, such as ten records that pay weekly for nearly forty years. */
const MOST_ROUNDS = 100;

function judgeRuns(context: HandlerContext): NewEntry[] {
  const runs = context.books.schedules.listDue(context.clock.now().getTime(), RUNS_OF_A_ROUND);
  return runs.flatMap((run, index) => {
    const record = context.books.customers.find(run.account, run.customerCode);
    return record ? [judgeRun(run, record, context, index)] : [];
  });
}

/** @param ahead lines of the same round before this one */
function judgeRun({ key, account, dueMs }: DueRun, record: Customer, context: HandlerContext, ahead: number): NewEntry {
  const { kind, number, schedule } = record;
  const amountCents = readTotal(schedule.amount);
  const server = context.accounts.find(({ agentCode }) => agentCode === account)?.server;
  const verdict =
    context.takeRejection?.('recurring') ?? judgeCharge({ kind, number, amountCents, server, ipAddress: '' });
  const message = (kind === 'card' && isPaid(verdict) && findCardBreak(record, server, context)) || verdict;
  const dueAt = new Date(dueMs).toISOString();
  const row = singleRow({
    kind,
    at: dueAt,
    account,
    operation: 'recurring',
    invoice: 'Recurring payment',
    customerCode: record.code,
    amountCents,
    lastFour: shownEnd(number),
    message,
    transactionId: isPaid(message) || kind === 'card' ? context.books.transactions.nextId(ahead) : '',
  });
  const cardKey = context.books.keyOf([kind, number]);
  const transaction = { row, method: kind, cardKey, run: { customerKey: key, dueAt } };
  return { transaction, payer: payerOfRecord(record) };
}

/**
 * Judges the stored card as a charge by customer code does. No address says where an account on both servers stored it,
 * so it may have a method of payment of either.
 */
function findCardBreak(record: Customer, server: Server | undefined, context: HandlerContext): string | undefined {
  const operation = 'processCreditCardWithCustomerCode';
  return findBreak('decline', operation, cardValues(record), ruleSetting(context, server ?? 'either'));
}
