import { describe, expect, it } from 'vitest';
import type { GatewayClient } from '../../src/gateway/create-gateway-client.ts';

describe('the compiler', () => {
  it('lets no wrong call through', () => {
    expect(wrongCalls).toBeTypeOf('function');
  });
});

const PAYER = { firstName: '', lastName: '', address: '', city: '', state: '', zipCode: '' };
const BANK = { accountNum: '', accountType: 'CHECKING' } as const;
const CARD = { creditCardNum: '', creditCardExpiry: '', cvv2: '', mop: 'VISA' } as const;
const SCHEDULE = { recurring: false, amount: '', scheduleType: '', scheduleDate: '' } as const;
const DATES = { beginDate: new Date(0), endDate: '' };
const RECORD = { ...PAYER, companyName: '', phone: '', fax: '', alternatePhone: '', email: '', comment: '' };
const STORED_CARD = { creditCardCustomerName: '', creditCardNum: '', creditCardExpiry: '' };
const NEW_CARD = { customerIPAddress: '', ...RECORD, ...SCHEDULE, ...DATES, ...STORED_CARD };
const RANGE = { fromDate: new Date(0), toDate: new Date(0) };
const BYTES = new Uint8Array();

/**
 * Never called. Each operation has a correct call and three wrong ones: without a required parameter, with an unknown
 * one, and with a wrong type. The compiler must reject each marked line.
 */
function wrongCalls(client: GatewayClient): void {
  void client.createACHEFTCustomerCode({ ...PAYER });
  // @ts-expect-error lacks a required parameter
  void client.createACHEFTCustomerCode({ firstName: '' });
  // @ts-expect-error an unknown parameter
  void client.createACHEFTCustomerCode({ ...PAYER, acountNum: '' });
  // @ts-expect-error a wrong type
  void client.createACHEFTCustomerCode({ ...PAYER, recurring: 'TRUE' });

  void client.createCreditCardCustomerCode(NEW_CARD);
  // @ts-expect-error lacks a required parameter
  void client.createCreditCardCustomerCode({ ...PAYER, ...STORED_CARD });
  // @ts-expect-error an unknown parameter
  void client.createCreditCardCustomerCode({ ...NEW_CARD, mob: 'VISA' });
  // @ts-expect-error a wrong type
  void client.createCreditCardCustomerCode({ ...NEW_CARD, mop: 'AMEX' });

  void client.updateACHEFTCustomerCode({ customerCode: '' });
  // @ts-expect-error lacks a required parameter
  void client.updateACHEFTCustomerCode({ city: '' });
  // @ts-expect-error an unknown parameter
  void client.updateACHEFTCustomerCode({ customerCode: '', updateAcountNum: true });
  // @ts-expect-error a wrong type
  void client.updateACHEFTCustomerCode({ customerCode: '', updateAccountNum: 'true' });

  void client.updateCreditCardCustomerCode({ customerCode: '' });
  // @ts-expect-error lacks a required parameter
  void client.updateCreditCardCustomerCode({ city: '' });
  // @ts-expect-error an unknown parameter
  void client.updateCreditCardCustomerCode({ customerCode: '', updateAccountNum: true });
  // @ts-expect-error a wrong type
  void client.updateCreditCardCustomerCode({ customerCode: '', endDate: 0 });

  void client.deleteCustomerCode({ customerCode: '' });
  // @ts-expect-error lacks a required parameter
  void client.deleteCustomerCode({});
  // @ts-expect-error an unknown parameter
  void client.deleteCustomerCode({ customerCode: '', customerIpAddress: '' });
  // @ts-expect-error a wrong type
  void client.deleteCustomerCode({ customerCode: 1 });

  void client.getCustomerCodeDetail({ customerCode: '' });
  // @ts-expect-error lacks a required parameter
  void client.getCustomerCodeDetail({});
  // @ts-expect-error an unknown parameter
  void client.getCustomerCodeDetail({ customerCode: '', code: '' });
  // @ts-expect-error a wrong type
  void client.getCustomerCodeDetail({ customerCode: null });

  void client.getCustomerListByCreationTimeCSV({ customerCode: '', ...RANGE });
  // @ts-expect-error lacks a required parameter
  void client.getCustomerListByCreationTimeCSV({ ...RANGE });
  // @ts-expect-error an unknown parameter
  void client.getCustomerListByCreationTimeCSV({ customerCode: '', ...RANGE, untilDate: '' });
  // @ts-expect-error a wrong type
  void client.getCustomerListByCreationTimeCSV({ customerCode: '', ...RANGE, toDate: 1 });

  void client.getCustomerListByCreationTimeXML({ customerCode: '', ...RANGE });
  // @ts-expect-error lacks a required parameter
  void client.getCustomerListByCreationTimeXML({ customerCode: '' });
  // @ts-expect-error an unknown parameter
  void client.getCustomerListByCreationTimeXML({ customerCode: '', ...RANGE, date: '' });
  // @ts-expect-error a wrong type
  void client.getCustomerListByCreationTimeXML({ customerCode: '', ...RANGE, fromDate: true });

  void client.processCreditCard({ ...CARD, ...PAYER, total: '' });
  // @ts-expect-error lacks a required parameter
  void client.processCreditCard({ ...CARD, ...PAYER });
  // @ts-expect-error an unknown parameter
  void client.processCreditCard({ ...CARD, ...PAYER, total: '', creditCardCvv2: '' });
  // @ts-expect-error a wrong type
  void client.processCreditCard({ ...CARD, ...PAYER, total: 5 });

  void client.processCreditCardWithCustomerCode({ customerCode: '', total: '' });
  // @ts-expect-error lacks a required parameter
  void client.processCreditCardWithCustomerCode({ customerCode: '' });
  // @ts-expect-error an unknown parameter
  void client.processCreditCardWithCustomerCode({ customerCode: '', total: '', mop: 'VISA' });
  // @ts-expect-error a wrong type
  void client.processCreditCardWithCustomerCode({ customerCode: '', total: 5 });

  void client.createCustomerCodeAndProcessCreditCard({ ccNum: '', ccExp: '', ...PAYER, total: '' });
  // @ts-expect-error lacks a required parameter
  void client.createCustomerCodeAndProcessCreditCard({ ccNum: '', ...PAYER, total: '' });
  // @ts-expect-error an unknown parameter
  void client.createCustomerCodeAndProcessCreditCard({ ccNum: '', ccExp: '', ...PAYER, total: '', ccNumber: '' });
  // @ts-expect-error a wrong type
  void client.createCustomerCodeAndProcessCreditCard({ ccNum: 4, ccExp: '', ...PAYER, total: '' });

  void client.processCreditCardRefundWithTransactionId({ transactionId: '', total: '' });
  // @ts-expect-error lacks a required parameter
  void client.processCreditCardRefundWithTransactionId({ total: '' });
  // @ts-expect-error an unknown parameter
  void client.processCreditCardRefundWithTransactionId({ transactionId: '', total: '', invoiceNum: '' });
  // @ts-expect-error a wrong type
  void client.processCreditCardRefundWithTransactionId({ transactionId: '', total: -5 });

  void client.processACHEFT({ ...BANK, total: '' });
  // @ts-expect-error lacks a required parameter
  void client.processACHEFT({ ...BANK });
  // @ts-expect-error an unknown parameter
  void client.processACHEFT({ ...BANK, total: '', accountnum: '' });
  // @ts-expect-error a wrong type
  void client.processACHEFT({ ...BANK, total: '', accountType: 'SAVINGS' });

  void client.processACHEFTWithCustomerCode({ customerCode: '', total: '' });
  // @ts-expect-error lacks a required parameter
  void client.processACHEFTWithCustomerCode({ total: '' });
  // @ts-expect-error an unknown parameter
  void client.processACHEFTWithCustomerCode({ customerCode: '', total: '', cvv2: '' });
  // @ts-expect-error a wrong type
  void client.processACHEFTWithCustomerCode({ customerCode: '', total: '', item1: 1 });

  void client.createCustomerCodeAndProcessACHEFT({ ...PAYER, ...BANK, total: '' });
  // @ts-expect-error lacks a required parameter
  void client.createCustomerCodeAndProcessACHEFT({ ...BANK, total: '' });
  // @ts-expect-error an unknown parameter
  void client.createCustomerCodeAndProcessACHEFT({ ...PAYER, ...BANK, total: '', customerCode: '' });
  // @ts-expect-error a wrong type
  void client.createCustomerCodeAndProcessACHEFT({ ...PAYER, ...BANK, total: 5n });

  void client.processACHEFTRefundWithTransactionId({ transactionId: '', total: '' });
  // @ts-expect-error lacks a required parameter
  void client.processACHEFTRefundWithTransactionId({ transactionId: '' });
  // @ts-expect-error an unknown parameter
  void client.processACHEFTRefundWithTransactionId({ transactionID: '', transactionId: '', total: '' });
  // @ts-expect-error a wrong type
  void client.processACHEFTRefundWithTransactionId({ transactionId: 1, total: '' });

  void client.processCreditCardBatch({ batchFile: BYTES });
  // @ts-expect-error lacks a required parameter
  void client.processCreditCardBatch({ customerIPAddress: '' });
  // @ts-expect-error an unknown parameter
  void client.processCreditCardBatch({ batchFile: BYTES, file: BYTES });
  // @ts-expect-error a wrong type
  void client.processCreditCardBatch({ batchFile: '' });

  void client.processACHEFTChargeBatch({ batchFile: BYTES });
  // @ts-expect-error lacks a required parameter
  void client.processACHEFTChargeBatch({});
  // @ts-expect-error an unknown parameter
  void client.processACHEFTChargeBatch({ batchFile: BYTES, batchfile: BYTES });
  // @ts-expect-error a wrong type
  void client.processACHEFTChargeBatch({ batchFile: '' });

  void client.processACHEFTRefundBatch({ batchFile: BYTES });
  // @ts-expect-error lacks a required parameter
  void client.processACHEFTRefundBatch({});
  // @ts-expect-error an unknown parameter
  void client.processACHEFTRefundBatch({ batchFile: BYTES, batchId: '' });
  // @ts-expect-error a wrong type
  void client.processACHEFTRefundBatch({ batchFile: [] });

  void client.getBatchProcessResultFile({ batchId: '' });
  // @ts-expect-error lacks a required parameter
  void client.getBatchProcessResultFile({});
  // @ts-expect-error an unknown parameter
  void client.getBatchProcessResultFile({ batchId: '', batchID: '' });
  // @ts-expect-error a wrong type
  void client.getBatchProcessResultFile({ batchId: 1000001 });
}
