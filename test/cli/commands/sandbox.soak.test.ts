import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { soapRequest } from '../../sandbox/support/soap-request.ts';
import { startPaydrop } from '../support/run-child.ts';
import { runHere } from '../support/run-here.ts';

describe('sandbox', () => {
  it.each([
    [['--port', 'x'], 'Cannot use --port "x"'],
    [['--port', '65536'], 'it is not a whole number from 0 to 65535'],
    [['--batch-delay', '-1'], 'Cannot use --batch-delay'],
    [['--max-rows', 'many'], 'Cannot use --max-rows "many"'],
    [['--now', 'noon'], 'Cannot start the sandbox at "noon": it is not a time. Write it as 2026-06-15T09:00:00Z.'],
    [['--accounts', 'A1:hidden,B2'], 'Cannot use --accounts: entry 2 is not CODE:PASSWORD.'],
  ])('%j: status 1 and a sentence, before it listens', async (words, sentence) => {
    const { status, out, err } = await runHere(['sandbox', '--port', '0', ...words]);
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toContain(sentence);
    expect(err).not.toContain('hidden');
  });

  it('says that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const { status, out, err } = await runHere(['sandbox', '--port', String(port)]);
    other.close();
    expect({ status, out }).toEqual({ status: 1, out: '' });
    expect(err).toMatch(/^Cannot listen for the sandbox on .*EADDRINUSE.*Choose another port or host\.\n$/);
  });

  it('serves the accounts it was given until SIGTERM, and logs JSON lines', async () => {
    const child = await startPaydrop(['sandbox', '--port', '0', '--accounts', 'A1:one,B2:two']);
    await child.says('Ctrl-C ends it.');
    const [, url = ''] = /listens on (\S+) for the accounts A1, B2\./.exec(child.err()) ?? [];
    const taken = await askForResult(url, 'A1', 'one');
    const turnedAway = await askForResult(url, 'C3', 'three');
    expect(taken).not.toBe(turnedAway);
    expect(await askForResult(url, 'B2', 'two')).toBe(taken);
    expect(await askForResult(url, 'B2', 'one')).toBe(turnedAway);
    child.process.kill('SIGTERM');
    expect(await child.ended).toEqual({ status: 0, signal: null });
    expect(child.out()).toBe('');
    const logged = child
      .err()
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('The sandbox listens'));
    for (const line of logged) expect(JSON.parse(line)).toHaveProperty('msg');
    expect(child.err()).not.toMatch(/one|two/);
  });
});

/** Queries a batch that does not exist; a wrong login gets a different answer. */
async function askForResult(url: string, agentCode: string, password: string): Promise<string> {
  const fields = { agentCode, password, customerIPAddress: '', batchId: '1' };
  const { headers, body } = soapRequest('GetBatchProcessResultFile', fields, 'soap 1.1');
  const answer = await fetch(`${url}/NetGate/ProcessLinkv2.asmx`, { method: 'POST', headers, body });
  return answer.text();
}
