import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../src/gateway/hide-secrets.ts';
import { BODY, CANARIES } from './support/cases.ts';

const login = { agentCode: CANARIES.agentCode, password: CANARIES.password };
const values = {
  customerCode: 'A10000001',
  firstName: CANARIES.name,
  creditCardNum: CANARIES.card,
  cvv2: '917',
  total: '5.00',
  comment: `card 4111111111111111, code 917, ${CANARIES.password}`,
  fromDate: '2026-06-15T10:00:00.000Z',
};
const secrets = hideSecrets(login, values);

describe('hideSecrets', () => {
  it('shows a request without login, numbers and codes, also those in free text', () => {
    expect(secrets.shownLogin).toEqual({ agentCode: '[removed]', password: '[removed]' });
    expect(secrets.shownValues).toEqual({
      customerCode: 'A****0001',
      firstName: CANARIES.name,
      creditCardNum: '[removed]',
      cvv2: '[removed]',
      total: '5.00',
      comment: 'card ************1111, code [removed], [removed]',
      fromDate: '2026-06-15T10:00:00.000Z',
    });
  });

  it('shows nothing of a batch file and removes its rows from texts', () => {
    const batch = hideSecrets(login, { batchFile: BODY.toString('base64') });
    expect(batch.shownValues).toEqual({ batchFile: '[removed]' });
    expect(batch.text(`row ${CANARIES.name} and ${CANARIES.account}`)).toBe('row [removed] and [removed]');
  });

  it.each([
    ['Bad request.', 'Bad request.'],
    [`card ${CANARIES.card} with 917`, 'card [removed] with [removed]'],
    [`${CANARIES.name}: ${CANARIES.agentCode} ${CANARIES.password}`, '[removed]: [removed] [removed]'],
  ])('makes the text %s safe', (text, shown) => {
    expect(secrets.text(text)).toBe(shown);
  });

  it('removes secrets from data, but for short ones, which are part of many words', () => {
    const data = { customers: [{ firstName: `a${CANARIES.password}b`, phone: '917', payment: null }] };
    const shown = { customers: [{ firstName: 'a[removed]b', phone: '917', payment: null }] };
    expect(secrets.data(data)).toEqual(shown);
    expect(secrets.data({ csv: CANARIES.card })).toEqual({ csv: '[removed]' });
  });

  it('bears texts and answers of millions of digits', () => {
    for (const text of ['1'.repeat(4_000_000), '1 '.repeat(2_000_000), 'a'.repeat(4_000_000)]) {
      expect(secrets.text(text).length).toBeLessThanOrEqual(300);
      expect(secrets.answer(Buffer.from(text)).length).toBeLessThanOrEqual(300);
      expect(secrets.isEcho(text)).toBe(true);
    }
  });

  it('shows an answer from its inside on', () => {
    const answer = secrets.answer(Buffer.from(`<Envelope><IATSRESPONSE><X>${CANARIES.card}</X></IATSRESPONSE>`));
    expect(answer).toBe('<IATSRESPONSE><X>[removed]</X></IATSRESPONSE>');
    expect(secrets.answer(Buffer.from('<html>917</html>'))).toBe('<html>[removed]</html>');
  });

  it('knows an echo, and does not take a code within an id for one', () => {
    expect(['917', `x${CANARIES.card}`, CANARIES.password].map(secrets.isEcho)).toEqual([true, true, true]);
    expect(secrets.isEcho('4111111111111111')).toBe(true);
    expect(hideSecrets(login, { customerCode: '4111111111111111' }).isEcho('4111111111111111')).toBe(false);
    expect(['A9000917', 'A10000001', ''].map(secrets.isEcho)).toEqual([false, false, false]);
    expect(['A'.repeat(200), 'A'.repeat(201)].map(secrets.isEcho)).toEqual([false, true]);
  });
});
