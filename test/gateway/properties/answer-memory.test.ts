import { execFile } from 'node:child_process';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import { wireName } from '../../../src/kernel/wsdl.ts';
import { RECORD_XML } from '../support/customer-record.ts';
import { answerOf, batchResult, DONE, failure, success } from '../support/soap-answers.ts';

/**
 * No answer takes more than 50 MB of memory beyond its own size, measured in a process of its own. What is not read any
 * more, because it is more than a client takes, does not count as its size.
 */

const MB = 1024 * 1024;
const LIMIT_MB = 6;
const MOST_MB_BEYOND = 50;
/** Of the measurement only: when the collector happens to run late, the same call is measured again. */
const ATTEMPTS = 3;

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers.splice(0)) server.close();
});

type Shape = readonly [what: string, operation: OperationName, answer: () => Buffer, kind: string, why: RegExp];

const NEARLY = 5.9 * MB;
const RECORDS = 8000;

/** Each is the largest of its kind that passes one check more than the one before. */
const SHAPES: readonly Shape[] = [
  ['64 MB', 'getCustomerListByCreationTimeXML', () => Buffer.alloc(64 * MB, '<a/>'), 'failed', /larger than 6291456/],
  ['a result file', 'getBatchProcessResultFile', resultFile, 'approved', /^$/],
  ['a list', 'getCustomerListByCreationTimeXML', () => customers(RECORDS), 'approved', /^$/],
  ['wide characters', 'processACHEFT', () => error(`ā${'x'.repeat(NEARLY)}`), 'unknown', /not one that we know/],
  ['digits', 'processACHEFT', () => error('1 '.repeat(NEARLY / 2)), 'unknown', /not one that we know/],
  ['references', 'processACHEFT', () => error('&amp;'.repeat(249_000)), 'unknown', /not one that we know/],
  ['elements', 'processACHEFT', () => error('<a/>'.repeat(249_000)), 'unknown', /STATUS/],
  ['attributes', 'processACHEFT', () => error(attributes(1030)), 'unknown', /STATUS/],
];

describe.concurrent('the memory that an answer takes', { timeout: 120_000 }, () => {
  it.each(SHAPES)('is bounded for %s', async (_what, operation, makeAnswer, kind, why) => {
    const answer = makeAnswer();
    const url = await serve(wholeAnswer(answer));
    const mostMb = Math.min(answer.length / MB, LIMIT_MB) + MOST_MB_BEYOND;
    let growthMb = Number.POSITIVE_INFINITY;
    for (let attempt = 1; attempt <= ATTEMPTS && growthMb > mostMb; attempt += 1) {
      const measured = await measure(operation, url);
      expect(measured.kind).toBe(kind);
      expect(measured.why).toMatch(why);
      growthMb = measured.growthMb;
    }

    expect(growthMb).toBeLessThanOrEqual(mostMb);
  });

  it('is bounded when each byte comes in a chunk of its own', async () => {
    const bytes = 400_000;
    const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
    const url = await serve(Buffer.from(`${head}${'1\r\nx\r\n'.repeat(bytes)}0\r\n\r\n`));
    const measured = await measure('processCreditCard', url);
    expect(measured).toMatchObject({ kind: 'unknown', why: expect.stringContaining('not one SOAP envelope') });
    expect(measured.growthMb).toBeLessThanOrEqual(bytes / MB + MOST_MB_BEYOND);
  });
});

type Measured = { kind: string; why: string; growthMb: number };

async function measure(operation: OperationName, url: string): Promise<Measured> {
  const script = fileURLToPath(new URL('../support/measured-call.ts', import.meta.url));
  const first = await serve(wholeAnswer(Buffer.from(answerOf(wireName(operation), failure('Server Error')))));
  // With room for much garbage the collector takes its time, and what it leaves lying is not what the call needs.
  const options = ['--expose-gc', '--max-semi-space-size=2', '--import', 'tsx'];
  const args = [...options, script, first, url, operation];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Measured;
}

/** Answers whatever begins to come in, because the answers here do not depend on it. */
async function serve(bytes: Buffer): Promise<string> {
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

/** An answer to a bank payment with this error. */
function error(text: string): Buffer {
  return Buffer.from(answerOf('ProcessACHEFT', failure(text, '')));
}

/** Tags as long as they may be. */
function attributes(count: number): string {
  const list = Array.from({ length: 240 }, (_, index) => `a${index.toString(36)}="x"`).join(' ');
  return `<a ${list}/>`.repeat(count);
}
