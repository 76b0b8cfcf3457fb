import { runUploads } from './run-uploads.ts';
import { readOptions } from '../support/read-options.ts';

/** `npm run uploads`: see run-uploads.ts. */
const values = readOptions(
  'uploads',
  {
    uploads: { type: 'string', default: '1000' },
    'at-once': { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    pause: { type: 'string', default: '400' },
    cage: { type: 'string' },
  },
  ['pause'],
);
const { failures, ...figures } = await runUploads({
  uploads: Number(values.uploads),
  atOnce: Number(values['at-once']),
  seed: Number(values.seed),
  pauseMs: Number(values.pause),
  cage: values.cage,
});
const wrong = failures.length === 0 ? 'Every file was claimed once, and whole.' : failures.join('\n');
process.stdout.write(`${JSON.stringify(figures)}\n${wrong}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
