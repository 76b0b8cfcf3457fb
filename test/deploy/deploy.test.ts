import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Config, ENVIRONMENT } from '../../schemas/config.ts';
import { ROLES } from '../../schemas/jobs.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { readRoles } from '../../src/cli/process/start.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { isShared, METRICS, type MetricName } from '../../schemas/metrics.ts';

const COMMANDS = await loadCommands();

type Service = { command?: string[]; environment?: Record<string, string>; image: string; volumes?: unknown[] };
type Compose = { services: Record<string, Service>; volumes: Record<string, null> };

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
const shared = readFileSync('deploy/compose/paydrop.yaml', 'utf8');
const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'paydrop');

/** Variables that the containers' shared configuration names with `env:`. */
const SECRETS = [...shared.matchAll(/env:(\w+)/g)].map(([, name]) => name!);

describe('docker-compose.yml', () => {
  it('names no variable that paydrop or its configuration does not know', () => {
    const known = new Set([...Object.keys(ENVIRONMENT), ...SECRETS]);
    const named = ours.flatMap(([, { environment = {} }]) => Object.keys(environment));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    for (const secret of SECRETS) expect(named).toContain(secret);
  });

  it('runs commands that there are', () => {
    const commands = new Set(COMMANDS.map(({ name }) => name));
    for (const [name, { command }] of ours) expect(commands, name).toContain(command?.[0]);
  });

  it('leaves no role undone, and gives each to one service', () => {
    const given = ours.flatMap(([, { command = [] }]) =>
      command[0] === 'start' ? [...readRoles(command[command.indexOf('--roles') + 1])] : [],
    );
    expect(given.toSorted()).toEqual(Object.keys(ROLES).toSorted());
  });

  it('mounts no volume that it does not have, and has none that is not mounted', () => {
    const mounted = Object.values(compose.services).flatMap(({ volumes = [] }) => volumes.map(sourceOf));
    const named = mounted.filter((source) => !source.startsWith('.'));
    expect([...new Set(named)].toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
  });

  it('shares a configuration without faults', () => {
    const env = Object.fromEntries(SECRETS.map((name) => [name, 'TEST88']));
    const settings = resolveSettings(Config.parse(parse(shared)), '/srv/paydrop', env);
    // `start` makes no drop folder, so the image must contain each of them.
    const image = readFileSync('Dockerfile', 'utf8');
    expect(settings.folders.length).toBeGreaterThan(0);
    for (const { path } of settings.folders) expect(image).toMatch(new RegExp(`\\s${path}\\s`));
  });
});

async function spawnExit(command: string, words: readonly string[]): Promise<unknown> {
  const [status] = (await once(spawn(command, words, { stdio: 'ignore' }), 'exit')) as [number | null];
  return status;
}

function sourceOf(volume: unknown): string {
  return typeof volume === 'string' ? volume.split(':')[0]! : (volume as { source: string }).source;
}

describe('Dockerfile', () => {
  it('starts the program that the package starts', () => {
    const { bin } = JSON.parse(readFileSync('package.json', 'utf8')) as { bin: { paydrop: string } };
    const text = readFileSync('Dockerfile', 'utf8');
    expect(text).toContain(`ENTRYPOINT ["node", "/app/${bin.paydrop}"]`);
    expect(text).toContain(
      `ENTRYPOINT ["node", "/app/${bin.paydrop}", "sandbox", "--host", "0.0.0.0", "--page-for-all"]`,
    );
  });

  it('has an image of the sandbox alone, whose health is that of its port', async () => {
    const image = readFileSync('Dockerfile', 'utf8')
      .split(/^FROM .* AS /m)
      .find((stage) => stage.startsWith('sandbox\n'));
    const { options = [] } = COMMANDS.find(({ name }) => name === 'sandbox') ?? {};
    const port = options.find(([flag]) => flag === '--port <number>')?.[2];
    expect(image).toContain(`\nUSER sandbox\n`);
    expect(image).toContain(`\nEXPOSE ${port}\n`);
    const [, check = '[]'] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(image ?? '') ?? [];
    expect(check).toContain(`connect(${port}, `);
    const sandbox = await startSandbox({ tls: {} });
    const [node = '', flag = '', script = ''] = JSON.parse(check) as string[];
    const health = () => spawnExit(node, [flag, script.replace(String(port), String(sandbox.port))]);
    expect(await health()).toBe(0);
    await sandbox.close();
    expect(await health()).toBe(1);
  });
});

describe('paydrop.service', () => {
  it('starts the program that the package starts, and lets it end', () => {
    const unit = readFileSync('deploy/paydrop.service', 'utf8');
    expect(unit).toContain('ExecStart=/usr/bin/node /opt/paydrop/dist/src/cli/main.js start\n');
    expect(unit).toContain('KillSignal=SIGTERM');
  });
});

type Panel = {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string }[];
};

const text = readFileSync('deploy/grafana-dashboard.json', 'utf8');
const { panels } = JSON.parse(text) as { panels: Panel[] };

/** Returns the metrics that a text names. A histogram is named by its series. */
function figuresIn(words: string): MetricName[] {
  const names = words.match(/\bpaydrop_\w+/g) ?? [];
  return names.map((name) => (Object.hasOwn(METRICS, name) ? name : name.replace(/_(bucket|count|sum)$/, ''))) as [];
}

/** Checks that an expression groups and filters only by labels that its figures have, or that Prometheus adds. */
function expectLabels(expr: string, about: string): void {
  const labels = ['job', 'instance', 'le', ...figuresIn(expr).flatMap((name) => [...METRICS[name].labels])];
  const asked = [...expr.matchAll(/(\w+)(?:=~|!=|=)"|by \(([\w, ]+)\)/g)].flatMap(
    ([, one, many]) => one ?? many!.split(', '),
  );
  expect(
    asked.filter((label) => !labels.includes(label)),
    `${about}: ${expr}`,
  ).toEqual([]);
}

describe('deploy/grafana-dashboard.json', () => {
  it('names only figures that there are, and every one of them', () => {
    expect(new Set(figuresIn(text))).toEqual(new Set(Object.keys(METRICS)));
  });

  it('groups and filters only by labels that the figure has', () => {
    for (const { title, targets } of panels) for (const { expr } of targets) expectLabels(expr, title);
  });

  it('never adds up over processes what all of them share, and never adds up what is an age', () => {
    for (const { expr } of panels.flatMap(({ targets }) => targets)) {
      const [name] = figuresIn(expr);
      if (name === undefined || name === 'paydrop_queue_jobs') continue;
      const inner = expr.match(/(\w+)(?: by \([\w, ]+\))? ?\(paydrop_/)?.[1];
      if (isShared(name) || name.endsWith('_age_seconds')) expect(inner, expr).toBe('max');
    }
  });

  it('shows panels that do not lie on one another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });
});

type Alert = { alert: string; expr: string; labels: { severity: string }; annotations: Record<string, string> };
type Rules = { groups: { rules: Alert[] }[] };

const alerts = (parse(readFileSync('deploy/prometheus-rules.yaml', 'utf8')) as Rules).groups.flatMap(
  ({ rules }) => rules,
);

describe('deploy/prometheus-rules.yaml', () => {
  const page = readFileSync('docs/operating.md', 'utf8');
  const anchors = new Set(
    [...page.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
      title!
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

  it.each(alerts.map((alert) => [alert.alert, alert] as const))(
    '%s says what it is, what to do and where to read',
    (name, alert) => {
      const { expr, labels, annotations } = alert;
      expect(['critical', 'warning', 'info']).toContain(labels.severity);
      expect(annotations['summary']).not.toBe('');
      expect(annotations['description']).toMatch(/\.$/);
      const [file, anchor = ''] = annotations['runbook_url']!.split('#');
      expect([file, anchors.has(anchor)], anchor).toEqual(['docs/operating.md', true]);
      for (const figure of figuresIn(expr)) expect(Object.keys(METRICS)).toContain(figure);
      expectLabels(expr, name);
    },
  );

  it('has a test of each alert', () => {
    const { tests } = parse(readFileSync('deploy/prometheus-rules.test.yaml', 'utf8')) as { tests: { name: string }[] };
    expect(tests.map(({ name }) => name)).toEqual(expect.arrayContaining(alerts.map(({ alert }) => alert)));
  });

  it('has the alerts that the operating page names', () => {
    const named = page.match(/\bPaydrop[A-Z]\w+/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(alerts.map(({ alert }) => alert)).toEqual(expect.arrayContaining(named));
    for (const name of figuresIn(page)) expect(Object.keys(METRICS)).toContain(name);
  });
});
