import { type OperationName, OPERATIONS } from '../operations.ts';
import { RESTRICTION_MESSAGES } from '../restrictions.ts';
import { NULL_REFERENCE, type RuleRow } from './strict-rules.ts';

const ALL = Object.keys(OPERATIONS) as readonly OperationName[];
const NA_ONLY = ALL.filter((name) => OPERATIONS[name].servers.length === 1);
const CARD_GIVEN = ['processCreditCard', 'createCustomerCodeAndProcessCreditCard'] as const;
const CARD_STORED = 'processCreditCardWithCustomerCode';
const BANK_GIVEN = ['processACHEFT', 'createCustomerCodeAndProcessACHEFT'] as const;
const BANK_STORED = 'processACHEFTWithCustomerCode';
const CHARGES = [...CARD_GIVEN, CARD_STORED, ...BANK_GIVEN, BANK_STORED] as const;
const REFUNDS = ['processCreditCardRefundWithTransactionId', 'processACHEFTRefundWithTransactionId'] as const;
const CARD_ROWS = 'processCreditCardBatch';
const CHARGE_ROWS = 'processACHEFTChargeBatch';
const REFUND_ROWS = 'processACHEFTRefundBatch';
const BATCHES = [CARD_ROWS, CHARGE_ROWS, REFUND_ROWS] as const;
const CREATE_CARD = 'createCreditCardCustomerCode';
const CREATE_BANK = 'createACHEFTCustomerCode';
const UPDATE_CARD = 'updateCreditCardCustomerCode';
const UPDATE_BANK = 'updateACHEFTCustomerCode';
const DETAIL = 'getCustomerCodeDetail';
const NAMING = ['deleteCustomerCode', DETAIL, 'getBatchProcessResultFile'] as const;
const LISTS = ['getCustomerListByCreationTimeCSV', 'getCustomerListByCreationTimeXML'] as const;
const NO_WORDS = { answers: {}, certainty: 'known' } as const;

/** The rules that every sandbox applies, strict or not. */
export const KEPT_RULES = {
  'typed-values': {
    operations: ALL,
    asks: 'booleans are true, false, 1 or 0, dates are ISO 8601, and files are base64',
    answers: { fault: 'There is an error in XML document' },
    certainty: 'known',
  },
  'number-given': {
    operations: [...CARD_GIVEN, ...BANK_GIVEN, CREATE_CARD],
    elements: ['creditCardNum', 'ccNum', 'accountNum'],
    asks: 'the one of the operation must be there',
    answers: { absent: NULL_REFERENCE },
    certainty: 'known',
  },
  'total-given': {
    operations: [...CHARGES, ...REFUNDS],
    elements: ['total'],
    asks: 'must be there',
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  'target-given': {
    operations: [CARD_STORED, BANK_STORED, UPDATE_CARD, UPDATE_BANK, ...NAMING, ...REFUNDS, ...BATCHES],
    elements: ['customerCode', 'transactionId', 'batchFile', 'batchId'],
    asks: 'the one of the operation must be there',
    answers: { absent: NULL_REFERENCE },
    certainty: 'assumption',
  },
  login: {
    operations: ALL,
    asks: 'agent code and password are those of an account',
    answers: { decline: 'REJECT: 1' },
    certainty: 'known',
    why: 'Operations on records say `Error : Invalid Username or Password.`, reports Failure.',
  },
  'server-of-operation': {
    operations: NA_ONLY,
    asks: 'is for the North American server only',
    answers: { failure: RESTRICTION_MESSAGES.server },
    certainty: 'words',
  },
  'text-length': {
    operations: ALL,
    asks: 'texts have the [lengths of fields](fields.md) at most; `--cut-long-values` cuts them instead',
    answers: { failure: 'characters at most' },
    certainty: 'assumption',
  },
  'stored-card-number': {
    operations: [CREATE_CARD, UPDATE_CARD],
    elements: ['creditCardNum'],
    asks: 'must have 13 to 19 digits and a right check digit; an update looks at it when `updateCreditCardNum` is true',
    answers: { record: '0Error:Invalid credit card number' },
    certainty: 'known',
  },
  'stored-expiry': {
    operations: [CREATE_CARD, UPDATE_CARD],
    elements: ['creditCardExpiry'],
    asks: 'must be MM/YY and not over; an update looks at it when it changes',
    answers: { record: '0Error:Invalid expiry date' },
    certainty: 'known',
  },
  'code-free': {
    operations: [CREATE_CARD, CREATE_BANK],
    elements: ['customerCode'],
    asks: 'must not have a record yet',
    answers: { record: '0Error:Duplicate customer code' },
    certainty: 'assumption',
  },
  'record-known': {
    operations: [UPDATE_CARD, UPDATE_BANK],
    elements: ['customerCode'],
    asks: 'must have a record of this kind',
    answers: { record: '0Can not find the Customer Code' },
    certainty: 'known',
  },
  'detail-known': {
    operations: [DETAIL],
    elements: ['customerCode'],
    asks: 'must have a record',
    answers: { record: "Error : The customer code doesn't exist!" },
    certainty: 'known',
  },
  'batch-known': {
    operations: ['getBatchProcessResultFile'],
    elements: ['batchId'],
    asks: 'must be a batch of the account',
    answers: { record: 'Error : Invalid Batch ID.' },
    certainty: 'assumption',
  },
  'row-columns': {
    operations: BATCHES,
    asks: 'a row has as many columns as a [layout](layouts.md) of the operation',
    answers: { format: 'Wrong Format' },
    certainty: 'known',
  },
  'row-date': {
    operations: [CARD_ROWS],
    columns: ['date'],
    asks: 'must be a day of the calendar, MM/DD/YYYY on both servers',
    answers: { format: 'Wrong Format' },
    certainty: 'assumption',
    why: 'Public clients write it so in North America.',
  },
  'row-amount': {
    operations: BATCHES,
    columns: ['amount'],
    asks: 'must be a decimal number without a currency sign, negative for refunds alone, and not 0',
    answers: { format: 'Wrong Format' },
    certainty: 'assumption',
  },
  'row-account-type': {
    operations: [CHARGE_ROWS, REFUND_ROWS],
    columns: ['accountType'],
    asks: 'must be CHECKING or SAVING, in any case, with or without a final S',
    answers: { format: 'Wrong Format' },
    certainty: 'assumption',
  },
  'row-expiry': {
    operations: [CARD_ROWS],
    columns: ['expiry'],
    asks: 'must be MMYY or MM/YY',
    answers: { format: 'Wrong Format' },
    certainty: 'assumption',
  },
  'card-number': {
    operations: [...CARD_GIVEN, CARD_ROWS],
    elements: ['creditCardNum', 'ccNum'],
    asks: 'must be digits with a right check digit',
    answers: { decline: 'REJECT: 40' },
    certainty: 'known',
  },
  'account-number': {
    operations: [...BANK_GIVEN, CHARGE_ROWS, REFUND_ROWS],
    elements: ['accountNum'],
    asks: 'must have 4 to 26 digits, without spaces or dashes',
    answers: { decline: 'REJECT: 40' },
    certainty: 'known',
  },
  'code-known': {
    operations: [CARD_STORED, BANK_STORED],
    elements: ['customerCode'],
    asks: 'must have a record of this kind',
    answers: { decline: 'REJECT: 3' },
    certainty: 'assumption',
  },
  'row-code': {
    operations: BATCHES,
    columns: ['customerCode'],
    asks: 'must not be empty, begin with X, or have a record of another kind',
    answers: { decline: 'REJECT: 3' },
    certainty: 'assumption',
    why: 'A code without a record is good, so that a file can be tried.',
  },
  'total-positive': {
    operations: CHARGES,
    elements: ['total'],
    asks: 'must be a decimal number above 0 with two decimals at most; a comma is a point',
    answers: { decline: 'REJECT: 5' },
    certainty: 'assumption',
  },
  'total-negative': {
    operations: REFUNDS,
    elements: ['total'],
    asks: 'must be a decimal number below 0',
    answers: { decline: 'REJECT: 5' },
    certainty: 'assumption',
  },
  'largest-total': {
    operations: [...CARD_GIVEN, CARD_STORED, CARD_ROWS],
    elements: ['total'],
    asks: 'must be 2000.00 at most, as on the test account',
    answers: { decline: 'REJECT: 39' },
    certainty: 'known',
  },
  'charge-known': {
    operations: REFUNDS,
    elements: ['transactionId'],
    asks: 'must be an approved charge of the account, of the same kind',
    answers: { decline: 'REJECT: 39' },
    certainty: 'known',
  },
  'refund-within-charge': {
    operations: REFUNDS,
    elements: ['total'],
    asks: 'must not exceed what is left of the charge, except with card 4222222222222220',
    answers: { decline: 'REJECT: 15' },
    certainty: 'assumption',
  },
} as const satisfies Record<string, RuleRow>;

/** What the specification says and the sandbox does not check, because public clients do otherwise, or nobody knows. */
export const FREEDOMS = {
  'card-details-may-lack': {
    ...NO_WORDS,
    operations: ['processCreditCard'],
    elements: ['cvv2', 'mop'],
    asks: 'may be left out',
    why: "CiviCRM's request class often leaves out the first, and always the second.",
  },
  'card-record-may-lack': {
    ...NO_WORDS,
    operations: [CREATE_CARD],
    elements: ['customerIPAddress', 'companyName', 'phone', 'fax', 'alternatePhone', 'email', 'comment'],
    asks: 'may be left out, like `scheduleType`, `scheduleDate` and `creditCardCustomerName`',
    why: 'ActiveMerchant leaves them out.',
  },
  'bank-record-may-lack': {
    ...NO_WORDS,
    operations: [CREATE_BANK],
    elements: ['address', 'city', 'state', 'zipCode'],
    asks: 'may be left out, and everything may be empty',
    why: 'A Ruby client leaves them out; the PHP wrapper stores an empty record.',
  },
  'address-of-payer': {
    ...NO_WORDS,
    operations: ALL,
    elements: ['customerIPAddress'],
    asks: 'may be anything; only 192.00 on card 4111111111111111 looks at it',
    why: 'The PHP wrapper sends 100.',
  },
  'invoice-again': {
    ...NO_WORDS,
    operations: CHARGES,
    elements: ['invoiceNum'],
    asks: 'may be left out, and may come again',
    why: 'It is a label. Batch rows have duplicates, single charges do not.',
  },
  'unknown-elements': {
    ...NO_WORDS,
    operations: ALL,
    asks: 'elements that the operation does not have are ignored, such as `currency`',
    why: 'ActiveMerchant sends some.',
  },
  'dates-without-offset': {
    ...NO_WORDS,
    operations: [CREATE_CARD, CREATE_BANK, UPDATE_CARD, UPDATE_BANK, ...LISTS],
    elements: ['beginDate', 'endDate', 'fromDate', 'toDate'],
    asks: 'may lack the UTC offset',
    why: 'PHP and .NET clients send dates without one.',
  },
  'delete-unknown': {
    ...NO_WORDS,
    operations: ['deleteCustomerCode'],
    elements: ['customerCode'],
    asks: 'may have no record',
    why: 'The PHP wrapper deletes -1.',
  },
  'country-of-account': {
    operations: [CARD_ROWS],
    asks: 'a North American account may use both layouts of cards',
    answers: {},
    certainty: 'assumption',
    why: 'The sandbox does not know whether the account is Canadian.',
  },
  'currency-of-account': {
    operations: [...CHARGES, CARD_ROWS],
    asks: 'a method of payment that the server takes in one of its currencies is good',
    answers: {},
    certainty: 'assumption',
    why: 'The sandbox does not know the currency of the account, and no call names it.',
  },
} as const satisfies Record<string, RuleRow>;
