import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifySubmit } from '../../src/gateway/classify-submit.ts';
import { createScrub } from '../../src/gateway/hide-secrets.ts';
import type { PostOutcome } from '../../src/gateway/transport/post.ts';
import {
  ACCEPTED,
  answerOf,
  batchResult,
  DONE,
  envelope,
  failure,
  FAULT,
  success,
  WAIT,
} from './support/soap-answers.ts';

const scrub = createScrub({ agentCode: 'AGENT', password: 'PASS' });
const ID = '<BATCHID>1000001</BATCHID>';
const LOGIN = 'Error : Invalid Username or Password.';
const SERVER = 'Service cannot be used on this server.';
const CURRENCY = 'Service cannot be used with this Method of Payment or Currency.';

const said = (text: string, more?: string) => success(batchResult(text, more));
const saidOfOne = (text: string) => batchResult(text).replaceAll('BATCHPROCESSRESULT', 'PROCESSRESULT');

describe('classifySubmit', () => {
  it.each([
    ['as recorded', ACCEPTED],
    ['padded', said(` ${WAIT}\n`, '<BATCHID> 1000001\n</BATCHID>')],
    ['under the other name', ACCEPTED.replaceAll('BATCHPROCESSRESULT>', 'BATCHRESULT>')],
  ])('is submitted with the literal text and an id, %s', (_how, inside) => {
    expect(classify(inside)).toEqual({ kind: 'submitted', batchId: '1000001', text: WAIT });
  });

  it.each([
    ['a bad login', said(' REJECT: 1\n'), 'REJECT: 1', 1],
    ['a bad login as a failure', failure('', saidOfOne('REJECT: 1')), 'REJECT: 1', 1],
    ['a bad login in words', success(saidOfOne(LOGIN)), LOGIN, null],
    ['a bad login in ERRORS', failure(LOGIN), LOGIN, null],
    ['the wrong server', failure(SERVER), SERVER, null],
    ['the wrong currency', failure(CURRENCY), CURRENCY, null],
    ['a bad request', failure('Bad request.'), 'Bad request.', null],
    ['a bad request without a payload', failure('Bad request.', ''), 'Bad request.', null],
    ['two listed texts', failure('Bad request.', batchResult('REJECT: 1')), 'Bad request.', 1],
  ])('is refused by %s', (_what, inside, text, code) => {
    expect(classify(inside)).toEqual({ kind: 'refused', text, code });
  });

  it.each([
    ['an id without a text', said('', ID)],
    ['the text without an id', said(WAIT)],
    ['the text with a blank id', said(WAIT, '<BATCHID>  </BATCHID>')],
    ['the text with an empty id', said(WAIT, '<BATCHID />')],
    ['an id of 41 characters', said(WAIT, `<BATCHID>${'9'.repeat(41)}</BATCHID>`)],
    ['two ids', said(WAIT, ID + ID)],
    ['three dots', said('Batch Processing, Please Wait ...', ID)],
    ['five dots', said(`${WAIT}.`, ID)],
    ['another case', said(WAIT.toLowerCase(), ID)],
    ['the text of the result call', said(DONE, ID)],
    ['an unlisted text with an id', said('OK', ID)],
    ['a time-out', said('TIMEOUT')],
    ['no information', said('Error : No information is returned from App Server.')],
    ['another rejection', said('REJECT: 15')],
    ['a rejection that begins with 1', said('REJECT: 100')],
    ['a rejection with an id', said('REJECT: 1', ID)],
    ['a listed failure with an id', failure('Bad request.', batchResult('', ID))],
    ['a listed failure beside an accepted batch', failure('Bad request.', batchResult(WAIT, ID))],
    ['a listed text beside an unlisted one', failure('Bad request.', batchResult('TIMEOUT'))],
    ['a listed error under Success', `<STATUS>Success</STATUS><ERRORS>Bad request.</ERRORS>`],
    ['an error beside an accepted batch', `<STATUS>Success</STATUS><ERRORS>x</ERRORS>${batchResult(WAIT, ID)}`],
    ['a null reference', failure('Object reference not set to an instance of an object.')],
    ['a server error', failure('Server Error')],
    ['a failure without a text', failure('')],
    ['another status', ACCEPTED.replace('Success', 'Pending')],
    ['no status', batchResult(WAIT, ID)],
    ['two payloads', said(WAIT, ID) + '<BATCHRESULT />'],
    ['nothing', ''],
  ])('is unknown by %s', (_what, inside) => {
    expect(classify(inside).kind).toBe('unknown');
  });

  it.each([
    ['a fault', FAULT],
    ['an empty body', envelope('')],
    [
      'an empty result',
      envelope('<ProcessCreditCardBatchResponse><ProcessCreditCardBatchResult /></ProcessCreditCardBatchResponse>'),
    ],
    ['the answer to another batch operation', answerOf('ProcessACHEFTRefundBatch', ACCEPTED)],
    ['an echo of the request', answerOf('ProcessCreditCardBatch', ACCEPTED).replaceAll('BatchResponse', 'Batch')],
    ['two answers', answerOf('ProcessCreditCardBatch', ACCEPTED).repeat(2)],
    ['HTML that is XML', '<html><body>Service Unavailable</body></html>'],
  ])('is unknown by %s', (_what, xml) => {
    expect(classifySubmit('processCreditCardBatch', answered(xml), scrub).kind).toBe('unknown');
  });

  it('is unknown by any other status than 200, whatever the body says', () => {
    for (const httpStatus of [0, 100, 201, 202, 204, 302, 400, 500]) {
      const outcome = { ...answered(answerOf('ProcessCreditCardBatch', ACCEPTED)), httpStatus };
      expect(classifySubmit('processCreditCardBatch', outcome, scrub).kind).toBe('unknown');
    }
  });

  it('names the batch id that an unlisted answer carries, unmasked', () => {
    expect(classify(said('Thank you', ID))).toMatchObject({
      kind: 'unknown',
      evidence: {
        httpStatus: 200,
        answerText: expect.stringMatching(/^BATCHID 1000001: .*Thank you|^BATCHID 1000001: /),
      },
    });
  });

  it('leaves out of the evidence what there is not', () => {
    const broken: PostOutcome = { kind: 'broken', why: 'cut', bytesWritten: 5, bytesRead: 0, body: Buffer.alloc(0) };
    expect(classifySubmit('processCreditCardBatch', broken, scrub)).toEqual({
      kind: 'unknown',
      why: 'cut',
      evidence: { bytesWritten: 5, bytesRead: 0 },
    });
  });

  it('stays unknown when the evidence cannot be made', () => {
    const broken = {
      text: () => '',
      answer: () => {
        throw new Error('no');
      },
    };
    const outcome = answered('<x/>');
    expect(classifySubmit('processCreditCardBatch', outcome, broken)).toMatchObject({
      kind: 'unknown',
      evidence: { answerText: '[not shown]' },
    });
  });

  it('is unknown for any bytes and for any cut of a good answer', () => {
    const good = Buffer.from(answerOf('ProcessCreditCardBatch', ACCEPTED));
    const cut = fc.nat({ max: good.length - 1 }).map((end) => good.subarray(0, end));
    const bytes = fc.oneof(cut, fc.uint8Array({ maxLength: 2000 }), fc.string({ maxLength: 500, unit: 'grapheme' }));
    fc.assert(
      fc.property(bytes, (body) => {
        const answer = classifySubmit('processCreditCardBatch', answered(Buffer.from(body as string)), scrub);
        expect(answer.kind).toBe('unknown');
      }),
      { numRuns: 40 },
    );
  });

  it('never throws on a good answer with damage, and never gives another text', () => {
    const good = Buffer.from(answerOf('ProcessCreditCardBatch', ACCEPTED));
    fc.assert(
      fc.property(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 }), (at, byte) => {
        const damaged = Buffer.from(good);
        damaged[at] = byte;
        const answer = classifySubmit('processCreditCardBatch', answered(damaged), scrub);
        expect(answer.kind === 'unknown' || (answer.kind === 'submitted' && answer.text === WAIT)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });
});

function classify(inside: string) {
  return classifySubmit('processCreditCardBatch', answered(answerOf('ProcessCreditCardBatch', inside)), scrub);
}

function answered(body: string | Buffer): PostOutcome & { kind: 'answered' } {
  return {
    kind: 'answered',
    httpStatus: 200,
    bytesWritten: 900,
    bytesRead: body.length,
    body: Buffer.from(body as string),
  };
}
