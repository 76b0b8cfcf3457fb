import { expect, it, onTestFinished, vi } from 'vitest';
import { expectSamplesDone, folderOf, NOBODY_THERE } from '../support/demo-story.ts';
import { serverOf } from '../support/embedded-server.ts';
import { nameAsInCheckout, startHere } from '../support/run-here.ts';

/** As a process of its own, with Ctrl-C and with the desk: demo.soak.test.ts. */
it('demo takes the samples to their end, shows that all books agree, and leaves no database behind', async () => {
  for (const [name, value] of Object.entries(NOBODY_THERE)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  nameAsInCheckout();
  const demo = startHere(['demo']);
  const root = await folderOf(demo);
  const server = await serverOf(root);
  const { status, out, err } = await demo.ended;
  expect({ status, err }).toEqual({ status: 0, err: '' });
  expect(await server.isAlive()).toBe(false);
  expectSamplesDone(out, root);
});
