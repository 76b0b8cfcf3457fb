import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Config } from '../../schemas/config.ts';
import { checkPaymentFile } from '../../src/csv/check-payment-file.ts';
import { resolveSettings } from '../../src/kernel/config.ts';
import { reportSample } from '../measure/report-sample.ts';
import { plainConfig } from '../world/plain-config.ts';

/**
 * `check-file <file>`: the check of production on one card file, with every rule, the totals, the hash of the file and
 * the bytes that would be sent.
 */
const [path = ''] = process.argv.slice(2);
const settings = resolveSettings(Config.parse(plainConfig({ serviceUrl: 'http://127.0.0.1:1' })), '/', {});
const [folder] = settings.folders;
const account = settings.accounts.get('main');

await reportSample(async () => {
  const rules = { operation: 'card', account: account!, folder: folder!, today: '2026-06-15' } as const;
  const { size } = await stat(path);
  const check = checkPaymentFile(createReadStream(path, { highWaterMark: 65_536 }), rules, { contentBytes: size });
  for (;;) {
    const step = await check.next();
    if (step.done) return { rows: step.value.records, invalid: step.value.invalid.rows };
  }
});
