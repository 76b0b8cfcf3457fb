import { customerXml } from '../customers/customer-xml.ts';
import { element } from '../xml/write-xml.ts';
import { CUSTOMER_REFUSALS, customerPayload } from './customer-payload.ts';
import type { Handler } from './handler.ts';

export const customerDetail: Handler = {
  ...CUSTOMER_REFUSALS,
  needs: ['customerCode'],
  answer: ({ account, parameters, isFirstVersion }, { books }) => {
    const code = (parameters.text('customerCode') ?? '').trim();
    const customer = books.customers.find(account.agentCode, code);
    if (!customer) return { payload: customerPayload(UNKNOWN_CODE, code) };
    return { payload: element('CUSTOMERS', customerXml(customer, isFirstVersion)) };
  },
};

const UNKNOWN_CODE = "Error : The customer code doesn't exist!";
