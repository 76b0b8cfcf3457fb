import { beforeAll, describe, expect, it } from 'vitest';
import { watchArmor } from '../../src/pgp/watch-armor.ts';
import { encrypt, inPieces, makeKey } from '../support/openpgp.ts';

let binary: Buffer;
let armored: string;
beforeAll(async () => {
  const to = await makeKey();
  binary = await encrypt('a,b\n', { to });
  armored = (await encrypt('a,b\n', { to, armored: true })).toString();
});

async function faultOf(bytes: Uint8Array, pieceBytes: number): Promise<string | undefined> {
  const watch = watchArmor(inPieces(bytes, pieceBytes));
  const read: Uint8Array[] = [];
  for await (const piece of watch.pieces) read.push(piece);
  expect(Buffer.concat(read).equals(bytes)).toBe(true);
  return watch.fault();
}

const BESIDE: readonly [string, (message: string) => string, RegExp | undefined][] = [
  ['a message alone', (message) => message, undefined],
  ['with Unix line ends', (message) => message.replaceAll('\r\n', '\n'), undefined],
  ['with blanks and blank lines around it', (message) => `\n \n${message}\n\t\n`, undefined],
  ['without its last line end', (message) => message.trimEnd(), undefined],
  ['two messages', (message) => message + message, /more than one message/],
  ['two messages with text between them', (message) => `${message}and\n${message}`, /follows the message/],
  ['rows before it', (message) => `a,b\n${message}`, /precedes the message/],
  ['rows behind it', (message) => `${message}a,b\n`, /follows the message/],
  ['rows behind it without a line end', (message) => `${message}a,b`, /follows the message/],
  ['rows with old line ends before it', (message) => `a,b\r${message}`, /precedes the message/],
  ['rows with old line ends behind it', (message) => `${message.trimEnd()}\ra,b`, /follows the message/],
  ['a message that begins within a line', (message) => `a,b ${message}`, /no line begins the armor/],
  ['rows within it', (message) => message.replace('-----END', 'a,b\r\n-----END'), /contains other text/],
  ['base64 behind its checksum', (message) => message.replace('-----END', 'AAAA\r\n-----END'), /contains other text/],
  ['text behind its checksum', (message) => message.replace('\n-----END', '500\n-----END'), /contains other text/],
  ['two checksums', (message) => message.replace('-----END', '=AAAA\r\n-----END'), /contains other text/],
  ['text among its headers', (message) => message.replace('\n', '\na,b\n'), /contains other text/],
  ['a number among its headers', (message) => message.replace('\n', '\n500\n'), /contains other text/],
  ['a message with comments', (message) => message.replace('\n', '\nComment: by hand, $1!\n'), undefined],
  ['a message without its checksum', (message) => message.replace(/^=.{4}\r?\n/m, ''), undefined],
  ['a message without its end', (message) => message.replace(/-----END.*/, ''), /no end/],
  ['a message whose end is cut', (message) => message.trimEnd().slice(0, -9), /contains other text/],
  [
    'Windows line ends and comments',
    (message) => message.replace('\n', '\nComment: $1!\n').replaceAll(/\r?\n/g, '\r\n'),
    undefined,
  ],
  ['a message in a message', (message) => message.replace('\n', `\n${message}`), /another message begins/],
];

describe('watchArmor', () => {
  it.each(BESIDE)('%s', async (_what, change, fault) => {
    for (const pieceBytes of [1, 7, 65_536]) {
      const found = await faultOf(Buffer.from(change(armored)), pieceBytes);
      if (fault === undefined) expect(found).toBeUndefined();
      else expect(found).toMatch(fault);
    }
  });

  it('allows a byte order mark, and looks at no message without armor', async () => {
    expect(await faultOf(Buffer.from(`\ufeff${armored}`), 2)).toBeUndefined();
    expect(await faultOf(Buffer.concat([binary, binary]), 100)).toBeUndefined();
  });
});
