import { customerXml } from '../customers/customer-xml.ts';
import { element } from '../xml/write-xml.ts';
import { CUSTOMER_REFUSALS, customerPayload } from './customer-payload.ts';
import type { Handler } from './handler.ts';

/** Shows one record. */
export const customerDetail: Handler = {
  ...CUSTOMER_REFUSALS,
  needs: ['customerCode'],
  answer: ({ account, parameters }, { books }) => {
    const code = (parameters.text('customerCode') ?? '').trim();
    const customer = books.customers.find(account.agentCode, code);
    return { payload: customer ? element('CUSTOMERS', customerXml(customer)) : customerPayload(UNKNOWN_CODE, code) };
  },
};

const UNKNOWN_CODE = "Error : The customer code doesn't exist!";
