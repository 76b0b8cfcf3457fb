import type { Reply } from '../reply.ts';
import * as cut from './acts/cut-answers.ts';
import * as hostile from './acts/hostile-documents.ts';
import * as http from './acts/http-answers.ts';
import * as result from './acts/result-files.ts';
import * as soap from './acts/soap-answers.ts';
import type { FaultKind, FaultNeed, StruckCall } from './fault-kind.ts';
import type { Step } from './play-steps.ts';

/**
 * Every way the sandbox can fail on demand. To add a fault, add a row: plan, control API and docs/sandbox.md follow
 * from the table. `test/support/fault-expectations.ts` needs an entry for what a client may answer.
 */
export const FAULT_KINDS = {
  // The connection breaks before the request is complete.
  'connection-refused': shut('The listener is closed for a while, at once; new connections are refused.', 1000),
  'connection-dropped': early('accept', 'A connection is reset as soon as it is accepted.', cut.reset),
  'reset-at-first-byte': early('first-byte', 'The connection is reset when the first byte arrives.', cut.reset),
  'reset-after-headers': early('head', 'The connection is reset after the headers of the request.', cut.reset),
  'reset-mid-body': early('half-body', 'The connection is reset in the middle of the body of the request.', cut.reset),
  'early-answer': early('head', 'A 503 is sent before the body of the request has been read.', http.answerEarly),

  // The request is complete, and no answer comes.
  'reset-after-request': unbooked('The connection is reset in place of the answer.', cut.reset),
  'closed-after-request': unbooked('The connection is closed in place of the answer.', cut.finish),
  'no-answer': unbooked('No answer comes, and the connection stays open.', cut.hang),
  'booked-then-reset': booked('The call is booked, then the connection is reset.', cut.reset),
  'booked-then-closed': booked('The call is booked, then the connection is closed.', cut.finish),
  'booked-no-answer': booked('The call is booked, no answer comes, and the connection stays open.', cut.hang),

  // The answer is cut, slow, or of another length than announced.
  'headers-then-hang': booked('The headers of the answer come, and then nothing more.', cut.sendHeadOnly),
  'cut-then-closed': booked('Half of the answer comes, then the connection is closed.', cut.cutAndClose),
  'cut-then-reset': booked('Half of the answer comes, then the connection is reset.', cut.cutAndReset),
  'cut-without-length': booked('Half of an answer without Content-Length comes.', cut.cutWithoutLength),
  'cut-document': booked('Half of the XML comes under the right Content-Length.', cut.cutDocument),
  'length-too-long': booked('The whole answer comes under a Content-Length that is too long.', cut.announceTooMuch),
  'length-too-short': booked('The whole answer comes under a Content-Length that is too short.', cut.announceTooLittle),
  'broken-chunk': booked('The answer comes in chunks, and the length of one is no number.', cut.breakChunk),
  'cut-chunks': booked('The answer comes in chunks, and the last one is missing.', cut.cutChunks),
  'slow-drip': booked('The answer comes one byte at a time, with `delayMs` before each.', cut.drip, { delayMs: 20 }),
  'late-answer': booked('The whole answer comes after `delayMs`.', cut.delay, { delayMs: 5000 }),

  // HTTP or a web server answers instead of the service.
  'http-301': unbooked('301 to another version of the service.', http.redirect(301)),
  'http-302': unbooked('302 to another version of the service.', http.redirect(302)),
  'http-303': unbooked('303 to another version of the service.', http.redirect(303)),
  'http-307': unbooked('307 to another version of the service.', http.redirect(307)),
  'http-308': unbooked('308 to another version of the service.', http.redirect(308)),
  'http-400': unbooked('400 with an HTML page.', http.sendPage(400, 'Bad Request')),
  'http-401': unbooked('401 with an HTML page.', http.sendPage(401, 'Unauthorized', { 'WWW-Authenticate': 'Basic' })),
  'http-403': unbooked('403 with an HTML page.', http.sendPage(403, 'Forbidden')),
  'http-404': unbooked('404 with an HTML page.', http.sendPage(404, 'The resource cannot be found.')),
  'http-429': unbooked('429 with Retry-After.', http.sendPage(429, 'Too Many Requests', { 'Retry-After': '1' })),
  'http-500': unbooked('500 with an HTML page.', http.sendPage(500, 'Runtime Error')),
  'http-502': unbooked('502 with an HTML page.', http.sendPage(502, 'Bad Gateway')),
  'http-503': unbooked('503 with an HTML page.', http.sendPage(503, 'Service Unavailable')),
  'http-504': unbooked('504 with an HTML page.', http.sendPage(504, 'Gateway Time-out')),
  'booked-http-500': booked('The right answer comes with the status 500.', http.changeStatus(500)),
  'booked-http-202': booked('The right answer comes with the status 202.', http.changeStatus(202)),
  'html-200': unbooked('200 with an HTML page.', http.sendPage(200, 'Service Unavailable')),
  'json-200': unbooked('200 with JSON.', http.sendJson),
  'empty-200': unbooked('200 with an empty body.', http.sendEmpty),
  'not-http': unbooked('The greeting of a mail server comes in place of HTTP.', http.speakAnotherProtocol),
  'http-101': unbooked('101, as if the connection had become a web socket.', http.switchProtocols),
  'informational-100': booked('A 100 comes before the answer.', http.informFirst('100 Continue')),
  'informational-103': booked('A 103 comes before the answer.', http.informFirst('103 Early Hints')),
  'gzip-answer': booked('The answer is compressed although the request did not allow it.', http.compress),
  'wrong-content-type': booked('The answer comes as text/plain.', http.changeContentType),

  // The service answers, but not as it should.
  'soap-fault-client': unbooked('A SOAP fault that blames the client.', soap.sendFault('client')),
  'soap-fault-server': unbooked('A SOAP fault that blames the server.', soap.sendFault('server')),
  'soap-fault-other-version': unbooked('A SOAP fault in the other version of SOAP.', soap.sendFaultOfOtherVersion),
  'soap-fault-200': unbooked('A SOAP fault with the status 200.', soap.sendFaultWithSuccess),
  'failure-server-error': unbooked('STATUS Failure with `Server Error`.', soap.sendFailure('Server Error')),
  'failure-bad-request': unbooked('STATUS Failure with `Bad request.`.', soap.sendFailure('Bad request.')),
  'timeout-text': booked('The result says `TIMEOUT`.', soap.changeText(' TIMEOUT\n')),
  'no-information-text': booked(
    'The result says `Error : No information is returned from App Server.`.',
    soap.changeText('Error : No information is returned from App Server.'),
  ),
  'unlisted-text': booked('The result is a text that no list has.', soap.changeText('Transaction queued for review')),
  'empty-result': booked('The Result element is empty.', soap.emptyResult),
  'two-results': booked('A second result stands beside the first and contradicts it.', soap.sayTwoThings),
  'other-operation': booked('The answer wears the names of another operation.', soap.nameAnotherOperation),
  'repeated-batch-id': booked('A batch is given the id of the batch before.', soap.repeatBatchId, {
    needs: 'earlier-batch',
  }),

  // The document harms a parser that trusts it.
  'entity-bomb': booked('The answer declares entities that grow a thousand million times.', hostile.sendBomb),
  'external-entity': booked('The answer declares an entity at another address.', hostile.referToFile),
  'html-entity': booked('The answer holds an entity of HTML.', hostile.sendHtmlEntity),
  'comment-in-answer': booked('The answer holds a comment.', hostile.sendComment),
  'cdata-in-answer': booked('The answer holds CDATA.', hostile.sendCdata),
  'linked-elements': booked('Elements of the answer refer to each other.', hostile.referWithin),
  'deep-nesting': booked('The answer is nested 100,000 deep.', hostile.nestDeeply),
  'two-documents': booked('A second document stands behind the first.', hostile.sendTwoDocuments),
  'huge-answer': booked('The answer holds 64 MB of spaces.', hostile.padHugely),
  'invalid-utf8': booked('The answer holds a byte that is no UTF-8.', hostile.breakCharacter),
  'utf16-answer': booked('The answer is in UTF-16.', hostile.encodeUtf16),
  'byte-order-mark': booked('A byte order mark stands before the answer.', hostile.markByteOrder),

  // The result file of a batch does not match what was sent.
  'result-row-missing': onResult('The last row is missing.', result.changeRows(result.dropRow)),
  'result-row-extra': onResult('There is a row that was not sent.', result.changeRows(result.addRow)),
  'result-rows-reordered': onResult('The rows come in the opposite order.', result.changeRows(result.reverseRows)),
  'result-amount-altered': onResult('The first amount is another.', result.changeRows(result.alterAmount)),
  'result-invoice-altered': onResult('The first invoice is another.', result.changeRows(result.alterInvoice)),
  'result-number-altered': onResult('The first number ends otherwise.', result.changeRows(result.alterLastFour)),
  'result-requoted': onResult('Every cell stands in quotes.', result.changeRows(result.quoteCells)),
  'result-line-feeds': onResult('Rows end with LF instead of CRLF.', result.endWithLineFeeds),
  'result-late-change': onResult('The last row says `TIMEOUT`, until later.', result.changeRows(result.timeOutLastRow)),
  'result-base64-damaged': onResult('The base64 holds a character that is none.', result.damageBase64),
  'result-base64-twice': onResult('The file is in base64 twice.', result.encodeTwice),
  'result-empty': onResult('The batch is done and its file is empty.', result.emptyFile),
  'result-nul': onResult('A NUL stands in the first row.', result.insertNul),
  'result-utf16': onResult('The file is in UTF-16.', result.encodeFileUtf16),
  'result-gzip': onResult('The file is compressed.', result.compressFile),
  'result-denied': onResult('The service says that it never gave the batch id.', result.denyBatchId),
  'result-still-running': onResult('A batch that is done says that it is running.', result.sayStillRunning),
} as const satisfies Record<string, FaultKind>;

export type FaultName = keyof typeof FAULT_KINDS;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULT_KINDS, name);
}

function shut(about: string, delayMs: number) {
  return { about, books: 'never', strikes: 'planned', delayMs } as const;
}

function early(strikes: 'accept' | 'first-byte' | 'head' | 'half-body', about: string, act: () => readonly Step[]) {
  return { about, books: 'never', strikes, act } as const;
}

function unbooked(about: string, act: (call: StruckCall) => readonly Step[]) {
  return { about, books: 'never', strikes: 'request', act } as const;
}

function booked(
  about: string,
  act: (reply: Reply, call: StruckCall) => readonly Step[],
  more: { readonly delayMs?: number; readonly needs?: FaultNeed } = {},
) {
  return { about, books: 'before', strikes: 'answer', act, ...more } as const;
}

function onResult(about: string, act: (reply: Reply) => readonly Step[]) {
  return booked(about, act, { needs: 'result-file' });
}
