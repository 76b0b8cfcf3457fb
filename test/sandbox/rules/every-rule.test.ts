import { describe, expect, it } from 'vitest';
import type { ServiceName } from '../../../schemas/wsdl.ts';
import { FREEDOMS, KEPT_RULES } from '../../../schemas/sandbox/service-rules.ts';
import { STRICT_RULES, type StrictRule } from '../../../schemas/sandbox/strict-rules.ts';
import { openLog } from '../../../src/kernel/log.ts';
import type { HandlerContext } from '../../../src/sandbox/handlers/handler.ts';
import { answerCall } from '../../../src/sandbox/soap/answer-call.ts';
import { runSchedules } from '../../../src/sandbox/time/run-schedules.ts';
import { SPEC_OPERATIONS } from '../../schemas/spec-tables.ts';
import { makeContext, valueOf } from '../support/make-context.ts';
import { bareRequest, type Fields, toBase64 } from '../support/soap-request.ts';
import { type Call, GOOD_CALLS, GOOD_ROWS, GROUPS, SPEC_FREE, SPEC_KEPT, SPEC_STRICT } from './spec-rows.ts';

type Server = 'NA' | 'UK';
/** A change of a good call or row; undefined leaves an element or a column out. */
type Change = Readonly<Record<string, string | undefined>>;

type Case = {
  readonly rule: string;
  /** An operation, or a kind of row. */
  readonly of: string;
  readonly server: Server;
  readonly right: readonly Change[];
  readonly wrong: readonly Change[];
  /** The beginning of what a wrong one is told. */
  readonly answer: string;
};

const LOGIN = { agentCode: 'TEST88', password: 'TEST88' };

const ANSWERS: Readonly<Record<string, string>> = {
  NULL: 'Object reference not set to an instance of an object.',
  RESTRICTED: 'Service cannot be used with this Method of Payment or Currency.',
  SERVER: 'Service cannot be used on this server.',
  FAULT: 'Server was unable to read request.',
};

const STRICT = readRules(SPEC_STRICT);
const KEPT = readRules(SPEC_KEPT);
const FREE = readRules(SPEC_FREE);

function readRules(text: string): Case[] {
  let rule = '';
  return text.split('\n').flatMap((line) => {
    if (!line.startsWith('  ')) rule = line.trim();
    return line.startsWith('  ') ? readCases(rule, line.trim().split(/ {2,}/)) : [];
  });
}

function readCases(rule: string, [subject = '', ...tokens]: readonly string[]): Case[] {
  const [group = '', only] = subject.split(' @');
  const after = (sign: string) => tokens.filter((token) => token.startsWith(sign)).map((token) => token.slice(1));
  const [answer = ''] = after('=');
  return (GROUPS[group] ?? [group]).flatMap((of) =>
    (only === undefined ? serversOf(of) : [only as Server]).map((server) => ({
      rule,
      of,
      server,
      right: after('+').map(readChange),
      wrong: after('-').map(readChange),
      answer: ANSWERS[answer] ?? answer,
    })),
  );
}

function serversOf(of: string): readonly Server[] {
  const name = GOOD_ROWS[of]?.operation ?? of;
  return SPEC_OPERATIONS.find((operation) => operation.name === name)?.servers === 'both' ? ['NA', 'UK'] : ['NA'];
}

function readChange(text: string): Change {
  const parts = text === '.' ? [] : text.split(', ');
  return Object.fromEntries(
    parts.map((part) => {
      const [, name = '', value] = /^!?([^=]*)(?:=(.*))?$/.exec(part) ?? [];
      return [name, value];
    }),
  );
}

/** What a call that breaks nothing is told. */
const GOOD = /^(?:OK|Received|Batch Process|shown$)/;

describe.each(STRICT)('$rule on $server, $of', ({ rule, of, server, right, wrong, answer }) => {
  it.each(right)('takes %j', async (change) => {
    expect(await told(of, server, change)).toMatch(GOOD);
  });

  it.each(wrong)('refuses %j, unless it is lenient or allows it', async (change) => {
    expect((await told(of, server, change)).slice(0, answer.length)).toBe(answer);
    expect(await told(of, server, change, { strict: false })).toMatch(GOOD);
    expect(await told(of, server, change, { allow: [rule as StrictRule] })).toMatch(GOOD);
  });
});

describe.each([...KEPT, ...FREE])('$rule on $server, $of', ({ of, server, right, wrong, answer }) => {
  it.each(right)('takes %j', async (change) => {
    expect(await told(of, server, change)).toMatch(GOOD);
  });

  it.each(wrong)('refuses %j, strict or not', async (change) => {
    for (const strict of [true, false]) {
      expect((await told(of, server, change, { strict })).slice(0, answer.length)).toBe(answer);
    }
  });
});

it.each([
  ['strict', STRICT, STRICT_RULES],
  ['kept', KEPT, KEPT_RULES],
  ['free', FREE, FREEDOMS],
] as const)('the specification and the tables have the same %s rules', (_, cases, table) => {
  expect(new Set(cases.map(({ rule }) => rule))).toEqual(new Set(Object.keys(table)));
});

/**
 * What the lack of a parameter is told where that is not usual: clients leave out some that the specification requires,
 * and the good call asks for some that are optional.
 */
const LACKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  processCreditCard: fine('cvv2 mop'),
  createCreditCardCustomerCode: {
    ...fine('customerIPAddress companyName phone fax alternatePhone email comment creditCardCustomerName'),
    ...fine('recurring amount beginDate endDate scheduleType'),
    scheduleDate: 'Bad request. scheduleDate',
    creditCardExpiry: '0Error:Invalid expiry date',
  },
  createACHEFTCustomerCode: { ...fine('address city state zipCode'), scheduleDate: 'Bad request. scheduleDate' },
  updateACHEFTCustomerCode: { accountNum: 'Bad request. accountNum' },
  updateCreditCardCustomerCode: { creditCardNum: 'Bad request. creditCardNum' },
  getCustomerListByCreationTimeCSV: { fromDate: 'Bad request. fromDate', toDate: 'Bad request. fromDate' },
  getCustomerListByCreationTimeXML: { fromDate: 'Bad request. fromDate', toDate: 'Bad request. fromDate' },
};

function fine(names: string): Record<string, string> {
  return Object.fromEntries(names.split(' ').map((name) => [name, 'OK']));
}

describe.each(SPEC_OPERATIONS)('$name', ({ name, yes, opt, unstated }) => {
  it.each([...opt, ...unstated])('may lack %s', async (parameter) => {
    const answer = LACKS[name]?.[parameter];
    expect(await told(name, 'NA', { [parameter]: undefined })).toMatch(answer ? new RegExp(`^${answer}`) : GOOD);
  });

  it.each(unstated)('takes a text for %s', async (parameter) => {
    expect(await told(name, 'NA', { [parameter]: 'x' })).toMatch(GOOD);
  });

  it.each(yes)('is not good without %s', async (parameter) => {
    const answer = LACKS[name]?.[parameter] ?? ANSWERS['NULL'] ?? '';
    expect((await told(name, 'NA', { [parameter]: undefined })).slice(0, answer.length)).toBe(answer);
  });
});

it('judges cards as on the day that is set, in calls, rows and records', async () => {
  const cardsValidAt = new Date('2010-01-31T23:00:00Z');
  const expired = { creditCardExpiry: '01/10' };
  for (const [of, change] of [
    ['processCreditCard', expired],
    ['createCreditCardCustomerCode', expired],
    ['updateCreditCardCustomerCode', expired],
    ['processCreditCardWithCustomerCode', { customerCode: 'OLD' }],
    ['usRow', { expiry: '0110' }],
  ] as const) {
    expect(await told(of, 'NA', change)).not.toMatch(GOOD);
    expect(await told(of, 'NA', change, { cardsValidAt })).toMatch(GOOD);
  }
});

it.each([
  ['OLD', 'REJECT: 24'],
  ['ALIEN', 'REJECT: 40'],
  ['C1', 'OK: 678594:'],
])('a recurring payment of %s is judged like any other: %s', async (customerCode, message) => {
  const { context, clock } = await furnish('NA', [customerCode], {});
  const change = { recurring: 'true', scheduleType: 'Weekly', scheduleDate: '1', updateCreditCardNum: 'false' };
  const fields = { ...LOGIN, customerCode, ...change, amount: '5', beginDate: '2026-07-01', endDate: '2027-07-01' };
  await say('updateCreditCardCustomerCode', fields, { ...context, strict: false });
  clock.advance(7 * 86_400_000);
  await runSchedules(context);
  expect(context.books.rows().filter(({ operation }) => operation === 'recurring')).toMatchObject([{ message }]);
});

describe('an account on both servers', () => {
  const RESTRICTED = ANSWERS['RESTRICTED']!;
  const CHARGE = { ...LOGIN, ...GOOD_CALLS['processCreditCard'] };

  it.each([
    ['UK', 'MAESTR', 'OK: 678594:'],
    ['UK', 'DSC', RESTRICTED],
    ['NA', 'DSC', 'OK: 678594:'],
    ['NA', 'MAESTR', RESTRICTED],
    [undefined, 'DSC', 'OK: 678594:'],
    [undefined, 'MAESTR', RESTRICTED],
  ] as const)('at the address of %s is told of %s: %s', async (server, mop, answer) => {
    const { context } = await makeContext({ accounts: [LOGIN] });
    expect(wordsOf(await say('processCreditCard', { ...CHARGE, mop }, context, server))).toBe(answer);
  });

  it('has recurring payments on both', async () => {
    const { context, clock } = await makeContext({ accounts: [LOGIN] });
    const schedule = { recurring: 'true', scheduleType: 'Weekly', scheduleDate: '1' };
    const record = { ...LOGIN, ...GOOD_CALLS['createCreditCardCustomerCode'], ...schedule };
    await say('createCreditCardCustomerCode', { ...record, mop: 'MAESTR' }, context, 'UK');
    await say('createCreditCardCustomerCode', { ...record, mop: 'DSC' }, context, 'NA');
    clock.set('2026-07-06T10:00:00Z');
    await runSchedules(context);
    expect(context.books.rows().map(({ message }) => message)).toEqual(['OK: 678594:', 'OK: 678594:']);
  });
});

it('logs a broken rule, once for a batch, and nothing of the call', async () => {
  const lines: string[] = [];
  const log = openLog({ destination: { write: (line: string) => lines.push(line) } });
  const { context } = await makeContext({ log });
  const row = Object.values({ ...GOOD_ROWS['usRow']!.row, mop: 'ZZZ' }).join(',');
  await say('processCreditCardBatch', { ...LOGIN, batchFile: toBase64(`${row}\n${row}`) }, context);
  const [{ time: _, level: __, msg, ...line }, ...others] = lines.map((text) => JSON.parse(text));
  expect(msg).toBe('a strict rule is broken; --allow switches it off');
  expect(line).toEqual({ rule: 'mop-known', operation: 'processCreditCardBatch' });
  expect(others.map((other) => other.msg)).toEqual(['batch taken']);
});

it('the decline of a test card wins over a rule about the card', async () => {
  const change = { creditCardNum: '4111111111111111', creditCardExpiry: '01/10', cvv2: '1', total: '5' };
  expect(await told('processCreditCard', 'NA', change)).toBe('REJECT: 15');
});

/** Makes a sandbox that holds those of the records and ids which are named, a month later. */
async function furnish(server: Server, named: readonly string[], settings: Partial<HandlerContext>) {
  const accounts = [{ ...LOGIN, server }];
  const { context, clock } = await makeContext({ accounts, batchDelayMs: 0, strict: true, ...settings });
  const lenient: HandlerContext = { ...context, strict: false, allow: [] };
  const first = async (name: string, operation: string, change: Fields) =>
    named.includes(name) ? say(operation, { ...LOGIN, ...GOOD_CALLS[operation], ...change }, lenient) : '';
  const record = (customerCode: string, change: Fields) =>
    first(customerCode, 'createCreditCardCustomerCode', { customerCode, ...change });
  await record('C1', {});
  await record('OLD', { creditCardExpiry: '06/26' });
  await record('ALIEN', { mop: server === 'NA' ? 'MAESTR' : 'DSC' });
  await first('B1', 'createACHEFTCustomerCode', { customerCode: 'B1' });
  clock.set('2026-07-15T10:00:00Z');
  const card = await first('CARD-ID', 'processCreditCard', { creditCardNum: '5555555555554444' });
  const ids: Call = {
    'CARD-ID': valueOf(card, 'TRANSACTIONID').trim(),
    'BANK-ID': valueOf(await first('BANK-ID', 'processACHEFT', {}), 'TRANSACTIONID').trim(),
    BATCH: valueOf(await first('BATCH', 'processCreditCardBatch', {}), 'BATCHID'),
  };
  return { context, clock, ids };
}

/** Returns what a changed call or row is told, in the words that decide. */
async function told(
  of: string,
  server: Server,
  change: Change,
  settings: Partial<HandlerContext> = {},
): Promise<string> {
  const kind = GOOD_ROWS[of];
  const fields = changed(kind?.row ?? { ...LOGIN, ...GOOD_CALLS[of] }, change);
  const { context, ids } = await furnish(server, Object.values(fields), settings);
  if (!kind) return wordsOf(await say(of, withIds(fields, ids), context));
  const batchFile = toBase64(Object.values(fields).join(','));
  const batchId = valueOf(await say(kind.operation, { ...LOGIN, batchFile }, context), 'BATCHID');
  const result = await say('getBatchProcessResultFile', { ...LOGIN, batchId }, context);
  const file = Buffer.from(valueOf(result, 'BATCHPROCESSRESULTFILE'), 'base64').toString('utf8');
  return file.trimEnd().split(',').at(-1) ?? '';
}

function changed(good: Call, change: Change): Fields {
  const all = Object.entries({ ...good, ...change });
  return Object.fromEntries(all.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

function withIds(fields: Fields, ids: Call): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, text]) => [name, ids[text] ?? text]));
}

async function say(operation: string, fields: Fields, context: HandlerContext, server?: Server): Promise<string> {
  const { headers, body } = bareRequest(operation.charAt(0).toUpperCase() + operation.slice(1), fields, 'soap 1.1');
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const target = { method: 'POST', path: '/', query: new URLSearchParams(), server };
  const call = { ...target, headers: lower, body: Buffer.from(body) };
  const service = SPEC_OPERATIONS.find(({ name }) => name === operation)?.service as ServiceName;
  return String((await answerCall({ service, isFirstVersion: false }, call, context)).body);
}

function wordsOf(answer: string): string {
  const words = [
    valueOf(answer, 'faultstring'),
    valueOf(answer, 'ERRORS'),
    valueOf(answer, 'AUTHORIZATIONRESULT').trim(),
  ];
  const said = words.find((text) => text !== '') ?? (/<CUSTOMERS|<FILE>/.test(answer) ? 'shown' : answer);
  return said.replaceAll('&apos;', "'");
}
