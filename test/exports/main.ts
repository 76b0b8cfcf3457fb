/** `npm run exports`: changes exports of accounting systems in many ways; play-export.ts says what must hold. */
import { readOptions } from '../support/read-options.ts';
import { playExports } from './play-export.ts';

const values = readOptions('exports', {
  mutations: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '1' },
});
const [changes, seed] = [values.mutations, values.seed].map(Number);

const ENDINGS = {
  held: 'held',
  refused: 'refused',
  true: 'accepted with the true payments',
  withheld: 'accepted without rows that are withheld',
  said: 'accepted with what the file says since',
};

const started = performance.now();
const { files, endings, mutations, complaints } = await playExports(seed!, changes!);
for (const complaint of complaints) process.stdout.write(`${complaint}\n`);
for (const [name, { tried, said }] of mutations) process.stdout.write(`${name}: ${tried}, ${said} of them believed\n`);
const seconds = Math.round((performance.now() - started) / 1_000);
const counts = Object.entries(endings).map(([ending, count]) => `${count} ${ENDINGS[ending as keyof typeof endings]}`);
process.stdout.write(`${files} files, ${seconds} s: ${counts.join(', ')}; ${complaints.length} accepted wrongly\n`);
process.exitCode = complaints.length > 0 ? 1 : 0;
