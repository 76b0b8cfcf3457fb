import { expect, it } from 'vitest';
import { redisVerdict } from '../support/redis.ts';
import { testSharing } from './support/share-folders.ts';

const verdict = redisVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

/** Runs two processes that share everything, over each queue. */
testSharing({
  queues: verdict.isInstalled ? ['postgres', 'redis'] : ['postgres'],
  accounts: ['north', 'east', 'south', 'west'],
  files: 2,
  batchesAFile: 15,
});
