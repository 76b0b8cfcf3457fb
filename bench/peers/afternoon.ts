import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { printSample } from '../measure/report-sample.ts';
import { cutBatches, readPayments, writeResults } from './afternoon/read-payments.ts';
import { connect } from './afternoon/call-service.ts';

/**
 * `afternoon --service URL --batch 500 --out DIR FILE…`: what a competent engineer writes in an afternoon with the
 * usual packages, with no deliberate slowness. Everything is in memory: no ledger, no sealing, and no record of what
 * was sent after a crash. With `--prepare` nothing is sent.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    service: { type: 'string', default: '' },
    batch: { type: 'string', default: '500' },
    out: { type: 'string', default: '' },
    prepare: { type: 'boolean', default: false },
  },
});

// Fetching the WSDL is not timed, like the start of the program.
const service = values.prepare ? undefined : await connect(values.service);
const started = performance.now();
const figures = { rows: 0, invalid: 0, sent: 0 };
for (const path of positionals) {
  const { payments, invalid } = readPayments(await readFile(path, 'utf8'));
  const batches = cutBatches(payments, Number(values.batch));
  figures.rows += payments.length + invalid.length;
  figures.invalid += invalid.length;
  figures.sent += batches.reduce((sum, { rows }) => sum + rows.length, 0);
  if (!service) continue;
  const ids = [];
  for (const batch of batches) ids.push(await service.submit(batch.body));
  const results = [];
  for (const id of ids) results.push(...(await service.fetchResult(id)));
  await writeResults(join(values.out, basename(path, '.csv')), payments, invalid, results);
}
printSample({ seconds: (performance.now() - started) / 1_000, figures });
