import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findHeavyImport, findPureTests } from './pure-tests.ts';

/** The rule that puts tests into the project `pure`, on made-up imports and on the tree. */

const TEST = 'test/csv/a.test.ts';

type Case = { imports: string; files: Readonly<Record<string, readonly string[]>>; heavy: string | undefined };

describe('a test', () => {
  it.each<Case>([
    { imports: 'packages', files: { [TEST]: ['vitest', 'node:fs', 'pg'] }, heavy: undefined },
    { imports: 'the product', files: { [TEST]: ['../../src/csv/a.ts'] }, heavy: undefined },
    {
      imports: 'a part of the product that can start a process',
      files: { [TEST]: ['../../src/a.ts'], 'src/a.ts': ['node:child_process'] },
      heavy: undefined,
    },
    { imports: 'what starts a process', files: { [TEST]: ['node:child_process'] }, heavy: 'node:child_process' },
    { imports: 'a database', files: { [TEST]: ['../support/postgres.ts'] }, heavy: 'test/support/postgres.ts' },
    {
      imports: 'a world',
      files: { [TEST]: ['./b.ts'], 'test/csv/b.ts': ['../../src/app.ts'] },
      heavy: 'src/app.ts',
    },
    {
      imports: 'a command, by way of the product',
      files: { [TEST]: ['../../src/a.ts'], 'src/a.ts': ['./cli/run.ts'] },
      heavy: 'src/cli/run.ts',
    },
  ])('that imports $imports is stopped by $heavy', ({ files, heavy }) => {
    expect(findHeavyImport(TEST, (path) => files[path] ?? [])).toBe(heavy);
  });

  it('is pure in the tree as well, unless it needs more', () => {
    const pure = findPureTests(fileURLToPath(new URL('../..', import.meta.url)));
    // The tables of tidy.test.ts hold texts that look like imports.
    expect(pure).toEqual(expect.arrayContaining(['test/csv/write/write-csv.test.ts', 'test/tidy.test.ts']));
    expect(pure).not.toContain('test/support/postgres.test.ts');
    expect(pure.filter((path) => path.endsWith('.soak.test.ts'))).toEqual([]);
  });
});
