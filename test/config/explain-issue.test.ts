import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_FILE, loadSettings } from '../../src/config/config.ts';
import { freshFolder } from '../files/support/fresh-folder.ts';
import { failureOf } from '../kernel/support/config-world.ts';

const CANARY = 'hunter2';

const YAML = `accounts:
  main:
    server: NA
    country: US
    currency: USD
    agentCode: TEST88
    password: env:SECRET
folders:
  - path: drop/dues
    account: main
    operation: ach-charge
`;

let root = '';
beforeEach(async () => {
  root = await freshFolder();
});

async function refusalOf(text: string): Promise<string> {
  await writeFile(join(root, CONFIG_FILE), text);
  return failureOf(() => loadSettings(root, { SECRET: CANARY })).message;
}

describe('faults of the configuration', () => {
  it('names every setting of the wrong shape at once, with its path and without its value', async () => {
    const message = await refusalOf(
      `accounts:
  main: { server: US, country: US, currency: USD, agentCode: 8, password: [${CANARY}], pasword: x }
  Upper: { server: NA, country: US, currency: USD, agentCode: a, password: b }
folders:
  - { path: drop, account: main, operation: cash, layout: ach-7, badRows: { maxPercent: 101 }, headers: none }
  - { account: main, operation: card, complete: { by: wish } }
batch: { maxRows: 0 }
rescan: 5
`,
    );
    expect(message).toContain(`Cannot use "${join(root, CONFIG_FILE)}": `);
    expect(message).not.toContain(CANARY);
    for (const fault of [
      'line 2, column 11: accounts.main.server: it is none of NA, UK\n',
      'accounts.main.agentCode: it must be text, so put it in quotes\n',
      'accounts.main.password: it must be text\n',
      'accounts.main.pasword: there is no such setting (did you mean "password"?)\n',
      'line 3, column 3: accounts.Upper: it is not a name of lowercase letters, digits and hyphens\n',
      'line 5, column 34: operation of folder "drop": it is none of card, ach-charge, ach-refund\n',
      'layout of folder "drop": it is none of ',
      'line 5, column 77: badRows.maxPercent of folder "drop": it must be at most 100\n',
      'headers of folder "drop": there is no such setting (did you mean "header"?)\n',
      'line 6, column 5: path of folder 2: it is missing (Drop folder, relative to the configuration file)\n',
      'complete.by of folder 2: it is none of quiet, marker\n',
      'line 7, column 10: batch.maxRows: it must be at least 1\n',
      'line 8, column 1: rescan: there is no such setting (did you mean "rescanMs"?). ',
    ]) {
      expect(message).toContain(fault);
    }
    expect(message).toContain('it has 13 faults:\n  line ');
  });

  it.each([
    ['mian', 'line 10, column 5: account of folder "drop/dues": there is no account "mian" (did you mean "main"?). '],
    ['west', 'line 10, column 5: account of folder "drop/dues": there is no account "west". '],
  ])('tells line and column of the account "%s", and what was meant', async (name, fault) => {
    expect(await refusalOf(YAML.replace('account: main', `account: ${name}`))).toContain(`: ${fault}`);
  });

  it.each([
    ['    server: NA\n', '', 'line 2, column 3: accounts.main.server: it is missing; write NA or UK. '],
    ['currency: USD', 'currency: usd', 'line 5, column 5: accounts.main.currency: it is none of '],
    ['folders:', 'fodlers:', 'line 8, column 1: fodlers: there is no such setting (did you mean "folders"?)'],
    [
      'NA\n',
      'NA\n    limits: { rowAmount: 0 }\n',
      'line 4, column 15: accounts.main.limits.rowAmount: it must be above 0. ',
    ],
    ['NA\n', 'NA\n    timeZone: America/Torono\n', '(did you mean "America/Toronto"?). '],
    ['folders:', 'paths: { out: data }\nfolders:', 'line 8, column 10: paths.out: it is the folder of paths.data'],
  ])('tells the place of %j changed to %j', async (from, to, fault) => {
    expect(await refusalOf(YAML.replace(from, to))).toContain(fault);
  });

  it.each(['', 'just words', '- a list', '7'])('refuses a file that holds %j', async (text) => {
    expect(await refusalOf(text)).toContain('the file: ');
  });
});
