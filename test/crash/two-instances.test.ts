import { testSharing } from './support/share-folders.ts';

/** two-instances.soak.test.ts has more of everything, and the queue in Redis. */
testSharing({ queues: ['postgres'], accounts: ['north', 'east'], files: 2, batchesAFile: 4 });
