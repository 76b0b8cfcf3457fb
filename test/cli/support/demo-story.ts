import { rm } from 'node:fs/promises';
import { expect, onTestFinished } from 'vitest';

/** Addresses without a server: the demo must ignore what the environment names. */
export const NOBODY_THERE = {
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/never',
  REDIS_URL: 'redis://127.0.0.1:1',
};

/** Waits until a demo names its scratch folder, and removes that after the test. */
export async function folderOf(demo: { out(): string }): Promise<string> {
  await expect.poll(demo.out, { interval: 10 }).toMatch(/^Working in .*\n/);
  const [, root = ''] = /^Working in (.*)\n/.exec(demo.out()) ?? [];
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}

/** Expects what a demo prints about its samples at the end. */
export function expectSamplesDone(out: string, root: string): void {
  const table = out.split('\n').filter((line) => /^\S+\.csv +(main|canada) /.test(line));
  expect(table).toHaveLength(10);
  expect(table.filter((line) => / completed /.test(line))).toHaveLength(8);
  expect(table.find((line) => line.startsWith('same-again.csv'))).toMatch(/nothing sent: .* \(DUPLICATE_FILE\)/);
  expect(out).toContain('match, row by row and to the cent.');
  for (const words of ['status', 'show card.csv', 'find --invoice C-1002'])
    expect(out).toMatch(new RegExp(`\\n {2}(?:npm run paydrop --|node \\S+/main\\.js) --dir ${root} ${words}\\n`));
}
