import { execFile, spawnSync } from 'node:child_process';
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
