/**
 * The tables of the service's specification, transcribed by hand without imports, so that mistakes in schemas/ are not
 * repeated here. Spaces separate names in one string.
 */

/** Every field that the spec names. */
export const SPEC_FIELDS = words(`
  customerIPAddress customerCode
  firstName lastName companyName address city state zipCode title country
  phone phone2 fax alternatePhone email
  comment item1 item2 item3 item4 item5 item6
  recurring amount beginDate endDate fromDate toDate scheduleType scheduleDate
  accountType accountNum accountCustomerName
  creditCardCustomerName creditCardNum ccNum creditCardExpiry ccExp cvv2 mop
  invoiceNum total transactionId batchId batchFile
  updateAccountNum updateCreditCardNum
`);

/** Closed sets of values. */
export const SPEC_VALUES = {
  scheduleType: ['Weekly', 'Monthly', 'Quarterly', 'Annually'],
  accountType: ['CHECKING', 'SAVING'],
  mopNorthAmerica: ['VISA', 'MC', 'AMX', 'DSC'],
  mopUnitedKingdom: ['VISA', 'MC', 'AMX', 'MAESTR'],
};

type SpecOperation = {
  name: string;
  service: 'ProcessLink' | 'CustomerLink';
  servers: 'both' | 'North America only';
  yes: string[];
  opt: string[];
  unstated: string[];
};

const CONTACT = 'phone fax alternatePhone email comment';
const SCHEDULE = 'recurring amount beginDate endDate scheduleType scheduleDate';
const RECORD = `customerIPAddress firstName lastName companyName address city state zipCode ${CONTACT} ${SCHEDULE}`;
const ITEMS = 'item1 item2 item3 item4 item5 item6';
const PAYER = 'firstName lastName address city state zipCode';
const PAYER_EXTRAS = `title phone phone2 fax email country ${ITEMS}`;

/** Operations with their parameters by the spec's column `Req`. */
export const SPEC_OPERATIONS: SpecOperation[] = [
  customer('createACHEFTCustomerCode', 'North America only', {
    yes: PAYER,
    opt: `customerIPAddress customerCode companyName ${CONTACT} ${SCHEDULE} accountCustomerName accountNum accountType`,
    unstated: `title country ${ITEMS}`,
  }),
  customer('createCreditCardCustomerCode', 'both', {
    yes: `${RECORD} creditCardCustomerName creditCardNum creditCardExpiry`,
    opt: 'customerCode mop',
    unstated: `title country ${ITEMS}`,
  }),
  customer('updateACHEFTCustomerCode', 'North America only', {
    yes: 'customerCode',
    opt: `${RECORD} accountCustomerName accountNum accountType updateAccountNum`,
    unstated: `title country ${ITEMS}`,
  }),
  customer('updateCreditCardCustomerCode', 'both', {
    yes: 'customerCode',
    opt: `${RECORD} creditCardCustomerName creditCardNum creditCardExpiry mop updateCreditCardNum`,
    unstated: `title country ${ITEMS}`,
  }),
  customer('deleteCustomerCode', 'both', { yes: 'customerCode', opt: 'customerIPAddress' }),
  customer('getCustomerCodeDetail', 'both', { yes: 'customerCode', opt: 'customerIPAddress' }),
  customer('getCustomerListByCreationTimeCSV', 'both', {
    yes: 'customerCode fromDate toDate',
    opt: 'customerIPAddress',
  }),
  customer('getCustomerListByCreationTimeXML', 'both', {
    yes: 'customerCode fromDate toDate',
    opt: 'customerIPAddress',
  }),
  payment('processCreditCard', 'both', {
    yes: `creditCardNum creditCardExpiry cvv2 mop ${PAYER} total`,
    opt: 'customerIPAddress invoiceNum comment',
    unstated: PAYER_EXTRAS,
  }),
  payment('processCreditCardWithCustomerCode', 'both', {
    yes: 'customerCode total',
    opt: 'customerIPAddress invoiceNum cvv2 comment',
    unstated: ITEMS,
  }),
  payment('createCustomerCodeAndProcessCreditCard', 'both', {
    yes: `ccNum ccExp ${PAYER} total`,
    opt: 'customerIPAddress invoiceNum cvv2',
    unstated: `comment ${PAYER_EXTRAS}`,
  }),
  payment('processCreditCardRefundWithTransactionId', 'both', {
    yes: 'transactionId total',
    opt: 'customerIPAddress comment',
  }),
  payment('processACHEFT', 'North America only', {
    yes: 'accountNum accountType total',
    opt: `customerIPAddress invoiceNum ${PAYER} comment`,
    unstated: PAYER_EXTRAS,
  }),
  payment('processACHEFTWithCustomerCode', 'North America only', {
    yes: 'customerCode total',
    opt: 'customerIPAddress invoiceNum comment',
    unstated: ITEMS,
  }),
  payment('createCustomerCodeAndProcessACHEFT', 'North America only', {
    yes: `${PAYER} accountNum accountType total`,
    opt: 'customerIPAddress invoiceNum comment',
    unstated: PAYER_EXTRAS,
  }),
  payment('processACHEFTRefundWithTransactionId', 'North America only', {
    yes: 'transactionId total',
    opt: 'customerIPAddress comment',
  }),
  payment('processCreditCardBatch', 'both', { yes: 'batchFile', opt: 'customerIPAddress' }),
  payment('processACHEFTChargeBatch', 'North America only', { yes: 'batchFile', opt: 'customerIPAddress' }),
  payment('processACHEFTRefundBatch', 'North America only', { yes: 'batchFile', opt: 'customerIPAddress' }),
  payment('getBatchProcessResultFile', 'both', { yes: 'batchId', opt: 'customerIPAddress' }),
];

/** Columns of the batch files, in order, by the operations that take them. */
export const SPEC_LAYOUTS = [
  {
    operations: ['processACHEFTChargeBatch', 'processACHEFTRefundBatch'],
    titles: titles('Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment'),
  },
  {
    operations: ['processACHEFTChargeBatch', 'processACHEFTRefundBatch'],
    titles: titles('Invoice #,Customer Code,Amount,Comment'),
  },
  {
    operations: ['processCreditCardBatch'],
    clients: ['US', 'UK'],
    titles: titles('Date,Invoice #,First Name,Last Name,Street,City,State,Zip Code,Amount,MOP,Credit Card #,Expiry'),
  },
  {
    operations: ['processCreditCardBatch'],
    clients: ['CA'],
    titles: titles('Date,Invoice #,Full Name,Amount,MOP,Credit Card #,Expiry'),
  },
  { operations: ['processCreditCardBatch'], titles: titles('Invoice #,Customer Code,Amount,Comment') },
];

type Parameters = { yes: string; opt: string; unstated?: string };

function customer(name: string, servers: SpecOperation['servers'], parameters: Parameters): SpecOperation {
  return operation(name, 'CustomerLink', servers, parameters);
}

function payment(name: string, servers: SpecOperation['servers'], parameters: Parameters): SpecOperation {
  return operation(name, 'ProcessLink', servers, parameters);
}

function operation(
  name: string,
  service: SpecOperation['service'],
  servers: SpecOperation['servers'],
  { yes, opt, unstated = '' }: Parameters,
): SpecOperation {
  return { name, service, servers, yes: words(yes), opt: words(opt), unstated: words(unstated) };
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function titles(text: string): string[] {
  return text.split(',');
}
