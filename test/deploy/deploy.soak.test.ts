import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serviceVerdict } from '../support/service-verdict.ts';

const run = promisify(execFile);
const { isInstalled, sentence, isFine } = serviceVerdict(
  'promtool',
  'tests of the alert rules and queries',
  spawnSync('promtool', ['--version']).status === 0,
);

it(sentence, () => {
  expect(isFine, 'install prometheus').toBe(true);
});

describe.runIf(isInstalled)('promtool', () => {
  it('reads the alert rules, and finds each alert where its test expects it', async () => {
    await run('promtool', ['check', 'rules', 'deploy/prometheus-rules.yaml']);
    const { stdout } = await run('promtool', ['test', 'rules', 'deploy/prometheus-rules.test.yaml']);
    expect(stdout).toContain('SUCCESS');
  });

  it('reads every query of the dashboard', async () => {
    const { panels } = JSON.parse(await readFile('deploy/grafana-dashboard.json', 'utf8')) as {
      panels: { targets: { expr: string }[] }[];
    };
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    const rules = queries.map((expr, place) => ({
      record: `query_${place}`,
      expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$account', '.*').replaceAll('$job', 'paydrop'),
    }));
    const folder = await mkdtemp(join(tmpdir(), 'paydrop-queries-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // YAML reads JSON.
    await writeFile(join(folder, 'queries.yaml'), JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    const { stdout } = await run('promtool', ['check', 'rules', join(folder, 'queries.yaml')]);
    expect(stdout).toContain(`${queries.length} rules found`);
  });
});

/** What the Dockerfile does to the packages of a build, and how it then tries them: from "npm prune" and "node -e" on. */
function readSteps(): { prune: string; load: string } {
  const text = readFileSync('Dockerfile', 'utf8').replace(/^ *#.*\n/gm, '');
  const [, prune] = /^RUN npm run build \\\n {2}&& ([^]*?[^\\])\n/m.exec(text) ?? [];
  const [, load] = /^RUN (node -e ".*")/m.exec(text) ?? [];
  if (prune === undefined || load === undefined) throw new Error('The Dockerfile builds in another way');
  return { prune, load };
}

/** Names of the packages that have a licence of their own. */
function listLicensed(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .flatMap((path) => /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\/licen[cs]e(?:\.\w+)?$/i.exec(path)?.[1] ?? [])
    .toSorted();
}

describe('the packages of the images', () => {
  /** Without the embedded PostgreSQL, which has 63. */
  const MOST_MB = 45;

  it('are few, load and have kept their licences after the steps of the Dockerfile', async () => {
    const { prune, load } = readSteps();
    const folder = await mkdtemp(join(tmpdir(), 'paydrop-image-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await run('cp', ['-a', 'node_modules', 'package.json', 'package-lock.json', folder]);
    const env = { ...process.env, EMBEDDED_POSTGRES: 'no' };
    const [onlyNpm = ''] = prune.split('&&');
    await run('sh', ['-c', onlyNpm.replace(/\\\s*$/, '')], { cwd: folder, env });
    const licensed = listLicensed(folder);
    await run('sh', ['-c', prune], { cwd: folder, env });

    expect(listLicensed(folder)).toEqual(licensed);
    expect(licensed.length).toBeGreaterThan(100);
    await run('sh', ['-c', load.replace('/app', folder)], { cwd: folder });
    const { stdout } = await run('du', ['-sm', '--apparent-size', 'node_modules'], { cwd: folder });
    expect(Number.parseInt(stdout, 10)).toBeLessThanOrEqual(MOST_MB);
  });
});
