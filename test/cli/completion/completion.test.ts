import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands.ts';
import { placesOf } from '../../../src/cli/completion/places.ts';
import { fishScript, zshScript } from '../../../src/cli/completion/scripts.ts';
import { runHere } from '../support/run-here.ts';

/** Returns what bash suggests for the last word. */
async function suggestions(...words: string[]): Promise<string[]> {
  const { status, out } = await runHere(['completion', 'bash']);
  expect(status).toBe(0);
  const ask = 'COMP_WORDS=(paydrop "$@"); COMP_CWORD=$#; _paydrop; printf "%s\\n" "${COMPREPLY[@]}"';
  const script = `${out}\n${ask}`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

describe('completion bash', () => {
  it.each([
    [['val'], ['validate']],
    [
      ['key', ''],
      ['list', 'rotate', 'retire'],
    ],
    [['key', 'list', '--j'], ['--json']],
    [['--dir', 'key', 'val'], ['validate']],
    [['validate', '--op'], ['--operation']],
    [['call', 'getBatch'], ['getBatchProcessResultFile']],
    [['validate', 'mon'], []],
  ])('%j', async (words, suggested) => {
    expect((await suggestions(...words)).filter((word) => suggested.length > 0 || word !== '')).toEqual(suggested);
  });

  it('knows every command', async () => {
    expect(await suggestions('')).toEqual(COMMANDS.map(({ name }) => name));
  });
});

describe('completion', () => {
  const places = placesOf([
    {
      name: 'pay',
      about: "Pay: it's due",
      examples: [],
      options: [
        ['-t, --times <n>', 'how often'],
        ['--json', 'print JSON'],
      ],
      hidden: [['--secret <text>', 'x']],
      run: async () => 0,
    },
    {
      name: 'bank',
      about: 'The bank',
      examples: [],
      commands: [{ name: 'list', about: 'b', examples: [], run: async () => 0 }],
    },
  ]);

  it('lists places with their options, and no hidden ones', () => {
    expect(places.map(({ at }) => at)).toEqual(['', 'pay', 'bank', 'bank list']);
    const [, pay] = places;
    expect(pay!.options.map(({ word }) => word)).toEqual(['--times', '--json', '--dir', '--help']);
    expect(pay!.options.map(({ takesValue }) => takesValue)).toEqual([true, false, true, false]);
  });

  it('quotes descriptions for zsh and fish', () => {
    expect(zshScript(places)).toContain(String.raw`commands=('pay:Pay\: it'\''s due' 'bank:The bank')`);
    expect(fishScript(places)).toContain(String.raw`-f -a pay -d 'Pay: it\'s due'`);
    expect(fishScript(places)).toContain(String.raw`-n '__paydrop_at \'pay\'' -l times -r -d 'how often'`);
  });

  it('has no other shell', async () => {
    expect(await runHere(['completion', 'tcsh'])).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringContaining('Choose from bash, zsh, fish.'),
    });
  });
});
