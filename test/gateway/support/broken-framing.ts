import type { Socket } from 'node:net';
import fc from 'fast-check';
import { place } from './broken-bodies.ts';
import { httpAnswer } from './scripted-server.ts';

/**
 * One way in which HTTP goes wrong around a correct answer.
 * `whole`  the answer is complete all the same, and must be understood
 * `doubt`  it is not, or looks like one that was cut
 * `either` both results are right, because HTTP parsers differ
 */
export type Framing = {
  readonly name: string;
  readonly isWhole: 'whole' | 'doubt' | 'either';
  /** Writes to the client once its whole request has arrived. */
  readonly speak: (socket: Socket, body: Buffer) => void;
};

const HEAD = 'HTTP/1.1 200 OK\r\n';
const MANY = 400;

export const arbitraryFraming: fc.Arbitrary<Framing> = fc.oneof(
  // Wrong lengths.
  fc
    .integer({ min: -30, max: -1 })
    .map((by) => say('doubt', `length ${by}`, (body) => withLength(body, body.length + by))),
  fc
    .integer({ min: 1, max: 3000 })
    .map((by) => say('doubt', `length +${by}`, (body) => withLength(body, body.length + by))),
  fc
    .constantFrom('', '-1', '0x10', '1e3', '99999999999999999999', '+5', '5 5', 'NaN', '0')
    .map((length) => say('doubt', `length "${length}"`, (body) => withLength(body, length))),
  fc.constant(
    say('either', 'two lengths', (body) => head(`Content-Length: ${body.length}`, 'Content-Length: 3', body)),
  ),
  fc.constant(
    say('either', 'length and chunks', (body) =>
      head(`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked', chunked(body, 50)),
    ),
  ),
  fc.constant(say('whole', 'no length', (body) => head(body))),
  // Chunks.
  fc
    .integer({ min: 1, max: 300 })
    .map((size) => say('whole', `chunks of ${size}`, (body) => inChunks(chunked(body, size)))),
  fc
    .constantFrom('xyz\r\n', '-5\r\n', 'FFFFFFFFFFFFFFFFFF\r\n', '\r\n', ' \r\n', '5;', '5 5\r\n', '0x5\r\n', '\0\r\n')
    .map((size) => say('doubt', `chunk ${JSON.stringify(size)}`, (body) => inChunks(Buffer.from(size), body))),
  place.map((part) =>
    say('doubt', `chunks cut at ${part}`, (body) => {
      const all = chunked(body, 40);
      return inChunks(all.subarray(0, Math.floor((all.length - 5) * part)));
    }),
  ),
  fc.constant(
    say('either', 'chunk extensions', (body) =>
      inChunks(Buffer.from(`1;${'x'.repeat(40_000)}\r\n<\r\n`), chunked(body, 50)),
    ),
  ),
  fc.constant(say('either', 'trailers', (body) => inChunks(chunked(body, 50, headerLines(MANY)), Buffer.alloc(0)))),
  // Headers.
  fc
    .integer({ min: 1, max: 5000 })
    .map((count) => say('either', `${count} headers`, (body) => head(headerLines(count), body))),
  fc
    .integer({ min: 1, max: 2_000_000 })
    .map((size) => say('either', `a header of ${size}`, (body) => head(`X: ${'x'.repeat(size)}`, body))),
  fc
    .constantFrom(
      'X',
      ': x',
      'X : y',
      ' X: y',
      'X: \0',
      'X: \x01',
      'X\0: y',
      '\u00e9: y',
      'Content-Encoding: gzip',
      'X: y\r\n z',
    )
    .map((line) => say('either', `header ${JSON.stringify(line)}`, (body) => head(line, body))),
  fc
    .constantFrom(
      'HTTP/2.0 200 OK',
      'HTTP/0.9 200 OK',
      'ICY 200 OK',
      'HTTP/1.1 2OO OK',
      'HTTP/1.1',
      '200',
      'HTTP/1.1 0200 OK',
    )
    .map((line) => say('either', line, (body) => Buffer.concat([Buffer.from(`${line}\r\n\r\n`), body]))),
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
  fc.constant(
    say('either', 'a second answer', (body) => Buffer.concat([httpAnswer(200, body), httpAnswer(200, 'second')])),
  ),
  fc.constant(
    say('either', 'garbage behind the answer', (body) => Buffer.concat([httpAnswer(200, body), Buffer.alloc(999)])),
  ),
  fc
    .uint8Array({ maxLength: 200 })
    .map((bytes) => say('doubt', `bytes ${Buffer.from(bytes).toString('hex')}`, () => Buffer.from(bytes))),
  fc.tuple(place, fc.boolean()).map(([part, isReset]) =>
    play('doubt', `cut at ${part}, ${isReset ? 'reset' : 'closed'}`, (socket, body) => {
      const all = httpAnswer(200, body);
      socket.write(all.subarray(0, Math.floor(all.length * part)), () =>
        isReset ? socket.resetAndDestroy() : socket.end(),
      );
    }),
  ),
  place.map((part) =>
    play('doubt', `cut at ${part} and open`, (socket, body) => {
      const all = httpAnswer(200, body);
      socket.write(all.subarray(0, Math.floor(all.length * part)));
    }),
  ),
  // Endless.
  fc
    .constantFrom(
      ['body', `${HEAD}\r\n`, 'x'.repeat(65_536)],
      ['chunks', `${HEAD}Transfer-Encoding: chunked\r\n\r\n`, '1\r\nx\r\n'.repeat(5000)],
      ['headers', HEAD, 'X: y\r\n'.repeat(5000)],
      ['header', `${HEAD}X: `, 'x'.repeat(65_536)],
      ['informational answers', '', 'HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n'.repeat(1000)],
      ['blank lines', '', '\r\n'.repeat(5000)],
    )
    .map(([what, start, more]) => play('doubt', `endless ${what}`, (socket) => speakForEver(socket, start, more))),
);

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
