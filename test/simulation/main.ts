import { describeFailure, describeReport, simulate, simulateInProcesses } from './simulate.ts';
import { readOptions } from '../support/read-options.ts';

/** `npm run simulate`: see README.md beside this file. The exit status is 1 when a scenario failed. */
const values = readOptions('simulate', {
  seed: { type: 'string', default: '1' },
  scenarios: { type: 'string', default: '100' },
  jobs: { type: 'string', default: '2' },
  json: { type: 'boolean', default: false },
  lines: { type: 'boolean', default: false },
});
const [seed, scenarios, jobs] = [values.seed, values.scenarios, values.jobs].map(Number);

if (values.lines) {
  await simulate({ seed: seed!, scenarios: scenarios! }, (played) => {
    const story = played.complaints.length > 0 ? played.story : [];
    process.stdout.write(`${JSON.stringify({ ...played, story })}\n`);
  });
} else {
  const started = performance.now();
  const report = await simulateInProcesses({ seed: seed!, scenarios: scenarios! }, jobs!, (played, failed) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${played} of ${scenarios} scenarios, ${failed} failed `);
  });
  const seconds = Math.round((performance.now() - started) / 1_000);
  const { failures, ...rest } = report;
  if (values.json) say({ kind: 'simulation', seed, seconds, ...rest, failedSeeds: failures.map((one) => one.seed) });
  else process.stdout.write(`${describeReport(report, seed!, seconds)}\n`);
  for (const failure of failures) process.stderr.write(`${describeFailure(failure)}\n`);
  process.exitCode = report.failed > 0 ? 1 : 0;
}

function say(json: unknown): void {
  process.stdout.write(`${JSON.stringify(json, null, 2)}\n`);
}
