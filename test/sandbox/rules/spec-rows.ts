/**
 * The rules of the specification's sections 2.2, 4, 7 and 8, and what public clients do otherwise, transcribed by hand
 * without imports, so that mistakes in schemas/ are not repeated here.
 */
const PAYER = { firstName: 'Ada', lastName: 'Byron', address: '1 Some Road', city: 'Troy', state: 'NY', zipCode: '1' };
const CARD = '4222222222222220';
const BANK = { accountNum: '02100002100000000000000001', accountType: 'CHECKING' };
const PERIOD = { beginDate: '2026-07-01T00:00:00+00:00', endDate: '2027-07-01T00:00:00+00:00' };
const SCHEDULE = { recurring: 'false', amount: '5', ...PERIOD, scheduleType: 'Monthly', scheduleDate: '31' };
const CONTACT = { companyName: '', phone: '555', fax: '', alternatePhone: '', email: '', comment: 'note' };
const RECORD = { ...PAYER, customerCode: '', ...CONTACT, ...SCHEDULE };
const STORED = { creditCardCustomerName: 'Ada Byron', creditCardNum: CARD, creditCardExpiry: '12/30', mop: 'VISA' };
const BANK_RECORD = { ...RECORD, accountCustomerName: 'Ada Byron', ...BANK };
const RANGE = { customerCode: '', fromDate: '2026-06-01T00:00:00+00:00', toDate: '2026-08-01T00:00:00+00:00' };
const GIVEN = { creditCardNum: CARD, creditCardExpiry: '07/26', cvv2: '000', mop: 'VISA', total: '5.00' };

export type Call = Readonly<Record<string, string>>;

/**
 * A good call of each operation. C1 is a card record, B1 a bank record, OLD has a card to 06/26, ALIEN a method of
 * payment of the other server; BATCH, CARD-ID and BANK-ID stand for ids that the sandbox gave out.
 */
export const GOOD_CALLS: Readonly<Record<string, Call>> = {
  processCreditCard: { ...PAYER, ...GIVEN },
  createCustomerCodeAndProcessCreditCard: { ...PAYER, ccNum: CARD, ccExp: '12/30', total: '5.00' },
  processCreditCardWithCustomerCode: { customerCode: 'C1', total: '5.00' },
  processACHEFT: { ...PAYER, ...BANK, total: '5.00' },
  createCustomerCodeAndProcessACHEFT: { ...PAYER, ...BANK, total: '5.00' },
  processACHEFTWithCustomerCode: { customerCode: 'B1', total: '5.00' },
  processCreditCardRefundWithTransactionId: { transactionId: 'CARD-ID', total: '-5.00' },
  processACHEFTRefundWithTransactionId: { transactionId: 'BANK-ID', total: '-5.00' },
  createCreditCardCustomerCode: { ...RECORD, ...STORED },
  createACHEFTCustomerCode: BANK_RECORD,
  updateCreditCardCustomerCode: { ...RECORD, ...STORED, customerCode: 'C1', updateCreditCardNum: 'true' },
  updateACHEFTCustomerCode: { ...BANK_RECORD, customerCode: 'B1', updateAccountNum: 'true' },
  deleteCustomerCode: { customerCode: 'C1' },
  getCustomerCodeDetail: { customerCode: 'C1' },
  getCustomerListByCreationTimeCSV: RANGE,
  getCustomerListByCreationTimeXML: RANGE,
  processCreditCardBatch: { batchFile: 'cm93' },
  processACHEFTChargeBatch: { batchFile: 'cm93' },
  processACHEFTRefundBatch: { batchFile: 'cm93' },
  getBatchProcessResultFile: { batchId: 'BATCH' },
};

const BANK_ROW = { invoice: '1', first: 'Ada', last: 'Byron', type: 'CHECKING', account: BANK.accountNum };
const CARD_END = { mop: 'VISA', card: CARD, expiry: '0726' };
const US_ROW = { first: 'Ada', last: 'Byron', street: '1 Some Road', city: 'Troy', state: 'NY', zip: '1' };

/** A good row of each kind of batch, and the operation that takes it. */
export const GOOD_ROWS: Readonly<Record<string, { readonly operation: string; readonly row: Call }>> = {
  usRow: {
    operation: 'processCreditCardBatch',
    row: { date: '07/15/2026', invoice: '1', ...US_ROW, amount: '5.00', ...CARD_END },
  },
  caRow: {
    operation: 'processCreditCardBatch',
    row: { date: '07/15/2026', invoice: '1', name: 'Ada Byron', amount: '5.00', ...CARD_END },
  },
  cardCodeRow: {
    operation: 'processCreditCardBatch',
    row: { invoice: '1', code: 'C1', amount: '5.00', comment: 'Gift' },
  },
  bankRow: { operation: 'processACHEFTChargeBatch', row: { ...BANK_ROW, amount: '5.00', comment: 'Gift' } },
  bankCodeRow: {
    operation: 'processACHEFTChargeBatch',
    row: { invoice: '1', code: 'B1', amount: '5.00', comment: 'Gift' },
  },
  refundRow: { operation: 'processACHEFTRefundBatch', row: { ...BANK_ROW, amount: '-5.00', comment: 'Gift' } },
  refundCodeRow: {
    operation: 'processACHEFTRefundBatch',
    row: { invoice: '1', code: 'B1', amount: '-5.00', comment: 'Gift' },
  },
};

const names = Object.keys(GOOD_CALLS);
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  all: names,
  charges: names.slice(0, 6),
  cardCharges: names.slice(0, 3),
  payers: ['processCreditCard', 'createCustomerCodeAndProcessCreditCard', 'createCustomerCodeAndProcessACHEFT'],
  debits: ['processACHEFT', 'createCustomerCodeAndProcessACHEFT'],
  refunds: names.slice(6, 8),
  records: names.slice(8, 12),
  cardRecords: ['createCreditCardCustomerCode', 'updateCreditCardCustomerCode'],
  bankRecords: ['createACHEFTCustomerCode', 'updateACHEFTCustomerCode'],
  lists: names.slice(14, 16),
  batches: names.slice(16, 19),
  northAmerican: names.filter((name) => name.includes('ACHEFT')),
  onBoth: names.filter((name) => !name.includes('ACHEFT')),
};

/**
 * Rules: a name, and below it lines of operation, group or kind of row, changes that keep it (+), changes that break it
 * (-), and the beginning of the answer (=), with two spaces between. `!name` leaves an element or a column out, `.`
 * changes nothing, `@NA` is one server. The first are those that a strict sandbox applies.
 */
export const SPEC_STRICT = `
names-given
  payers  +firstName=, lastName=  -!firstName  -!lastName  =NULL
  createCreditCardCustomerCode  +firstName=, lastName=  -!firstName  -!lastName  =NULL
  createACHEFTCustomerCode  +firstName=, lastName=  -!firstName  -!lastName  =NULL
address-given
  payers  +address=, city=, state=, zipCode=  -!address  -!city  -!state  -!zipCode  =NULL
  createCreditCardCustomerCode  +address=, city=, state=, zipCode=  -!address  -!city  -!state  -!zipCode  =NULL
expiry-given
  processCreditCard  +.  -!creditCardExpiry  =NULL
new-expiry-given
  createCustomerCodeAndProcessCreditCard  +.  -!ccExp  =NULL
account-type-given
  debits  +.  -!accountType  =NULL
list-code-given
  lists  +customerCode=  +customerCode=C1  -!customerCode  =NULL
mop-known
  processCreditCard  +mop=MC  -mop=ZZZ  -mop=visa  -mop=  =RESTRICTED
  cardRecords  +mop=  +mop=AMX  +!mop  -mop=AMEX  =RESTRICTED
  usRow  +mop=AMX  -mop=VI  -mop=  -mop=visa  =Wrong Format
  caRow @NA  +mop=MC  -mop=ZZZ  =Wrong Format
mop-of-server
  processCreditCard @NA  +mop=DSC  -mop=MAESTR  =RESTRICTED
  processCreditCard @UK  +mop=MAESTR  -mop=DSC  =RESTRICTED
  cardRecords @NA  +mop=DSC  -mop=MAESTR  =RESTRICTED
  cardRecords @UK  +mop=MAESTR  -mop=DSC  =RESTRICTED
  processCreditCardWithCustomerCode  +.  -customerCode=ALIEN  =RESTRICTED
  usRow @NA  +mop=DSC  -mop=MAESTR  =REJECT: 40
  usRow @UK  +mop=MAESTR  -mop=DSC  =REJECT: 40
  caRow @NA  +mop=DSC  -mop=MAESTR  =REJECT: 40
  cardCodeRow  +.  -code=ALIEN  =REJECT: 40
account-type-known
  debits  +accountType=SAVING  +accountType=Checking  +accountType=SAVINGS  -accountType=BLAH  -accountType=  =Bad request. accountType
  bankRecords  +accountType=  +accountType=SAVING  -accountType=BLAH  =Bad request. accountType
schedule-type
  records  +scheduleType=, scheduleDate=  +scheduleType=Quarterly, scheduleDate=  -scheduleType=Daily  -scheduleType=monthly  =Bad request. scheduleType
schedule-date
  records  +scheduleDate=1  +scheduleDate=29  -scheduleDate=0  -scheduleDate=32  -scheduleDate=  -scheduleDate=x  =Bad request. scheduleDate
  records  +scheduleType=Weekly, scheduleDate=1  +scheduleType=Weekly, scheduleDate=7  -scheduleType=Weekly, scheduleDate=8  -scheduleType=Weekly, scheduleDate=  =Bad request. scheduleDate
  records  +scheduleType=Annually, scheduleDate=  -scheduleType=Annually, scheduleDate=1  -scheduleType=Quarterly, scheduleDate=5  =Bad request. scheduleDate
schedule-amount
  records  +amount=  +amount=0  +amount=5,50  +amount=90000000.50  -amount=-5  -amount=five  =Bad request. amount
schedule-complete
  records  +recurring=true  -recurring=true, amount=  -recurring=1, amount=0  -recurring=true, scheduleType=, scheduleDate=  =Bad request. A recurring payment
  records  +recurring=1  -recurring=true, beginDate=0001-01-01  -recurring=true, endDate=0001-01-01  =Bad request. A recurring payment
schedule-order
  records  +beginDate=2027-01-02, endDate=2027-01-01  -recurring=true, beginDate=2027-01-02, endDate=2027-01-01  =Bad request. beginDate
  records  +recurring=1, beginDate=2027-01-01, endDate=2027-01-01
list-range-given
  lists  +.  -!fromDate  -!toDate  =Bad request. fromDate and toDate
list-range-order
  lists  +toDate=2026-06-01  -toDate=2026-05-31  =Bad request. fromDate must not
new-card-number
  updateCreditCardCustomerCode  +creditCardNum=, updateCreditCardNum=0  -creditCardNum=  -!creditCardNum  =Bad request. creditCardNum
new-account-number
  updateACHEFTCustomerCode  +accountNum=, updateAccountNum=0  -accountNum=  -!accountNum  =Bad request. accountNum
file-not-empty
  batches  +.  -batchFile=  -batchFile=DQog  =Bad request. batchFile
stored-account-number
  createACHEFTCustomerCode  +accountNum=  +accountNum=999999999  -accountNum=021-1  =0Error:Invalid account number
  updateACHEFTCustomerCode  +accountNum=021-1, updateAccountNum=0  -accountNum=021 1  =0Error:Invalid account number
canadian-layout
  caRow @NA  +.
  caRow @UK  -.  =Wrong Format
expiry-form
  processCreditCard  +creditCardExpiry=12/26  -creditCardExpiry=1226  -creditCardExpiry=13/26  -creditCardExpiry=  =REJECT: 41
  createCustomerCodeAndProcessCreditCard  +.  -ccExp=12-26  -ccExp=12/2026  =REJECT: 41
card-not-expired
  processCreditCard  +creditCardExpiry=07/26  -creditCardExpiry=06/26  =REJECT: 24
  createCustomerCodeAndProcessCreditCard  +ccExp=07/26  -ccExp=01/10  =REJECT: 24
  processCreditCardWithCustomerCode  +.  -customerCode=OLD  =REJECT: 24
  usRow  +expiry=07/26  -expiry=0626  -expiry=06/26  =REJECT: 24
  caRow @NA  +.  -expiry=1217  =REJECT: 24
  cardCodeRow  +.  -code=OLD  =REJECT: 24
security-code-form
  cardCharges  +cvv2=  +cvv2=1234  +cvv2=012  -cvv2=12  -cvv2=12345  -cvv2=abc  =REJECT: 19
`;

/** The rules that every sandbox applies. */
export const SPEC_KEPT = `
typed-values
  records  +recurring=0, beginDate=2026-07-01  -recurring=maybe  -endDate=soon  =FAULT
  batches  +.  -batchFile==  =FAULT
number-given
  processCreditCard  +.  -!creditCardNum  =NULL
  createCustomerCodeAndProcessCreditCard  +.  -!ccNum  =NULL
  debits  +.  -!accountNum  =NULL
  createCreditCardCustomerCode  +.  -!creditCardNum  =NULL
total-given
  charges  +.  -!total  =NULL
  refunds  +.  -!total  =NULL
target-given
  processCreditCardWithCustomerCode  +.  -!customerCode  =NULL
  processACHEFTWithCustomerCode  +.  -!customerCode  =NULL
  refunds  +.  -!transactionId  =NULL
  updateCreditCardCustomerCode  +.  -!customerCode  =NULL
  updateACHEFTCustomerCode  +.  -!customerCode  =NULL
  deleteCustomerCode  +.  -!customerCode  =NULL
  getCustomerCodeDetail  +.  -!customerCode  =NULL
  batches  +.  -!batchFile  =NULL
  getBatchProcessResultFile  +.  -!batchId  =NULL
login
  charges  +.  -password=nope  =REJECT: 1
  batches  +.  -password=nope  =REJECT: 1
  records  +.  -agentCode=NOPE  =Error : Invalid Username or Password.
server-of-operation
  northAmerican @NA  +.
  northAmerican @UK  -.  =SERVER
text-length
  records  +firstName=${'x'.repeat(100)}  -firstName=${'x'.repeat(101)}  =Bad request. firstName may have 100 characters at most (--cut-long-values).
stored-card-number
  cardRecords  +creditCardNum=5555555555554444  -creditCardNum=4111  -creditCardNum=422222222222222  =0Error:Invalid credit card number
stored-expiry
  cardRecords  +creditCardExpiry=07/26  -creditCardExpiry=06/26  -creditCardExpiry=1226  =0Error:Invalid expiry date
code-free
  createCreditCardCustomerCode  +customerCode=NEW  -customerCode=C1  =0Error:Duplicate customer code
  createACHEFTCustomerCode  +customerCode=NEW  -customerCode=C1  =0Error:Duplicate customer code
record-known
  updateCreditCardCustomerCode  +.  -customerCode=NOBODY  =0Can not find the Customer Code
  updateACHEFTCustomerCode  +.  -customerCode=C1  =0Can not find the Customer Code
detail-known
  getCustomerCodeDetail  +.  -customerCode=NOBODY  =Error : The customer code doesn't exist!
batch-known
  getBatchProcessResultFile  +.  -batchId=424242  =Error : Invalid Batch ID.
row-columns
  usRow  +.  -!expiry  -extra=1  =Wrong Format
  bankRow  +.  -!invoice  =Wrong Format
  refundRow  +.  -extra=  =Wrong Format
row-date
  usRow  +date=02/29/2024  -date=15/07/2026  -date=02/30/2026  -date=2026-07-15  =Wrong Format
row-amount
  usRow  +amount=5  -amount=$5.00  -amount=-5.00  -amount=0  -amount=  =Wrong Format
  bankRow  +.  -amount=-5.00  =Wrong Format
  refundRow  +.  -amount=5.00  =Wrong Format
  refundCodeRow  +.  -amount=5.00  =Wrong Format
row-account-type
  bankRow  +type=SAVING  -type=BLAH  =Wrong Format
  refundRow  +type=savings  -type=  =Wrong Format
row-expiry
  usRow  +expiry=12/30  -expiry=1330  -expiry=  =Wrong Format
card-number
  processCreditCard  +creditCardNum=5555555555554444  -creditCardNum=9999999999999999  -creditCardNum=  =REJECT: 40
  createCustomerCodeAndProcessCreditCard  +.  -ccNum=4222-2222-2222-2220  =REJECT: 40
  usRow  +card=5555555555554444  -card=4222222222222221  =REJECT: 40
account-number
  debits  +accountNum=12345678  -accountNum=0210-0002  -accountNum=12  =REJECT: 40
  bankRow  +account=12345678  -account=0210 0002  =REJECT: 40
  refundRow  +.  -account=0210-0002  =REJECT: 40
code-known
  processCreditCardWithCustomerCode  +.  -customerCode=NOBODY  =REJECT: 3
  processACHEFTWithCustomerCode  +.  -customerCode=C1  =REJECT: 3
row-code
  cardCodeRow  +code=ANYBODY  -code=X1  -code=  =REJECT: 3
  bankCodeRow  +.  -code=C1  =REJECT: 3
  refundCodeRow  +.  -code=C1  =REJECT: 3
total-positive
  charges  +total=5  +total=5,25  -total=0  -total=-5.00  -total=5.001  -total=five  =REJECT: 5
total-negative
  refunds  +total=-2.50  -total=5.00  -total=0  -total=five  =REJECT: 5
largest-total
  cardCharges  +total=2000.00  -total=2000.01  =REJECT: 39
  usRow  +amount=2000.00  -amount=2000.01  =REJECT: 39
charge-known
  refunds  +.  -transactionId=invalidref  =REJECT: 39
refund-within-charge
  refunds  +.  -total=-5.01  =REJECT: 15
`;

/** What is free, whatever the specification says. */
export const SPEC_FREE = `
card-details-may-lack
  processCreditCard  +!cvv2  +!mop
card-record-may-lack
  createCreditCardCustomerCode  +!companyName, !phone, !fax, !alternatePhone, !email, !comment, !scheduleType, !scheduleDate, !creditCardCustomerName
bank-record-may-lack
  createACHEFTCustomerCode  +!address, !city, !state, !zipCode  +firstName=, lastName=, accountNum=, accountType=, amount=, scheduleType=, scheduleDate=
address-of-payer
  all  +customerIPAddress=100
invoice-again
  charges  +invoiceNum=1  +invoiceNum=1
unknown-elements
  all  +currency=USD, nonsense=1
dates-without-offset
  records  +beginDate=2026-07-01T00:00:00, endDate=2027-07-01
  lists  +fromDate=2026-06-01, toDate=2026-08-01T00:00:00
delete-unknown
  deleteCustomerCode  +customerCode=-1
country-of-account
  usRow @NA  +.
  caRow @NA  +.
currency-of-account
  processCreditCard @NA  +mop=VISA  +mop=MC  +mop=AMX  +mop=DSC  +mop=VISA DEBIT  +mop=MC DEBIT
  processCreditCard @UK  +mop=VISA  +mop=MC  +mop=AMX  +mop=MAESTR  +mop=MAESTRO  +mop=VISA DEBIT
  usRow @UK  +mop=MAESTRO
`;
