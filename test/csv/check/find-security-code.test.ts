import { describe, expect, it } from 'vitest';
import { holdsSecurityCode } from '../../../src/csv/check/leave-out-reason.ts';
import { achLine, cardLine, OTHER_VISA, VISA } from '../support.ts';

const CANADIAN = `06/15/2026,INV-1,Ada Byron,25.00,VISA,${VISA},1228`;

describe('holdsSecurityCode', () => {
  it.each([
    `${cardLine()},123`,
    `${cardLine()}, 1234 `,
    cardLine({ expiry: '123,1228' }),
    cardLine({ cardNumber: `123,${OTHER_VISA}` }),
    cardLine({ mop: '123,VISA' }),
    cardLine({ expiry: '12/28,123' }),
    `${cardLine({ cardNumber: '4222 2222 2222 2220' })},123`,
    `${CANADIAN},123`,
  ])('sees one in %s', (line) => {
    expect(holdsSecurityCode('card', line.split(','))).toBe(true);
  });

  it.each([
    cardLine(),
    CANADIAN,
    `${cardLine()},12`,
    `${cardLine()},12345`,
    `${cardLine()},abc`,
    `${cardLine()},`,
    `${cardLine()},123,`,
    `123,${cardLine()}`,
    cardLine({ street: '1 Some Road,204' }),
    cardLine({ street: '1 Some Road, Apt 4' }),
    `${'x,'.repeat(12)}123`,
  ])('sees none in %s', (line) => {
    expect(holdsSecurityCode('card', line.split(','))).toBe(false);
  });

  it('does not look into bank files', () => {
    expect(holdsSecurityCode('ach-charge', `${achLine()},123`.split(','))).toBe(false);
  });
});
