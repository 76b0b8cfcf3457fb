import { lookup } from 'node:dns';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { createGatewayClient, type GatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import type { BookRow } from '../../../src/sandbox/books/book-row.ts';
import { FAULT_KINDS } from '../../../src/sandbox/faults/fault-kinds.ts';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { FAULT_EXPECTATIONS } from '../../support/fault-expectations.ts';
import type { AnyParameters } from './arbitrary-parameters.ts';
import { expectedKinds, type FaultCase } from './fault-cases.ts';

/** Runs one case at a time on its own sandbox, whose books show what each call did. */
export type FaultLane = {
  /** Returns what is wrong with the client's answer or the sandbox's books; empty when all is well. */
  run(faultCase: FaultCase): Promise<string[]>;
  /** Checks the books once more, for what was booked after its call was judged. */
  audit(): string[];
  close(): Promise<void>;
};

/** Timeout of calls that are answered; more than any machine needs. */
const QUICK_MS = 20_000;
/** Timeout of calls whose answer never comes. */
const SLOW_MS = 150;
const GOOD_CARD = '4222222222222220';
/** Declined except for a few amounts, which are not used here. */
const BAD_CARD = '4111111111111111';

export async function openFaultLane(): Promise<FaultLane> {
  const sandbox = await startSandbox({ batchDelayMs: 0, cardDuplicates: false, refundsMayExceed: true });
  const world = countingWorld();
  const quick = makeClient(sandbox, world, QUICK_MS);
  const slow = makeClient(sandbox, world, SLOW_MS);
  const known = await furnish(quick);
  const booked = new Map<number, Booking>();
  const before = sandbox.books().length;

  return {
    run: async (faultCase) => {
      const cents = FIRST_CENTS + faultCase.number;
      const parameters = fillIn(faultCase, known, cents);
      if (faultCase.operation === 'deleteCustomerCode') await createRecord(quick, String(parameters.customerCode));
      const client = FAULT_EXPECTATIONS[faultCase.kind].isEndless ? slow : quick;
      world.connections = 0;
      sandbox.faults.plan({ kind: faultCase.kind, times: 'always' });
      const answer = await callMethod(client, faultCase.operation, parameters).catch(
        (error: unknown) => error as Error,
      );
      const rows = await settle(sandbox, faultCase, cents);
      const strikes = countStrikes(sandbox);
      await sandbox.faults.clear();
      booked.set(cents, rows);
      if (answer instanceof Error) return [`threw ${answer.name}: ${answer.message}`];
      return [
        ...findWrongAnswer(faultCase, answer),
        ...findWrongMoney(faultCase, answer, rows),
        ...findRepetition(faultCase, world.connections, strikes),
        ...(await findWrongRecord(quick, faultCase, answer, parameters, strikes > 0)),
      ];
    },
    audit: () => {
      const late = sandbox
        .books()
        .slice(before)
        .filter((row) => !booked.has(Math.abs(row.amountCents)));
      const changed = [...booked].filter(([cents, rows]) => rowsOf(sandbox, cents).rows !== rows.rows);
      return [
        ...late.map((row) => `${row.amountCents} cents were booked and nobody asked for them`),
        ...changed.map(([cents]) => `${cents} cents were booked after their call was over`),
      ];
    },
    close: () => sandbox.close(),
  };
}

/** Each case has an amount of its own, below the limit of the test account. */
const FIRST_CENTS = 30_001;

type Booking = { readonly rows: number; readonly charged: number };
type Known = { card: string; bank: string; cardCharge: string; bankCharge: string; batchId: string };

/** Creates what calls refer to: a record and a charge of each kind, and a finished batch. */
async function furnish(client: GatewayClient): Promise<Known> {
  const charge = { ...PAYER, total: '5.00' };
  const card = await client.createCustomerCodeAndProcessCreditCard(
    { ...charge, ccNum: GOOD_CARD, ccExp: '12/49' },
    { mop: 'VISA' },
  );
  const bank = await client.createCustomerCodeAndProcessACHEFT({ ...charge, ...ACCOUNT });
  const batch = await client.processACHEFTChargeBatch({ batchFile: Buffer.from(bankRows(3, 'first', '5.00')) });
  if (card.kind !== 'approved' || bank.kind !== 'accepted' || batch.kind !== 'accepted') {
    throw new Error(`the sandbox could not be furnished: ${card.kind}, ${bank.kind}, ${batch.kind}`);
  }
  return {
    card: card.result.customerCode ?? '',
    bank: bank.result.customerCode ?? '',
    cardCharge: card.result.transactionId ?? '',
    bankCharge: bank.result.transactionId ?? '',
    batchId: batch.result.batchId,
  };
}

const PAYER = {
  firstName: 'Ada',
  lastName: 'Byron',
  address: '1 Some Road',
  city: 'Troy',
  state: 'NY',
  zipCode: '12180',
};
const ACCOUNT = { accountNum: '02100002100000000000000001', accountType: 'CHECKING' } as const;

function createRecord(client: GatewayClient, customerCode: string): Promise<AnyAnswer> {
  return client.createACHEFTCustomerCode({ ...PAYER, ...ACCOUNT, customerCode });
}

type CountingWorld = { connections: number; lookup: typeof lookup; wait: () => Promise<void> };

/** Counts the client's connections: each begins with one lookup of its host. */
function countingWorld(): CountingWorld {
  const world: CountingWorld = {
    connections: 0,
    lookup: ((...args: Parameters<typeof lookup>) => {
      world.connections += 1;
      return lookup(...args);
    }) as typeof lookup,
    wait: async () => {},
  };
  return world;
}

function makeClient(sandbox: Sandbox, world: CountingWorld, answerMs: number): GatewayClient {
  const login = { agentCode: 'TEST88', password: 'TEST88' };
  const baseUrl = `http://localhost:${sandbox.port}`;
  const settings = { server: 'NA', currency: 'USD', ...login, baseUrl, timeouts: { answerMs } } as const;
  return createGatewayClient(settings, { lookup: world.lookup, wait: world.wait });
}

function callMethod(client: GatewayClient, operation: OperationName, parameters: AnyParameters): Promise<AnyAnswer> {
  const method: (parameters: never, options: object) => Promise<AnyAnswer> = client[operation];
  return method(parameters as never, { mop: 'VISA' });
}

/** Replaces the random parameters that decide the outcome. */
function fillIn({ operation, parameters, wish, rows, number }: FaultCase, known: Known, cents: number): AnyParameters {
  const isGood = wish === 'good';
  const isBank = operation.includes('ACHEFT');
  const total = `${operation.includes('Refund') ? '-' : ''}${(cents / 100).toFixed(2)}`;
  const card = isGood ? GOOD_CARD : BAD_CARD;
  const deciding: AnyParameters = {
    total,
    mop: 'VISA',
    creditCardNum: card,
    ccNum: card,
    creditCardExpiry: '12/49',
    ccExp: '12/49',
    transactionId: isGood ? (isBank ? known.bankCharge : known.cardCharge) : 'A0000000',
    batchId: known.batchId,
    batchFile: Buffer.from(
      operation === 'processCreditCardBatch'
        ? cardRows(rows, `I${number}`, total)
        : bankRows(rows, `I${number}`, total),
    ),
    // A schedule would also book payments when its day comes.
    recurring: false,
    customerCode: codeFor(operation, isGood, isBank ? known.bank : known.card, number),
    ...(OPERATIONS[operation].effect === 'write' ? { city: `City ${number}` } : {}),
    ...(operation.startsWith('getCustomer') ? { customerCode: known.card } : {}),
  };
  const wanted: readonly string[] = [...OPERATIONS[operation].wire];
  const used = Object.entries(deciding).filter(([name]) => wanted.includes(name));
  return { ...parameters, ...Object.fromEntries(used), ...longAgo(operation) };
}

function longAgo(operation: OperationName): AnyParameters {
  if (!operation.startsWith('getCustomerList')) return {};
  return { fromDate: '2020-01-01T00:00:00Z', toDate: '2090-01-01T00:00:00Z' };
}

function codeFor(operation: OperationName, isGood: boolean, known: string, number: number): string {
  if (operation.startsWith('create') || operation.startsWith('delete')) return `K${number}`;
  return isGood ? known : 'X0';
}

function cardRows(count: number, invoice: string, total: string): string {
  return upTo(count)
    .map((n) => `06/15/2026,${invoice}-${n},Ada,Byron,1 Some Road,Troy,NY,12180,${total},VISA,${GOOD_CARD},1249`)
    .join('\r\n');
}

function bankRows(count: number, invoice: string, total: string): string {
  return upTo(count)
    .map((n) => `${invoice}-${n},Ada,Byron,CHECKING,${ACCOUNT.accountNum},${total},Gift`)
    .join('\r\n');
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}

/** Returns how often the call reached the service. A strike is one request, or a connection that broke before. */
function countStrikes(sandbox: Sandbox): number {
  return sandbox.faults.list()[0]?.fired ?? 0;
}

/** Returns what the call booked. A client that gave up early may be faster than the books, so it waits for them. */
async function settle(sandbox: Sandbox, faultCase: FaultCase, cents: number): Promise<Booking> {
  const due = expectedBooking(faultCase).rows;
  const isEndless = FAULT_EXPECTATIONS[faultCase.kind].isEndless === true;
  const deadline = performance.now() + 120_000;
  for (;;) {
    const booking = rowsOf(sandbox, cents);
    const isOver = booking.rows >= due && (!isEndless || countStrikes(sandbox) > 0);
    if (isOver || performance.now() > deadline) return booking;
    await sleep(2);
  }
}

function rowsOf(sandbox: Sandbox, cents: number): Booking {
  const rows: BookRow[] = sandbox.books().filter((row) => Math.abs(row.amountCents) === cents);
  return { rows: rows.length, charged: rows.filter((row) => row.charged).length };
}

/** Returns what the table says about the kind: everything booked, or nothing. */
function expectedBooking({ operation, kind, wish, rows }: FaultCase): Booking {
  if (FAULT_KINDS[kind].books === 'never' || OPERATIONS[operation].effect !== 'charge') return { rows: 0, charged: 0 };
  const all = operation.endsWith('Batch') ? rows : 1;
  return { rows: all, charged: wish === 'good' ? all : 0 };
}

function findWrongAnswer(faultCase: FaultCase, answer: AnyAnswer): string[] {
  const expected = expectedKinds(faultCase);
  return expected.includes(answer.kind)
    ? []
    : [`answered ${JSON.stringify(answer)} in place of ${expected.join(' or ')}`];
}

/** Checks that the client's answer about money matches the books. */
function findWrongMoney(faultCase: FaultCase, { kind }: AnyAnswer, booking: Booking): string[] {
  const expected = expectedBooking(faultCase);
  const all = faultCase.operation.endsWith('Batch') ? faultCase.rows : 1;
  const wrong: string[] = [];
  if (booking.rows !== expected.rows || booking.charged !== expected.charged) {
    wrong.push(
      `booked ${booking.rows} rows, ${booking.charged} charged, in place of ${expected.rows}, ${expected.charged}`,
    );
  }
  if (OPERATIONS[faultCase.operation].effect !== 'charge') return wrong;
  if (kind === 'not_sent' && booking.rows > 0) wrong.push('said not_sent, and it was booked');
  if ((kind === 'approved' || kind === 'accepted') && booking.charged !== all) {
    wrong.push(`said ${kind}, and ${booking.charged} of ${all} were charged`);
  }
  if ((kind === 'declined' || kind === 'failed') && booking.charged > 0) wrong.push(`said ${kind}, and it was charged`);
  return wrong;
}

/** Checks that a charge or change is sent once at most, and a read three times. */
function findRepetition({ operation }: FaultCase, connections: number, strikes: number): string[] {
  const most = OPERATIONS[operation].effect === 'read' ? 3 : 1;
  const wrong: string[] = [];
  if (connections > most) wrong.push(`opened ${connections} connections`);
  if (strikes > most) wrong.push(`reached the service ${strikes} times`);
  return wrong;
}

/** Same, for customer records: the client's answer must match what was stored, changed or deleted. */
async function findWrongRecord(
  client: GatewayClient,
  { operation, kind, number }: FaultCase,
  answer: AnyAnswer,
  { customerCode }: AnyParameters,
  isStruck: boolean,
): Promise<string[]> {
  if (OPERATIONS[operation].effect !== 'write') return [];
  const detail = await client.getCustomerCodeDetail({ customerCode: String(customerCode) });
  const customer = detail.kind === 'approved' ? detail.result.customer : undefined;
  const isDone = operation === 'deleteCustomerCode' ? !customer : customer?.city === `City ${number}`;
  const isDue = FAULT_KINDS[kind].books === 'before' && (isStruck || answer.kind === 'approved');
  const wrong = isDone === isDue ? [] : [`the record is ${isDone ? '' : 'not '}changed`];
  if (answer.kind === 'approved' && !isDone) wrong.push('said approved, and the record is not changed');
  if ((answer.kind === 'not_sent' || answer.kind === 'failed') && isDone)
    wrong.push(`said ${answer.kind}, and the record is changed`);
  return wrong;
}
