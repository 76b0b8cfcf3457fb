import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createGateway } from '../../src/gateway/create-gateway.ts';
import { SECRETS, settingsFor } from './support/cases.ts';

describe('createGateway', () => {
  it('takes the addresses of the servers without a base URL', () => {
    for (const server of ['NA', 'UK'] as const) {
      expect(() => createGateway({ server, agentCode: 'a', password: 'b' })).not.toThrow();
    }
  });

  it.each([
    ['an empty agent code', { agentCode: '' }],
    ['an empty password', { password: '' }],
    ['a connect time-out of 0', { connectTimeoutMs: 0 }],
    ['an answer time-out that is not a number', { answerTimeoutMs: Number.NaN }],
    ['an answer time-out that timers cannot hold', { answerTimeoutMs: 2 ** 31 }],
    ['a limit of answers of 0', { maxAnswerBytes: 0 }],
    ['a limit of answers that is no whole number', { maxAnswerBytes: 1.5 }],
    ['a limit of answers that no string can hold', { maxAnswerBytes: 2 ** 30 }],
    ['plain http to another machine', { baseUrl: 'http://www.iatspayments.com' }],
  ])('refuses %s, without the settings in the error', (_what, wrong) => {
    const error = thrownBy(() => createGateway(settingsFor('https://127.0.0.1', wrong)));
    expect(error).toMatchObject({ name: 'PipelineError', code: 'GATEWAY_SETUP' });
    for (const secret of SECRETS) expect(inspect(error, { depth: Infinity })).not.toContain(secret);
  });

  it('shows no setting when the client itself is printed', () => {
    const shown = inspect(createGateway(settingsFor('https://127.0.0.1')), { depth: Infinity, showHidden: true });
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
  });
});

function thrownBy(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
