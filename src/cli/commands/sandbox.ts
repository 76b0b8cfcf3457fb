import { EXIT } from '../../../schemas/errors.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CliCommand } from '../command.ts';
import { openCommandLog } from '../open-command-log.ts';
import { readSandboxOptions, SANDBOX_SWITCHES } from '../sandbox-options.ts';
import { aborted, withStopSignal } from '../process/stop-signal.ts';

export const sandbox: CliCommand = {
  name: 'sandbox',
  about: 'Run the payment service itself, for trying and testing: no money moves',
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
