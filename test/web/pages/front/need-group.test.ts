import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { NeedGroup } from '../../../../src/web/pages/front/need-group.tsx';
import { wordsOf } from '../../support/page-words.ts';
import { quietFront } from '../../support/quiet-front.ts';

type Item = { account: string; rows: number; cents: number };
const item = (account: string, cents: number): Item => ({ account, rows: 1, cents });

function say(items: readonly Item[], sums = true): string {
  const columns = [{ title: 'Account', cell: ({ account }: Item) => account }];
  const group = h(NeedGroup<Item>, {
    title: 'Held',
    items,
    hint: 'Look.',
    sumsOf: sums ? quietFront() : undefined,
    columns,
  });
  return wordsOf(renderToString(group));
}

describe('NeedGroup', () => {
  it('sums rows over all, and money of each currency by itself', () => {
    expect(say([item('main', 500), item('uk', 700), item('main', 200)])).toMatch(
      /^Held: 3, 3 rows, 7\.00 USD, 7\.00 GBP Look\. Account main uk main$/,
    );
    expect(say([item('main', 500)])).toContain('Held: 1, 1 row, 5.00 USD');
  });

  it('sums nothing where the items are no money', () => {
    expect(say([item('main', 500)], false)).toBe('Held: 1 Look. Account main');
  });

  it('shows the first ten and says so, and that there may be more than it knows', () => {
    const many = (count: number) => Array.from({ length: count }, () => item('main', 1));
    expect(say(many(10))).not.toContain('are shown');
    expect(say(many(11)).match(/main/g)).toHaveLength(10);
    expect(say(many(11))).toContain('Held: 11,');
    expect(say(many(11))).toContain('The first 10 are shown.');
    expect(say(many(200))).toContain('Held: 200 or more,');
  });

  it('says nothing when there is nothing', () => {
    expect(say([])).toBe('');
  });
});
