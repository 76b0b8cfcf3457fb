import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { OperationName } from '../../../schemas/operations.ts';
import { makeCall, previewRefusal, showAnswer } from '../../../src/cli/call/make-call.ts';
import type { Terminal } from '../../../src/cli/call/terminal.ts';
import type { Call } from '../../../src/cli/command.ts';
import { httpAnswer, type ScriptedServer, startScripted } from '../../gateway/support/scripted-server.ts';
import { answerOf, success } from '../../gateway/support/soap-answers.ts';
import { type CallWorld, openCallWorld, SECRET_ENVIRONMENT, SECRETS } from '../support/cli-world.ts';
import { fakeTerminal, pipedInput, takeDown } from '../support/run-here.ts';
import type { CallOptions } from '../../../src/gateway/call-operation.ts';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { handClock } from '../../../src/kernel/clock.ts';
import type { Account } from '../../../src/config/config.ts';
import { sampleParameters } from '../../gateway/support/call.ts';
import type { AnyAnswer } from '../../../src/gateway/answers.ts';
import { CARD } from '../../support/payment-rows.ts';
import { FEATURES } from '../../../src/features.ts';

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
  const call = { arguments: [], options, dir: world.root, features: FEATURES };
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
        `Cannot call ${REFUND_OPERATION} on the live account "live": there is no terminal to confirm it. ` +
          'Nothing was sent. Use --yes to skip the confirmation.',
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
    expect(err).toMatch(/^not sent: nothing left this host; you can repeat the call/);
  });

  it('asks for a yes before a record is changed, and for none before it is read', async () => {
    const code = { customerCode: 'A1', account: 'live' };
    expect((await make('deleteCustomerCode', code)).text).toContain('there is no terminal to confirm it');
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
    expect(out).toMatch(/^accepted: not finished yet\n {2}transactionId/);
    expect(terminal.shown()).toBe('accountNum: Bank account number; digits only (not shown): \n');
  });

  it('says of an IPv6 address that it is sent as empty', async () => {
    const options = { account: 'main', customerCode: 'A1', customerIPAddress: '2001:db8::1' };
    const { err } = await make('deleteCustomerCode', options);
    expect(err).toMatch(/^customerIPAddress is an IPv6 address, which the service mishandles; it is sent as empty\.\n/);
    expect((await make('deleteCustomerCode', { ...options, customerIPAddress: '10.0.0.1' })).err).toBe('');
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
    expect(unknown.text).toBe('Cannot use --currency: it must be one of USD, CAD, GBP, EUR. Run it with --help.');
  });
});

describe('makeCall: once the request may have left', () => {
  it('says of an answer that never came that it must not be called again, and ends with 4', async () => {
    onRequest = (socket) => socket.destroy();
    const { result, out, err } = await make(REFUND_OPERATION, { ...REFUND, account: 'scripted' });
    expect({ result, out }).toEqual({ result: 4, out: '' });
    expect(err).toMatch(
      /^outcome unknown: the service may or may not have done it\n[^]*Look it up before you repeat this call/,
    );
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
    expect(err).toMatch(/^The request may already have been sent\. Waiting for the answer/);
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

const ACCOUNT = { server: 'NA', currency: 'USD' } as Account;
const clock = handClock('2026-06-15T09:00:00Z');

function preview(operation: OperationName, more: object = {}, options: CallOptions = {}, account = ACCOUNT) {
  const parameters = { ...sampleParameters(operation), ...more };
  return previewRefusal(operation, account, { parameters, options, clock });
}

describe('previewRefusal', () => {
  it('has nothing against a call that can be made', () => {
    expect(preview('processCreditCard')).toBeUndefined();
    expect(preview('processCreditCardWithCustomerCode')).toBeUndefined();
    expect(preview('processCreditCardWithCustomerCode', {}, { mop: 'VISA DEBIT' })).toBeUndefined();
    expect(preview('processACHEFT')).toBeUndefined();
  });

  it.each([
    ['an operation of another server', 'processACHEFT', {}, {}, { server: 'UK', currency: 'GBP' }],
    ['a method of payment of another currency', 'processCreditCard', { mop: 'DSC' }, { currency: 'CAD' }, ACCOUNT],
    ['a method of payment that is missing', 'processCreditCard', { mop: undefined }, {}, ACCOUNT],
    ['parameters that break a rule', 'processCreditCard', { total: '0', cvv2: '1' }, {}, ACCOUNT],
    ['parameters that nobody knows', 'getCustomerCodeDetail', { colour: 'red' }, {}, ACCOUNT],
  ] as const)('%s: the very answer that the client gives', async (_what, operation, more, options, account) => {
    const refusal = preview(operation, more, options, account as Account);
    const { server, currency } = account as Account;
    const client = createGatewayClient({
      server,
      currency,
      agentCode: 'A',
      password: 'P',
      baseUrl: 'http://127.0.0.1:1',
    });
    const method = client[operation] as (parameters: object, options: CallOptions) => Promise<unknown>;
    expect(refusal).toBeDefined();
    expect(refusal).toEqual(await method({ ...sampleParameters(operation), ...more }, options));
  });
});

const FILE = Buffer.from('C-1,5.00,OK:678594:\r\n');
const DONE: AnyAnswer = { kind: 'approved', result: { batchId: '7', file: FILE } };

function show(
  answer: AnyAnswer,
  options: Call['options'] = {},
  operation: OperationName = 'getBatchProcessResultFile',
) {
  return takeDown(() => showAnswer({ arguments: [], options, dir: world.root, features: FEATURES }, operation, answer));
}

describe('showAnswer', () => {
  it('prints a file and nothing else', async () => {
    expect(await show(DONE)).toMatchObject({ out: FILE.toString(), err: '' });
    const csv: AnyAnswer = { kind: 'approved', result: { csv: 'Code\r\nA1\r\n' } };
    expect(await show(csv, {}, 'getCustomerListByCreationTimeCSV')).toMatchObject({ out: 'Code\r\nA1\r\n', err: '' });
  });

  it('hides a whole number in a file that it prints', async () => {
    const { out } = await show({ kind: 'approved', result: { batchId: '7', file: Buffer.from(`C-1,${CARD},OK`) } });
    expect(out).toBe('C-1,************2220,OK');
  });

  it('writes the file where it is told, for its owner only, and says so', async () => {
    const path = join(world.root, 'result.csv');
    expect(await show(DONE, { out: path })).toMatchObject({ out: '', err: `Written: ${path}\n` });
    expect(await readFile(path)).toEqual(FILE);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it('never overwrites', async () => {
    const path = join(world.root, 'taken.csv');
    await writeFile(path, 'mine');
    await expect(show(DONE, { out: path })).rejects.toMatchObject({ code: 'OUTPUT_EXISTS' });
    expect(await readFile(path, 'utf8')).toBe('mine');
  });

  it('writes nothing while there is no file, and keeps standard output for it', async () => {
    const path = join(world.root, 'none.csv');
    const { out, err } = await show({ kind: 'accepted', result: { batchId: '7', file: null } }, { out: path });
    expect(out).toBe('');
    expect(err).toContain('not there yet');
    await expect(stat(path)).rejects.toThrow('ENOENT');
  });

  it.each<[AnyAnswer, 'out' | 'err']>([
    [{ kind: 'accepted', result: { batchId: '7' } }, 'out'],
    [{ kind: 'failed', errors: 'x' }, 'err'],
    [{ kind: 'unknown', why: 'x' }, 'err'],
    [{ kind: 'invalid', faults: [] }, 'err'],
  ])('%j goes to %s', async (answer, stream) => {
    const printed = await show(answer, {}, 'processCreditCardBatch');
    expect(printed[stream]).toMatch(new RegExp(`^(?:outcome )?${answer.kind}`));
    expect(printed[stream === 'out' ? 'err' : 'out']).toBe('');
  });

  it('is the answer as JSON on request, whatever its kind, with files in base64', async () => {
    expect(JSON.parse((await show(DONE, { json: true })).out)).toEqual({
      kind: 'approved',
      result: { batchId: '7', file: FILE.toString('base64') },
    });
    const running: AnyAnswer = { kind: 'accepted', result: { batchId: '7', file: null } };
    for (const answer of [running, { kind: 'unknown', why: 'x' } as const]) {
      const { out, err } = await show(answer, { json: true });
      expect(err).toBe('');
      expect(JSON.parse(out)).toEqual(answer);
    }
  });
});
