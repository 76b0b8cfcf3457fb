import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isElements, readAnswer, type ServiceAnswer } from '../../../src/gateway/soap/read-answer.ts';
import { decodeBase64, readBatchAnswer } from '../../../src/gateway/soap/read-batch-answer.ts';
import { answerOf, batchResult, DONE, failure, FAULT, success, WAIT } from '../support/soap-answers.ts';

const OPERATION = 'getBatchProcessResultFile';
const ID = '<BATCHID>77</BATCHID>';
const FILE = '<BATCHPROCESSRESULTFILE>UmVjZWl2ZWQNCg==</BATCHPROCESSRESULTFILE>';
const DONE_ANSWER = answerOf('GetBatchProcessResultFile', success(batchResult(DONE, ID + FILE)));

/** Compares with `readAnswer`, after putting the file back in its place. */
async function expectAgreement(body: Buffer) {
  const expected = await readAnswer(OPERATION, body);
  const { file, ...found } = await readBatchAnswer(OPERATION, body);
  if (!file || found.kind !== 'read') return expect(found).toEqual(expected);
  expect({ ...found, answer: withFile(found.answer, file.toString('base64')) }).toEqual(expected);
}

function withFile(answer: ServiceAnswer, text: string): ServiceAnswer {
  const [[name, payload] = []] = Object.entries(answer.payload);
  if (name === undefined || !isElements(payload)) throw new Error('an answer without a payload has no file');
  return { ...answer, payload: { [name]: { ...payload, BATCHPROCESSRESULTFILE: text } } };
}

describe('readBatchAnswer', () => {
  it('sets the file aside, decoded, and has the batch id in its place, each time anew', async () => {
    for (const id of ['77', '78', 'B0000001', '77']) {
      const { file, ...reading } = await readBatchAnswer(
        OPERATION,
        Buffer.from(DONE_ANSWER.replace('>77<', `>${id}<`)),
      );
      expect(file?.toString()).toBe('Received\r\n');
      expect(reading).toMatchObject({
        kind: 'read',
        answer: { status: 'Success', payload: { BATCHPROCESSRESULT: { AUTHORIZATIONRESULT: DONE, BATCHID: id } } },
      });
    }
  });

  it.each([
    ['running', success(batchResult(WAIT, ID))],
    ['without an id', success(batchResult(DONE, FILE))],
    ['with another text', success(batchResult('OK', ID + FILE))],
    ['with two ids', success(batchResult(WAIT, ID + ID))],
    ['with two files', success(batchResult(DONE, ID + FILE + FILE))],
    ['with an id of another namespace', success(batchResult(DONE, `${ID}<a:BATCHID xmlns:a="b">9</a:BATCHID>${FILE}`))],
    ['with an id that has an attribute', success(batchResult(DONE, `<BATCHID a="b">77</BATCHID>${FILE}`))],
    ['with an id outside the payload', success(`${ID}${batchResult(DONE, FILE)}`)],
    ['with a file outside the payload', success(`${FILE}${batchResult(DONE, ID)}`)],
    ['with two payloads', success(batchResult(DONE, ID + FILE) + batchResult(WAIT, ''))],
    ['with a padded id', success(batchResult(WAIT, '<BATCHID> 77\n</BATCHID>'))],
    ['with an escaped id', success(batchResult(WAIT, '<BATCHID>&#55;7</BATCHID>'))],
    ['with elements in the id', success(batchResult(WAIT, '<BATCHID><a>7</a></BATCHID>'))],
    ['with an empty file', success(batchResult(DONE, `${ID}<BATCHPROCESSRESULTFILE></BATCHPROCESSRESULTFILE>`))],
    ['with base64 in lines', success(batchResult(DONE, ID + FILE.replace('ZWl2', 'ZWl2\r\n')))],
    ['with base64 without padding', success(batchResult(DONE, ID + FILE.replace('==', '')))],
    ['with a stray character in the file', success(batchResult(DONE, ID + FILE.replace('ZWl2', 'ZW*2')))],
    ['with an entity in the file', success(batchResult(DONE, ID + FILE.replace('ZWl2', 'ZWl2&#10;')))],
    ['that failed', failure('Bad request.')],
    ['that failed with an id', failure('x', batchResult('', ID))],
    ['of another operation', 'none'],
  ])('reads an answer %s as readAnswer does, the second time too', async (_what, inside) => {
    const body = Buffer.from(inside === 'none' ? FAULT : answerOf('GetBatchProcessResultFile', inside));
    await expectAgreement(body);
    await expectAgreement(body);
  });

  it('reads an answer that is wrong anywhere as readAnswer does, and a right one after it', async () => {
    const byte = fc.constantFrom(...Buffer.from('<>/&;"= x7A!-[]?\n\0'), 0x80, 0xc3, 0xef);
    const change = fc.tuple(fc.nat(2_000), fc.nat({ max: 2 }), fc.array(byte, { maxLength: 2 }));
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 2 }), async (changes) => {
        const bytes = [...Buffer.from(DONE_ANSWER)];
        for (const [place, taken, added] of changes) bytes.splice(place % bytes.length, taken, ...added);
        await expectAgreement(Buffer.from(bytes));
        await expectAgreement(Buffer.from(DONE_ANSWER));
      }),
      { numRuns: 150 },
    );
  });

  it('finds an element of the file within the file to be none', async () => {
    const inner = Buffer.from(FILE + ID).toString('base64');
    await expectAgreement(Buffer.from(DONE_ANSWER.replace('UmVjZWl2ZWQNCg==', inner)));
  });
});

const PIECE_LETTERS = 64 * 1024;

/** Reference: decodes the whole text at once. */
function decodeWhole(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function decode(text: string): Buffer | undefined {
  const body = Buffer.from(`<a>${text}</a>`, 'latin1');
  return decodeBase64(body, 3, body.length - 4);
}

describe('decodeBase64', () => {
  it.each([0, 1, 2, 3, 49_151, 49_152, 49_153, 98_304, 200_000])('gives back %i bytes', (size) => {
    const bytes = Buffer.from(Array.from({ length: size }, (_, index) => index % 251));
    expect(decode(bytes.toString('base64'))?.equals(bytes)).toBe(true);
  });

  it('says of any short text what is said of it as a whole', () => {
    const letter = fc.constantFrom(...'AZaz09+/=-_ \n\xff');
    fc.assert(
      fc.property(fc.array(letter, { maxLength: 12 }), (letters) => {
        expect(decode(letters.join(''))).toEqual(decodeWhole(letters.join('')));
      }),
    );
  });

  it.each([
    ['padding at the end of a piece', PIECE_LETTERS - 1, '='],
    ['two letters of padding there', PIECE_LETTERS - 2, '=='],
    ['a piece of padding alone', PIECE_LETTERS, '='.repeat(PIECE_LETTERS)],
    ['a stray letter around the end of a piece', PIECE_LETTERS, '*'],
    ['a line end in the second piece', PIECE_LETTERS + 7, '\n'],
    ['a missing letter', 100, ''],
  ])('does not take %s', (_what, place, instead) => {
    const right = 'QUJD'.repeat(PIECE_LETTERS);
    const wrong = right.slice(0, place) + instead + right.slice(place + Math.max(1, instead.length));
    expect(decode(right)).toBeDefined();
    expect(decode(wrong)).toBeUndefined();
  });
});
