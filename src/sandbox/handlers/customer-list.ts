import { customersCsv } from '../customers/customer-csv.ts';
import { customerXml } from '../customers/customer-xml.ts';
import type { Customer } from '../customers/customer.ts';
import { element, textElement } from '../xml/write-xml.ts';
import { CUSTOMER_REFUSALS } from './customer-payload.ts';
import type { Call, HandlerContext, Handler } from './handler.ts';

/** Lists the records created between two moments, both included, oldest first. An empty code matches all of them. */
export function customerList(form: 'XML' | 'CSV'): Handler {
  return {
    ...CUSTOMER_REFUSALS,
    needs: [],
    answer: (call, context) => {
      const customers = findCustomers(call, context);
      if (form === 'XML')
        return { payload: element('CUSTOMERS', ...customers.map((one) => customerXml(one, call.isFirstVersion))) };
      return { payload: textElement('FILE', Buffer.from(customersCsv(customers)).toString('base64')) };
    },
  };
}

/** Finds the records. .NET reads an omitted date as its first day, so a list without an end is empty. */
function findCustomers({ account, parameters }: Call, { books }: HandlerContext): readonly Customer[] {
  const code = (parameters.text('customerCode') ?? '').trim();
  const fromMs = parameters.moment('fromDate')?.getTime() ?? Number.NEGATIVE_INFINITY;
  const toMs = parameters.moment('toDate')?.getTime() ?? Number.NEGATIVE_INFINITY;
  return books.customers.list(account.agentCode).filter((customer) => {
    const createdMs = Date.parse(customer.createdAt);
    return (code === '' || customer.code === code) && createdMs >= fromMs && createdMs <= toMs;
  });
}
