import { testUploads } from './test-uploads.ts';

/** uploads.soak.test.ts has more of them. */
testUploads({ uploads: 9, atOnce: 9, seed: 3, pauseMs: 100, breaks: 0.5 });
