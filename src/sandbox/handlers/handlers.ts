import { type WireOperation, wireRow } from '../../../schemas/wire.ts';
import type { ServiceName } from '../../../schemas/wsdl.ts';
import { REPORT_HANDLERS } from '../reports/report-handlers.ts';
import { batchResult, batchSubmission } from './batches.ts';
import { charge } from './charge.ts';
import { createCustomer, customerDetail, customerList, deleteCustomer, updateCustomer } from './customers.ts';
import type { Handler } from './handler.ts';
import { refund } from './refund.ts';

/** The operations that the sandbox serves. */
export const HANDLERS: Readonly<Partial<Record<WireOperation, Handler>>> = {
  createCustomerCodeAndProcessCreditCard: charge('card', 'new'),
  processCreditCardWithCustomerCode: charge('card', 'stored'),
  processCreditCard: charge('card', 'given'),
  createCustomerCodeAndProcessACHEFT: charge('bank', 'new'),
  processACHEFTWithCustomerCode: charge('bank', 'stored'),
  processACHEFT: charge('bank', 'given'),
  processCreditCardRefundWithTransactionId: refund('card'),
  processACHEFTRefundWithTransactionId: refund('bank'),
  processCreditCardBatch: batchSubmission('card'),
  processACHEFTChargeBatch: batchSubmission('ach-charge'),
  processACHEFTRefundBatch: batchSubmission('ach-refund'),
  getBatchProcessResultFile: batchResult,
  createCreditCardCustomerCode: createCustomer('card'),
  createACHEFTCustomerCode: createCustomer('bank'),
  updateCreditCardCustomerCode: updateCustomer('card'),
  updateACHEFTCustomerCode: updateCustomer('bank'),
  deleteCustomerCode: deleteCustomer,
  getCustomerCodeDetail: customerDetail,
  getCustomerListByCreationTimeCSV: customerList('CSV'),
  getCustomerListByCreationTimeXML: customerList('XML'),
  ...REPORT_HANDLERS,
};

/** Returns the served operations of one service. If there are none, the service itself is not served. */
export function servedOperations(service: ServiceName): WireOperation[] {
  const served = Object.keys(HANDLERS) as WireOperation[];
  return served.filter((operation) => wireRow(operation).service === service);
}
