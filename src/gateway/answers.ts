/**
 * What a call to the service can end in. The default is always the careful one: a submit that is not provably unsent,
 * accepted or refused is `unknown`, and a result that is not provably there is not `done`.
 * `serviceAt`: when it came, by the clock of the service.
 */
export type SubmitAnswer = SubmitOutcome & { serviceAt?: Date | undefined };

type SubmitOutcome =
  /** The service does not offer the operation here; found in our table before anything left. */
  | { kind: 'restricted'; message: string }
  /** `beforeFirstByte` did not say yes. Nothing left. */
  | { kind: 'withheld' }
  /** No byte of the request left this host, for the reason given. The same batch may be sent again. */
  | { kind: 'not_sent'; why: string }
  /** The service took the batch and gave it this id. */
  | { kind: 'submitted'; batchId: string; text: string }
  /** The service said no in words that prove that it took nothing. `code` is the rejection code where there is one. */
  | { kind: 'refused'; text: string; code: number | null }
  /** The service may or may not have taken the batch. It must not be sent again without a person's resolution. */
  | { kind: 'unknown'; why: string; evidence: Evidence };

/** What is left of a call whose outcome is unknown, safe to store and to show. */
export type Evidence = {
  httpStatus?: number;
  /** Bytes of the request handed to the operating system or waiting for it: at most this many left. */
  bytesWritten: number;
  bytesRead: number;
  /** Begin of the answer, at most 300 characters, without secrets and long numbers; a batch id seen in it comes first. */
  answerText?: string;
};

export type ResultAnswer =
  | { kind: 'running'; text: string }
  /** `file` is the result file as the service made it, decoded from base64 once. */
  | { kind: 'done'; file: Buffer; text: string }
  /** A text that is not listed, such as that of an unknown batch id: keep asking and alert, never take it as done. */
  | { kind: 'not_known'; text: string }
  /** The call or its answer broke. It only reads, so it may be repeated. */
  | { kind: 'failed'; why: string };
