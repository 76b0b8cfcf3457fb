import type { FieldName } from './fields.ts';

/**
 * The 20 operations of the service, in the spec's spelling. On the wire the first letter is a capital.
 *
 * `service`   which of the ASMX services answers it
 * `servers`   `NA` for operations of North America clients only, else both
 * `effect`    a `read` may be repeated freely, a `write` changes a stored record, a `charge` moves money
 * `checksCurrency` the restriction check requires currency and method of payment. Assumption: only where the spec has a
 *             parameter for it; public clients force it in the two other card charges too, and so cannot make them as
 *             the spec describes
 * `required`, `optional`, `unstated`  parameters by the spec's column `Req`: yes, opt, ?
 * `wire`      order of the elements after agentCode, password and customerIPAddress
 */
type OperationRow = {
  readonly service: 'ProcessLink' | 'CustomerLink';
  readonly servers: readonly Server[];
  readonly effect: 'read' | 'write' | 'charge';
  readonly checksCurrency: boolean;
  readonly purpose: string;
  readonly required: readonly FieldName[];
  readonly optional: readonly FieldName[];
  readonly unstated: readonly FieldName[];
  readonly wire: readonly FieldName[];
};

export type Server = 'NA' | 'UK';

/** Namespace of every element of the service, the same on both servers. */
export const SERVICE_NAMESPACE = 'https://www.iatspayments.com/NetGate/';

/** Base address of each server. */
export const SERVER_URLS = {
  NA: 'https://www.iatspayments.com',
  UK: 'https://www.uk.iatspayments.com',
} as const satisfies Record<Server, string>;

const BOTH = ['NA', 'UK'] as const;
const NA_ONLY = ['NA'] as const;
const ITEMS = ['item1', 'item2', 'item3', 'item4', 'item5', 'item6'] as const;
const ADDRESS = ['firstName', 'lastName', 'address', 'city', 'state', 'zipCode'] as const;
const EXTRAS = ['title', 'phone', 'phone2', 'fax', 'email', 'country', ...ITEMS] as const;
const RECURRING = ['recurring', 'amount', 'beginDate', 'endDate', 'scheduleType', 'scheduleDate'] as const;
const CONTACT = ['phone', 'fax', 'alternatePhone', 'email', 'comment'] as const;
const RECORD_EXTRAS = ['title', 'country', ...ITEMS] as const;
/** What a customer record holds besides its code and payment details. */
const CUSTOMER = [
  'firstName',
  'lastName',
  'companyName',
  'address',
  'city',
  'state',
  'zipCode',
  ...CONTACT,
  ...RECURRING,
] as const;
const CUSTOMER_WIRE = ['customerCode', ...CUSTOMER] as const;
const CARD = ['creditCardCustomerName', 'creditCardNum', 'creditCardExpiry'] as const;
const BANK_ACCOUNT = ['accountCustomerName', 'accountNum', 'accountType'] as const;

export const OPERATIONS = {
  createACHEFTCustomerCode: {
    service: 'CustomerLink',
    servers: NA_ONLY,
    effect: 'write',
    checksCurrency: false,
    purpose: 'Create a customer code with a bank account',
    required: ADDRESS,
    optional: ['customerIPAddress', 'customerCode', 'companyName', ...CONTACT, ...RECURRING, ...BANK_ACCOUNT],
    unstated: RECORD_EXTRAS,
    wire: [...CUSTOMER_WIRE, ...BANK_ACCOUNT, ...RECORD_EXTRAS],
  },
  createCreditCardCustomerCode: {
    service: 'CustomerLink',
    servers: BOTH,
    effect: 'write',
    checksCurrency: false,
    purpose: 'Create a customer code with a credit card',
    required: ['customerIPAddress', ...CUSTOMER, ...CARD],
    optional: ['customerCode', 'mop'],
    unstated: RECORD_EXTRAS,
    wire: [...CUSTOMER_WIRE, ...CARD, 'mop', ...RECORD_EXTRAS],
  },
  updateACHEFTCustomerCode: {
    service: 'CustomerLink',
    servers: NA_ONLY,
    effect: 'write',
    checksCurrency: false,
    purpose: 'Update a bank-account customer code',
    required: ['customerCode'],
    optional: ['customerIPAddress', ...CUSTOMER, ...BANK_ACCOUNT, 'updateAccountNum'],
    unstated: RECORD_EXTRAS,
    wire: [...CUSTOMER_WIRE, ...BANK_ACCOUNT, 'updateAccountNum', ...RECORD_EXTRAS],
  },
  updateCreditCardCustomerCode: {
    service: 'CustomerLink',
    servers: BOTH,
    effect: 'write',
    checksCurrency: false,
    purpose: 'Update a card customer code',
    required: ['customerCode'],
    optional: ['customerIPAddress', ...CUSTOMER, ...CARD, 'mop', 'updateCreditCardNum'],
    unstated: RECORD_EXTRAS,
    wire: [...CUSTOMER_WIRE, ...CARD, 'mop', 'updateCreditCardNum', ...RECORD_EXTRAS],
  },
  deleteCustomerCode: {
    service: 'CustomerLink',
    servers: BOTH,
    effect: 'write',
    checksCurrency: false,
    purpose: 'Delete a customer code',
    required: ['customerCode'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['customerCode'],
  },
  getCustomerCodeDetail: {
    service: 'CustomerLink',
    servers: BOTH,
    effect: 'read',
    checksCurrency: false,
    purpose: 'Read one customer code record',
    required: ['customerCode'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['customerCode'],
  },
  getCustomerListByCreationTimeCSV: {
    service: 'CustomerLink',
    servers: BOTH,
    effect: 'read',
    checksCurrency: false,
    purpose: 'List customers created in a date range, CSV form',
    required: ['customerCode', 'fromDate', 'toDate'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['customerCode', 'fromDate', 'toDate'],
  },
  getCustomerListByCreationTimeXML: {
    service: 'CustomerLink',
    servers: BOTH,
    effect: 'read',
    checksCurrency: false,
    purpose: 'List customers created in a date range, XML form',
    required: ['customerCode', 'fromDate', 'toDate'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['customerCode', 'fromDate', 'toDate'],
  },
  processCreditCard: {
    service: 'ProcessLink',
    servers: BOTH,
    effect: 'charge',
    checksCurrency: true,
    purpose: 'Charge a card with details supplied',
    required: ['creditCardNum', 'creditCardExpiry', 'cvv2', 'mop', ...ADDRESS, 'total'],
    optional: ['customerIPAddress', 'invoiceNum', 'comment'],
    unstated: EXTRAS,
    wire: ['invoiceNum', 'creditCardNum', 'creditCardExpiry', 'cvv2', 'mop', ...ADDRESS, 'total', 'comment', ...EXTRAS],
  },
  processCreditCardWithCustomerCode: {
    service: 'ProcessLink',
    servers: BOTH,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Charge a card stored under a customer code',
    required: ['customerCode', 'total'],
    optional: ['customerIPAddress', 'invoiceNum', 'cvv2', 'comment'],
    unstated: ITEMS,
    wire: ['customerCode', 'invoiceNum', 'cvv2', 'total', 'comment', ...ITEMS],
  },
  createCustomerCodeAndProcessCreditCard: {
    service: 'ProcessLink',
    servers: BOTH,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Charge a card and return a new customer code',
    required: ['ccNum', 'ccExp', ...ADDRESS, 'total'],
    optional: ['customerIPAddress', 'invoiceNum', 'cvv2'],
    unstated: ['comment', ...EXTRAS],
    wire: ['invoiceNum', 'ccNum', 'ccExp', ...ADDRESS, 'cvv2', 'total', 'comment', ...EXTRAS],
  },
  processCreditCardRefundWithTransactionId: {
    service: 'ProcessLink',
    servers: BOTH,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Refund a card transaction, partial allowed',
    required: ['transactionId', 'total'],
    optional: ['customerIPAddress', 'comment'],
    unstated: [],
    wire: ['transactionId', 'total', 'comment'],
  },
  processACHEFT: {
    service: 'ProcessLink',
    servers: NA_ONLY,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Charge a bank account, no customer code',
    required: ['accountNum', 'accountType', 'total'],
    optional: ['customerIPAddress', 'invoiceNum', ...ADDRESS, 'comment'],
    unstated: EXTRAS,
    wire: ['invoiceNum', 'accountNum', 'accountType', ...ADDRESS, 'total', 'comment', ...EXTRAS],
  },
  processACHEFTWithCustomerCode: {
    service: 'ProcessLink',
    servers: NA_ONLY,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Charge a bank account stored under a customer code',
    required: ['customerCode', 'total'],
    optional: ['customerIPAddress', 'invoiceNum', 'comment'],
    unstated: ITEMS,
    wire: ['customerCode', 'invoiceNum', 'total', 'comment', ...ITEMS],
  },
  createCustomerCodeAndProcessACHEFT: {
    service: 'ProcessLink',
    servers: NA_ONLY,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Charge a bank account and return a new customer code',
    required: [...ADDRESS, 'accountNum', 'accountType', 'total'],
    optional: ['customerIPAddress', 'invoiceNum', 'comment'],
    unstated: EXTRAS,
    wire: [...ADDRESS, 'accountNum', 'accountType', 'invoiceNum', 'total', 'comment', ...EXTRAS],
  },
  processACHEFTRefundWithTransactionId: {
    service: 'ProcessLink',
    servers: NA_ONLY,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Refund an ACH/EFT transaction, partial allowed',
    required: ['transactionId', 'total'],
    optional: ['customerIPAddress', 'comment'],
    unstated: [],
    wire: ['transactionId', 'total', 'comment'],
  },
  processCreditCardBatch: {
    service: 'ProcessLink',
    servers: BOTH,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Process card transactions from a batch file',
    required: ['batchFile'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['batchFile'],
  },
  processACHEFTChargeBatch: {
    service: 'ProcessLink',
    servers: NA_ONLY,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Process ACH/EFT charges from a batch file',
    required: ['batchFile'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['batchFile'],
  },
  processACHEFTRefundBatch: {
    service: 'ProcessLink',
    servers: NA_ONLY,
    effect: 'charge',
    checksCurrency: false,
    purpose: 'Process ACH/EFT refunds from a batch file',
    required: ['batchFile'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['batchFile'],
  },
  getBatchProcessResultFile: {
    service: 'ProcessLink',
    servers: BOTH,
    effect: 'read',
    checksCurrency: false,
    purpose: 'Get the results of a batch',
    required: ['batchId'],
    optional: ['customerIPAddress'],
    unstated: [],
    wire: ['batchId'],
  },
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATIONS;

/** The three operations that take a batch file. */
export type BatchOperationName = 'processCreditCardBatch' | 'processACHEFTChargeBatch' | 'processACHEFTRefundBatch';

/** Kinds of drop folder and their operations. `sign` is the sign of every amount in the file; refunds are negative. */
export const FOLDER_OPERATIONS = {
  card: { operation: 'processCreditCardBatch', sign: 1 },
  'ach-charge': { operation: 'processACHEFTChargeBatch', sign: 1 },
  'ach-refund': { operation: 'processACHEFTRefundBatch', sign: -1 },
} as const satisfies Record<string, { operation: BatchOperationName; sign: 1 | -1 }>;

export type FolderOperation = keyof typeof FOLDER_OPERATIONS;
