import { describe, expect, it } from 'vitest';
import { createScrub } from '../../src/gateway/scrub.ts';
import { BODY, CANARIES, ROWS, SECRETS } from './support/cases.ts';

const login = { agentCode: CANARIES.agentCode, password: CANARIES.password };
const scrub = createScrub(login, BODY);

describe('createScrub text', () => {
  it.each([
    ['a plain text', 'Bad request.', 'Bad request.'],
    ['the login', `user ${CANARIES.agentCode} with ${CANARIES.password}!`, 'user [removed] with [removed]!'],
    ['the login in markup', 'p&amp;ss&lt;CANARY&gt;"word', '[removed]'],
    ['the login in an address', `?p=${encodeURIComponent(CANARIES.password)}&q`, '?p=[removed]&q'],
    ['the login in base64', `x ${Buffer.from(CANARIES.password).toString('base64')} x`, 'x [removed] x'],
    ['a row', `row 2: ${ROWS[1]}.`, 'row 2: [removed].'],
    ['a cell', `no such name: ${CANARIES.name}`, 'no such name: [removed]'],
    ['a card number that was not sent', 'card 4111 1111 1111 1111', 'card **** **** **** 1111'],
    ['base64', `x ${'QUJD'.repeat(10)}== x`, 'x [removed] x'],
    ['base64 in lines', `x ${'QUJD'.repeat(15)}\r\nQUJDRA==\r\n</x>`, 'x [removed] </x>'],
    ['short words of base64 letters', 'Server Error at ProcessLinkv2', 'Server Error at ProcessLinkv2'],
    ['control characters', 'a\u001b[31mb\u0000\r\n c', 'a [31mb c'],
  ])('is safe with %s', (_what, text, shown) => {
    expect(scrub.text(text)).toBe(shown);
  });

  it('bears a text of millions of characters, and looks at its begin only', () => {
    const scrub = createScrub({ agentCode: 'TEST88', password: 'secret-88' });
    for (const piece of ['1 ', '1', 'x', 'a-', '\r\n']) {
      expect(scrub.text(piece.repeat(2_000_000)).length).toBeLessThanOrEqual(300);
    }
  });

  it('shows at most 300 characters', () => {
    expect(scrub.text('x y '.repeat(200))).toHaveLength(300);
  });

  it('bears a login with half a character pair', () => {
    expect(createScrub({ agentCode: 'a\ud800', password: 'b' }).text('xyz')).toBe('xyz');
  });

  it('removes a password that holds the agent code as a whole', () => {
    expect(createScrub({ agentCode: 'TEST', password: 'TEST88' }).text('TEST88 TEST')).toBe('[removed] [removed]');
  });
});

describe('createScrub answer', () => {
  it('names a batch id first and unmasked, wherever in the answer it stands', () => {
    const answer = scrub.answer(Buffer.from(`${'<p> x</p>'.repeat(9000)}<BATCHID> 1000001 </BATCHID>`));
    expect(answer).toMatch(/^BATCHID 1000001: <p> x<\/p>/);
    expect(answer.length).toBeLessThanOrEqual(300);
  });

  it.each([CANARIES.card, CANARIES.account, CANARIES.agentCode, 'INV-9001', 'a b'])(
    'does not name %s as a batch id',
    (id) => {
      expect(scrub.answer(Buffer.from(`<BATCHID>${id}</BATCHID>`))).not.toContain(`BATCHID ${id}`);
    },
  );

  it('shows no half of a secret at the place where it stops looking', () => {
    const secret = SECRETS.slice(0, 6);
    for (let before = 19_900; before < 20_000; before += 1) {
      const text = Buffer.from(`${'A'.repeat(before)} ${CANARIES.card} ${CANARIES.password}${'B'.repeat(200)}`);
      const shown = scrub.answer(text);
      expect(shown).not.toContain('4222');
      for (const each of secret) expect(shown).not.toContain(each);
    }
  });

  it('bears bytes that are no text', () => {
    expect(scrub.answer(Buffer.from([0xff, 0xfe, 0x00, 0x41]))).toContain('A');
  });
});
