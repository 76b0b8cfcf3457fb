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
