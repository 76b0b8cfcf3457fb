import { describe, expect, it } from 'vitest';
import { Next } from '../../../../src/web/pages/front.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';
import { quietFront } from '../../support/quiet-front.ts';

const at = new Date('2026-06-15T10:00:00Z');

describe('Next', () => {
  it('says what comes when, each in its own zone', () => {
    const coming = [
      { what: 'Schedule nightly runs', at, timeZone: 'UTC' },
      { what: 'Account uk may send again', at: null, timeZone: 'UTC' },
    ];
    const words = wordsOf(draw(Next, { front: quietFront({ coming }) }));
    expect(words).toContain('Schedule nightly runs 2026-06-15 10:00:00 +00:00 Account uk may send again never');
    expect(words).not.toContain('Ends within');
  });

  it('says what ends before long', () => {
    const expiring = [
      { what: 'token' as const, name: 'erp of ada', at },
      { what: 'originals' as const, name: 'main', at },
    ];
    const words = wordsOf(draw(Next, { front: quietFront({ expiring }) }));
    expect(words).toContain('API token erp of ada stops working 2026-06-15 06:00:00 -04:00');
    expect(words).toContain('The first originals of main are destroyed');
  });

  it('says how it is when nothing is set up', () => {
    expect(wordsOf(draw(Next, { front: quietFront() }))).toContain(
      'every file is taken and sent as soon as it is complete',
    );
  });
});
