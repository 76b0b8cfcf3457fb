import { describe, expect, it } from 'vitest';
import { shapeOf, splitStatements, wireReader } from '../../../scripts/house/wire.ts';

describe('wireReader', () => {
  const SENT = Buffer.concat([
    message('', '\0\x03\0\0user\0ada\0application_name\0paydrop\0\0'),
    message('P', 'kept\0SELECT $1\0\0\0'),
    message('B', '\0kept\0\0\0\0\0\0\0'),
    message('E', '\0\0\0\0\0'),
    message('S', ''),
    message('B', '\0kept\0\0\0\0\0\0\0'),
    message('E', '\0\0\0\0\0'),
    message('H', ''),
    message('Q', 'COPY a FROM STDIN; COMMIT\0'),
    message('d', 'Q S E'),
    message('c', ''),
  ]);

  it.each([1, 3, SENT.length])('reads statements and messages from pieces of %i bytes', (size) => {
    const heard: unknown[] = [];
    const read = wireReader({
      started: (settings) => heard.push(Object.fromEntries(settings)),
      executed: (statement) => heard.push(statement),
      asked: () => heard.push('?'),
    });
    for (let at = 0; at < SENT.length; at += size) read(SENT.subarray(at, at + size));
    const settings = { user: 'ada', application_name: 'paydrop' };
    expect(heard).toEqual([settings, 'SELECT $1', '?', 'SELECT $1', '?', 'COPY a FROM STDIN', 'COMMIT', '?']);
  });
});

it.each([
  ['SELECT 1', ['SELECT 1']],
  [' SELECT 1;\nCOMMIT; ', ['SELECT 1', 'COMMIT']],
  ["SELECT 'a;''b;', \"c;\" -- d;\n; /* e; */ COMMIT", ["SELECT 'a;''b;', \"c;\" -- d;", '/* e; */ COMMIT']],
  ['DO $x$ BEGIN; END; $x$; COMMIT', ['DO $x$ BEGIN; END; $x$', 'COMMIT']],
])('splitStatements(%j)', (text, statements) => {
  expect(splitStatements(text)).toEqual(statements);
});

it('shapeOf leaves out values', () => {
  expect(shapeOf("SELECT f('it''s',  12, NULL)\n FROM t1 WHERE a = $1")).toBe('SELECT f(?, ?, ?) FROM t1 WHERE a = $?');
});

function message(kind: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind, 'latin1'), length, Buffer.from(body, 'latin1')]);
}
