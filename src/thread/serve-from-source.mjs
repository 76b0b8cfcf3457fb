// What a thread runs while paydrop is run from its source: a thread does not take over the loader of its process.
import { register } from 'tsx/esm/api';

register();
await import('./serve-tasks.ts');
