import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { classifyResult } from '../../src/gateway/classify-result.ts';
import { createScrub, hideSecrets } from '../../src/gateway/hide-secrets.ts';
import type { PostOutcome } from '../../src/gateway/transport/post.ts';
import { answerOf, batchResult, DONE, failure, FAULT, success, WAIT } from './support/soap-answers.ts';
import { isBatchId, readBatchFields } from '../../src/gateway/soap/read-batch-fields.ts';
import { REJECTIONS } from '../../schemas/rejections.ts';
import { findPayment, findRejection, readProcessResult } from '../../src/gateway/read-client-answer.ts';
import { CANARIES } from './support/call.ts';

const scrub = createScrub({ agentCode: 'AGENT', password: 'PASS' });
const ID = '<BATCHID>77</BATCHID>';
const FILE = '<BATCHPROCESSRESULTFILE>UmVjZWl2ZWQNCg==</BATCHPROCESSRESULTFILE>';
const RECEIVED = Buffer.from('Received\r\n');

const done = (more: string) => success(batchResult(DONE, more));
const running = (more: string) => success(batchResult(WAIT, more));
const fileOf = (base64: string) => `<BATCHPROCESSRESULTFILE>${base64}</BATCHPROCESSRESULTFILE>`;

const OTHER = 'the answer is about another batch';
const NO_FILE = 'the answer says done and carries no file';
const NOT_BASE64 = 'the result file is not base64';

describe('classifyResult', () => {
  it.each([
    ['as recorded', done(ID + FILE)],
    ['padded', success(batchResult(` ${DONE}\n`, '<BATCHID> 77\n</BATCHID>' + FILE))],
    [
      'under the other name',
      success(`<BATCHRESULT><AUTHORIZATIONRESULT>${DONE}</AUTHORIZATIONRESULT>${ID}${FILE}</BATCHRESULT>`),
    ],
    ['with base64 in lines', done(ID + FILE.replace('ZWl2', 'ZWl2\r\n'))],
  ])('is done with the literal text, the id asked for and a file, %s', (_how, inside) => {
    expect(classify(inside)).toEqual({ kind: 'done', file: RECEIVED, text: DONE });
  });

  it('is running with the literal text', () => {
    expect(classify(running(ID))).toEqual({ kind: 'running', text: WAIT });
  });

  it('takes the id asked for with white space around it as the same', () => {
    const inside = running(ID);
    expect(classifyResult(' 77 ', answered(inside), scrub).kind).toBe('running');
  });

  it.each([
    ['of another batch', done(`<BATCHID>78</BATCHID>${FILE}`), OTHER],
    ['without an id', done(FILE), OTHER],
    ['that runs, of another batch', running('<BATCHID>78</BATCHID>'), OTHER],
    ['that runs and has a file', running(ID + FILE), 'the answer says running and carries a file'],
    ['without a file', done(ID), NO_FILE],
    ['with an empty file', done(`${ID}<BATCHPROCESSRESULTFILE />`), NO_FILE],
    ['with two files', done(ID + FILE + FILE), 'the answer contradicts itself'],
    ['with a file with a stray character', done(ID + FILE.replace('ZWl2', 'ZW*2')), NOT_BASE64],
    ['with a file without its padding', done(ID + FILE.replace('==', '')), NOT_BASE64],
    ['with a file cut', done(ID + FILE.replace('Cg==', 'Cg=')), NOT_BASE64],
    ['with a file of base64 for URLs', done(ID + fileOf('-_-_')), NOT_BASE64],
  ])('fails with a result %s', (_what, inside, why) => {
    expect(classify(inside)).toEqual({ kind: 'failed', why });
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
  ])('does not know %s', (_what, inside, text) => {
    expect(classify(inside)).toEqual({ kind: 'not_known', text });
  });

  it('fails on a broken call, another status and a fault', () => {
    const bytes = { bytesWritten: 1, bytesRead: 1 };
    const broken: PostOutcome = { kind: 'broken', why: 'cut', body: Buffer.alloc(0), ...bytes };
    expect(classifyResult('77', broken, scrub)).toEqual({ kind: 'failed', why: 'cut' });
    const busy: PostOutcome = { kind: 'answered', httpStatus: 503, body: Buffer.alloc(0), ...bytes };
    expect(classifyResult('77', busy, scrub)).toEqual({ kind: 'failed', why: 'the service answered HTTP 503' });
    const fault: PostOutcome = { kind: 'answered', httpStatus: 200, body: Buffer.from(FAULT), ...bytes };
    expect(classifyResult('77', fault, scrub).kind).toBe('failed');
  });

  it('gives back any file byte by byte, also one that the parser reads in pieces', () => {
    const files = fc.uint8Array({ minLength: 1, maxLength: 500 }).map((bytes) => Buffer.from(bytes));
    const large = Buffer.alloc(300_000, 'row,');
    fc.assert(
      fc.property(fc.oneof(files, fc.constant(large)), (file) => {
        const xml = ID + fileOf(file.toString('base64'));
        const answer = classify(done(xml));
        expect(answer.kind === 'done' && answer.file.equals(file)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it('does not take the last piece of a large file for the whole when the element has an attribute', () => {
    const base64 = Buffer.alloc(300_000, 'row,').toString('base64');
    const xml = `${ID}<BATCHPROCESSRESULTFILE kind="x">${base64}</BATCHPROCESSRESULTFILE>`;
    expect(classify(done(xml)).kind).toBe('failed');
  });

  it('is never done or running for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const outcome: PostOutcome = { ...answered(''), body: Buffer.from(bytes) };
        expect(classifyResult('77', outcome, scrub).kind).toBe('failed');
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

describe('readBatchFields', () => {
  const inside = { AUTHORIZATIONRESULT: ' text ', BATCHID: ' 7 ', BATCHPROCESSRESULTFILE: 'QQ==' };
  const fields = { text: 'text', batchId: '7', file: 'QQ==' };
  const none = { text: '', batchId: '', file: '' };

  it.each([
    ['BATCHPROCESSRESULT', { BATCHPROCESSRESULT: inside }, fields],
    ['BATCHRESULT', { BATCHRESULT: inside }, fields],
    ['PROCESSRESULT', { PROCESSRESULT: inside }, fields],
    ['an empty payload', { PROCESSRESULT: null }, none],
    ['no payload', {}, none],
    ['both names at once', { BATCHPROCESSRESULT: inside, BATCHRESULT: inside }, undefined],
    ['a repeated payload', { BATCHRESULT: [inside, inside] }, undefined],
    ['text instead of elements', { BATCHRESULT: 'x' }, undefined],
    ['a repeated id', { BATCHRESULT: { ...inside, BATCHID: ['7', '8'] } }, undefined],
    ['an id with elements in it', { BATCHRESULT: { ...inside, BATCHID: { X: '7' } } }, undefined],
  ])('reads %s', (_what, payload, expected) => {
    expect(readBatchFields({ status: 'Success', errors: '', payload })).toEqual(expected);
  });
});

describe('isBatchId', () => {
  it.each(['1', '1000001', 'A-1_b', 'x'.repeat(40)])('takes %s', (id) => {
    expect(isBatchId(id)).toBe(true);
  });

  it.each(['', ' ', 'x'.repeat(41), '1\n2', '1 2', 'é', '\u0000', '１'])('refuses %j', (id) => {
    expect(isBatchId(id)).toBe(false);
  });
});

const secrets = hideSecrets({ agentCode: 'TEST88', password: 'TEST88' }, { creditCardNum: CANARIES.card });
const EMPTY = { text: '', customerCode: '', transactionId: '', settlementBatchDate: '', settlementDate: '' };

describe('readProcessResult', () => {
  it.each([
    ['a whole one', { PROCESSRESULT: { AUTHORIZATIONRESULT: ' OK\n', TRANSACTIONID: 'A1' } }, 'OK'],
    ['a blank one', { PROCESSRESULT: null }, ''],
    ['none', {}, ''],
    ['a repeated one', { PROCESSRESULT: [{}, {}] }, undefined],
    ['a repeated element', { PROCESSRESULT: { TRANSACTIONID: ['A', 'B'] } }, undefined],
    ['another payload beside it', { PROCESSRESULT: {}, FILE: 'x' }, undefined],
  ])('of %s', (_what, payload, text) => {
    expect(readProcessResult({ status: 'Success', errors: '', payload })?.text).toBe(text);
  });
});

describe('findPayment', () => {
  it.each([
    ['OK', null, null],
    ['OK: 678594:', '678594', null],
    ['OK: 678594', '678594', null],
    ['OK: 678594:X', '678594', 'X'],
    ['OK: A12B34:y', 'A12B34', 'y'],
  ])('takes %s', (text, authorization, addressCheck) => {
    expect(findPayment({ ...EMPTY, text, transactionId: 'A9000001' }, false, secrets)).toEqual({
      kind: 'approved',
      result: {
        transactionId: 'A9000001',
        customerCode: null,
        settlementBatchDate: null,
        settlementDate: null,
        authorization,
        addressCheck,
      },
    });
  });

  it.each(['', 'OK:Reject', 'OK:BankAccept', 'OK: REJECT', 'OKAY', 'ok', 'REJECT: 15', 'NOT OK', 'OK: 1:XX'])(
    'does not take "%s"',
    (text) => {
      expect(findPayment({ ...EMPTY, text }, false, secrets)).toBeUndefined();
    },
  );

  it('says accepted for a bank payment, which the bank has not seen yet', () => {
    expect(findPayment({ ...EMPTY, text: 'OK: 555555:' }, true, secrets)).toMatchObject({ kind: 'accepted' });
  });

  it('does not believe an answer that repeats a number', () => {
    const fields = { ...EMPTY, text: 'OK', transactionId: CANARIES.card };
    expect(findPayment(fields, false, secrets)).toMatchObject({ kind: 'unknown' });
  });
});

describe('findRejection', () => {
  it.each(Object.entries(REJECTIONS))('knows code %s', (code, { message, advice }) => {
    const answer = findRejection({ ...EMPTY, text: `REJECT: ${code}`, transactionId: 'A1' }, secrets);
    if (advice === 'unknown') expect(answer).toEqual({ kind: 'unknown', why: `rejection code ${code}: ${message}` });
    else expect(answer).toEqual({ kind: 'declined', code: Number(code), message, advice, transactionId: 'A1' });
  });

  it('names code 19 as the spec does', () => {
    expect(findRejection({ ...EMPTY, text: 'REJECT: 19' }, secrets)).toEqual({
      kind: 'declined',
      code: 19,
      message: 'Incorrect CVV2 security code',
      advice: 'fix',
      transactionId: null,
    });
  });

  it('leaves a code that is not listed unknown, and all other texts alone', () => {
    expect(findRejection({ ...EMPTY, text: 'REJECT: 13' }, secrets)).toMatchObject({ kind: 'unknown' });
    const others = ['REJECT: ', 'REJECT: 5 6', 'REJ:15', 'OK', 'TIMEOUT'];
    expect(others.map((text) => findRejection({ ...EMPTY, text }, secrets))).toEqual(others.map(() => undefined));
  });
});
