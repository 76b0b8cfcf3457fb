import { expect, it } from 'vitest';
import { viewerOf } from '../../src/web/web-context.ts';

it('a route that needs a viewer fails when it lets anybody in', () => {
  const viewer = { person: 'ann', role: 'viewer', csrf: '', actions: undefined } as const;
  expect(viewerOf({ viewer })).toBe(viewer);
  expect(() => viewerOf({ viewer: null })).toThrow('lets anybody in');
});
