import type { Server } from '../../schemas/operations.ts';
import { PipelineError } from '../kernel/errors.ts';

/** The accounts that samples/paydrop.yaml and `paydrop init` use. */
export const SANDBOX_ACCOUNTS = 'TEST88:TEST88,TESTCA:TESTCA';

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
  if (twice !== undefined) throw fault(`"${twice}" stands in it twice`);
  return accounts;
}

function fault(reason: string): PipelineError {
  return new PipelineError('USAGE', 'use --accounts', reason, { next: `Write it as ${SANDBOX_ACCOUNTS}.` });
}
