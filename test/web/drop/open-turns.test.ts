import { expect, it } from 'vitest';
import { openTurns } from '../../../src/web/drop/drop-routes.ts';

it('openTurns lets so many work at once, the others in their order, also after one that failed', async () => {
  const turns = openTurns(2);
  const events: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const begin = (name: string) =>
    turns(() => {
      events.push(name);
      return new Promise<string>((resolve, reject) => {
        ends.set(name, (error) => (error ? reject(error) : resolve(name)));
      });
    });
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(begin) as [
    Promise<string>,
    Promise<string>,
    Promise<string>,
    Promise<string>,
  ];
  expect(events).toEqual(['a', 'b']);
  ends.get('b')!(new Error('it broke off'));
  await expect(b).rejects.toThrow('it broke off');
  await expect.poll(() => events).toEqual(['a', 'b', 'c']);
  const late = begin('late');
  ends.get('a')!();
  ends.get('c')!();
  expect(await Promise.all([a, c])).toEqual(['a', 'c']);
  await expect.poll(() => events).toEqual(['a', 'b', 'c', 'd', 'late']);
  ends.get('d')!();
  ends.get('late')!();
  expect(await Promise.all([d, late])).toEqual(['d', 'late']);
  const free = begin('free');
  expect(events.at(-1)).toBe('free');
  ends.get('free')!();
  await free;
});
