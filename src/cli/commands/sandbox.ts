import { EXIT } from '../../../schemas/errors.ts';
import { type SandboxOptions, startSandbox } from '../../sandbox/start-sandbox.ts';
import type { Call, CliCommand } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { aborted, withStopSignal } from '../process/stop-signal.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { wholeNumber } from '../option-values.ts';
import type { Server } from '../../../schemas/operations.ts';
import { STRICT_RULE_IDS, type StrictRule } from '../../../schemas/sandbox/strict-rules.ts';

/** The accounts that samples/paydrop.yaml and `paydrop init` use. */
export const SANDBOX_ACCOUNTS = 'TEST88:TEST88,TESTCA:TESTCA';

/** The switches of `paydrop sandbox`; docs/sandbox.md explains each. */
export const SANDBOX_SWITCHES = [
  ['--port <number>', 'port to listen on; 0 for any free port', '8899'],
  ['--host <address>', 'address to listen on', '127.0.0.1'],
  [
    '--accounts <list>',
    'merchant accounts as CODE:PASSWORD, separated by commas; a suffix @NA or @UK binds one to that server',
    SANDBOX_ACCOUNTS,
  ],
  ['--now <time>', 'start its clock at this time, such as 2026-06-15T09:00:00Z'],
  ['--data <folder>', 'keep its books in this folder, so that they survive a crash'],
  ['--batch-delay <ms>', 'how long a batch takes', '1000'],
  ['--max-rows <number>', 'most rows of a batch', '10000'],
  ['--no-card-duplicates', 'charge a card row again when it is sent again'],
  ['--refunds-may-exceed', 'let refunds pay back more than was charged'],
  ['--refunds-need-settlement', 'refuse to pay back a bank charge before the bank has accepted it'],
  ['--cut-long-values', 'cut texts that are too long instead of refusing them'],
  ['--lenient', 'answer as clients hope: apply none of the strict rules of docs/reference/sandbox-rules.md'],
  ['--allow <list>', 'strict rules not to apply, by their names there, separated by commas'],
  ['--cards-valid-at <day>', 'judge the expiry of cards as on this day, such as 2017-06-15, instead of by the clock'],
  ['--control', 'allow HTTP calls that move its clock, empty its books and plan faults'],
] as const satisfies CliCommand['options'];

export const sandbox: CliCommand = {
  name: 'sandbox',
  about: 'Run a sandbox of the payment service; no money moves',
  options: SANDBOX_SWITCHES,
  examples: [
    'sandbox',
    'sandbox --port 9000 --data books --now 2026-06-15T09:00:00Z',
    'sandbox --control --accounts TEST88:TEST88,UDDD88:UDDD88@UK',
  ],
  async run({ options }) {
    const wanted = readSandboxOptions(options);
    const log = openCommandLog();
    return withStopSignal(async (stop) => {
      const service = await startSandbox({ ...wanted, log });
      const codes = wanted.accounts.map(({ agentCode }) => agentCode).join(', ');
      console.error(`The sandbox listens on ${service.url} for the accounts ${codes}. Ctrl-C ends it.`);
      await aborted(stop);
      await service.close();
      return EXIT.ok;
    });
  },
};

/**
 * Parses all switches before using any: a sandbox that listens and then fails would keep its port.
 * @throws PipelineError USAGE
 */
export function readSandboxOptions(options: Call['options']) {
  const { now, data, cardsValidAt } = options as { now?: string; data?: string; cardsValidAt?: string };
  if (now !== undefined && Number.isNaN(Date.parse(now))) {
    const next = 'Write it as 2026-06-15T09:00:00Z.';
    throw new PipelineError('USAGE', `start the sandbox at "${now}"`, 'it is not a time', { next });
  }
  if (cardsValidAt !== undefined && Number.isNaN(Date.parse(cardsValidAt))) {
    const next = 'Write it as 2017-06-15.';
    throw new PipelineError('USAGE', `judge cards as on "${cardsValidAt}"`, 'it is not a day', { next });
  }
  return {
    port: wholeNumber('--port', options['port'], 65_535),
    host: String(options['host']),
    accounts: readAccounts(String(options['accounts'])),
    batchDelayMs: wholeNumber('--batch-delay', options['batchDelay']),
    maxRows: wholeNumber('--max-rows', options['maxRows']),
    // Commander stores a `--no-…` switch under the plain name, true unless it was used.
    cardDuplicates: options['cardDuplicates'] === true,
    refundsMayExceed: options['refundsMayExceed'] === true,
    refundsNeedSettlement: options['refundsNeedSettlement'] === true,
    cutsLongValues: options['cutLongValues'] === true,
    strict: options['lenient'] !== true,
    allow: readStrictRules(options['allow']),
    control: options['control'] === true,
    ...(now === undefined ? {} : { now }),
    ...(data === undefined ? {} : { dataDir: data }),
    ...(cardsValidAt === undefined ? {} : { cardsValidAt: new Date(cardsValidAt) }),
  } satisfies SandboxOptions;
}

/**
 * Reads the names of strict rules.
 * @throws PipelineError USAGE for a name that is none
 */
function readStrictRules(given: Call['options'][string]): StrictRule[] {
  const names = typeof given === 'string' ? given.split(',').map((name) => name.trim()) : [];
  return names.map((name) => {
    const rule = STRICT_RULE_IDS.find((id) => id === name);
    if (rule !== undefined) return rule;
    const next = `The rules are ${STRICT_RULE_IDS.join(', ')}.`;
    throw new PipelineError('USAGE', 'use --allow', `"${name}" is no strict rule`, { next });
  });
}

/**
 * Reads `CODE:PASSWORD,CODE:PASSWORD@UK`. A trailing `@NA` or `@UK` binds an account to that server; others are on
 * both.
 * @throws PipelineError USAGE; it names the place and never the password
 */
export function readAccounts(text: string): { agentCode: string; password: string; server?: Server }[] {
  const accounts = text.split(',').map((part, index) => {
    const [, agentCode, password, server] = /^([^:\s]+):(.+?)(?:@(NA|UK))?$/.exec(part.trim()) ?? [];
    if (agentCode === undefined || password === undefined) throw fault(`entry ${index + 1} is not CODE:PASSWORD`);
    return { agentCode, password, ...(server === undefined ? {} : { server: server as Server }) };
  });
  const codes = accounts.map(({ agentCode }) => agentCode);
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  if (twice !== undefined) throw fault(`"${twice}" is in it twice`);
  return accounts;
}

function fault(reason: string): PipelineError {
  return new PipelineError('USAGE', 'use --accounts', reason, { next: `Write it as ${SANDBOX_ACCOUNTS}.` });
}
