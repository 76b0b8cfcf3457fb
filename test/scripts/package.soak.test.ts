import { execFile, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshFolder } from '../files/support/fresh-folder.ts';
import { brokenLinks, readTree, type SourceFile } from '../support/source-tree.ts';
import { findBadLicences } from '../support/tidy-rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MOST_BYTES = 1_310_720;
const { version, dependencies } = readJson('package.json');
const lock = Object.entries(readJson('package-lock.json').packages as Record<string, Locked>);

type Locked = {
  version: string;
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  engines?: { node?: string };
};
type Part = {
  'bom-ref': string;
  name: string;
  version: string;
  purl: string;
  licenses?: object[];
  properties?: object[];
};

/** The package as the registry would give it, unpacked. */
let unpacked: { bytes: number; files: readonly SourceFile[] };
const dir = mkdtempSync(join(tmpdir(), 'paydrop-package-'));
beforeAll(async () => {
  unpacked = await packInto(dir);
}, 120_000);
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const pathsOf = (pattern: RegExp) => unpacked.files.map(({ path }) => path).filter((path) => pattern.test(path));
const textOf = (name: string) => unpacked.files.find(({ path }) => path === name)?.text ?? '';

const PICTURE = /!\[[^\]]*\]\((?:docs\/)?screenshots\/[^)]*\)/g;

describe('the package', () => {
  it('has at most 1.25 MiB in few files', () => {
    expect(unpacked.bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(unpacked.files.length).toBeLessThan(350);
  });

  it('has the program, its pages and samples, and nothing that only its makers need', () => {
    const expected = ['README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'dist/src/main.js', 'docs/operating.md'];
    expect(pathsOf(/./)).toEqual(
      expect.arrayContaining([...expected, 'samples/card/card.csv', 'deploy/paydrop.service']),
    );
    expect(pathsOf(/^(?:src|test|scripts)\/|\.(?:test\.\w+|map|png|tsx?)$|^docs\/(?:decisions|.*json)/)).toEqual(
      pathsOf(/\.d\.ts$/),
    );
  });

  it('has pages whose links lead to its own files', () => {
    // Pictures are not in it: the page of the package shows those of the repository, elsewhere their words stand for them.
    const files = unpacked.files.map(({ path, text }) => ({ path, text: text.replaceAll(PICTURE, '') }));
    expect(brokenLinks([...files, { path: 'README.md', text: '[map](src/README.md)' }])).toHaveLength(1);
    expect(brokenLinks(files)).toEqual([]);
  });

  it('begins its page with what a person types', () => {
    expect(/```sh\n(.*?)```/s.exec(textOf('README.md'))?.[1]).toMatch(/^npx paydrop demo .*\nnpx paydrop init /);
  });

  it('lists every package with a permissive licence, and the one exception', () => {
    const lines = [...textOf('dist/LICENSES.txt').matchAll(/^(\S+) (\S+), ([^,\n]+)/gm)];
    const listed = lines.map(([, name, at, license]) => ({ name: `${name}`, at, license: `${license}` }));
    expect(listed.map(({ name, at }) => `${name} ${at}`)).toEqual(expect.arrayContaining(shipped()));
    expect(listed.find(({ name }) => name === 'openpgp')?.license).toBe('LGPL-3.0-or-later');
    const entries = listed.map(({ name, license }) => [`node_modules/${name}`, { license }] as const);
    expect(findBadLicences(Object.fromEntries(entries))).toEqual([]);
    expect(findBadLicences({ 'node_modules/zod': { license: 'LGPL-3.0-or-later' } })).toHaveLength(1);
  });

  it('has the texts of the licences of what is inside', () => {
    const texts = textOf('dist/THIRD-PARTY.txt');
    for (const name of ['zod', '@opentelemetry/core', '@fontsource-variable/geist', 'idiomorph'])
      expect(texts).toMatch(new RegExp(`^---- ${name} \\d`, 'm'));
    expect(texts).toContain('Apache License');
  });

  it('has a bill of materials', () => {
    const {
      bomFormat,
      specVersion,
      metadata,
      components,
      dependencies: links,
    } = JSON.parse(textOf('dist/sbom.cdx.json'));
    expect([bomFormat, specVersion]).toEqual(['CycloneDX', expect.stringMatching(/^1\.[56]$/)]);
    expect(metadata.component).toMatchObject({ name: 'paydrop', version, purl: `pkg:npm/paydrop@${version}` });
    const parts = components as Part[];
    expect(parts.map(({ name, version: at }) => `${name} ${at}`)).toEqual(expect.arrayContaining(shipped()));
    const direct = Object.entries<string>(dependencies).map(([name, at]) => `${name}@${at}`);
    const inside = parts.filter(({ properties }) => properties).map((part) => part['bom-ref']);
    expect(inside.map((ref) => ref.replace(/@[^@]*$/, ''))).toEqual(expect.arrayContaining(['zod', 'yaml', 'pg']));
    expect(links[0].dependsOn).toEqual([...new Set([...direct, ...inside])].toSorted());
    expect(parts.every(({ purl, licenses }) => purl.startsWith('pkg:') && licenses?.length === 1)).toBe(true);
    const refs = new Set([`paydrop@${version}`, ...parts.map((part) => part['bom-ref'])]);
    const named = (links as { ref: string; dependsOn: string[] }[]).flatMap(({ ref, dependsOn }) => [
      ref,
      ...dependsOn,
    ]);
    expect(named.filter((ref) => !refs.has(ref))).toEqual([]);
  });

  it('asks for no package that refuses Node 20, without overrides, which others would not have', () => {
    const takesNode20 = (range = '>=20') =>
      range.split('||').some((one) => /^\s*(?:>=?\s*v?(?:\d|1\d|20)\b|[~^]?20\b|\*)/.test(one));
    expect(['>=22', '^22 || >=24', '>= 20', '18 || 20 || >=22', '>=14.0.0'].map(takesNode20)).toEqual([
      false,
      false,
      true,
      true,
      true,
    ]);
    const refusing = lock.filter(([path, entry]) => path && !isForMakers(entry) && !takesNode20(entry.engines?.node));
    expect(refusing.map(([path]) => path)).toEqual([]);
    expect(readJson('package.json')).not.toHaveProperty('overrides');
  });
});

/** Names and versions of all that an installation brings. */
function shipped(): string[] {
  return lock
    .filter(([path, entry]) => path !== '' && !isForMakers(entry))
    .map(([path, entry]) => `${path.replace(/^.*node_modules\//, '')} ${entry.version}`);
}

function isForMakers({ dev, devOptional }: Locked): boolean {
  return dev === true || devOptional === true;
}

function readJson(path: string) {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
}

async function packInto(folder: string): Promise<typeof unpacked> {
  const run = promisify(execFile);
  const [source, away] = [join(folder, 'source'), join(folder, 'unpacked')];
  for (const made of [source, away]) mkdirSync(made);
  // The build loads the commands to list them.
  symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
  const names = ['package.json', 'README.md', 'CHANGELOG.md', 'SECURITY.md', 'LICENSE', 'docs', 'samples', 'deploy'];
  const filter = (path: string) => !path.includes('screenshots');
  for (const name of names) cpSync(join(ROOT, name), join(source, name), { recursive: true, filter });
  await run(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), join(source, 'dist')]);
  // `npm publish --dry-run`, which runs this test, would say it to this npm too.
  const { stdout } = await run(
    'npm',
    ['pack', '--dry-run=false', '--json', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: source,
    },
  );
  const [{ filename, size }] = JSON.parse(stdout) as [{ filename: string; size: number }];
  await run('tar', ['-xzf', join(folder, filename), '-C', away, '--strip-components=1']);
  writeFileSync(join(away, '.gitignore'), '');
  return { bytes: size, files: readTree(away).filter(({ path }) => path !== '.gitignore') };
}

describe('npm run release', () => {
  const ENTRY = '## [1.2.3] - 2026-12-01\n\n- Faster.\n';
  it.each([
    { what: 'what is ready', status: 0, says: /^Tagged v1\.2\.3\./ },
    { what: 'what is ready, only looking', words: ['--check'], status: 0, says: /^paydrop 1\.2\.3 can be released/ },
    {
      what: 'the tag of the version',
      words: ['--tagged', 'v1.2.3'],
      tag: 'v1.2.3',
      status: 0,
      says: /can be released/,
    },
    { what: 'another tag', words: ['--tagged', 'v1.2.4'], status: 1, says: /the tag is v1\.2\.4/ },
    { what: 'a tree with changes', stray: true, status: 1, says: /changes that are not committed/ },
    { what: 'a version without an entry', changelog: '## [Unreleased]\n\n- x\n', status: 1, says: /no entry/ },
    {
      what: 'an entry without text',
      changelog: '## [1.2.3] - 2026-12-01\n\n## [1.2.2] - x\n',
      status: 1,
      says: /no entry/,
    },
    { what: 'a version that is tagged', tag: 'v1.2.3', status: 1, says: /v1\.2\.3 is tagged already/ },
    { what: 'a package of nowhere', repository: undefined, status: 1, says: /no "repository"/ },
    { what: 'a word it does not know', words: ['--force'], status: 1, says: /neither --check nor/ },
  ])('takes or refuses $what', async ({ status, says, words = [], tag, stray, changelog = ENTRY, ...rest }) => {
    const folder = await freshFolder();
    const git = (...line: string[]) => spawnSync('git', ['-C', folder, ...line], { encoding: 'utf8', env: GIT }).stdout;
    const repository = 'repository' in rest ? undefined : 'https://example.org/paydrop';
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'paydrop', version: '1.2.3', repository }));
    writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n${changelog}`);
    for (const line of [
      ['init', '-q'],
      ['add', '.'],
      ['commit', '-qm', 'x'],
    ])
      git(...line);
    if (tag !== undefined) git('tag', tag);
    if (stray) writeFileSync(join(folder, 'stray.txt'), '');
    const script = join(ROOT, 'scripts', 'release.mjs');
    const ended = spawnSync(process.execPath, [script, ...words], { cwd: folder, encoding: 'utf8', env: GIT });
    expect(ended.stdout + ended.stderr).toMatch(says);
    expect(ended.status).toBe(status);
    expect(git('tag')).toBe(tag !== undefined ? `${tag}\n` : status === 0 && words.length === 0 ? 'v1.2.3\n' : '');
  });
});

const GIT = {
  ...process.env,
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@example.org',
};
