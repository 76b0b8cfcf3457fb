import type { BatchOperationName, OperationName } from '../../schemas/operations.ts';
import type { Advice } from '../../schemas/rejections.ts';

/**
 * Outcome of a call to one of the 20 operations. A charge or change without a proven outcome is `unknown`. It must not
 * be sent again before checking what the service booked.
 */
export type ClientAnswer<Operation extends OperationName> =
  /** Done: the card is charged or refunded, the record is stored, the data is there. */
  | { kind: 'approved'; result: ResultOf<Operation> }
  /** Accepted but not done: a bank payment that the bank has not answered yet, or a running batch. */
  | { kind: 'accepted'; result: ResultOf<Operation> }
  | Refusal;

type Refusal =
  /** Rejected with a code from `schemas/rejections.ts`; nothing was booked. */
  | { kind: 'declined'; code: number; message: string; advice: Advice; transactionId: string | null }
  /** The service named an error that proves nothing was done, or a read returned nothing after its retries. */
  | { kind: 'failed'; errors: string }
  /** Not offered on this server, or not for this method of payment and currency. Nothing was sent. */
  | { kind: 'restricted'; message: string }
  /** The parameters break rules of the spec. Nothing was sent, and no message contains a value. */
  | { kind: 'invalid'; faults: readonly ParameterFault[] }
  /** No byte of the request left this host. The same call may be made again. */
  | { kind: 'not_sent'; why: string }
  /** It may or may not have been done. */
  | { kind: 'unknown'; why: string };

export type ParameterFault = { readonly field: string; readonly message: string };

/** An answer of any operation, for code that serves all of them. */
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

/** Null means that the service left the field empty. Dates are the service's own text, month first. */
export type PaymentResult = {
  transactionId: string | null;
  authorization: string | null;
  /** Result letter of the address check. */
  addressCheck: string | null;
  /** The new customer code, if the operation creates one. */
  customerCode: string | null;
  settlementBatchDate: string | null;
  settlementDate: string | null;
};

/** `file` is decoded from base64 once; null while the batch is running. */
export type BatchResult = { batchId: string; file: Buffer | null };

/** A stored customer under the spec's field names. Missing values are empty text, and numbers are masked. */
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
  /** All empty when there is no schedule. */
  recurring: { amount: string; beginDate: string; endDate: string; scheduleType: string; scheduleDate: string };
  payment:
    | { kind: 'card'; creditCardCustomerName: string; mop: string; creditCardNum: string; creditCardExpiry: string }
    | { kind: 'bank'; accountCustomerName: string; accountNum: string; accountType: string }
    | null;
};
