import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { Call, CliCommand } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../sandbox-accounts.ts';
import { aborted, withStopSignal } from '../stop-signal.ts';
import { wholeNumber } from '../whole-number.ts';

export const sandbox: CliCommand = {
  name: 'sandbox',
  about: 'Run the payment service itself, for trying and testing: no money moves',
  options: [
    ['--port <number>', 'port to listen on; 0 takes any that is free', '8899'],
    ['--host <address>', 'address to listen on', '127.0.0.1'],
    ['--accounts <list>', 'merchant accounts, CODE:PASSWORD with commas between', SANDBOX_ACCOUNTS],
    ['--now <time>', 'start its clock at this time, such as 2026-06-15T09:00:00Z'],
    ['--data <folder>', 'keep its books here, so that they survive a crash'],
    ['--batch-delay <ms>', 'how long a batch takes', '1000'],
  ],
  examples: ['sandbox', 'sandbox --port 9000 --data books --now 2026-06-15T09:00:00Z'],
  async run({ options }) {
    const wanted = readOptions(options);
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

/** Every option is read before the first is used: a sandbox that listens and then fails would hold its port. */
function readOptions(options: Call['options']) {
  const { now, data } = options as { now?: string; data?: string };
  if (now !== undefined && Number.isNaN(Date.parse(now))) {
    const next = 'Write it as 2026-06-15T09:00:00Z.';
    throw new PipelineError('USAGE', `start the sandbox at "${now}"`, 'it is not a time', { next });
  }
  return {
    port: wholeNumber('--port', options['port'], 65_535),
    host: String(options['host']),
    batchDelayMs: wholeNumber('--batch-delay', options['batchDelay']),
    accounts: readAccounts(String(options['accounts'])),
    ...(now === undefined ? {} : { now }),
    ...(data === undefined ? {} : { dataDir: data }),
  };
}
