import { expect, it } from 'vitest';
import { redisVerdict } from '../support/redis.ts';
import { testSharing } from './support/share-folders.ts';

const verdict = redisVerdict();
it(verdict.sentence, () => expect(verdict.isFine).toBe(true));

/** Two processes with everything twice, over each queue. */
testSharing({
  queues: verdict.isInstalled ? ['postgres', 'redis'] : ['postgres'],
  accounts: ['north', 'east', 'south', 'west'],
  files: 2,
  batchesAFile: 15,
});
