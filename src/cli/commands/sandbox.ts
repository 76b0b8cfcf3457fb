import { once } from 'node:events';
import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { openLog } from '../../kernel/log.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import type { CliCommand } from '../command.ts';

export const sandbox: CliCommand = {
  name: 'sandbox',
  about: 'Run the payment service itself, for trying and testing: no money moves',
  options: [
    ['--port <number>', 'port to listen on', '8899'],
    ['--host <address>', 'address to listen on', '127.0.0.1'],
    ['--now <time>', 'start its clock at this time, such as 2026-06-15T09:00:00Z'],
    ['--data <folder>', 'keep its books here, so that they survive a crash'],
    ['--batch-delay <ms>', 'how long a batch takes', '1000'],
  ],
  async run({ options }) {
    const { now, data } = options as { now?: string; data?: string };
    if (now !== undefined && Number.isNaN(Date.parse(now))) {
      throw new PipelineError('USAGE', `start the sandbox at "${now}"`, 'it is not a time', {
        next: 'Write it as 2026-06-15T09:00:00Z.',
      });
    }
    const service = await startSandbox({
      port: wholeNumber(options['port'], '--port'),
      host: String(options['host']),
      batchDelayMs: wholeNumber(options['batchDelay'], '--batch-delay'),
      log: openLog({ level: process.env['PAYDROP_LOG_LEVEL'] ?? 'info' }),
      ...(now === undefined ? {} : { now }),
      ...(data === undefined ? {} : { dataDir: data }),
    });
    console.error(`The sandbox listens on ${service.url} (account TEST88, password TEST88). Ctrl-C ends it.`);
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
    await service.close();
    return EXIT.ok;
  },
};

function wholeNumber(text: unknown, option: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new PipelineError('USAGE', `use ${option} "${String(text)}"`, 'it is not a whole number');
}
