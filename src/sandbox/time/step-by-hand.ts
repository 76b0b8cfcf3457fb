import { type BankOrder, BankFailure, BankSettlement } from '../../../schemas/sandbox/control.ts';
import { PipelineError } from '../../kernel/errors.ts';
import type { Payment } from '../books/payment-book.ts';
import type { HandlerContext } from '../handlers/handler.ts';
import { type BankState, bankStateOf } from './bank-state.ts';

/**
 * Moves bank payments on at once, instead of when the bank would. Each returns the ids of the payments it moved, oldest
 * first, and throws USAGE when the named payment is not there or cannot be moved this way; nothing is moved then.
 */
export type BankControls = {
  /** The bank accepts payments in progress: `OK:BankAccept`. They stay accepted until they are returned by hand. */
  settle(order: BankOrder): Promise<readonly string[]>;
  /** The bank rejects payments in progress: `OK:Reject`, or `REJ:` and the code. */
  reject(order: BankOrder): Promise<readonly string[]>;
  /** Accepted payments come back: `REJ:63`, or another code. All that are due are those accepted in the last 7 days. */
  return(order: BankOrder): Promise<readonly string[]>;
};

export function bankControls(context: Pick<HandlerContext, 'accounts' | 'books' | 'clock'>): BankControls {
  return {
    settle: (order) => stepByHand(context, 'settle', order),
    reject: (order) => stepByHand(context, 'reject', order),
    return: (order) => stepByHand(context, 'return', order),
  };
}

const STEPS = {
  settle: { stage: 'accepted', from: ['to be sent', 'pending'], request: BankSettlement, done: 'settled' },
  reject: { stage: 'rejected', from: ['to be sent', 'pending'], request: BankFailure, done: 'rejected' },
  return: { stage: 'returned', from: ['accepted'], request: BankFailure, done: 'returned' },
} as const;

const RETURNS_WITHIN_MS = 7 * 24 * 60 * 60 * 1000;

async function stepByHand(
  { accounts, books, clock }: Pick<HandlerContext, 'accounts' | 'books' | 'clock'>,
  action: keyof BankControls,
  order: unknown,
): Promise<readonly string[]> {
  const { stage, request } = STEPS[action];
  const read = request.safeParse(order);
  if (!read.success) throw refusal(action, read.error.issues[0]?.message);
  const { transactionId, account, code } = read.data;
  if (account !== undefined && !accounts.some(({ agentCode }) => agentCode === account)) {
    throw refusal(action, 'the sandbox has no such account');
  }
  return books.decide(() => {
    const now = clock.now();
    const payments = books.payments.list(account);
    const ids =
      transactionId === undefined ? findDue(payments, action, now) : [checkOne(payments, action, transactionId, now)];
    const step = { stage, at: now.toISOString(), ...(code === undefined ? {} : { code }) };
    return { entries: ids.map((id) => ({ step: { ...step, transactionId: id } })), answer: ids };
  });
}

function findDue(payments: readonly Payment[], action: keyof BankControls, now: Date): string[] {
  return payments.filter((payment) => isDue(payment, action, now)).map(({ transactionId }) => transactionId);
}

function isDue(payment: Payment, action: keyof BankControls, now: Date): boolean {
  if (payment.method !== 'bank' || !payment.row.charged) return false;
  const { stage, since } = stateOf(payment, now);
  return takes(action, stage) && (action !== 'return' || now.getTime() - since.getTime() <= RETURNS_WITHIN_MS);
}

function checkOne(payments: readonly Payment[], action: keyof BankControls, id: string, now: Date): string {
  const found = payments.find(({ transactionId }) => transactionId === id);
  if (!found) throw refusal(action, `there is no transaction ${id}`);
  if (found.method === 'card') throw refusal(action, `${id} is a card payment, and only bank payments go on later`);
  if (!found.row.charged) throw refusal(action, `${id} was declined when it was sent`);
  const { stage, since } = stateOf(found, now);
  if (takes(action, stage)) return id;
  const wanted = action === 'return' ? 'accepted' : 'in progress';
  const reason = `${id} is ${stage} since ${since.toISOString()}; only a payment that is ${wanted} can be`;
  throw refusal(action, `${reason} ${STEPS[action].done}`);
}

function takes(action: keyof BankControls, stage: BankState['stage']): boolean {
  const from: readonly BankState['stage'][] = STEPS[action].from;
  return from.includes(stage);
}

function stateOf({ row, course }: Payment, now: Date): BankState {
  return bankStateOf(new Date(row.at), row.amountCents, now, course);
}

function refusal(action: keyof BankControls, reason: string | undefined): PipelineError {
  return new PipelineError('USAGE', `${action} bank payments`, reason, { next: 'See docs/sandbox.md.' });
}
