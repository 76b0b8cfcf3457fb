import type { BatchOperationName, OperationName } from '../../schemas/operations.ts';
import type { Advice } from '../../schemas/rejections.ts';

/**
 * Outcome of a submit. A submit that is not provably unsent, accepted or refused is `unknown`. `serviceAt` is the time
 * of the answer by the service's clock.
 */
export type SubmitAnswer = SubmitOutcome & { serviceAt?: Date | undefined };

type SubmitOutcome =
  /** The service does not offer the operation here. Our own table says so, so nothing was sent. */
  | { kind: 'restricted'; message: string }
  /** `beforeFirstByte` did not return true, so nothing was sent. */
  | { kind: 'withheld' }
  /** No byte of the request left this host; `why` gives the reason. The same batch may be sent again. */
  | { kind: 'not_sent'; why: string }
  /** The service accepted the batch under this id. */
  | { kind: 'submitted'; batchId: string; text: string }
  /** The service refused in words that prove it took nothing. `code` is the rejection code, if any. */
  | { kind: 'refused'; text: string; code: number | null }
  /** The service may or may not have taken the batch. It must not be sent again until a person resolves it. */
  | { kind: 'unknown'; why: string; evidence: Evidence };

/** What remains of a call with an unknown outcome; safe to store and show. */
export type Evidence = {
  httpStatus?: number;
  /** Request bytes given to the operating system or queued for it: an upper bound on what left. */
  bytesWritten: number;
  bytesRead: number;
  /** Start of the answer, at most 300 characters, without secrets or long numbers. A batch id in it comes first. */
  answerText?: string;
};

export type ResultAnswer =
  | { kind: 'running'; text: string }
  /** The result is provably there. `file` is the service's result file, decoded from base64 once. */
  | { kind: 'done'; file: Buffer; text: string }
  /** An unlisted text, such as one about an unknown batch id. Keep polling and alert; never treat it as done. */
  | { kind: 'not_known'; text: string }
  /** The call or its answer broke. The call only reads, so it may be repeated. */
  | { kind: 'failed'; why: string };

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

/**
 * A stored customer under the spec's field names. Missing values are empty text, and numbers are masked. Title, items
 * and `active` are assumptions: no source shows how the service returns them, if at all.
 */
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
  title: string;
  item1: string;
  item2: string;
  item3: string;
  item4: string;
  item5: string;
  item6: string;
  /** `active` is `true` or `false`, the stored `recurring`; empty when the service does not say. */
  recurring: {
    active: string;
    amount: string;
    beginDate: string;
    endDate: string;
    scheduleType: string;
    scheduleDate: string;
  };
  payment:
    | { kind: 'card'; creditCardCustomerName: string; mop: string; creditCardNum: string; creditCardExpiry: string }
    | { kind: 'bank'; accountCustomerName: string; accountNum: string; accountType: string }
    | null;
};

/** Outcome of a report query. It only reads, so every call may be repeated. */
export type ReportAnswer =
  | { kind: 'read'; report: JournalReport }
  /** The service named an error, or no reliable report came after the retries. It proves nothing. */
  | { kind: 'failed'; errors: string }
  /** Not offered on this server. Nothing was sent. */
  | { kind: 'restricted'; message: string }
  /** The parameters break rules. Nothing was sent. */
  | { kind: 'invalid'; faults: readonly ParameterFault[] }
  /** No byte of the request left this host. */
  | { kind: 'not_sent'; why: string };

export type JournalReport = {
  /** In the service's order. Empty for a bank reconciliation, because its columns are unknown. */
  readonly entries: readonly JournalLine[];
  /**
   * Only for a CSV report: the service's text with whole numbers masked, empty when there is none. Names in it may
   * begin like a formula; guard them before users open it.
   */
  readonly csv?: string;
};

/** One payment as the reports show it; missing values are empty text. */
export type JournalLine = {
  readonly transactionId: string;
  readonly invoice: string;
  readonly at: JournalTime;
  /** Empty for a payment without one, which the service calls `Quick Client`. */
  readonly customerCode: string;
  /** As given: `VISA`, `CHECKING`, `ACHEFT`, ... */
  readonly paymentMethod: string;
  /** Integer cents, negative for a refund; null when the amount is not a decimal number. */
  readonly amountCents: number | null;
  /** As given: `OK:678594:`, `OK:BankAccept`, `REJ:15`, ... */
  readonly result: string;
  readonly outcome: JournalOutcome;
  /** The digits at the end of the masked card or account number; reports of a range show none. */
  readonly lastFour: string;
  readonly comment: string;
};

/**
 * `accepted` is a bank payment that the bank has not answered yet. `unknown` means that the result is unlisted,
 * contradicts its list, or is a time-out.
 */
export type JournalOutcome = 'approved' | 'accepted' | 'rejected' | 'returned' | 'unknown';

export type JournalTime = {
  /** As given; without an offset it is in the server's time zone. */
  readonly text: string;
  /** The same moment, ISO 8601 in UTC. Null when the text is no time, or one that clocks show twice or never. */
  readonly utc: string | null;
};
