import { describe, expect, it } from 'vitest';
import { readInput } from '../../../src/cli/call/gather-values.ts';
import { CARD } from '../../support/payment-rows.ts';
import { fakeTerminal, pipedInput } from '../support/fake-terminal.ts';

function read(text: string) {
  return readInput(pipedInput(text).input);
}

describe('readInput', () => {
  it.each([
    [
      'lines',
      `creditCardNum=${CARD}\n\ncomment = a=b \r\ncvv2=123`,
      { creditCardNum: CARD, comment: 'a=b', cvv2: '123' },
    ],
    ['an empty value', 'phone=\n', { phone: '' }],
    ['nothing', '', {}],
    ['JSON', ` {"creditCardNum": "${CARD}", "recurring": false}\n`, { creditCardNum: CARD, recurring: false }],
    ['JSON with a mark', '\ufeff{"cvv2":"123"}', { cvv2: '123' }],
  ])('reads %s', async (_what, text, given) => {
    expect(await read(text)).toEqual(given);
  });

  it.each([
    ['a line without a sign', `cvv2=123\n${CARD}`, 'line 2 is not name=value'],
    ['a name twice', `cvv2=123\ncvv2=${CARD}`, 'line 2 gives cvv2 a second time'],
    ['JSON that is cut', `{"creditCardNum": "${CARD}"`, 'it is not a JSON object'],
    ['a number, which would lose digits', `{"creditCardNum": ${CARD}}`, 'entry 1 of the object is neither text'],
    ['a list', `{"cvv2":"1","creditCardNum":["${CARD}"]}`, 'entry 2 of the object'],
  ])('refuses %s without repeating it', async (_what, text, reason) => {
    const error: unknown = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'USAGE', message: expect.stringContaining(reason) });
    expect(String(error)).not.toContain(CARD);
  });

  it('reads no terminal, which would show what is typed', async () => {
    await expect(readInput(fakeTerminal().input)).rejects.toThrow('it is a terminal');
  });
});
