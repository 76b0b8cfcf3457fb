import { testUploads } from './test-uploads.ts';

/** See uploads.test.ts. */
testUploads({ uploads: 30, atOnce: 10, seed: 3, pauseMs: 200 });
