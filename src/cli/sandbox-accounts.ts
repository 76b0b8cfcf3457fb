import { PipelineError } from '../kernel/errors.ts';

/** The accounts that samples/paydrop.yaml and `paydrop init` use. */
export const SANDBOX_ACCOUNTS = 'TEST88:TEST88,TESTCA:TESTCA';

/**
 * Reads `CODE:PASSWORD,CODE:PASSWORD`.
 * @throws PipelineError USAGE; it names the place and never the password
 */
export function readAccounts(text: string): { agentCode: string; password: string }[] {
  const accounts = text.split(',').map((part, index) => {
    const [, agentCode, password] = /^([^:\s]+):(.+)$/.exec(part.trim()) ?? [];
    if (agentCode === undefined || password === undefined) throw fault(`entry ${index + 1} is not CODE:PASSWORD`);
    return { agentCode, password };
  });
  const codes = accounts.map(({ agentCode }) => agentCode);
  const twice = codes.find((code, index) => codes.indexOf(code) !== index);
  if (twice !== undefined) throw fault(`"${twice}" stands in it twice`);
  return accounts;
}

function fault(reason: string): PipelineError {
  return new PipelineError('USAGE', 'use --accounts', reason, { next: `Write it as ${SANDBOX_ACCOUNTS}.` });
}
