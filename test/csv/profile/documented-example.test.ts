import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { parseProfile } from '../../../src/csv/profile/parse-profile.ts';
import { checkByBytes } from '../compare/check-by-bytes.ts';
import { chunksOf, rulesWith } from '../support.ts';

it('the example of a profile in docs/file-formats.md reads its file as the page says', async () => {
  const page = await readFile(new URL('../../../docs/file-formats.md', import.meta.url), 'utf8');
  const [, text = '', file = ''] = /```yaml\n([^`]*)```\n\n```\n([^`]*)```\n\nThis file has one payment/.exec(page)!;
  const place = { operation: 'card', account: { server: 'NA', country: 'US', currency: 'USD' } } as const;
  const parsed = parseProfile(text, place);
  if (!('profile' in parsed)) throw new Error(JSON.stringify(parsed.faults));
  const { payments, check } = await checkByBytes(chunksOf(file), rulesWith({ ...place, profile: parsed.profile }));
  expect(payments.map(({ canonical }) => canonical)).toEqual([['R-1001', 'K-17', '1234.50', 'Beitrag Juni']]);
  expect(check).toMatchObject({ verdict: 'accept', profile: { skipped: [{ rows: 1, cents: 2_000 }] } });
});
