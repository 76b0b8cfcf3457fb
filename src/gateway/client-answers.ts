import type { BatchOperationName, OperationName } from '../../schemas/operations.ts';
import type { Advice } from '../../schemas/rejections.ts';

/**
 * What a call of one of the 20 operations can end in. As with batches, the default is the careful one: a charge or a
 * change of which the outcome is not proven is `unknown` and must not be sent again before a look at the books.
 */
export type ClientAnswer<Operation extends OperationName> =
  /** Done: the card is charged or refunded, the record is stored, the data is there. */
  | { kind: 'approved'; result: ResultOf<Operation> }
  /** Taken and not done yet: a bank payment before the bank has answered, a batch that is running. */
  | { kind: 'accepted'; result: ResultOf<Operation> }
  | Refusal;

type Refusal =
  /** Rejected with a code of schemas/rejections.ts; nothing was booked. */
  | { kind: 'declined'; code: number; message: string; advice: Advice; transactionId: string | null }
  /** The service named an error that proves that nothing was done, or a read brought nothing after its repetitions. */
  | { kind: 'failed'; errors: string }
  /** Not offered on this server or for this method of payment and currency. Nothing left. */
  | { kind: 'restricted'; message: string }
  /** The parameters break rules of the spec. Nothing left. No message holds a value. */
  | { kind: 'invalid'; faults: readonly ParameterFault[] }
  /** No byte of the request left this host. The same call may be made again. */
  | { kind: 'not_sent'; why: string }
  /** It may have been done or not. */
  | { kind: 'unknown'; why: string };

export type ParameterFault = { readonly field: string; readonly message: string };

/** An answer of whatever operation, for code that serves all of them. */
export type AnyAnswer = { kind: 'approved' | 'accepted'; result: AnyResult } | Refusal;

export type AnyResult = ResultOf<OperationName>;

export type ResultOf<Operation extends OperationName> = Operation extends BatchOperationName
  ? { batchId: string }
  : Operation extends 'getBatchProcessResultFile'
    ? BatchResult
    : Operation extends 'getCustomerCodeDetail'
      ? { customer: CustomerRecord }
      : Operation extends 'getCustomerListByCreationTimeXML'
        ? { customers: CustomerRecord[] }
        : Operation extends 'getCustomerListByCreationTimeCSV'
          ? { csv: string }
          : Operation extends WriteOperationName
            ? { customerCode: string }
            : PaymentResult;

type WriteOperationName =
  | 'createACHEFTCustomerCode'
  | 'createCreditCardCustomerCode'
  | 'updateACHEFTCustomerCode'
  | 'updateCreditCardCustomerCode'
  | 'deleteCustomerCode';

/** Null stands for what the service left empty. Days are texts of the service, month first. */
export type PaymentResult = {
  transactionId: string | null;
  authorization: string | null;
  /** Letter of the address check. */
  addressCheck: string | null;
  /** The new code where the operation makes one. */
  customerCode: string | null;
  settlementBatchDate: string | null;
  settlementDate: string | null;
};

/** `file` is decoded from base64 once, and null while the batch is running. */
export type BatchResult = { batchId: string; file: Buffer | null };

/** A stored customer with the spec's names; empty text where the service has nothing. Numbers are masked. */
export type CustomerRecord = {
  customerCode: string;
  firstName: string;
  lastName: string;
  companyName: string;
  address: string;
  city: string;
  state: string;
  country: string;
  zipCode: string;
  phone: string;
  alternatePhone: string;
  fax: string;
  email: string;
  comment: string;
  /** Empty texts when there is no schedule. */
  recurring: { amount: string; beginDate: string; endDate: string; scheduleType: string; scheduleDate: string };
  payment:
    | { kind: 'card'; creditCardCustomerName: string; mop: string; creditCardNum: string; creditCardExpiry: string }
    | { kind: 'bank'; accountCustomerName: string; accountNum: string; accountType: string }
    | null;
};
