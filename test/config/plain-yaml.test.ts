import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPlainYaml, writeYaml } from '../../src/config/plain-yaml.ts';

function faultsOf(text: string) {
  const read = readPlainYaml(text);
  return 'faults' in read ? read.faults : [];
}

describe('readPlainYaml', () => {
  it.each([
    ['a: 1\nb: &x 1', 2, 'anchors are not taken'],
    ['a: 1\nb: *x', 2, 'aliases are not taken'],
    ['a: |\n  *x\n  &y\nb: !!binary aGk=', 4, 'tags are not taken'],
    ['- a\n- ? b\n  : c', 2, 'keys behind a question mark are not taken'],
    ['%YAML 1.1\n---\na: yes', 1, 'directives are not taken'],
    ["'1': b\n1: a", 2, 'this key is not a text'],
    ['a:\n  ~: b', 2, 'this key is not a text'],
    ['a: [{ __proto__: b }]', 1, 'this key is not a text'],
    ['a: 1\na: 2', 2, 'this is not YAML: duplicate key'],
    ['a: 1\n---\nb: 1', 2, 'this is not YAML: multiple docs'],
  ])('refuses %j on line %i: %s', (text, line, reason) => {
    expect(faultsOf(text)).toEqual([{ line, reason: expect.stringContaining(reason) }]);
  });

  it.each(['? ', '[', '- ', '*a '])('ends for 64 KiB of %j', (piece) => {
    expect(faultsOf(piece.repeat(65_536 / piece.length)).length).toBeGreaterThan(0);
  });

  it('takes what looks like a sign within a text', () => {
    const text = 'a: "*x"\nb: |\n  &y ? !z\nc: it is * and & and ?\n';
    expect(readPlainYaml(text)).toMatchObject({ value: { a: '*x', b: '&y ? !z\n', c: 'it is * and & and ?' } });
  });

  it('finds the line of a key, an item, or of what is around one that is missing', () => {
    const read = readPlainYaml('a:\n  b:\n    - 1\n    - c: 2\n');
    if ('faults' in read) throw new Error('it has no fault');
    expect([[], ['a'], ['a', 'b', 0], ['a', 'b', 1, 'c'], ['a', 'b', 7], ['x']].map(read.lineOf)).toEqual([
      1, 1, 3, 4, 2, 1,
    ]);
  });
});

describe('writeYaml', () => {
  it('writes what reads back the same', () => {
    const texts = fc.string({ unit: 'grapheme', maxLength: 100 });
    const words = fc.dictionary(
      texts.filter((key) => key !== '__proto__'),
      texts,
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(fc.record({ texts: fc.array(texts), words, count: fc.integer() }), (value) => {
        expect(readPlainYaml(writeYaml(value))).toMatchObject({ value });
      }),
      { numRuns: 200 },
    );
  });
});
