import { CUSTOMER_REFUSALS, customerPayload } from './customer-payload.ts';
import type { Handler } from './handler.ts';

/** Deletes a record. An unknown code gets the same answer, which clients rely on. */
export const deleteCustomer: Handler = {
  ...CUSTOMER_REFUSALS,
  needs: ['customerCode'],
  answer: async ({ account, parameters }, { books }) => {
    const code = (parameters.text('customerCode') ?? '').trim();
    const deletion = { account: account.agentCode, code };
    await books.decide(() => ({
      ...(books.customers.find(account.agentCode, code) ? { entry: { deletion } } : {}),
      answer: undefined,
    }));
    return { payload: customerPayload('OK', `"${code}" is deleted`) };
  },
};
