import type { AnyAnswer } from '../../src/gateway/answers.ts';
import type { FaultName } from '../../src/sandbox/faults/fault-kinds.ts';

type AnswerKind = AnyAnswer['kind'];

/**
 * What the client may answer when a fault strikes a call that would succeed, by kind of fault; null where it does not
 * strike. FAULT_KINDS says whether the call is booked.
 * The charge is by card and would be approved. The submit is of a batch, on an account that has submitted another
 * before. The fetch is of the result of a finished batch with two rows or more and no customer codes, struck at every
 * attempt (`times: 'always'`).
 */
export type FaultExpectation = {
  readonly charge: readonly AnswerKind[] | null;
  readonly submit: readonly AnswerKind[] | null;
  readonly fetch: readonly AnswerKind[] | null;
  /** The answer takes longer than any client waits; give the client a short `answerMs`. */
  readonly isEndless?: true;
};

/** The first byte has left, and nothing proves what happened next. */
const DOUBT: FaultExpectation = { charge: ['unknown'], submit: ['unknown'], fetch: ['failed'] };
const ENDLESS: FaultExpectation = { ...DOUBT, isEndless: true };
/** Harmless: everything that matters is there. */
const FINE: FaultExpectation = { charge: ['approved'], submit: ['accepted'], fetch: ['approved'] };
/** Affects result files only. The client returns the file as it is; comparing it with what was sent comes later. */
const HANDED_OUT: FaultExpectation = { charge: null, submit: null, fetch: ['approved'] };
const NO_FILE: FaultExpectation = { charge: null, submit: null, fetch: ['failed'] };

export const FAULT_EXPECTATIONS: Readonly<Record<FaultName, FaultExpectation>> = {
  'connection-refused': { charge: ['not_sent'], submit: ['not_sent'], fetch: ['not_sent'] },
  // Whether the reset is seen before the first byte is written is a race.
  'connection-dropped': {
    charge: ['not_sent', 'unknown'],
    submit: ['not_sent', 'unknown'],
    fetch: ['not_sent', 'failed'],
  },
  'reset-at-first-byte': DOUBT,
  'reset-after-headers': DOUBT,
  'reset-mid-body': DOUBT,
  'early-answer': DOUBT,

  'reset-after-request': DOUBT,
  'closed-after-request': DOUBT,
  'no-answer': ENDLESS,
  'booked-then-reset': DOUBT,
  'booked-then-closed': DOUBT,
  'booked-no-answer': ENDLESS,

  'headers-then-hang': ENDLESS,
  'cut-then-closed': DOUBT,
  'cut-then-reset': DOUBT,
  'cut-without-length': DOUBT,
  'cut-document': DOUBT,
  'length-too-long': DOUBT,
  'length-too-short': DOUBT,
  'broken-chunk': DOUBT,
  'cut-chunks': DOUBT,
  'slow-drip': ENDLESS,
  'late-answer': ENDLESS,

  'http-301': DOUBT,
  'http-302': DOUBT,
  'http-303': DOUBT,
  'http-307': DOUBT,
  'http-308': DOUBT,
  'http-400': DOUBT,
  'http-401': DOUBT,
  'http-403': DOUBT,
  'http-404': DOUBT,
  'http-429': DOUBT,
  'http-500': DOUBT,
  'http-502': DOUBT,
  'http-503': DOUBT,
  'http-504': DOUBT,
  'booked-http-500': DOUBT,
  'booked-http-202': DOUBT,
  'html-200': DOUBT,
  'json-200': DOUBT,
  'empty-200': DOUBT,
  'not-http': DOUBT,
  'http-101': DOUBT,
  'informational-100': FINE,
  'informational-103': FINE,
  'gzip-answer': DOUBT,
  'wrong-content-type': FINE,

  'soap-fault-client': DOUBT,
  'soap-fault-server': DOUBT,
  'soap-fault-other-version': DOUBT,
  'soap-fault-200': DOUBT,
  'failure-server-error': DOUBT,
  // The only text here that proves that nothing was done.
  'failure-bad-request': { charge: ['failed'], submit: ['failed'], fetch: ['failed'] },
  'timeout-text': DOUBT,
  'no-information-text': DOUBT,
  'unlisted-text': DOUBT,
  'empty-result': DOUBT,
  'two-results': DOUBT,
  'other-operation': DOUBT,
  // The client of one call cannot know earlier batches; the ledger does, and refuses the id.
  'repeated-batch-id': { charge: null, submit: ['accepted'], fetch: null },

  'entity-bomb': DOUBT,
  'external-entity': DOUBT,
  'html-entity': DOUBT,
  'comment-in-answer': DOUBT,
  'cdata-in-answer': DOUBT,
  'linked-elements': DOUBT,
  'deep-nesting': DOUBT,
  'two-documents': DOUBT,
  'huge-answer': DOUBT,
  'invalid-utf8': DOUBT,
  'utf16-answer': DOUBT,
  'byte-order-mark': FINE,

  'result-row-missing': HANDED_OUT,
  'result-row-extra': HANDED_OUT,
  'result-rows-reordered': HANDED_OUT,
  'result-amount-altered': HANDED_OUT,
  'result-invoice-altered': HANDED_OUT,
  'result-number-altered': HANDED_OUT,
  'result-requoted': HANDED_OUT,
  'result-line-feeds': HANDED_OUT,
  'result-late-change': HANDED_OUT,
  'result-base64-damaged': NO_FILE,
  'result-base64-twice': HANDED_OUT,
  'result-empty': NO_FILE,
  'result-nul': HANDED_OUT,
  'result-utf16': HANDED_OUT,
  'result-gzip': HANDED_OUT,
  'result-denied': NO_FILE,
  'result-still-running': { charge: null, submit: null, fetch: ['accepted'] },
};
