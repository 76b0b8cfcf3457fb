import { describe, expect, it } from 'vitest';
import type { Viewer } from '../../../../src/web/access/viewer.ts';
import { VerifyForm, VerifyResult } from '../../../../src/web/pages/audit.tsx';
import { draw, wordsOf } from '../../support/page-words.ts';

const viewer: Viewer = { person: 'ada', role: 'viewer', csrf: 'token', actions: undefined };

describe('VerifyForm', () => {
  it.each([
    [12, 'All 12 links are read. That takes a moment.'],
    [1_000_000, /All 1,000,000 links are read. That may take some \d+ seconds; wait for the answer\./],
  ])('says before %i links are read how long it takes', (links, says) => {
    const html = draw(VerifyForm, { viewer, links });
    expect(wordsOf(html)).toMatch(says);
    expect(html).toContain('name="_csrf" value="token"');
  });
});

describe('VerifyResult', () => {
  const whole = { brokenAt: undefined, seq: 1_234, hash: 'ab12', tookMs: 3_140 };

  it('says where a whole trail ends, and how long it took', () => {
    const html = draw(VerifyResult, { verified: whole });
    expect(wordsOf(html)).toContain('whole 1,234 links, read in 3.1 s. The last hash is ab12.');
    expect(html).not.toContain('role="alert"');
  });

  it('says loudly where it is broken', () => {
    const html = draw(VerifyResult, { verified: { ...whole, brokenAt: 0 } });
    expect(html).toContain('role="alert"');
    expect(wordsOf(html)).toContain('The audit trail is broken at link 0');
  });
});
