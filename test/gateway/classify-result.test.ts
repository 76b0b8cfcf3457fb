import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyResult } from '../../src/gateway/classify-result.ts';
import { createScrub } from '../../src/gateway/scrub.ts';
import type { PostOutcome } from '../../src/gateway/transport/post.ts';
import { answerOf, batchResult, DONE, failure, FAULT, success, WAIT } from './support/soap-answers.ts';

const scrub = createScrub({ agentCode: 'AGENT', password: 'PASS' });
const ID = '<BATCHID>77</BATCHID>';
const FILE = '<BATCHPROCESSRESULTFILE>UmVjZWl2ZWQNCg==</BATCHPROCESSRESULTFILE>';
const RECEIVED = Buffer.from('Received\r\n');

describe('classifyResult', () => {
  it.each([
    ['as recorded', success(batchResult(DONE, ID + FILE))],
    ['padded', success(batchResult(` ${DONE}\n`, '<BATCHID> 77\n</BATCHID>' + FILE))],
    [
      'under the other name',
      success(`<BATCHRESULT><AUTHORIZATIONRESULT>${DONE}</AUTHORIZATIONRESULT>${ID}${FILE}</BATCHRESULT>`),
    ],
    ['with base64 in lines', success(batchResult(DONE, ID + FILE.replace('ZWl2', 'ZWl2\r\n')))],
  ])('is done with the literal text, the id asked for and a file, %s', async (_how, inside) => {
    expect(await classify(inside)).toEqual({ kind: 'done', file: RECEIVED, text: DONE });
  });

  it('is running with the literal text', async () => {
    expect(await classify(success(batchResult(WAIT, ID)))).toEqual({ kind: 'running', text: WAIT });
  });

  it('takes the id asked for with white space around it as the same', async () => {
    const inside = success(batchResult(WAIT, ID));
    expect((await classifyResult(' 77 ', answered(inside), scrub)).kind).toBe('running');
  });

  it.each([
    [
      'of another batch',
      success(batchResult(DONE, `<BATCHID>78</BATCHID>${FILE}`)),
      'the answer is about another batch',
    ],
    ['without an id', success(batchResult(DONE, FILE)), 'the answer is about another batch'],
    [
      'that runs, of another batch',
      success(batchResult(WAIT, '<BATCHID>78</BATCHID>')),
      'the answer is about another batch',
    ],
    ['that runs and has a file', success(batchResult(WAIT, ID + FILE)), 'the answer says running and carries a file'],
    ['without a file', success(batchResult(DONE, ID)), 'the answer says done and carries no file'],
    [
      'with an empty file',
      success(batchResult(DONE, `${ID}<BATCHPROCESSRESULTFILE />`)),
      'the answer says done and carries no file',
    ],
    ['with two files', success(batchResult(DONE, ID + FILE + FILE)), 'the answer says two things at once'],
    [
      'with a file with a stray character',
      success(batchResult(DONE, ID + FILE.replace('ZWl2', 'ZW*2'))),
      'the result file is not base64',
    ],
    [
      'with a file without its padding',
      success(batchResult(DONE, ID + FILE.replace('==', ''))),
      'the result file is not base64',
    ],
    ['with a file cut', success(batchResult(DONE, ID + FILE.replace('Cg==', 'Cg='))), 'the result file is not base64'],
    [
      'with a file of base64 for URLs',
      success(batchResult(DONE, `${ID}<BATCHPROCESSRESULTFILE>-_-_</BATCHPROCESSRESULTFILE>`)),
      'the result file is not base64',
    ],
  ])('fails with a result %s', async (_what, inside, why) => {
    expect(await classify(inside)).toEqual({ kind: 'failed', why });
  });

  it.each([
    ['an unknown id', success(batchResult('Error : Invalid Batch ID.', ID)), 'Error : Invalid Batch ID.'],
    ['a bad login', success(batchResult(' REJECT: 1\n')), 'REJECT: 1'],
    ['a failure', failure('Server Error'), 'Server Error'],
    ['two texts', failure('Server Error', batchResult('TIMEOUT')), 'TIMEOUT / Server Error'],
    ['done under Failure', failure('', batchResult(DONE, ID + FILE)), DONE],
    ['almost done', success(batchResult(`${DONE}.`, ID + FILE)), `${DONE}.`],
    ['done with an error', `<STATUS>Success</STATUS><ERRORS>x</ERRORS>${batchResult(DONE, ID + FILE)}`, `${DONE} / x`],
    ['no text', success(batchResult('', ID)), '(no text)'],
    ['a card number', success(batchResult('card 4222222222222220', ID)), 'card ************2220'],
  ])('does not know %s', async (_what, inside, text) => {
    expect(await classify(inside)).toEqual({ kind: 'not_known', text });
  });

  it('fails on a broken call, another status and a fault', async () => {
    const bytes = { bytesWritten: 1, bytesRead: 1 };
    const broken: PostOutcome = { kind: 'broken', why: 'cut', body: Buffer.alloc(0), ...bytes };
    expect(await classifyResult('77', broken, scrub)).toEqual({ kind: 'failed', why: 'cut' });
    const busy: PostOutcome = { kind: 'answered', httpStatus: 503, body: Buffer.alloc(0), ...bytes };
    expect(await classifyResult('77', busy, scrub)).toEqual({ kind: 'failed', why: 'the service answered HTTP 503' });
    const fault: PostOutcome = { kind: 'answered', httpStatus: 200, body: Buffer.from(FAULT), ...bytes };
    expect((await classifyResult('77', fault, scrub)).kind).toBe('failed');
  });

  it('gives back any file byte by byte, also one that the parser reads in pieces', async () => {
    const files = fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes));
    const large = Buffer.alloc(300_000, 'row,');
    await fc.assert(
      fc.asyncProperty(fc.oneof(files, fc.constant(large)), async (file) => {
        const xml = `${ID}<BATCHPROCESSRESULTFILE>${file.toString('base64')}</BATCHPROCESSRESULTFILE>`;
        const answer = await classify(success(batchResult(DONE, xml)));
        expect(answer.kind === 'done' && answer.file.equals(file)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not take the last piece of a large file for the whole when the element has an attribute', async () => {
    const base64 = Buffer.alloc(300_000, 'row,').toString('base64');
    const xml = `${ID}<BATCHPROCESSRESULTFILE kind="x">${base64}</BATCHPROCESSRESULTFILE>`;
    expect((await classify(success(batchResult(DONE, xml)))).kind).toBe('failed');
  });

  it('is never done or running for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), async (bytes) => {
        const outcome: PostOutcome = { ...answered(''), body: Buffer.from(bytes) };
        expect((await classifyResult('77', outcome, scrub)).kind).toBe('failed');
      }),
    );
  });
});

function classify(inside: string) {
  return classifyResult('77', answered(inside), scrub);
}

function answered(inside: string): PostOutcome & { kind: 'answered' } {
  const body = Buffer.from(answerOf('GetBatchProcessResultFile', inside));
  return { kind: 'answered', httpStatus: 200, bytesWritten: 900, bytesRead: body.length, body };
}
