import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import { makeCall } from '../../../src/cli/call/make-call.ts';
import type { Terminal } from '../../../src/cli/call/terminal.ts';
import type { Call } from '../../../src/cli/command.ts';
import { httpAnswer, type ScriptedServer, startScripted } from '../../gateway/support/scripted-server.ts';
import { answerOf, success } from '../../gateway/support/soap-answers.ts';
import { type CallWorld, openCallWorld, SECRET_ENVIRONMENT, SECRETS } from '../support/call-world.ts';
import { fakeTerminal, pipedInput } from '../support/fake-terminal.ts';
import { takeDown } from '../support/take-down.ts';

/** Handles the next request to the service. */
let onRequest: Parameters<typeof startScripted>[0]['onRequest'];
let service: ScriptedServer;
let world: CallWorld;
beforeAll(async () => {
  service = await startScripted({ onRequest: (socket, request) => onRequest?.(socket, request) });
  world = await openCallWorld({
    scripted: { baseUrl: service.url },
    // Not a loopback name, so it counts as live; yet nothing can leave this machine.
    live: { baseUrl: 'https://0.0.0.0:1' },
    uk: { baseUrl: 'https://0.0.0.0:1', server: 'UK', country: 'UK', currency: 'GBP' },
  });
});
afterEach(() => {
  onRequest = undefined;
});
afterAll(async () => {
  await world.close();
  await service.close();
});

const REFUND = { transactionId: 'A1', total: '-5.00' };
const REFUND_OPERATION = 'processCreditCardRefundWithTransactionId';

async function make(
  operation: OperationName,
  options: Call['options'],
  terminal: Terminal = pipedInput(),
  env: NodeJS.ProcessEnv = {},
) {
  const call = { arguments: [], options, dir: world.root };
  const { result, out, err } = await takeDown(() =>
    makeCall(operation, call, { env, terminal }).catch((error: unknown) => error),
  );
  return { result, out, err, text: result instanceof Error ? result.message : '' };
}

describe('makeCall: a live account', () => {
  it('sends nothing that moves money where nobody can confirm it', async () => {
    for (const options of [
      { ...REFUND, account: 'live' },
      { ...REFUND, account: 'live', stdin: true as const },
    ]) {
      const { text, out, err } = await make(REFUND_OPERATION, options, pipedInput('x=y'));
      expect(text).toBe(
        `Cannot call ${REFUND_OPERATION} on the live account "live": nobody is at a terminal to confirm it. ` +
          'Nothing was sent. Give --yes if it is meant.',
      );
      expect({ out, err }).toEqual({ out: '', err: '' });
    }
  });

  it('sends nothing without a yes, and says what it would have sent', async () => {
    const terminal = fakeTerminal(['no']);
    const { text } = await make(REFUND_OPERATION, { ...REFUND, account: 'live' }, terminal);
    expect(text).toContain('the answer was not yes');
    expect(terminal.shown()).toMatch(/total +-5\.00/);
  });

  it.each([
    ['a yes', fakeTerminal(['yes']), {}],
    ['--yes', pipedInput(), { yes: true as const }],
  ])('goes on after %s', async (_what, terminal, more) => {
    const { result, err } = await make(REFUND_OPERATION, { ...REFUND, account: 'live', ...more }, terminal);
    expect(result).toBe(5);
    expect(err).toMatch(/^not sent: nothing left this host, the same call may be made again/);
  });

  it('asks for a yes before a record is changed, and for none before it is read', async () => {
    const code = { customerCode: 'A1', account: 'live' };
    expect((await make('deleteCustomerCode', code)).text).toContain('nobody is at a terminal');
    expect((await make('getCustomerCodeDetail', code)).result).toBe(5);
  });

  it('asks nothing about a call that cannot be made', async () => {
    const terminal = fakeTerminal();
    const invalid = await make(REFUND_OPERATION, { ...REFUND, total: '5.00', account: 'live' }, terminal);
    expect(invalid.result).toBe(1);
    const options = { customerCode: 'A1', total: '5.00', account: 'uk' };
    const restricted = await make('processACHEFTWithCustomerCode', options, terminal);
    expect(restricted).toMatchObject({ result: 2, err: expect.stringContaining('cannot be used on this server') });
    expect(terminal.shown()).toBe('');
  });
});

describe('makeCall: the sandbox', () => {
  it('asks for no yes, but for the secrets', async () => {
    const terminal = fakeTerminal([SECRETS.account]);
    const options = { account: 'main', accountType: 'CHECKING', total: '5.00' };
    const { result, out, err } = await make('processACHEFT', options, terminal);
    expect({ result, err }).toEqual({ result: 0, err: '' });
    expect(out).toMatch(/^accepted: taken, and not done yet\n {2}transactionId/);
    expect(terminal.shown()).toBe('accountNum: Bank account number; digits only (not shown): \n');
  });

  it('says where a missing secret may be put', async () => {
    const { result, err } = await make('processACHEFT', { account: 'main', accountType: 'CHECKING', total: '5.00' });
    expect(result).toBe(1);
    expect(err).toMatch(/accountNum +is required \(PAYDROP_ACCOUNT_NUM, --stdin or a terminal\)/);
  });

  it('compares with the currency of the account, or with the one that is given', async () => {
    const call = { account: 'main', customerCode: 'A1', total: '5.00', mop: 'DSC' };
    // Only the service can say that the code does not exist, so the call was made.
    const made = await make('processCreditCardWithCustomerCode', call);
    expect(made.err).toMatch(/^(?:declined|failed)/);
    const other = await make('processCreditCardWithCustomerCode', { ...call, currency: 'CAD' });
    expect(other).toMatchObject({ result: 2, err: expect.stringMatching(/^restricted: nothing was sent/) });
    const unknown = await make('processCreditCardWithCustomerCode', { ...call, currency: 'usd' });
    expect(unknown.text).toBe('Cannot use --currency: it is none of USD, CAD, GBP, EUR. See --help.');
  });
});

describe('makeCall: once the request may have left', () => {
  it('says of an answer that never came that it must not be called again, and ends with 4', async () => {
    onRequest = (socket) => socket.destroy();
    const { result, out, err } = await make(REFUND_OPERATION, { ...REFUND, account: 'scripted' });
    expect({ result, out }).toEqual({ result: 4, out: '' });
    expect(err).toMatch(/^unknown: it may have been done or not\n[^]*Do not make this call again before/);
  });

  it('does not leave at the first Ctrl-C, because nothing calls a request back', async () => {
    const answer = answerOf(
      'ProcessCreditCardRefundWithTransactionId',
      success(
        '<PROCESSRESULT><AUTHORIZATIONRESULT>OK: 678594:</AUTHORIZATIONRESULT><CUSTOMERCODE />' +
          '<SETTLEMENTBATCHDATE /><SETTLEMENTDATE /><TRANSACTIONID>A9</TRANSACTIONID></PROCESSRESULT>',
      ),
    );
    onRequest = (socket) => {
      process.emit('SIGINT');
      socket.end(httpAnswer(200, answer));
    };
    const { result, out, err } = await make(REFUND_OPERATION, { ...REFUND, account: 'scripted' });
    expect(result).toBe(0);
    expect(out).toMatch(/^approved\n {2}transactionId +A9/);
    expect(err).toMatch(/^The request may have left already\. Waiting for the answer/);
  });

  it('shows no secret of a request that the service repeats', async () => {
    onRequest = (socket, request) => socket.end(httpAnswer(500, request.slice(request.indexOf('\r\n\r\n') + 4)));
    const options = {
      account: 'scripted',
      creditCardExpiry: '12/35',
      mop: 'VISA',
      firstName: 'Ada',
      lastName: 'Byron',
      address: '1 Mill Lane',
      city: 'Troy',
      state: 'NY',
      zipCode: '12180',
      total: '5.00',
    };
    const { result, out, err } = await make('processCreditCard', options, pipedInput(), SECRET_ENVIRONMENT);
    expect(result).toBe(4);
    expect(service.requests.at(-1)).toContain(SECRETS.card);
    for (const secret of Object.values(SECRETS)) expect(out + err).not.toContain(secret);
  });
});
