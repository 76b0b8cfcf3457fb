import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OUTCOMES, type Outcome } from '../../../schemas/lifecycle.ts';
import { countDelivered } from '../../../workers/deliver/count-delivered.ts';

const TITLES =
  'Line,Invoice #,First Name,Last Name,Account Type,Account #,Amount,Comment,Outcome,Code,Message,Authorization,Batch Id,Sent At,Result At,Attempt';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'paydrop-count-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

async function count(rows: string[]) {
  const path = join(dir, 'result.csv');
  await writeFile(path, [TITLES, ...rows, ''].join('\r\n'));
  return countDelivered(createReadStream(path), 'ach');
}

function row(amount: string, outcome: string, comment = 'June dues'): string {
  return `1,A-1,Ada,Byron,CHECKING,***1,${amount},${comment},${outcome},,Received,,1,,,1`;
}

describe('countDelivered', () => {
  it.each(Object.keys(OUTCOMES) as Outcome[])('knows the label of %s', async (outcome) => {
    expect(await count([row('25.00', OUTCOMES[outcome].label)])).toEqual({ [outcome]: { rows: 1, cents: 2_500 } });
  });

  it('adds rows and money per outcome', async () => {
    const rows = [row('25.00', 'APPROVED'), row('0.01', 'APPROVED'), row('-5.5', 'DECLINED'), row('7', 'UNKNOWN')];
    expect(await count(rows)).toEqual({
      approved: { rows: 2, cents: 2_501 },
      declined: { rows: 1, cents: -550 },
      unknown: { rows: 1, cents: 700 },
    });
  });

  it('reads quoted cells as people would', async () => {
    expect(await count([row('25.00', 'APPROVED', '"APPROVED, ""yes"""')])).toEqual({
      approved: { rows: 1, cents: 2_500 },
    });
  });

  it('counts a row whose amount is none, without money', async () => {
    expect(await count([row("'=1+1", 'INVALID'), row('', 'INVALID')])).toEqual({ invalid: { rows: 2, cents: 0 } });
  });

  it.each([
    ['an outcome that is none', row('25.00', 'PAID')],
    ['a row that was cut', '1,A-1,Ada'],
    ['the title once more', TITLES],
  ])('does not count %s, so that the totals differ', async (_what, line) => {
    expect(await count([row('25.00', 'APPROVED'), line])).toEqual({ approved: { rows: 1, cents: 2_500 } });
  });

  it.each([
    ['quoted amounts', row('"25.00"', 'APPROVED'), 2_500],
    ['quoted outcomes', row('25.00', '"APPROVED"'), 2_500],
    ['blanks around an amount', row(' 25.00 ', 'APPROVED'), 2_500],
    ['a refund', row('-25.00', 'APPROVED'), -2_500],
    ['one decimal', row('25.5', 'APPROVED'), 2_550],
    ['no decimals', row('25', 'APPROVED'), 2_500],
    ['a large amount', row('12345678.90', 'APPROVED'), 1_234_567_890],
    ['an amount over the limit', row('99999999.99', 'APPROVED'), 0],
    ['an amount that begins with a point', row('.50', 'APPROVED'), 0],
    ['other letters in the row', row('25.00', 'APPROVED', 'Zoë'), 2_500],
    ['a comma in quotes before it', row('25.00', 'APPROVED').replace('Byron', '"Byron, Lady"'), 2_500],
  ])('reads %s', async (_what, line, cents) => {
    expect(await count([row('1.00', 'DECLINED'), line])).toEqual({
      declined: { rows: 1, cents: 100 },
      approved: { rows: 1, cents },
    });
  });

  it('finds nothing in a file of titles only', async () => {
    expect(await count([])).toEqual({});
  });
});
