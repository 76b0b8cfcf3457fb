import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { AttemptInDoubt } from '../../../../src/ledger/doubt/in-doubt.ts';
import { foundDoubt } from '../../../cli/support/found-doubt.ts';
import { BatchAttempts } from '../../../../src/web/pages/files/show-batch.tsx';

const [CALL] = foundDoubt().attempts;
const draw = (...attempts: Partial<AttemptInDoubt>[]) =>
  renderToString(
    h(BatchAttempts, { attempts: attempts.map((attempt) => ({ ...CALL!, ...attempt })), timeZone: 'America/Toronto' }),
  );

describe('BatchAttempts', () => {
  it.each([
    [{ verdict: null, ended_at: null }, 'none yet'],
    [{ verdict: 'submitted', evidence: { text: '<b>BATCHID 7</b>' } }, '&lt;b>BATCHID 7&lt;/b>'],
    [{ verdict: 'refused' }, 'refused by the service'],
    [{ verdict: 'not_sent' }, 'nothing was sent'],
    [{ verdict: 'unknown' }, 'in doubt'],
    [{ verdict: 'unknown', resolution: 'not_received' }, 'the service never took it'],
    [{ evidence: { bytesWritten: 10 } }, '10 bytes; the request has 900 and its head'],
    [{}, '2026-06-15 06:00:00 -04:00'],
  ])('tells %j in words', (attempt, words) => {
    expect(draw(attempt)).toContain(words);
  });

  it('says what would stand here', () => {
    expect(draw()).toContain('It was not sent yet.');
  });
});
