import { describe, expect, it } from 'vitest';
import type { OpenFile } from '../../../../src/ledger/overview/overview.ts';
import { OnTheirWay } from '../../../../src/web/pages/front.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';
import { quietFront } from '../../support/quiet-front.ts';

const file: OpenFile = {
  file_id: 'g7fhpaqs00000000',
  name: 'june.csv',
  account: 'main',
  operation: 'card',
  state: 'in_progress',
  state_at: new Date('2026-06-15T10:00:00Z'),
  reason: null,
  records: 1_200,
  valid_rows: 1_200,
  batches: 3,
  done: 1,
};

function page(...open: Partial<OpenFile>[]): string {
  const { standing } = quietFront();
  const files = open.map((change) => ({ ...file, ...change }));
  return draw(OnTheirWay, { front: quietFront({ standing: { ...standing, open: files } }) });
}

describe('OnTheirWay', () => {
  it('shows how far each file is', () => {
    expect(wordsOf(page({}))).toContain('june.csv main in progress 1,200 1 of 3 2026-06-15 06:00:00 -04:00');
    expect(page({})).toContain('href="/files/g7fhpaqs00000000"');
  });

  it('says of a file whose rows are not counted yet that it is being read', () => {
    expect(wordsOf(page({ state: 'claimed', records: null, batches: 0 }))).toContain('claimed being read 2026-06-15');
  });

  it('leaves held files to those who must look at them', () => {
    expect(wordsOf(page({ state: 'held' }))).toContain('Nothing is on its way');
  });

  it('shows the oldest twenty, and says so', () => {
    const html = page(...Array.from({ length: 21 }, () => ({})));
    expect(html.match(/june\.csv/g)).toHaveLength(20);
    expect(html).toContain('The oldest 20 are shown.');
  });
});
