/**
 * Every named field of the service, once.
 *
 * `kind`      how the value is read and written
 * `values`    the closed set, where the spec gives one
 * `maxLength` in characters. Assumption: the limits known from public clients, because the spec states none; the
 *             setting `serviceLimits` of an account changes them
 * `secret`    never shown, logged or stored in clear text
 */
type FieldRow = {
  readonly kind: 'text' | 'boolean' | 'decimal' | 'dateTime' | 'digits' | 'enum' | 'expiry' | 'ipv4' | 'base64';
  readonly about: string;
  readonly values?: readonly string[];
  readonly maxLength?: number;
  readonly secret?: true;
};

export const FIELDS = {
  customerIPAddress: {
    kind: 'ipv4',
    maxLength: 15,
    about: 'IPv4 address of the payer, or empty. An IPv6 address is sent as empty: the service mishandles it',
  },
  customerCode: { kind: 'text', maxLength: 40, about: 'Identifier of a stored customer record' },
  firstName: { kind: 'text', maxLength: 100, about: 'First name of the payer' },
  lastName: { kind: 'text', maxLength: 100, about: 'Last name of the payer' },
  companyName: { kind: 'text', maxLength: 100, about: 'Company of the payer' },
  address: { kind: 'text', maxLength: 100, about: 'Street address' },
  city: { kind: 'text', maxLength: 40, about: 'City' },
  state: { kind: 'text', maxLength: 40, about: 'State or province' },
  zipCode: { kind: 'text', maxLength: 40, about: 'Zip or postal code' },
  title: { kind: 'text', maxLength: 40, about: 'Title of the payer' },
  country: { kind: 'text', maxLength: 40, about: 'Country' },
  phone: { kind: 'text', maxLength: 40, about: 'Telephone' },
  phone2: { kind: 'text', maxLength: 40, about: 'Second telephone' },
  fax: { kind: 'text', maxLength: 40, about: 'Fax' },
  alternatePhone: { kind: 'text', maxLength: 40, about: 'Alternate telephone' },
  email: { kind: 'text', maxLength: 100, about: 'E-mail address' },
  comment: { kind: 'text', maxLength: 100, about: 'Free text describing the transaction or the customer' },
  item1: { kind: 'text', maxLength: 100, about: 'Free extra field 1' },
  item2: { kind: 'text', maxLength: 100, about: 'Free extra field 2' },
  item3: { kind: 'text', maxLength: 100, about: 'Free extra field 3' },
  item4: { kind: 'text', maxLength: 100, about: 'Free extra field 4' },
  item5: { kind: 'text', maxLength: 100, about: 'Free extra field 5' },
  item6: { kind: 'text', maxLength: 100, about: 'Free extra field 6' },
  recurring: {
    kind: 'boolean',
    about:
      'TRUE when a recurring payment should be created. It is always sent; left out, false is sent, and an update with ' +
      'false switches a stored schedule off',
  },
  amount: { kind: 'decimal', about: 'Amount of the recurring payment' },
  beginDate: {
    kind: 'dateTime',
    about: 'First day of the recurring payment, ISO 8601 with UTC offset. It is always sent; left out, as now',
  },
  endDate: {
    kind: 'dateTime',
    about: 'Last day of the recurring payment, ISO 8601 with UTC offset. It is always sent; left out, as now',
  },
  fromDate: { kind: 'dateTime', about: 'Start of the creation-time range, ISO 8601 with UTC offset' },
  toDate: { kind: 'dateTime', about: 'End of the creation-time range, ISO 8601 with UTC offset' },
  scheduleType: {
    kind: 'enum',
    values: ['Weekly', 'Monthly', 'Quarterly', 'Annually'],
    about: 'How often the recurring payment runs',
  },
  scheduleDate: {
    kind: 'text',
    maxLength: 2,
    about: 'Monthly: day 1 to 31. Weekly: 1 to 7. Quarterly and Annually: the empty string',
  },
  accountType: { kind: 'enum', values: ['CHECKING', 'SAVING'], about: 'Kind of bank account (North America only)' },
  accountNum: { kind: 'digits', maxLength: 26, secret: true, about: 'Bank account number; digits only' },
  accountCustomerName: { kind: 'text', maxLength: 100, about: 'Name as it appears on the bank account' },
  creditCardCustomerName: { kind: 'text', maxLength: 30, about: 'Name as it appears on the card' },
  creditCardNum: { kind: 'digits', maxLength: 19, secret: true, about: 'Card number' },
  ccNum: {
    kind: 'digits',
    maxLength: 19,
    secret: true,
    about: 'Card number, in createCustomerCodeAndProcessCreditCard',
  },
  creditCardExpiry: { kind: 'expiry', about: 'Card expiry MM/YY' },
  ccExp: { kind: 'expiry', about: 'Card expiry MM/YY, in createCustomerCodeAndProcessCreditCard' },
  cvv2: { kind: 'digits', maxLength: 4, secret: true, about: 'Card security code; never stored' },
  mop: {
    kind: 'enum',
    values: ['VISA', 'MC', 'AMX', 'DSC', 'MAESTR'],
    about:
      'Method of payment. NA: VISA MC AMX DSC. UK: VISA MC AMX MAESTR. VISA DEBIT (NA, UK) and MC DEBIT (NA) are sent as the brand',
  },
  invoiceNum: { kind: 'text', maxLength: 40, about: 'Invoice number of the merchant; a label, not a key' },
  total: { kind: 'decimal', about: 'Payment amount; negative for refunds' },
  transactionId: { kind: 'text', maxLength: 40, about: 'Id of the transaction to refund' },
  batchId: { kind: 'text', maxLength: 40, about: 'Id of a batch process' },
  batchFile: { kind: 'base64', secret: true, about: 'CSV file, base64-encoded once' },
  updateAccountNum: { kind: 'boolean', about: 'TRUE when the stored account number should be replaced' },
  updateCreditCardNum: { kind: 'boolean', about: 'TRUE when the stored card number should be replaced' },
} as const satisfies Record<string, FieldRow>;

export type FieldName = keyof typeof FIELDS;

/**
 * Limits that the spec leaves open, changed for one account. What is left out keeps our assumption.
 *
 * `lengths`      most characters or digits of a field
 * `amountDigits` most digits of an amount before its decimal point
 */
export type ServiceLimits = {
  readonly lengths?: Partial<Record<LimitedField, number>> | undefined;
  readonly amountDigits?: number | undefined;
};

/** Fields with a length that is our assumption. IPv4 addresses have their length by nature. */
export type LimitedField = {
  [F in FieldName]: (typeof FIELDS)[F] extends { kind: 'text' | 'digits' } ? F : never;
}[FieldName];

export const LIMITED_FIELDS = (Object.keys(FIELDS) as FieldName[]).filter(isLimited);

function isLimited(name: FieldName): name is LimitedField {
  return FIELDS[name].kind === 'text' || FIELDS[name].kind === 'digits';
}

/** Assumption: it excludes absurd values, because the spec names no limit. */
const AMOUNT_DIGITS = 10;

type Limit = {
  readonly most: number;
  /** Says, for the end of a message, whose limit it is and which setting changes it. */
  readonly whose: string;
};

/** Returns the most characters or digits of a field. */
export function lengthLimit(name: LimitedField, limits: ServiceLimits = {}): Limit {
  return limitOf(`lengths.${name}`, limits.lengths?.[name], FIELDS[name].maxLength);
}

/** Returns the most digits of an amount before its decimal point. */
export function amountLimit(limits: ServiceLimits = {}): Limit {
  return limitOf('amountDigits', limits.amountDigits, AMOUNT_DIGITS);
}

function limitOf(setting: string, given: number | undefined, assumed: number): Limit {
  if (given !== undefined) return { most: given, whose: `(set by serviceLimits.${setting})` };
  return { most: assumed, whose: `(our assumption; the setting serviceLimits.${setting} changes it)` };
}
