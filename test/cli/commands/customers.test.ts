import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGatewayClient } from '../../../src/gateway/create-gateway-client.ts';
import { type CallWorld, openCallWorld, SECRETS } from '../support/call-world.ts';
import type { Ran } from '../support/run-here.ts';

const PERSON = { lastName: 'Byron', address: '1 Mill Lane', city: 'Troy', state: 'NY', zipCode: '12180' };

let world: CallWorld;
beforeAll(async () => {
  world = await openCallWorld({ wrong: { password: 'WRONGCANARY' }, nobody: { baseUrl: 'http://127.0.0.1:1' } });
  const { url: baseUrl } = world.sandbox;
  const client = createGatewayClient({ server: 'NA', agentCode: 'TEST88', password: SECRETS.password, baseUrl });
  const bank = { accountNum: SECRETS.account, accountType: 'CHECKING' } as const;
  await client.createACHEFTCustomerCode({ ...PERSON, ...bank, firstName: '=1+1', customerCode: 'EVIL' });
  // This is 23:59 of the same day in New York. The clock runs on during the test.
  world.sandbox.clock.set('2026-06-16T03:59:00Z');
  await client.createACHEFTCustomerCode({ ...PERSON, ...bank, firstName: 'Ada', customerCode: 'LATE' });
  world.sandbox.clock.set('2026-06-16T05:00:00Z');
  await client.createACHEFTCustomerCode({ ...PERSON, ...bank, firstName: 'Bea', customerCode: 'NEXT' });
});
afterAll(() => world.close());

async function list(from: string, to: string, ...words: string[]): Promise<Ran> {
  const ran = await world.paydrop('customers', 'list', '--account', 'main', '--from', from, '--to', to, ...words);
  for (const secret of Object.values(SECRETS)) expect(ran.out + ran.err).not.toContain(secret);
  return ran;
}

function codesIn({ out }: Ran): string[] {
  return ['EVIL', 'LATE', 'NEXT'].filter((code) => out.includes(code));
}

describe('customers list', () => {
  it('is a table of whole days in the time zone of the account', async () => {
    const ran = await list('2026-06-15', '2026-06-15');
    expect(ran).toMatchObject({ status: 0, err: '' });
    expect(ran.out).toMatch(/^Customer code +Name/);
    expect(ran.out).toMatch(/^LATE +Ada Byron .*CHECKING/m);
    expect(codesIn(ran)).toEqual(['EVIL', 'LATE']);
    expect(codesIn(await list('2026-06-16', '2026-06-16'))).toEqual(['NEXT']);
  });

  it('takes moments as well, and one customer code', async () => {
    expect(codesIn(await list('2026-06-16T03:00:00Z', '2026-06-16T01:30:00-04:00'))).toEqual(['LATE', 'NEXT']);
    expect(codesIn(await list('2026-06-15', '2026-06-16', '--code', 'NEXT'))).toEqual(['NEXT']);
  });

  it('is the CSV of the service on request, safe to open in a spreadsheet', async () => {
    const { status, out, err } = await list('2026-06-15', '2026-06-15', '--format', 'csv');
    expect({ status, err }).toEqual({ status: 0, err: '' });
    const lines = out.trimEnd().split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^Customer Code,First Name,/);
    expect(lines[1]).toMatch(/^EVIL,'=1\+1,Byron,/);
  });

  it.each([['--format', 'json'], ['--json']])('is the records as JSON with %s %s', async (...words) => {
    const { status, out } = await list('2026-06-15', '2026-06-15', ...words);
    expect(status).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { customerCode: 'EVIL', firstName: '=1+1', payment: { kind: 'bank' } },
      { customerCode: 'LATE' },
    ]);
  });

  it('says when there is none, and prints an empty list as JSON', async () => {
    expect((await list('2020-01-01', '2020-01-01')).out).toBe('There is no such customer.\n');
    expect(JSON.parse((await list('2020-01-01', '2020-01-01', '--json')).out)).toEqual([]);
  });

  it.each([
    [['--from', 'monday', '--to', '2026-06-15'], 1, /--from +must be .*, or a day such as 2026-11-20\n$/],
    [['--from', '2026-06-15', '--to', '2026-02-30'], 1, /--to +must be/],
    [['--from', '2026-06-15'], 1, /required option '--to <time>' not specified/],
    [
      ['--from', '2026-06-15', '--to', '2026-06-15', '--format', 'xml'],
      1,
      /^Cannot use --format: it is none of table, csv/,
    ],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'wrong'], 2, /^failed: there is no data/],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'wrong', '--format', 'csv'], 2, /^failed/],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'nobody'], 5, /^not sent/],
    [['--from', '2026-06-15', '--to', '2026-06-15', '--account', 'mian'], 1, /^Cannot use account "mian"/],
  ])('%j ends with %i and says why on standard error only', async (words, code, sentence) => {
    const { status, out, err } = await world.paydrop('customers', 'list', '--account', 'main', ...words);
    expect({ status, out }).toEqual({ status: code, out: '' });
    expect(err).toMatch(sentence);
    expect(err).not.toMatch(/CANARY/);
  });
});
