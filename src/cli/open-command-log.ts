import { PipelineError } from '../kernel/errors.ts';
import { type Log, LOG_LEVELS, openLog } from '../kernel/log.ts';
import { readPackageVersion } from './package-version.ts';
import type { ProgressLine } from './print/progress.ts';

type Receiver = { write(line: string): void };

/**
 * Opens the log of a command: JSON lines on standard error.
 * @param usual level when PAYDROP_LOG_LEVEL is not set
 * @param to a progress line, cleared before each line, which would otherwise follow it; or what receives the lines
 * @param role what the process does, in each line
 * @throws PipelineError CONFIG_INVALID for an unknown level
 */
export function openCommandLog(
  usual: (typeof LOG_LEVELS)[number] = 'info',
  to?: ProgressLine | Receiver,
  role = 'command',
): Log {
  const level = process.env['PAYDROP_LOG_LEVEL'] || usual;
  if (!LOG_LEVELS.some((name) => name === level)) {
    const next = `Set PAYDROP_LOG_LEVEL to ${LOG_LEVELS.join(', ')}.`;
    throw new PipelineError('CONFIG_INVALID', `log at the level "${level}"`, 'there is no such level', { next });
  }
  const about = { role, version: readPackageVersion() };
  if (!to) return openLog({ level, about });
  if ('write' in to) return openLog({ level, about, destination: to });
  const write = (line: string) => {
    to.clear();
    process.stderr.write(line);
  };
  return openLog({ level, about, destination: { write } });
}
