import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { ToldWhy } from '../../../../src/web/pages/files/told-why.tsx';

const WHY = {
  about: 'monday.csv',
  timeZone: 'America/Toronto',
  story: [
    { at: null, text: 'It was made of rows of file x.' },
    { at: new Date('2026-06-15T10:00:00Z'), text: '<b>held</b>' },
  ],
  now: ['The file is held.'],
  next: ['Then "paydrop approve x".'],
};

describe('ToldWhy', () => {
  const html = renderToString(h(ToldWhy, { why: WHY }));

  it('tells how it stands, what is next and what happened, each moment in the zone of the account', () => {
    expect([...html.matchAll(/<h2 [^>]*>([^<]+)/g)].map(([, title]) => title)).toEqual([
      'How it stands',
      'What to do next',
      'What happened',
    ]);
    expect(html).toContain('2026-06-15 06:00:00 -04:00');
    expect(html).toContain('&lt;b>held&lt;/b>');
  });

  it('says that the buttons do what a line names, only where a line names something', () => {
    expect(html).toContain('the buttons on the page of that file, batch or account do here');
    const quiet = renderToString(h(ToldWhy, { why: { ...WHY, next: ['Nothing is to be done.'] } }));
    expect(quiet).not.toContain('the buttons on');
  });
});
