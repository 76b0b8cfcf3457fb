import { afterAll, beforeAll, describe, it } from 'vitest';
import type { DeskWorld } from '../support/desk-world.ts';
import { expectRefusal, openSmallDesk } from './support/send-endless.ts';

let world: DeskWorld;
beforeAll(async () => {
  world = await openSmallDesk();
});
afterAll(() => world.close());

const GIGABYTE = 1_073_741_824;

describe('a file of a gigabyte', () => {
  it.each(['check', 'submit'])(
    'is refused at the limit of the folder, and nothing of it is kept (%s)',
    async (action) => {
      await expectRefusal(world, action, GIGABYTE);
    },
  );
});
