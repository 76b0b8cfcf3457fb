import { afterAll, beforeAll, describe, it } from 'vitest';
import type { DeskWorld } from '../support/desk-world.ts';
import { expectRefusal, openSmallDesk } from './support/send-endless.ts';

let world: DeskWorld;
beforeAll(async () => {
  world = await openSmallDesk();
});
afterAll(() => world.close());

/** drop-endless.soak.test.ts sends a gigabyte. */
describe('a file without end', () => {
  it.each(['check', 'submit'])(
    'is refused at the limit of the folder, and nothing of it is kept (%s)',
    async (deed) => {
      await expectRefusal(world, deed, 16_000_000);
    },
  );
});
