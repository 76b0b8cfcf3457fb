import type { Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type OperationName, OPERATIONS } from '../../../schemas/operations.ts';
import { ALL_OPERATIONS, callOn } from './call.ts';
import { doubtOf, findSpokenSecrets } from './permitted-kinds.ts';
import { httpAnswer, startScripted } from './scripted-server.ts';
import { tryProperty } from '../../support/random.ts';
import { type ValidAnswer, validAnswers } from './soap-answers.ts';
import { place } from './broken-bodies.ts';

/**
 * Whatever arrives around an answer or in its place, the call ends in an answer, even if the bytes never end. It is in
 * doubt unless the answer is whole. A call that may change something is sent once.
 */

const ANSWER_MS = 150;

type Case = { operation: OperationName; answer: ValidAnswer; framing: Framing };

const arbitraryCase: fc.Arbitrary<Case> = fc.constantFrom(...ALL_OPERATIONS).chain((operation) =>
  fc.record({
    operation: fc.constant(operation),
    answer: fc.constantFrom(...validAnswers(operation)),
    framing: arbitraryFraming,
  }),
);

/** @param runs groups of cases to try, each of up to sixteen at once */
export function testFramings(runs: number): void {
  describe('the HTTP around an answer', { timeout: 300_000 }, () => {
    it('never makes a call more than it is, and never one without an end', async () => {
      const cases = fc.array(arbitraryCase, { minLength: 1, maxLength: 16, size: 'max' });
      const property = fc.asyncProperty(cases, async (together) => {
        await Promise.all(together.map(judge));
      });
      await tryProperty(property, runs);
    });

    it.each([
      ['closed', 'end'],
      ['reset', 'resetAndDestroy'],
    ] as const)(
      'says not sent of a connection that is %s before the request only when nothing was',
      async (_how, end) => {
        for (const operation of ALL_OPERATIONS) {
          const server = await startScripted({ onConnect: (socket) => socket[end]() });
          let requestBytes = 0;
          const { kind } = await callOn(server.url, operation);
          for (const socket of server.connections) requestBytes += socket.bytesRead;
          // Whether the client sees the end before its first byte is a race; `not_sent` proves that nothing arrived.
          if (kind === 'not_sent') expect(requestBytes).toBe(0);
          else expect(kind).toBe(doubtOf(operation));
          await server.close();
        }
      },
    );
  });
}

async function judge({ operation, answer, framing }: Case): Promise<void> {
  const server = await startScripted({ onRequest: (socket) => framing.speak(socket, answer.body) });
  const attempts = OPERATIONS[operation].effect === 'read' ? 3 : 1;
  const start = performance.now();
  const said = await callOn(server.url, operation, { settings: { timeouts: { answerMs: ANSWER_MS } } });
  const tookMs = performance.now() - start;
  await server.close();

  const doubt = doubtOf(operation);
  const permitted = { whole: [answer.kind], doubt: [doubt], either: [answer.kind, doubt] }[framing.isWhole];
  // On a busy machine a whole answer may come too late.
  expect(tookMs > ANSWER_MS ? [...permitted, doubt] : permitted, framing.name).toContain(said.kind);
  expect(findSpokenSecrets(operation, said)).toEqual([]);
  expect(server.requests.length).toBeLessThanOrEqual(attempts);
}

/**
 * One way in which HTTP goes wrong around a correct answer.
 * `whole`  the answer is complete all the same, and must be understood
 * `doubt`  it is not, or looks like one that was cut
 * `either` both results are right, because HTTP parsers differ
 */
type Framing = {
  readonly name: string;
  readonly isWhole: 'whole' | 'doubt' | 'either';
  /** Writes to the client once its whole request has arrived. */
  readonly speak: (socket: Socket, body: Buffer) => void;
};

const HEAD = 'HTTP/1.1 200 OK\r\n';
const MANY = 400;

const arbitraryFraming: fc.Arbitrary<Framing> = fc.oneof(
  // Wrong lengths.
  num(-30, -1, (by) => say('doubt', `length ${by}`, (body) => withLength(body, body.length + by))),
  num(1, 3000, (by) => say('doubt', `length +${by}`, (body) => withLength(body, body.length + by))),
  one('|-1|0x10|1e3|99999999999999999999|+5|5 5|NaN|0'.split('|'), (length) =>
    say('doubt', `length "${length}"`, (body) => withLength(body, length)),
  ),
  always('either', 'two lengths', (body) => head(`Content-Length: ${body.length}`, 'Content-Length: 3', body)),
  always('either', 'length and chunks', (body) =>
    head(`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked', chunked(body, 50)),
  ),
  always('whole', 'no length', (body) => head(body)),
  // Chunks.
  num(1, 300, (size) => say('whole', `chunks of ${size}`, (body) => inChunks(chunked(body, size)))),
  one(['xyz\r\n', '-5\r\n', 'FFFFFFFFFFFFFFFFFF\r\n', '\r\n', ' \r\n', '5;', '5 5\r\n', '0x5\r\n', '\0\r\n'], (size) =>
    say('doubt', `chunk ${JSON.stringify(size)}`, (body) => inChunks(Buffer.from(size), body)),
  ),
  place.map((part) =>
    say('doubt', `chunks cut at ${part}`, (body) => {
      const all = chunked(body, 40);
      return inChunks(all.subarray(0, Math.floor((all.length - 5) * part)));
    }),
  ),
  always('either', 'chunk extensions', (body) =>
    inChunks(Buffer.from(`1;${'x'.repeat(40_000)}\r\n<\r\n`), chunked(body, 50)),
  ),
  always('either', 'trailers', (body) => inChunks(chunked(body, 50, headerLines(MANY)), Buffer.alloc(0))),
  // Headers.
  num(1, 5000, (count) => say('either', `${count} headers`, (body) => head(headerLines(count), body))),
  num(1, 2_000_000, (size) => say('either', `a header of ${size}`, (body) => head(`X: ${'x'.repeat(size)}`, body))),
  one(
    ['X', ': x', 'X : y', ' X: y', 'X: \0', 'X: \x01', 'X\0: y', '\u00e9: y', 'Content-Encoding: gzip', 'X: y\r\n z'],
    (line) => say('either', `header ${JSON.stringify(line)}`, (body) => head(line, body)),
  ),
  one('HTTP/2.0 200 OK|HTTP/0.9 200 OK|ICY 200 OK|HTTP/1.1 2OO OK|HTTP/1.1|200|HTTP/1.1 0200 OK'.split('|'), (line) =>
    say('either', line, (body) => Buffer.concat([Buffer.from(`${line}\r\n\r\n`), body])),
  ),
  fc
    .integer({ min: 100, max: 999 })
    .filter((status) => status !== 200)
    .map((status) => say('doubt', `status ${status}`, (body) => httpAnswer(status, body, { Location: '/' }))),
  // Before, after and instead of the answer.
  fc
    .tuple(fc.constantFrom('100 Continue', '102 Processing', '103 Early Hints'), fc.integer({ min: 1, max: 2000 }))
    .map(([line, count]) =>
      say('whole', `${count} times ${line}`, (body) =>
        Buffer.concat([Buffer.from(`HTTP/1.1 ${line}\r\n\r\n`.repeat(count)), httpAnswer(200, body)]),
      ),
    ),
  always('either', 'a second answer', (body) => Buffer.concat([httpAnswer(200, body), httpAnswer(200, 'second')])),
  always('either', 'garbage behind the answer', (body) => Buffer.concat([httpAnswer(200, body), Buffer.alloc(999)])),
  fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) => say('doubt', `bytes ${Buffer.from(bytes).toString('hex')}`, () => Buffer.from(bytes))),
  fc.tuple(place, fc.constantFrom('open', 'closed', 'reset')).map(([part, end]) =>
    play('doubt', `cut at ${part} and ${end}`, (socket, body) => {
      const all = httpAnswer(200, body);
      socket.write(all.subarray(0, Math.floor(all.length * part)), () => {
        if (end === 'reset') socket.resetAndDestroy();
        else if (end === 'closed') socket.end();
      });
    }),
  ),
  // Endless.
  one(
    [
      ['body', `${HEAD}\r\n`, 'x'.repeat(65_536)],
      ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(5000)],
      ['headers', HEAD, 'X: y\r\n'.repeat(5000)],
      ['header', `${HEAD}X: `, 'x'.repeat(65_536)],
      ['informational answers', '', 'HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'.repeat(1000)],
      ['blank lines', '', '\r\n'.repeat(5000)],
    ] as const,
    ([what, start, more]) => play('doubt', `endless ${what}`, (socket) => speakForEver(socket, start, more)),
  ),
);

function num(min: number, max: number, make: (value: number) => Framing): fc.Arbitrary<Framing> {
  return fc.integer({ min, max }).map(make);
}

function one<Value>(values: readonly Value[], make: (value: Value) => Framing): fc.Arbitrary<Framing> {
  return fc.constantFrom(...values).map(make);
}

function always(...framing: Parameters<typeof say>): fc.Arbitrary<Framing> {
  return fc.constant(say(...framing));
}

/** Writes until the other side stops reading. */
function speakForEver(socket: Socket, start: string, more: string): void {
  socket.write(start);
  const speak = () => {
    while (!socket.destroyed && socket.write(more));
  };
  socket.on('drain', speak);
  speak();
}

function say(isWhole: Framing['isWhole'], name: string, make: (body: Buffer) => Buffer): Framing {
  return play(isWhole, name, (socket, body) => socket.end(make(body)));
}

/** Makes a framing that a failing case shows by name, not as source code. */
function play(isWhole: Framing['isWhole'], name: string, speak: Framing['speak']): Framing {
  return Object.assign({ name, isWhole, speak }, { [fc.toStringMethod]: () => `${name} (${isWhole})` });
}

function withLength(body: Buffer, length: number | string): Buffer {
  return head(`Content-Length: ${length}`, body);
}

function inChunks(...parts: readonly Buffer[]): Buffer {
  return head('Transfer-Encoding: chunked', Buffer.concat(parts));
}

/** Returns a head of the lines, followed by the body. */
function head(...lines: readonly (string | Buffer)[]): Buffer {
  const texts = lines.filter((line) => typeof line === 'string').map((line) => `${line}\r\n`);
  const bodies = lines.filter((line) => typeof line !== 'string');
  return Buffer.concat([Buffer.from(`${HEAD}${texts.join('')}\r\n`, 'latin1'), ...bodies]);
}

function headerLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `X-${index}: ${'y'.repeat(20)}`).join('\r\n');
}

function chunked(body: Buffer, size: number, trailers = ''): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.subarray(at, at + size);
    parts.push(Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from(`0\r\n${trailers === '' ? '' : `${trailers}\r\n`}\r\n`)]);
}
