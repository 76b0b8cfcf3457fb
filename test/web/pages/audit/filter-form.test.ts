import { describe, expect, it } from 'vitest';
import { type Asked, FilterForm } from '../../../../src/web/pages/audit.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';

const nothing: Asked = { who: '', file: '', move: '', from: '', to: '', before: '' };
const page = (asked: Partial<Asked> = {}) =>
  draw(FilterForm, { asked: { ...nothing, ...asked }, zone: 'Europe/Berlin' });

describe('FilterForm', () => {
  it('keeps what was asked for, and asks for nothing that was not', () => {
    const html = page({ who: '"ada', move: 'approve', from: '2026-06-15' });
    expect(html).toContain('value="&quot;ada"');
    expect(html).toContain('value="2026-06-15"');
    expect(html).toMatch(/id="f-move" name="move" type="text" value="approve"/);
    expect(page()).not.toMatch(/name="before"|method=/);
  });

  it('has a label for each field, and says of which zone the days are', () => {
    const html = page();
    const ids = [...html.matchAll(/<input[^>]* id="([^"]+)"|<input id="([^"]+)"/g)].map(
      ([, one, other]) => one ?? other,
    );
    expect(ids).toEqual(['f-who', 'f-file', 'f-move', 'f-from', 'f-to']);
    for (const id of ids) expect(html).toContain(`for="${id}"`);
    expect(wordsOf(html)).toContain('Days in Europe/Berlin.');
  });

  it('suggests each move once', () => {
    const moves = [...page().matchAll(/<option value="([^"]+)"/g)].map(([, move]) => move);
    expect(moves).toContain('approve');
    expect(moves).toContain('pause-account');
    expect(new Set(moves).size).toBe(moves.length);
  });
});
