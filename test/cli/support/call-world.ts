import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { type Expecting, expecting, type Ran, runHere } from './run-here.ts';

/** Values that would stand out in any text. The numbers are test numbers. */
export const SECRETS = {
  password: 'PASSWORDCANARY',
  card: '4222222222222220',
  account: '02100002100000000000000001',
  code: '9173',
};

/** The secrets as environment variables of a call. */
export const SECRET_ENVIRONMENT = {
  PAYDROP_CREDIT_CARD_NUM: SECRETS.card,
  PAYDROP_CC_NUM: SECRETS.card,
  PAYDROP_ACCOUNT_NUM: SECRETS.account,
  PAYDROP_CVV2: SECRETS.code,
};

export type CallWorld = Expecting & {
  readonly root: string;
  readonly sandbox: Sandbox;
  paydrop(...words: string[]): Promise<Ran>;
  /** Same, with a pipe as standard input. */
  pipe(text: string, ...words: string[]): Promise<Ran>;
  close(): Promise<void>;
};

/** Opens a sandbox and a folder with configured accounts. Calls by hand need no ledger. */
export async function openCallWorld(accounts: Record<string, Record<string, unknown>> = {}): Promise<CallWorld> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-call-'));
  const sandbox = await startSandbox({
    now: '2026-06-15T09:00:00Z',
    accounts: [{ agentCode: 'TEST88', password: SECRETS.password }],
  });
  const usual = { server: 'NA', country: 'US', currency: 'USD', agentCode: 'TEST88', password: 'env:PASSWORD_OF_MAIN' };
  const main = { ...usual, timeZone: 'America/New_York', baseUrl: sandbox.url };
  const all = Object.entries({ main: {}, ...accounts }).map(([name, more]) => [name, { ...main, ...more }]);
  const folders = [{ path: 'drop', account: 'main', operation: 'card' }];
  await writeFile(join(root, 'paydrop.yaml'), JSON.stringify({ accounts: Object.fromEntries(all), folders }));
  vi.stubEnv('PASSWORD_OF_MAIN', SECRETS.password);
  const paydrop = (...words: string[]) => runHere(['--dir', root, ...words]);
  return {
    root,
    sandbox,
    paydrop,
    ...expecting(paydrop),
    pipe: async (text, ...words) => {
      const spy = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from([text]) as typeof process.stdin);
      return paydrop(...words).finally(() => spy.mockRestore());
    },
    close: async () => {
      vi.unstubAllEnvs();
      await sandbox.close();
      await rm(root, { recursive: true });
    },
  };
}
