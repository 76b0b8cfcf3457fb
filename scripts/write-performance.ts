import { publishRecord } from '../bench/report/publish.ts';

/** `npm run performance`: writes docs/performance.md and its plots from docs/performance.json. */
await publishRecord();
console.log('docs/performance.md');
