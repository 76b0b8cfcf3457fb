import type { ColumnName } from '../layouts.ts';
import type { OperationName } from '../operations.ts';
import { RESTRICTION_MESSAGES } from '../restrictions.ts';
import type { WireField } from '../wire.ts';

/**
 * A rule of the specification, or a freedom that it has in practice.
 *
 * `operations` those it is about; for the batch operations, their rows
 * `elements`   what it looks at, in calls and in the columns that carry the same
 * `columns`    what it looks at, in rows alone
 * `asks`       what must hold, to be read after the names of the elements
 * `answers`    what a call or row that breaks it gets, by the stage of the call
 * `certainty`  `known`: seen in public clients or the vendor's pages. `words`: the words are, but not that they stand
 *   here. `assumption`: no source shows the answer
 * `why`        the proof, or the reason
 */
export type RuleRow = {
  readonly operations: readonly OperationName[];
  readonly elements?: readonly WireField[];
  readonly columns?: readonly ColumnName[];
  readonly asks: string;
  readonly answers: Readonly<Partial<Record<RuleStage, string>>>;
  readonly certainty: 'known' | 'words' | 'assumption';
  readonly why?: string;
};

/**
 * Where in a call a rule answers, in this order.
 *
 * `fault`   a SOAP fault, before anything else
 * `absent`  an element is not there at all: STATUS Failure, before the login
 * `failure` STATUS Failure, after the login
 * `record`  the text of an operation on customer records
 * `format`  the message of a row that was not understood
 * `decline` the text of a charge or row that the test cards would have approved
 */
export type RuleStage = 'fault' | 'absent' | 'failure' | 'record' | 'format' | 'decline';

/** What .NET says when the service touches an element that is not there. */
export const NULL_REFERENCE = 'Object reference not set to an instance of an object.';

const CHARGE = 'processCreditCard';
const CHARGE_STORED = 'processCreditCardWithCustomerCode';
const CHARGE_NEW = 'createCustomerCodeAndProcessCreditCard';
const DEBIT = 'processACHEFT';
const DEBIT_NEW = 'createCustomerCodeAndProcessACHEFT';
const NEW_CARD = 'createCreditCardCustomerCode';
const NEW_BANK = 'createACHEFTCustomerCode';
const CHANGE_CARD = 'updateCreditCardCustomerCode';
const CHANGE_BANK = 'updateACHEFTCustomerCode';
const CARD_ROWS = 'processCreditCardBatch';
const RECORDS = [NEW_CARD, NEW_BANK, CHANGE_CARD, CHANGE_BANK] as const;
const LISTS = ['getCustomerListByCreationTimeCSV', 'getCustomerListByCreationTimeXML'] as const;
const BATCHES = [CARD_ROWS, 'processACHEFTChargeBatch', 'processACHEFTRefundBatch'] as const;

const IS_THERE = 'must be there, even if empty';

/**
 * The rules that only a strict sandbox applies: clients that break them do not work with the specification. Where a
 * public client breaks one with success, it is not here but among the freedoms (`service-rules.ts`). The first broken
 * rule of a stage answers.
 */
export const STRICT_RULES = {
  'names-given': {
    operations: [CHARGE, CHARGE_NEW, DEBIT_NEW, NEW_CARD, NEW_BANK],
    elements: ['firstName', 'lastName'],
    asks: IS_THERE,
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  'address-given': {
    operations: [CHARGE, CHARGE_NEW, DEBIT_NEW, NEW_CARD],
    elements: ['address', 'city', 'state', 'zipCode'],
    asks: IS_THERE,
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
    why: 'Empty ones are known to work. Give can charge without them; allow it for such a client.',
  },
  'expiry-given': {
    operations: [CHARGE],
    elements: ['creditCardExpiry'],
    asks: IS_THERE,
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  'new-expiry-given': {
    operations: [CHARGE_NEW],
    elements: ['ccExp'],
    asks: IS_THERE,
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  'account-type-given': {
    operations: [DEBIT, DEBIT_NEW],
    elements: ['accountType'],
    asks: 'must be there',
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  'list-code-given': {
    operations: LISTS,
    elements: ['customerCode'],
    asks: 'must be there; empty means every record',
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  'mop-known': {
    operations: [CHARGE, NEW_CARD, CHANGE_CARD, CARD_ROWS],
    elements: ['mop'],
    asks: 'must be a method of payment, spelled exactly, if it is there; a stored record may have an empty one',
    answers: { failure: RESTRICTION_MESSAGES.currency, format: 'Wrong Format' },
    certainty: 'words',
  },
  'mop-of-server': {
    operations: [CHARGE, CHARGE_STORED, NEW_CARD, CHANGE_CARD, CARD_ROWS],
    elements: ['mop'],
    asks: 'must be one of the server: DSC in North America, MAESTR in the UK only; also that of a stored record',
    answers: { failure: RESTRICTION_MESSAGES.currency, decline: 'REJECT: 40' },
    certainty: 'words',
    why: 'An account on both servers is on that of the address (`--port-uk`), else in North America; its recurring payments may use either.',
  },
  'account-type-known': {
    operations: [DEBIT, DEBIT_NEW, NEW_BANK, CHANGE_BANK],
    elements: ['accountType'],
    asks: 'must be CHECKING or SAVING, in any case, with or without a final S; a stored record may have none',
    answers: { failure: 'Bad request. accountType must be CHECKING or SAVING.' },
    certainty: 'assumption',
    why: '`Checking` and `SAVINGS` are known to work.',
  },
  'schedule-type': {
    operations: RECORDS,
    elements: ['scheduleType'],
    asks: 'must be empty or Weekly, Monthly, Quarterly or Annually, spelled exactly',
    answers: { failure: 'Bad request. scheduleType must be Weekly, Monthly, Quarterly or Annually.' },
    certainty: 'assumption',
  },
  'schedule-date': {
    operations: RECORDS,
    elements: ['scheduleDate'],
    asks: 'must be 1 to 31 for Monthly, 1 to 7 for Weekly, and empty for Quarterly and Annually',
    answers: {
      failure:
        'Bad request. scheduleDate must be 1 to 31 for Monthly, 1 to 7 for Weekly, and empty for Quarterly and Annually.',
    },
    certainty: 'assumption',
  },
  'schedule-amount': {
    operations: RECORDS,
    elements: ['amount'],
    asks: 'must be empty or an amount from 0',
    answers: { failure: 'Bad request. amount must be a decimal number from 0.' },
    certainty: 'assumption',
    why: '0 is known to work.',
  },
  'schedule-complete': {
    operations: RECORDS,
    elements: ['scheduleType', 'amount', 'beginDate', 'endDate'],
    asks: 'must be given when `recurring` is true, the amount above 0',
    answers: { failure: 'Bad request. A recurring payment needs scheduleType, amount, beginDate and endDate.' },
    certainty: 'assumption',
  },
  'schedule-order': {
    operations: RECORDS,
    elements: ['beginDate', 'endDate'],
    asks: 'must be in order when `recurring` is true; both may be the same',
    answers: { failure: 'Bad request. beginDate must not be after endDate.' },
    certainty: 'assumption',
  },
  'list-range-given': {
    operations: LISTS,
    elements: ['fromDate', 'toDate'],
    asks: 'must be there',
    answers: { failure: 'Bad request. fromDate and toDate must be given.' },
    certainty: 'assumption',
  },
  'list-range-order': {
    operations: LISTS,
    elements: ['fromDate', 'toDate'],
    asks: 'must be in order',
    answers: { failure: 'Bad request. fromDate must not be after toDate.' },
    certainty: 'assumption',
  },
  'new-card-number': {
    operations: [CHANGE_CARD],
    elements: ['creditCardNum'],
    asks: 'must not be empty when `updateCreditCardNum` is true',
    answers: { failure: 'Bad request. creditCardNum must be given when updateCreditCardNum is true.' },
    certainty: 'assumption',
  },
  'new-account-number': {
    operations: [CHANGE_BANK],
    elements: ['accountNum'],
    asks: 'must not be empty when `updateAccountNum` is true',
    answers: { failure: 'Bad request. accountNum must be given when updateAccountNum is true.' },
    certainty: 'assumption',
  },
  'file-not-empty': {
    operations: BATCHES,
    elements: ['batchFile'],
    asks: 'must hold a row',
    answers: { failure: 'Bad request. batchFile must not be empty.' },
    certainty: 'assumption',
  },
  'stored-account-number': {
    operations: [NEW_BANK, CHANGE_BANK],
    elements: ['accountNum'],
    asks: 'must be digits only; it may be empty, and an update looks at it when `updateAccountNum` is true',
    answers: { record: '0Error:Invalid account number' },
    certainty: 'assumption',
    why: 'A record with nothing in it is known to be stored.',
  },
  'canadian-layout': {
    operations: [CARD_ROWS],
    columns: ['fullName'],
    asks: 'is of the layout for Canadian clients, who are not on the UK server',
    answers: { format: 'Wrong Format' },
    certainty: 'assumption',
  },
  'expiry-form': {
    operations: [CHARGE, CHARGE_NEW],
    elements: ['creditCardExpiry', 'ccExp'],
    asks: 'must be MM/YY',
    answers: { decline: 'REJECT: 41' },
    certainty: 'assumption',
  },
  'card-not-expired': {
    operations: [CHARGE, CHARGE_STORED, CHARGE_NEW, CARD_ROWS],
    elements: ['creditCardExpiry', 'ccExp'],
    asks: 'must not be over; a card is good to the end of its month. Also of a stored card, in every way to charge it',
    answers: { decline: 'REJECT: 24' },
    certainty: 'assumption',
    why: '`--cards-valid-at` names the day to judge by. Old cards that the public PHP suite stores and charges are good with its dates, unless the sandbox has `--no-public-suites`.',
  },
  'security-code-form': {
    operations: [CHARGE, CHARGE_STORED, CHARGE_NEW],
    elements: ['cvv2'],
    asks: 'must have 3 or 4 digits, if there is one',
    answers: { decline: 'REJECT: 19' },
    certainty: 'assumption',
  },
} as const satisfies Record<string, RuleRow>;

/** A rule that a strict sandbox applies, and that can be switched off. */
export type StrictRule = keyof typeof STRICT_RULES;

export const STRICT_RULE_IDS = Object.keys(STRICT_RULES) as readonly StrictRule[];
