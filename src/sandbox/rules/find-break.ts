import type { FieldName } from '../../../schemas/fields.ts';
import type { OperationName, Server } from '../../../schemas/operations.ts';
import { CURRENCY_MOPS } from '../../../schemas/restrictions.ts';
import {
  type RuleRow,
  type RuleStage,
  STRICT_RULE_IDS,
  STRICT_RULES,
  type StrictRule,
} from '../../../schemas/sandbox/strict-rules.ts';
import type { WireField } from '../../../schemas/wire.ts';
import type { Customer } from '../customers/customer.ts';
import { isSuiteCard } from '../batch/magic-cards.ts';
import type { HandlerContext } from '../handlers/handler.ts';
import { LARGEST_TOTAL_CENTS, parseAmount } from '../../kernel/money.ts';
import type { Parameters } from '../soap/read-parameters.ts';

/** The strict rules that apply to an account now. */
export type RuleSetting = {
  readonly isApplied: (rule: StrictRule) => boolean;
  readonly server: Server | 'either';
  /** Cards are judged as on this day. */
  readonly cardsAt: Date;
  /** Whether old cards of the public suite are good. */
  readonly publicSuites: boolean;
  /** Notes a broken rule, for the developer of the client: few answers name it. */
  readonly note: (rule: StrictRule, operation: OperationName) => void;
};

/**
 * Returns what applies to an account of a server; none of the rules when the sandbox is lenient. Assumption: an account
 * on both servers is on that of North America, unless the address of the call says otherwise.
 */
export function ruleSetting(
  { strict, allow, cardsValidAt, publicSuites = false, clock, log }: RuleContext,
  server: Server | 'either' = 'NA',
): RuleSetting {
  const noted = new Set<StrictRule>();
  return {
    isApplied: (rule) => strict && !allow.includes(rule),
    server,
    cardsAt: cardsValidAt ?? clock.now(),
    publicSuites,
    note: (rule, operation) => {
      if (!noted.has(rule)) log.info({ rule, operation }, 'a strict rule is broken; --allow switches it off');
      noted.add(rule);
    },
  };
}

type RuleContext = Pick<HandlerContext, 'strict' | 'allow' | 'cardsValidAt' | 'publicSuites' | 'clock' | 'log'>;

/** Returns the strict rules that can answer at a stage of an operation. */
export function rulesAt(stage: RuleStage, operation: OperationName): readonly StrictRule[] {
  const key = `${stage} ${operation}`;
  const known = AT.get(key);
  if (known) return known;
  const rules = STRICT_RULE_IDS.filter((id) => {
    const { answers, operations }: RuleRow = STRICT_RULES[id];
    return answers[stage] !== undefined && operations.includes(operation);
  });
  AT.set(key, rules);
  return rules;
}

const AT = new Map<string, readonly StrictRule[]>();

/**
 * Finds the first rule of a stage that a call, a row or a stored record breaks.
 * @returns the answer of that rule, or undefined
 */
export function findBreak(
  stage: RuleStage,
  operation: OperationName,
  values: Parameters,
  setting: RuleSetting,
): string | undefined {
  const broken = rulesAt(stage, operation).find((id) => {
    if (!setting.isApplied(id)) return false;
    return !(isGiven(id) ? isThere(STRICT_RULES[id], values) : KEPT[id](values, { operation, ...setting }));
  });
  if (broken === undefined) return undefined;
  setting.note(broken, operation);
  const { answers }: RuleRow = STRICT_RULES[broken];
  return answers[stage];
}

/** The rules that ask for elements to be there need no code of their own. */
type GivenRule = {
  [Id in StrictRule]: (typeof STRICT_RULES)[Id]['answers'] extends { readonly absent: string } ? Id : never;
}[StrictRule];

function isGiven(id: StrictRule): id is GivenRule {
  return 'absent' in STRICT_RULES[id].answers;
}

function isThere({ elements = [] }: RuleRow, values: Parameters): boolean {
  return elements.every((name) => values.text(name) !== undefined);
}

type Circumstances = RuleSetting & { readonly operation: OperationName };

/** Whether each rule is kept. A value that is not there breaks none of them, unless the rule says so. */
const KEPT: Record<Exclude<StrictRule, GivenRule>, (values: Parameters, circumstances: Circumstances) => boolean> = {
  'mop-known': ({ text }, { operation }) => {
    const mop = text('mop');
    return mop === undefined || isAnyMop(mop) || (mop === '' && STORING.includes(operation));
  },
  'mop-of-server': ({ text }, { server }) => {
    const mop = text('mop');
    return mop === undefined || !isAnyMop(mop) || server === 'either' || MOPS[server].has(mop);
  },
  'account-type-known': ({ text }, { operation }) => {
    const type = text('accountType')?.trim();
    return type === undefined || /^(?:CHECKING|SAVINGS?)$/i.test(type) || (type === '' && STORING.includes(operation));
  },
  'schedule-type': ({ text }) => ['', ...SCHEDULE_TYPES].includes(text('scheduleType') ?? ''),
  'schedule-date': ({ text }) => {
    const date = text('scheduleDate') ?? '';
    switch (text('scheduleType') ?? '') {
      case 'Weekly':
        return isFromOneTo(7, date);
      case 'Monthly':
        return isFromOneTo(31, date);
      case 'Quarterly':
      case 'Annually':
        return date === '';
      default:
        return true;
    }
  },
  'schedule-amount': ({ text }) => {
    const amount = text('amount') ?? '';
    return amount === '' || (centsOf(amount) ?? -1) >= 0;
  },
  'schedule-complete': (values) =>
    values.flag('recurring') !== true ||
    (!isEmpty(values.text('scheduleType')) &&
      (centsOf(values.text('amount') ?? '') ?? 0) > 0 &&
      dayOf(values, 'beginDate') !== undefined &&
      dayOf(values, 'endDate') !== undefined),
  'schedule-order': (values) =>
    values.flag('recurring') !== true || isInOrder(dayOf(values, 'beginDate'), dayOf(values, 'endDate')),
  'list-range-given': ({ moment }) => moment('fromDate') !== undefined && moment('toDate') !== undefined,
  'list-range-order': ({ moment }) => isInOrder(moment('fromDate'), moment('toDate')),
  'new-card-number': ({ text, flag }) => flag('updateCreditCardNum') !== true || !isEmpty(text('creditCardNum')),
  'new-account-number': ({ text, flag }) => flag('updateAccountNum') !== true || !isEmpty(text('accountNum')),
  'file-not-empty': ({ bytes }) => bytes('batchFile')?.some((byte) => byte > SPACE) ?? true,
  'stored-account-number': ({ text, flag }, { operation }) =>
    (operation === 'updateACHEFTCustomerCode' && flag('updateAccountNum') !== true) ||
    /^\d*$/.test(text('accountNum')?.trim() ?? ''),
  // The column with the full name, which only that layout has, carries the name on the card.
  'canadian-layout': ({ text }, { server }) => server !== 'UK' || text('creditCardCustomerName') === undefined,
  'expiry-form': (values, { operation }) => {
    const expiry = expiryOf(values, operation);
    return expiry === undefined || /^(?:0[1-9]|1[0-2])\/\d\d$/.test(expiry);
  },
  'card-not-expired': (values, { operation, cardsAt, publicSuites }) => {
    const expiry = expiryOf(values, operation) ?? '';
    if (publicSuites && isSuiteCard(values.text('creditCardNum') ?? values.text('ccNum') ?? '', expiry)) return true;
    const [, month, year] = /^(0[1-9]|1[0-2])\/?(\d\d)$/.exec(expiry)?.map(Number) ?? [];
    // `Date.UTC` counts months from 0, so this is the first day of the next month.
    return month === undefined || year === undefined || Date.UTC(2000 + year, month) > cardsAt.getTime();
  },
  'security-code-form': ({ text }) => /^(?:\d{3,4})?$/.test(text('cvv2')?.trim() ?? ''),
};

const MOPS = {
  NA: new Set(Object.values(CURRENCY_MOPS.NA).flat()),
  UK: new Set(Object.values(CURRENCY_MOPS.UK).flat()),
} as const satisfies Record<Server, ReadonlySet<string>>;

function isAnyMop(text: string): boolean {
  return MOPS.NA.has(text) || MOPS.UK.has(text);
}

/** Operations that store a record; it may say nothing about its payment. */
const STORING: readonly OperationName[] = [
  'createCreditCardCustomerCode',
  'createACHEFTCustomerCode',
  'updateCreditCardCustomerCode',
  'updateACHEFTCustomerCode',
];

const SCHEDULE_TYPES = ['Weekly', 'Monthly', 'Quarterly', 'Annually'];
const NO_DAY_MS = Date.parse('0001-01-01T23:59:59Z');
const SPACE = 32;

/** Returns the day of an element. .NET's date for none counts as none. */
function dayOf({ moment }: Parameters, name: 'beginDate' | 'endDate'): Date | undefined {
  const day = moment(name);
  return day !== undefined && day.getTime() > NO_DAY_MS ? day : undefined;
}

function expiryOf({ text }: Parameters, operation: OperationName): string | undefined {
  return text(operation === 'createCustomerCodeAndProcessCreditCard' ? 'ccExp' : 'creditCardExpiry')?.trim();
}

function isFromOneTo(last: number, text: string): boolean {
  return /^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= last;
}

function centsOf(text: string): number | undefined {
  const cents = parseAmount(text.trim().replace(',', '.'), LARGEST_TOTAL_CENTS);
  return typeof cents === 'number' ? cents : undefined;
}

function isInOrder(from: Date | undefined, to: Date | undefined): boolean {
  return from === undefined || to === undefined || from <= to;
}

function isEmpty(text: string | undefined): boolean {
  return (text ?? '').trim() === '';
}

/** Returns values that are texts alone, such as those of a row. */
export function textValues(texts: Readonly<Partial<Record<FieldName, string>>>): Parameters {
  const known: Readonly<Record<string, string | undefined>> = texts;
  return { text: (name) => known[name], bytes: () => undefined, flag: () => undefined, moment: () => undefined };
}

/** Returns what a stored card shows when it is charged. */
export function cardValues({ number, method, expiry }: Pick<Customer, 'number' | 'method' | 'expiry'>): Parameters {
  return textValues({ creditCardNum: number, creditCardExpiry: expiry, ...(method === '' ? {} : { mop: method }) });
}

const OF_RECORD: readonly string[] = ['mop', 'creditCardNum', 'creditCardExpiry'];

/** Returns the values of a charge by customer code: how the record pays stands in the record alone. */
export function chargeValues(call: Parameters, record: Customer): Parameters {
  const card = cardValues(record);
  return { ...call, text: (name) => (OF_RECORD.includes(name) ? card : call).text(name) };
}

/** Returns the values of an update, and behind them those of the record that it changes, as they will be together. */
export function updateValues(call: Parameters, { kind, method, schedule }: Customer): Parameters {
  const { amount, scheduleType, scheduleDate } = schedule;
  const { text } = textValues({ amount, scheduleType, scheduleDate, ...(kind === 'card' ? { mop: method } : {}) });
  const days = new Map<WireField, Date>([
    ['beginDate', new Date(`${schedule.beginDate}Z`)],
    ['endDate', new Date(`${schedule.endDate}Z`)],
  ]);
  return {
    ...call,
    text: (name) => call.text(name) ?? text(name),
    flag: (name) => call.flag(name) ?? (name === 'recurring' ? schedule.recurring : undefined),
    moment: (name) => call.moment(name) ?? days.get(name),
  };
}
