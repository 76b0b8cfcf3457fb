import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifySubmit } from '../../src/gateway/classify-submit.ts';
import { createScrub } from '../../src/gateway/scrub.ts';
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

describe('classifySubmit', () => {
  it.each([
    ['as recorded', ACCEPTED],
    ['padded', success(batchResult(` ${WAIT}\n`, '<BATCHID> 1000001\n</BATCHID>'))],
    ['under the other name', ACCEPTED.replaceAll('BATCHPROCESSRESULT>', 'BATCHRESULT>')],
  ])('is submitted with the literal text and an id, %s', async (_how, inside) => {
    expect(await classify(inside)).toEqual({ kind: 'submitted', batchId: '1000001', text: WAIT });
  });

  const LOGIN = 'Error : Invalid Username or Password.';
  it.each([
    ['a bad login', success(batchResult(' REJECT: 1\n')), 'REJECT: 1', 1],
    [
      'a bad login as a failure',
      failure('', '<PROCESSRESULT><AUTHORIZATIONRESULT>REJECT: 1</AUTHORIZATIONRESULT></PROCESSRESULT>'),
      'REJECT: 1',
      1,
    ],
    [
      'a bad login in words',
      success(`<PROCESSRESULT><AUTHORIZATIONRESULT>${LOGIN}</AUTHORIZATIONRESULT></PROCESSRESULT>`),
      LOGIN,
      null,
    ],
    ['a bad login in ERRORS', failure(LOGIN), LOGIN, null],
    [
      'the wrong server',
      failure('Service cannot be used on this server.'),
      'Service cannot be used on this server.',
      null,
    ],
    [
      'the wrong currency',
      failure('Service cannot be used with this Method of Payment or Currency.'),
      'Service cannot be used with this Method of Payment or Currency.',
      null,
    ],
    ['a bad request', failure('Bad request.'), 'Bad request.', null],
    ['a bad request without a payload', failure('Bad request.', ''), 'Bad request.', null],
    ['two listed texts', failure('Bad request.', batchResult('REJECT: 1')), 'Bad request.', 1],
  ])('is refused by %s', async (_what, inside, text, code) => {
    expect(await classify(inside)).toEqual({ kind: 'refused', text, code });
  });

  it.each([
    ['an id without a text', success(batchResult('', ID))],
    ['the text without an id', success(batchResult(WAIT))],
    ['the text with a blank id', success(batchResult(WAIT, '<BATCHID>  </BATCHID>'))],
    ['the text with an empty id', success(batchResult(WAIT, '<BATCHID />'))],
    ['an id of 41 characters', success(batchResult(WAIT, `<BATCHID>${'9'.repeat(41)}</BATCHID>`))],
    ['two ids', success(batchResult(WAIT, ID + ID))],
    ['three dots', success(batchResult('Batch Processing, Please Wait ...', ID))],
    ['five dots', success(batchResult(`${WAIT}.`, ID))],
    ['another case', success(batchResult(WAIT.toLowerCase(), ID))],
    ['the text of the result call', success(batchResult(DONE, ID))],
    ['an unlisted text with an id', success(batchResult('OK', ID))],
    ['a time-out', success(batchResult('TIMEOUT'))],
    ['no information', success(batchResult('Error : No information is returned from App Server.'))],
    ['another rejection', success(batchResult('REJECT: 15'))],
    ['a rejection that begins with 1', success(batchResult('REJECT: 100'))],
    ['a rejection with an id', success(batchResult('REJECT: 1', ID))],
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
    ['two payloads', success(batchResult(WAIT, ID) + '<BATCHRESULT />')],
    ['nothing', ''],
  ])('is unknown by %s', async (_what, inside) => {
    expect((await classify(inside)).kind).toBe('unknown');
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
  ])('is unknown by %s', async (_what, xml) => {
    expect((await classifySubmit('processCreditCardBatch', answered(xml), scrub)).kind).toBe('unknown');
  });

  it('is unknown by any other status than 200, whatever the body says', async () => {
    for (const httpStatus of [0, 100, 201, 202, 204, 302, 400, 500]) {
      const outcome = { ...answered(answerOf('ProcessCreditCardBatch', ACCEPTED)), httpStatus };
      expect((await classifySubmit('processCreditCardBatch', outcome, scrub)).kind).toBe('unknown');
    }
  });

  it('names the batch id that an unlisted answer carries, unmasked', async () => {
    expect(await classify(success(batchResult('Thank you', ID)))).toMatchObject({
      kind: 'unknown',
      evidence: {
        httpStatus: 200,
        answerText: expect.stringMatching(/^BATCHID 1000001: .*Thank you|^BATCHID 1000001: /),
      },
    });
  });

  it('leaves out of the evidence what there is not', async () => {
    const broken: PostOutcome = { kind: 'broken', why: 'cut', bytesWritten: 5, bytesRead: 0, body: Buffer.alloc(0) };
    expect(await classifySubmit('processCreditCardBatch', broken, scrub)).toEqual({
      kind: 'unknown',
      why: 'cut',
      evidence: { bytesWritten: 5, bytesRead: 0 },
    });
  });

  it('stays unknown when the evidence cannot be made', async () => {
    const broken = {
      text: () => '',
      answer: () => {
        throw new Error('no');
      },
    };
    const outcome = answered('<x/>');
    expect(await classifySubmit('processCreditCardBatch', outcome, broken)).toMatchObject({
      kind: 'unknown',
      evidence: { answerText: '[not shown]' },
    });
  });

  it('is unknown for any bytes and for any cut of a good answer', async () => {
    const good = Buffer.from(answerOf('ProcessCreditCardBatch', ACCEPTED));
    const cut = fc.nat({ max: good.length - 1 }).map((end) => good.subarray(0, end));
    const bytes = fc.oneof(cut, fc.uint8Array({ maxLength: 2000 }), fc.string({ maxLength: 500, unit: 'grapheme' }));
    await fc.assert(
      fc.asyncProperty(bytes, async (body) => {
        const answer = await classifySubmit('processCreditCardBatch', answered(Buffer.from(body as string)), scrub);
        expect(answer.kind).toBe('unknown');
      }),
      { numRuns: 40 },
    );
  });

  it('never throws on a good answer with damage, and never gives another text', async () => {
    const good = Buffer.from(answerOf('ProcessCreditCardBatch', ACCEPTED));
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: good.length - 1 }), fc.nat({ max: 255 }), async (at, byte) => {
        const damaged = Buffer.from(good);
        damaged[at] = byte;
        const answer = await classifySubmit('processCreditCardBatch', answered(damaged), scrub);
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
