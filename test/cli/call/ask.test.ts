import { describe, expect, it } from 'vitest';
import { ask } from '../../../src/cli/call/terminal.ts';
import { CARD } from '../../support/payment-rows.ts';
import { fakeTerminal } from '../support/fake-terminal.ts';

describe('ask', () => {
  it('shows the question and the answer', async () => {
    const terminal = fakeTerminal(['yes']);
    expect(await ask(terminal, 'Send it: ')).toBe('yes');
    expect(terminal.shown()).toContain('Send it: ');
    expect(terminal.shown()).toContain('yes');
  });

  it('shows nothing of a hidden answer, not even how long it is', async () => {
    const terminal = fakeTerminal([CARD]);
    expect(await ask(terminal, 'Number: ', true)).toBe(CARD);
    expect(terminal.shown()).toBe('Number: \n');
  });

  it('takes back what was deleted', async () => {
    const terminal = fakeTerminal(['4222\u007f\u007f11']);
    expect(await ask(terminal, 'Number: ', true)).toBe('4211');
  });

  it('asks several questions one after the other', async () => {
    const terminal = fakeTerminal([CARD, '123']);
    expect(await ask(terminal, 'Number: ', true)).toBe(CARD);
    expect(await ask(terminal, 'Code: ', true)).toBe('123');
    expect(terminal.shown()).toBe('Number: \nCode: \n');
  });

  it.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('%s is no answer', async (_keys, typed) => {
    const terminal = fakeTerminal();
    const asked = ask(terminal, 'Number: ', true);
    terminal.input.write(typed);
    await expect(asked).rejects.toMatchObject({ code: 'USAGE', message: /not answered\. Nothing was sent\./ });
  });
});
