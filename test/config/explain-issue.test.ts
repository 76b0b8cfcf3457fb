import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { CONFIG_FILE, loadSettings } from '../../src/config/config.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';
import { failureOf } from '../kernel/support/config-world.ts';
import { didYouMean, nearest } from '../../src/config/nearest.ts';
import { readPlainYaml, writeYaml } from '../../src/config/plain-yaml.ts';
import { z } from 'zod';
import { keysAt, schemasAt, valueAt, valuesAt } from '../../src/config/schema-at.ts';

describe('faults of the configuration', () => {
  const CANARY = 'hunter2';

  const YAML = `accounts:
  main:
    server: NA
    country: US
    currency: USD
    agentCode: TEST88
    password: env:SECRET
folders:
  - path: drop/dues
    account: main
    operation: ach-charge
`;

  let root = '';
  beforeEach(async () => {
    root = await freshFolder();
  });

  async function refusalOf(text: string): Promise<string> {
    await writeFile(join(root, CONFIG_FILE), text);
    return failureOf(() => loadSettings(root, { SECRET: CANARY })).message;
  }

  it('names every setting of the wrong shape at once, with its path and without its value', async () => {
    const message = await refusalOf(
      `accounts:
  main: { server: US, country: US, currency: USD, agentCode: 8, password: [${CANARY}], pasword: x }
  Upper: { server: NA, country: US, currency: USD, agentCode: a, password: b }
folders:
  - { path: drop, account: main, operation: cash, layout: ach-7, badRows: { maxPercent: 101 }, headers: none }
  - { account: main, operation: card, complete: { by: wish } }
batch: { maxRows: 0 }
rescan: 5
`,
    );
    expect(message).toContain(`Cannot use "${join(root, CONFIG_FILE)}": `);
    expect(message).not.toContain(CANARY);
    for (const fault of [
      'line 2, column 11: accounts.main.server: it is none of NA, UK\n',
      'accounts.main.agentCode: it must be text, so put it in quotes\n',
      'accounts.main.password: it must be text\n',
      'accounts.main.pasword: there is no such setting (did you mean "password"?)\n',
      'line 3, column 3: accounts.Upper: it is not a name of lowercase letters, digits and hyphens\n',
      'line 5, column 34: operation of folder "drop": it is none of card, ach-charge, ach-refund\n',
      'layout of folder "drop": it is none of ',
      'line 5, column 77: badRows.maxPercent of folder "drop": it must be at most 100\n',
      'headers of folder "drop": there is no such setting (did you mean "header"?)\n',
      'line 6, column 5: path of folder 2: it is missing (Drop folder, relative to the configuration file)\n',
      'complete.by of folder 2: it is none of quiet, marker, control\n',
      'line 7, column 10: batch.maxRows: it must be at least 1\n',
      'line 8, column 1: rescan: there is no such setting (did you mean "rescanMs"?). ',
    ]) {
      expect(message).toContain(fault);
    }
    expect(message).toContain('it has 13 faults:\n  line ');
  });

  it.each([
    ['mian', 'line 10, column 5: account of folder "drop/dues": there is no account "mian" (did you mean "main"?). '],
    ['west', 'line 10, column 5: account of folder "drop/dues": there is no account "west". '],
  ])('tells line and column of the account "%s", and what was meant', async (name, fault) => {
    expect(await refusalOf(YAML.replace('account: main', `account: ${name}`))).toContain(`: ${fault}`);
  });

  it.each([
    ['    server: NA\n', '', 'line 2, column 3: accounts.main.server: it is missing; write NA or UK. '],
    ['currency: USD', 'currency: usd', 'line 5, column 5: accounts.main.currency: it is none of '],
    ['folders:', 'fodlers:', 'line 8, column 1: fodlers: there is no such setting (did you mean "folders"?)'],
    [
      'NA\n',
      'NA\n    limits: { rowAmount: 0 }\n',
      'line 4, column 15: accounts.main.limits.rowAmount: it must be above 0. ',
    ],
    ['NA\n', 'NA\n    timeZone: America/Torono\n', '(did you mean "America/Toronto"?). '],
    ['folders:', 'paths: { out: data }\nfolders:', 'line 8, column 10: paths.out: it is the folder of paths.data'],
  ])('tells the place of %j changed to %j', async (from, to, fault) => {
    expect(await refusalOf(YAML.replace(from, to))).toContain(fault);
  });

  it.each(['', 'just words', '- a list', '7'])('refuses a file that holds %j', async (text) => {
    expect(await refusalOf(text)).toContain('the file: ');
  });
});

describe('nearest', () => {
  describe('nearest', () => {
    const names = ['main', 'canada', 'ach-charge', 'ach-refund', 'NA', 'UK'];

    it.each([
      ['mian', 'main'],
      ['Main', 'main'],
      ['man', 'main'],
      ['mainn', 'main'],
      ['canda', 'canada'],
      ['ach-chrage', 'ach-charge'],
      ['ach-refnud', 'ach-refund'],
      ['na', 'NA'],
      ['US', undefined],
      ['west', undefined],
      ['', undefined],
    ])('%j: %s', (typed, meant) => {
      expect(nearest(typed, names)).toBe(meant);
    });

    it('finds a name in which one letter is missing, too many, wrong or swapped', () => {
      const name = fc.stringMatching(/^[a-z]{4,30}$/);
      fc.assert(
        fc.property(name, fc.nat(), fc.constantFrom('drop', 'add', 'swap', 'change'), (meant, place, how) => {
          const at = place % (meant.length - 1);
          const [before, one, two, rest] = [meant.slice(0, at), meant[at], meant[at + 1], meant.slice(at + 2)];
          const typed = { drop: [two], add: [one, '-', two], swap: [two, one], change: ['-', two] }[how].join('');
          expect(nearest(before + typed + rest, [meant])).toBe(meant);
        }),
        { numRuns: 200 },
      );
    });
  });

  it('didYouMean is nothing without a near name', () => {
    expect(didYouMean('mian', ['main'])).toBe(' (did you mean "main"?)');
    expect(didYouMean('west', ['main'])).toBe('');
  });
});

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

const Sign = z.union([
  z.enum(['plus', 'minus']),
  z.strictObject({ by: z.string() }),
  z.strictObject({ of: z.literal('all') }),
]);
const Root = z.strictObject({
  rows: z.array(z.strictObject({ sign: Sign.optional().describe('Its sign') })).default([]),
  names: z.record(z.string(), z.strictObject({ level: z.int() })),
  columns: z.partialRecord(z.enum(['date', 'amount']), z.strictObject({ from: z.string() })),
  read: z.preprocess((given) => given, z.strictObject({ charset: z.literal('utf-8') })),
});

describe('keysAt', () => {
  it.each([
    [[], ['rows', 'names', 'columns', 'read']],
    [['rows', 3], ['sign']],
    [
      ['rows', 0, 'sign'],
      ['by', 'of'],
    ],
    [['names', 'any'], ['level']],
    [['columns'], ['date', 'amount']],
    [['columns', 'date'], ['from']],
    [['read'], ['charset']],
    [['rows', 0, 'constructor'], []],
    [['rows', 0, 'sign', 'by', 'deeper'], []],
  ] as const)('returns the keys at %j', (path, keys) => {
    expect(keysAt(Root, path)).toEqual(keys);
  });
});

describe('schemasAt and valuesAt', () => {
  it('keep the outermost description, and list fixed values of each choice', () => {
    expect(schemasAt(Root, ['rows', 0, 'sign']).map(({ about }) => about)).toEqual(Array(3).fill('Its sign'));
    expect(valuesAt(Root, ['rows', 0, 'sign', 'of'])).toEqual(['all']);
    expect(valuesAt(Root, ['read', 'charset'])).toEqual(['utf-8']);
  });
});

describe('valueAt', () => {
  it.each([
    [['a', 1, 'b'], 7],
    [['a', 2], undefined],
    [['a', 1, 'b', 'c'], undefined],
    [['toString'], undefined],
  ] as const)('finds what stands at %j', (path, value) => {
    expect(valueAt({ a: [0, { b: 7 }] }, path)).toBe(value);
  });
});
