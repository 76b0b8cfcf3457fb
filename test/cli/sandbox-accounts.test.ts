import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/cli/package-version.ts';
import { readAccounts, SANDBOX_ACCOUNTS } from '../../src/cli/commands/sandbox.ts';
import { STARTER_CONFIG } from '../../src/cli/commands/init.ts';

describe('readAccounts', () => {
  it('reads codes and passwords; a password may hold a colon', () => {
    expect(readAccounts('A1:secret, B2:with:colon')).toEqual([
      { agentCode: 'A1', password: 'secret' },
      { agentCode: 'B2', password: 'with:colon' },
    ]);
  });

  it('binds an account to a server that stands behind it, and no other word', () => {
    expect(readAccounts('A1:one@UK,B2:two@NA,C3:me@home,D4:p@UK@NA,E5:@UK')).toEqual([
      { agentCode: 'A1', password: 'one', server: 'UK' },
      { agentCode: 'B2', password: 'two', server: 'NA' },
      { agentCode: 'C3', password: 'me@home' },
      { agentCode: 'D4', password: 'p@UK', server: 'NA' },
      { agentCode: 'E5', password: '@UK' },
    ]);
  });

  it.each([
    ['', 'entry 1'],
    ['A1', 'entry 1'],
    ['A1:', 'entry 1'],
    [':secret', 'entry 1'],
    ['A1:secret,', 'entry 2'],
    ['A1:secret,B2 hidden', 'entry 2'],
    ['A1:secret,A1:hidden', '"A1" stands in it twice'],
  ])('refuses %j', (text, place) => {
    expect(() => readAccounts(text)).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => readAccounts(text)).toThrow(place);
    expect(() => readAccounts(text)).not.toThrow(/secret|hidden/);
  });
});

it('SANDBOX_ACCOUNTS has every account of the sample and of the starter configuration', () => {
  const sample = readFileSync(join(packageRoot(), 'samples', 'paydrop.yaml'), 'utf8');
  const wanted = [...`${sample}\n${STARTER_CONFIG}`.matchAll(/agentCode: (\S+)\n\s*password: (\S+)/g)];
  expect(wanted).toHaveLength(3);
  const known = readAccounts(SANDBOX_ACCOUNTS);
  for (const [, agentCode, password] of wanted) expect(known).toContainEqual({ agentCode, password });
});
