import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFile } from '../../../src/cli/validate/validate.ts';
import { chooseRules } from '../../../src/cli/validate/choose-rules.ts';
import { readPiecesNow } from '../../../src/kernel/read-pieces.ts';
import type { Fault } from '../../../src/rows/rows.ts';
import { cardRow, lines, upTo } from '../../support/payment-rows.ts';

it('checkFile tells faults of rows in file order, with the progress line out of their way', async () => {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-check-'));
  try {
    const rows = upTo(2_000).map((n) => cardRow(n, n % 1_000 === 0 ? { amount: 'ten' } : {}));
    await writeFile(join(root, 'a.csv'), lines(rows));
    const events: string[] = [];
    const check = await checkFile(await open(join(root, 'a.csv')), chooseRules('card', undefined, root), {
      report: { fault: (fault: Fault) => events.push(`line ${fault.line}`) },
      contentOf: (file) => readPiecesNow(file.fd),
      progress: { show: (text) => events.push(text), clear: () => events.push('clear') },
    });
    expect(check).toMatchObject({ records: 2_000, valid: { rows: 1_998 }, faultCounts: { AMOUNT_FORMAT: 2 } });
    expect(events.filter((event) => event.startsWith('line'))).toEqual(['line 1000', 'line 2000']);
    expect(events.filter((event) => event.includes('rows')).at(-1)).toBe('2000 rows, 100 %');
    expect(events.at(-1)).toBe('clear');
    // The progress line is cleared before anything else appears.
    const shown = events.flatMap((event, index) => (event.includes('rows') ? [events[index + 1]] : []));
    expect(new Set(shown)).toEqual(new Set(['clear']));
  } finally {
    await rm(root, { recursive: true });
  }
});
