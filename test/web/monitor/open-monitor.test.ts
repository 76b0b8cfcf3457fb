import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startHealth } from '../../../src/kernel/health.ts';
import { type Monitor, openMonitor, openRegistry } from '../../../src/web/monitor/open-monitor.ts';
import { openPipelineWorld } from '../../support/pipeline-world.ts';
import { findFreePort } from '../../support/daemon.ts';
import { beforeStatement } from '../../workers/support/step-world.ts';
import { isShared, METRICS, type MetricName } from '../../../schemas/metrics.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const ANY = { host: '127.0.0.1', port: 0 };

const world = openedForTests(openPipelineWorld);

const monitors: Monitor[] = [];
afterEach(async () => {
  for (const monitor of monitors.splice(0)) await monitor.close();
});

async function open(app = world.app): Promise<Monitor> {
  const monitor = await openMonitor(app, ANY);
  monitors.push(monitor);
  return monitor;
}

describe('openMonitor', () => {
  it('is alive, and ready once the process has swept', async () => {
    const health = startHealth(world.app.clock);
    const { url } = await open({ ...world.app, health });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    const early = await fetch(`${url}/health/ready`);
    expect(early.status).toBe(503);
    expect(await early.json()).toEqual({ ready: false, wrong: [{ part: 'process', why: 'it is starting' }] });
    health.noteSweep();
    const ready = await fetch(`${url}/health/ready`);
    expect(ready.status).toBe(200);
    expect(await ready.json()).toEqual({ ready: true, wrong: [] });
  });

  it('is alive and not ready when it stops', async () => {
    const health = startHealth(world.app.clock);
    health.noteSweep();
    health.noteStop();
    const { url } = await open({ ...world.app, health });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    expect((await fetch(`${url}/health/ready`)).status).toBe(503);
  });

  it('shows the figures as Prometheus wants them', async () => {
    const { url } = await open();
    const response = await fetch(`${url}/metrics`);
    expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    expect(await response.text()).toContain('paydrop_ledger_up 1');
  });

  it('says nothing of what goes wrong in it', async () => {
    const broken = { ...world.app, settings: { ...world.settings, folders: undefined as never } };
    const { url } = await open(broken);
    const response = await fetch(`${url}/metrics`);
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({ error: 'see the log' });
  });

  it.each(['/', '/health', '/metrics/x'])('has nothing at %s', async (path) => {
    const { url } = await open();
    expect((await fetch(`${url}${path}`)).status).toBe(404);
  });

  it('changes nothing: other methods are refused', async () => {
    const { url } = await open();
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('says when its address is taken, and is closed to the last connection', async () => {
    const port = await findFreePort();
    const monitor = await openMonitor(world.app, { host: '127.0.0.1', port });
    await expect(openMonitor(world.app, { host: '127.0.0.1', port })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(`Cannot listen on "127.0.0.1:${port}"`),
    });
    await fetch(`${monitor.url}/health/live`);
    await monitor.close();
    await expect(fetch(`${monitor.url}/health/live`)).rejects.toThrow();
  });
});

describe('openRegistry', () => {
  it('writes every figure of the table with its help, beside those of the process', async () => {
    const page = openRegistry(world.app);
    const text = await page.render();
    expect(page.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    for (const [name, { help }] of Object.entries(METRICS)) expect(text).toContain(`# HELP ${name} ${help}\n`);
    expect(text).toContain('paydrop_batches{account="main",state="ready"} 0');
    expect(text).toMatch(/^process_cpu_seconds_total /m);
  });

  it('counts what happens while it is open', async () => {
    const page = openRegistry(world.app, '0.1.0');
    const { tally } = world.app.health;
    const time = (seconds: number) =>
      tally.add('paydrop_call_seconds', { operation: 'processACHEFTBatch', answer: 'refused' }, seconds);
    tally.add('paydrop_rows_total', { account: 'main', operation: 'card', outcome: 'declined' }, 3);
    tally.add('paydrop_log_lines_total', { level: 'error' });
    [0.2, 3].forEach(time);
    const text = await page.render();
    const answer = 'operation="processACHEFTBatch",answer="refused"';
    for (const line of [
      `paydrop_build_info{version="0.1.0",node="${process.version}"} 1`,
      'paydrop_file_moves_total{account="main",state="rejected"} 0',
      'paydrop_batch_moves_total{account="main",state="refused"} 0',
      'paydrop_quarantined_total 0',
      'paydrop_rows_total{account="main",operation="card",outcome="declined"} 3',
      'paydrop_log_lines_total{level="error"} 1',
      `paydrop_call_seconds_bucket{le="0.25",${answer}} 1`,
      `paydrop_call_seconds_bucket{le="5",${answer}} 2`,
      `paydrop_call_seconds_count{${answer}} 2`,
    ])
      expect(text).toContain(`${line}\n`);
    page.close();
    time(1);
    expect(await page.render()).toContain(`paydrop_call_seconds_count{${answer}} 2\n`);
  });

  it('is not worth an error: one that a figure raises does not reach the work', () => {
    const page = openRegistry(world.app);
    const count = world.app.health.tally.add;
    expect(() =>
      count('paydrop_rows_total', { account: 'main', operation: 'card', outcome: 'declined' }, -1),
    ).not.toThrow();
    page.close();
  });

  it('forgets what it cannot read any more', async () => {
    let isSilent = false;
    const app = beforeStatement(world.app, /FROM file/, async () => {
      if (isSilent) throw new Error('gone');
    });
    const page = openRegistry(app);
    expect(await page.render()).toMatch(/^paydrop_unknown_cents\{account="main"\} 0$/m);
    isSilent = true;
    const text = await page.render();
    expect(text).toMatch(/^paydrop_ledger_up 0$/m);
    expect(text).not.toMatch(/^paydrop_unknown_cents\{/m);
  });

  it('may be open several times in one process', async () => {
    const pages = [openRegistry(world.app), openRegistry(world.app)];
    for (const page of pages) expect(await page.render()).toContain('paydrop_queue_up 1');
  });
});

type Panel = {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string }[];
};

const dashboard = readFileSync('deploy/grafana-dashboard.json', 'utf8');
const { panels } = JSON.parse(dashboard) as { panels: Panel[] };

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
    expect(new Set(figuresIn(dashboard))).toEqual(new Set(Object.keys(METRICS)));
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
