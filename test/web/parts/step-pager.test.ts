import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { splitPage, StepPager } from '../../../src/web/parts/blocks.tsx';

describe('splitPage', () => {
  it.each([
    [[], [], undefined],
    [[1, 2], [1, 2], undefined],
    [[1, 2, 3], [1, 2], 3],
  ])('of %j', (rows, page, more) => {
    expect(splitPage<number>(rows, 2)).toEqual({ page, more });
  });
});

describe('StepPager', () => {
  const links = (props: { first?: string; next?: string }) =>
    [...renderToString(h(StepPager, { ...props, says: 'Lines' })).matchAll(/href="([^"]+)"/g)].map(([, href]) => href);

  it('leads on and back to the start, and is not there when one page holds all', () => {
    expect(links({ first: '/a', next: '/b' })).toEqual(['/a', '/b']);
    expect(links({ next: '/b' })).toEqual(['/b']);
    expect(renderToString(h(StepPager, { says: 'Lines' }))).toBe('');
  });
});
