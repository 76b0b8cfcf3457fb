import { expect, it } from 'vitest';
import { loadOpenPgp, STREAMED } from '../../src/pgp/load-openpgp.ts';

it('loadOpenPgp gives the library, whose own setting is not to stream', async () => {
  const { config } = await loadOpenPgp();
  expect(config.allowUnauthenticatedStream).toBe(false);
  expect(config.allowUnauthenticatedMessages).toBe(false);
  expect(Object.keys(STREAMED)).toEqual(['allowUnauthenticatedStream']);
});
