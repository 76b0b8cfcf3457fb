import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/cli/package-version.ts';
import { paydropLine, quoteWord } from '../../../src/cli/print/paydrop-line.ts';

describe('paydropLine', () => {
  it.each([
    ['/srv/checkout/src/cli/main.ts', 'npm run paydrop -- --dir /a status'],
    ['/usr/local/bin/paydrop', 'paydrop --dir /a status'],
    ['/srv/app/dist/src/cli/main.js', 'node /srv/app/dist/src/cli/main.js --dir /a status'],
    ['/srv/my app/main.js', "node '/srv/my app/main.js' --dir /a status"],
  ])('started as %s', (script, line) => {
    expect(paydropLine(['--dir', '/a', 'status'], script)).toBe(line);
  });

  it('names a script that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    expect(scripts['paydrop']).toMatch(/^tsx src\/cli\/main\.ts$/);
  });
});

describe('quoteWord', () => {
  it.each(['plain', '/a/b-c_d.csv', 'my file.csv', "it's", '$HOME', '`id`', 'a"b', '*', '', 'ü'])(
    'gives a shell the very word %j',
    (word) => {
      expect(execFileSync('sh', ['-c', `printf %s ${quoteWord(word)}`], { encoding: 'utf8' })).toBe(word);
    },
  );

  it('leaves alone what needs no quotes', () => {
    expect(quoteWord('/a/b-c_d.csv')).toBe('/a/b-c_d.csv');
  });
});
