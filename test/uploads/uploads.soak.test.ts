import { testUploads } from './test-uploads.ts';

testUploads({ uploads: 30, atOnce: 10, seed: 3, pauseMs: 200, breaks: 0.2 });
