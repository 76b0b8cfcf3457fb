import { type AddressInfo, createServer, type Server } from 'node:net';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { OperationName } from '../../../schemas/operations.ts';
import { answerOf, batchResult, DONE, failure, RECORD_XML, success, validAnswers } from '../support/soap-answers.ts';
import { wireName } from '../../../schemas/wsdl.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { arbitraryGarbage, arbitrarySpoil, arbitraryTwist, type Spoil } from '../support/broken-bodies.ts';
import { ALL_OPERATIONS, callOn } from '../support/call.ts';
import { doubtOf, findSpokenSecrets, namedTransaction, permittedKinds, secretsOf } from '../support/permitted-kinds.ts';
import { httpAnswer, type ScriptedServer, startScripted } from '../support/scripted-server.ts';
import { testCustomers } from '../support/test-customers.ts';
import { testFramings } from '../support/test-framings.ts';
import { testParameters } from '../support/test-parameters.ts';
import { tryProperty } from '../../support/random.ts';

/** See properties.test.ts. */
testFramings(200);
testCustomers(200);
testParameters({ sound: 200, broken: 80 }, 6_000);

/** Answers that take as much memory as allowed, each served on a port of its own to any request. */

const MB = 1024 * 1024;
/** The client reads no more than this, so the rest does not count as answer size. */
const LIMIT_MB = 6;

type AnswerShape = {
  readonly what: string;
  readonly operation: OperationName;
  readonly answer: () => Buffer;
  /** The client's result, and why. */
  readonly kind: string;
  readonly why: RegExp;
};

const NEARLY = 5.9 * MB;
const RECORDS = 8000;
/** Size of the answer sent in chunks of one byte. */
const SINGLE_BYTES = 400_000;

/** Each is the largest of its kind that passes one more check than the one before. */
const SHAPES: readonly [string, OperationName, () => Buffer, string, RegExp][] = [
  ['64 MB', 'getCustomerListByCreationTimeXML', () => Buffer.alloc(64 * MB, '<a/>'), 'failed', /larger than 6291456/],
  ['a result file', 'getBatchProcessResultFile', resultFile, 'approved', /^$/],
  ['a list', 'getCustomerListByCreationTimeXML', () => customers(RECORDS), 'approved', /^$/],
  ['wide characters', 'processACHEFT', () => error(`ā${'x'.repeat(NEARLY)}`), 'unknown', /not one that we know/],
  ['digits', 'processACHEFT', () => error('1 '.repeat(NEARLY / 2)), 'unknown', /not one that we know/],
  ['references', 'processACHEFT', () => error('&amp;'.repeat(249_000)), 'unknown', /not one that we know/],
  ['elements', 'processACHEFT', () => error('<a/>'.repeat(249_000)), 'unknown', /STATUS/],
  ['attributes', 'processACHEFT', () => error(attributes(1030)), 'unknown', /STATUS/],
];

const ANSWER_SHAPES: readonly AnswerShape[] = [
  ...SHAPES.map(([what, operation, makeBody, kind, why]) => ({
    what,
    operation,
    answer: () => wholeAnswer(makeBody()),
    kind,
    why,
  })),
  {
    what: 'each byte in a chunk of its own',
    operation: 'processCreditCard',
    answer: () =>
      Buffer.from(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(SINGLE_BYTES)}0\r\n\r\n`),
    kind: 'unknown',
    why: /not one SOAP envelope/,
  },
];

const servers: Server[] = [];

function closeAnswers(): void {
  for (const server of servers.splice(0)) server.close();
}

/** Serves the same bytes to any request as soon as it begins to arrive. */
async function serveAnswer(bytes: Buffer): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    let isFirst = true;
    socket.on('data', () => {
      if (isFirst) setImmediate(() => socket.end(bytes));
      isFirst = false;
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function wholeAnswer(body: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`), body]);
}

function resultFile(): Buffer {
  const file = Buffer.alloc(Math.floor(NEARLY / 4) * 3, 'row,').toString('base64');
  const more = `<BATCHID>1000001</BATCHID><BATCHPROCESSRESULTFILE>${file}</BATCHPROCESSRESULTFILE>`;
  return Buffer.from(answerOf('GetBatchProcessResultFile', success(batchResult(DONE, more))));
}

function customers(count: number): Buffer {
  const list = success(`<CUSTOMERS>${RECORD_XML.repeat(count)}</CUSTOMERS>`);
  return Buffer.from(answerOf('GetCustomerListByCreationTimeXML', list));
}

/** Returns an answer to a bank payment with this error. */
function error(text: string): Buffer {
  return Buffer.from(answerOf('ProcessACHEFT', failure(text, '')));
}

/** Returns tags of the greatest length allowed. */
function attributes(count: number): string {
  const list = Array.from({ length: 240 }, (_, index) => `a${index.toString(36)}="x"`).join(' ');
  return `<a ${list}/>`.repeat(count);
}

/**
 * One process takes the largest answers of each kind in turn, with a heap little larger than one of them needs.
 * The tests below measure the memory of each.
 */

/** Half of it is needed. Texts of six million characters and lists of 249,000 elements must not add up. */
const HEAP_MB = 80;

type Taken = { readonly kind: string; readonly why: string };
let taken: readonly Taken[];
let errors: string;

beforeAll(async () => {
  const script = fileURLToPath(new URL('../support/measured-calls.ts', import.meta.url));
  const pairs: string[] = [];
  for (const { operation, answer } of ANSWER_SHAPES) pairs.push(operation, await serveAnswer(answer()));
  const args = [`--max-old-space-size=${HEAP_MB}`, '--import', 'tsx', script, ...pairs];
  const told = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, (_error, stdout, stderr) => {
      errors = stderr.slice(0, 1_000);
      resolve(stdout);
    });
  });
  taken = told
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Taken);
});
afterAll(closeAnswers);

describe(`an answer taken with a heap of ${HEAP_MB} MB`, () => {
  it.each(ANSWER_SHAPES.map((shape, index) => ({ ...shape, index })))('may be $what', ({ index, kind, why }) => {
    expect(taken[index], errors).toMatchObject({ kind, why: expect.stringMatching(why) });
  });
});

/**
 * Limit of the memory an answer takes beyond its own size, measured in its own process. Bytes that the client does not
 * read, because they are beyond its limit, do not count as size.
 */

const MOST_MB_BEYOND = 50;
/** Measurements per call: when the collector runs late, the call is measured again. */
const ATTEMPTS = 3;

describe('the memory that an answer takes', { timeout: 300_000 }, () => {
  it.each(ANSWER_SHAPES)('is bounded for $what', async ({ what, operation, answer, kind, why }) => {
    const bytes = answer();
    const url = await serveAnswer(bytes);
    const size = what.startsWith('each byte') ? SINGLE_BYTES : bytes.length;
    const mostMb = Math.min(size / MB, LIMIT_MB) + MOST_MB_BEYOND;
    let growthMb = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= ATTEMPTS && growthMb > mostMb; attempt += 1) {
      const measured = await measure(operation, url);
      expect(measured).toMatchObject({ kind, why: expect.stringMatching(why) });
      growthMb = measured.growthMb;
    }
    expect(growthMb).toBeLessThanOrEqual(mostMb);
  });
});

describe('any bytes', () => {
  /**
   * Whatever bytes arrive, a call ends in an answer that says only what a whole answer of its operation states. A charge
   * never counts as done or not done without proof.
   */

  /** Runs of each operation, by way of corruption. */
  type BodyRuns = { readonly spoilt: number; readonly twisted: number; readonly garbage: number };

  let server: ScriptedServer;
  let body: Buffer;

  function testBodies(runs: BodyRuns): void {
    describe('the body of an answer', { timeout: 300_000 }, () => {
      beforeAll(async () => {
        server = await startScripted({ onRequest: (socket) => socket.end(httpAnswer(200, body)) });
      });
      afterAll(() => server.close());

      it.each(ALL_OPERATIONS)('to %s is understood when it is whole', async (operation) => {
        for (const valid of validAnswers(operation)) {
          expect(await answerTo(operation, valid.body)).toMatchObject({ kind: valid.kind });
          expect([...permittedKinds(operation, valid.body)]).toContain(valid.kind);
        }
      });

      it.each(ALL_OPERATIONS)(
        'to %s is never taken for more than it is, however its bytes are spoilt',
        async (operation) => {
          await tryAll(operation, arbitrarySpoil(), runs.spoilt);
        },
      );

      it.each(ALL_OPERATIONS)('to %s is never taken for more than it is, whatever it says', async (operation) => {
        await tryAll(operation, arbitraryTwist(secretsOf(operation)), runs.twisted);
      });

      it.each(ALL_OPERATIONS)('to %s leaves it in doubt when it is garbage', async (operation) => {
        const property = fc.asyncProperty(arbitraryGarbage, async (garbage) => {
          expect((await answerTo(operation, garbage)).kind).toBe(doubtOf(operation));
        });
        await tryProperty(property, runs.garbage);
      });
    });
  }

  async function tryAll(operation: OperationName, spoils: fc.Arbitrary<Spoil>, numRuns: number): Promise<void> {
    const valid = validAnswers(operation).map((each) => each.body);
    const index = fc.nat({ max: valid.length - 1 });
    const property = fc.asyncProperty(index, spoils, (which, spoil) => judge(operation, spoil(valid[which]!)));
    await tryProperty(property, numRuns);
  }

  async function judge(operation: OperationName, spoilt: Buffer): Promise<void> {
    const answer = await answerTo(operation, spoilt);
    expect([...permittedKinds(operation, spoilt)]).toContain(answer.kind);
    expect(findSpokenSecrets(operation, answer)).toEqual([]);
    if ((answer.kind === 'approved' || answer.kind === 'accepted') && 'transactionId' in answer.result) {
      const named = namedTransaction(operation, spoilt);
      if (named !== undefined) expect(answer.result.transactionId ?? '').toBe(named);
    }
  }

  function answerTo(operation: OperationName, bytes: Buffer): Promise<AnyAnswer> {
    body = bytes;
    return callOn(server.url, operation);
  }

  testBodies({ spoilt: 60, twisted: 90, garbage: 30 });
});

type Measured = { kind: string; why: string; growthMb: number };

async function measure(operation: OperationName, url: string): Promise<Measured> {
  const script = fileURLToPath(new URL('../support/measured-calls.ts', import.meta.url));
  const first = await serveAnswer(wholeAnswer(Buffer.from(answerOf(wireName(operation), failure('Server Error')))));
  // With much room the collector runs late, and the garbage is not memory that the call needs.
  const options = ['--expose-gc', '--max-semi-space-size=2', '--import', 'tsx'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...options,
    script,
    operation,
    first,
    operation,
    url,
  ]);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Measured;
}
