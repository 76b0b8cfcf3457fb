import { open } from 'node:fs/promises';
import { Config } from '../../schemas/config.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { readPiecesNow } from '../../src/kernel/file-bytes.ts';
import { checkContent } from '../../src/explain/validate/check-content.ts';
import { reportSample } from '../measure/report-sample.ts';
import { plainConfig } from '../world/plain-config.ts';

/**
 * `check-file <file>`: checks one card file as `paydrop validate` does: every rule, the totals, the file's hash and the
 * bytes to send.
 */
const [path = ''] = process.argv.slice(2);
const settings = resolveSettings(Config.parse(plainConfig({ serviceUrl: 'http://127.0.0.1:1' })), '/', {});
const [folder] = settings.folders;
const account = settings.accounts.get('main');

await reportSample(async () => {
  const rules = {
    operation: 'card',
    account: account!,
    folder: folder!,
    today: new Date().toISOString().slice(0, 10),
  } as const;
  const file = await open(path);
  const { size } = await file.stat();
  const check = await checkContent(readPiecesNow(file.fd), rules, () => {}, { contentBytes: size });
  await file.close();
  return { rows: check.records, invalid: check.invalid.rows };
});
