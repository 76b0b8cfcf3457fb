import { Config } from '../../../schemas/config.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';

export const ACCOUNT = {
  server: 'NA',
  country: 'US',
  currency: 'USD',
  timeZone: 'America/Toronto',
  agentCode: 'TEST88',
  password: 'TEST88',
};
export const UK_ACCOUNT = { ...ACCOUNT, server: 'UK', country: 'UK', currency: 'GBP' };
export const FOLDER = { path: 'drop/dues', account: 'main', operation: 'ach-charge' };

/** Returns a valid configuration with the given parts. */
export function configWith(parts: {
  account?: Record<string, unknown>;
  accounts?: Record<string, unknown>;
  folders?: readonly Record<string, unknown>[];
  schedules?: Record<string, unknown>;
  paths?: Record<string, unknown>;
}): Config {
  const { account, accounts, folders = [FOLDER], schedules = {}, paths = {} } = parts;
  return Config.parse({ accounts: accounts ?? { main: { ...ACCOUNT, ...account } }, folders, schedules, paths });
}

/** Returns the error that an action throws. */
export function failureOf(action: () => unknown): PipelineError {
  try {
    action();
  } catch (error) {
    if (error instanceof PipelineError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
