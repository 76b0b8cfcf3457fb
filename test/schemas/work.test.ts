import { describe, expect, it } from 'vitest';
import { WORK } from '../../schemas/work.ts';
import { COMMANDS } from '../../src/cli/commands.ts';

const NAMES = new Set(COMMANDS.map(({ name }) => name));

describe('WORK', () => {
  it.each(Object.entries(WORK))('%s says what is done and what helps, in commands that there are', (_name, row) => {
    expect(row.doing).toMatch(/^[a-z][^.]*$/);
    expect(row.next).toMatch(/\.$/);
    const named = [...row.next.matchAll(/"paydrop (\w+)/g)].map(([, command]) => command!);
    expect(named.filter((command) => !NAMES.has(command))).toEqual([]);
  });
});
