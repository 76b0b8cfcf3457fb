import { publishRecord } from '../bench/report/publish.ts';

/** `npm run performance`: makes docs/performance.md and its plots of docs/performance.json. */
await publishRecord();
console.log('docs/performance.md');
