import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { Config, ENVIRONMENT } from '../../schemas/config.ts';
import { ROLES } from '../../schemas/jobs.ts';
import { loadCommands } from '../../src/cli/commands.ts';
import { readRoles } from '../../src/cli/process/start.ts';
import { resolveSettings } from '../../src/config/config.ts';
import { startSandbox } from '../../src/sandbox/start-sandbox.ts';
import { FEATURES } from '../../src/features.ts';

const COMMANDS = await loadCommands(FEATURES);

type Service = {
  command?: string[];
  environment?: Record<string, string>;
  healthcheck?: { disable?: boolean };
  image: string;
  volumes?: unknown[];
};
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

  it('lets our containers change nothing but their volumes, and asks each for its health', () => {
    for (const [name, service] of ours) {
      expect(service, name).toMatchObject({ read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'] });
      expect(service.healthcheck?.disable, name).toBeUndefined();
      if (service.command?.[0] === 'start') expect(service.environment, name).toHaveProperty('PAYDROP_MONITOR');
    }
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

async function spawnExit(command: string, words: readonly string[], env?: Record<string, string>): Promise<unknown> {
  const options = { stdio: 'ignore', ...(env && { env: { ...process.env, ...env } }) } as const;
  const [status] = (await once(spawn(command, words, options), 'exit')) as [number | null];
  return status;
}

/** What a stage of the Dockerfile says, and its check of health as an engine starts it. */
function readStage(name: string): { text: string; check: [node: string, flag: string, script: string] } {
  const stages = readFileSync('Dockerfile', 'utf8').split(/^FROM .* AS /m);
  const text = stages.find((stage) => stage.startsWith(`${name}\n`)) ?? '';
  const [, check = '[]'] = /^HEALTHCHECK [^]*?CMD (\[.*\])$/m.exec(text) ?? [];
  return { text, check: JSON.parse(check) as [string, string, string] };
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
    const { text, check } = readStage('sandbox');
    const { options = [] } = COMMANDS.find(({ name }) => name === 'sandbox') ?? {};
    const port = options.find(([flag]) => flag === '--port <number>')?.[2];
    expect(text).toContain(`\nUSER sandbox\n`);
    expect(text).toContain(`\nEXPOSE ${port}\n`);
    const [node, flag, script] = check;
    expect(script).toContain(`connect(${port}, `);
    const sandbox = await startSandbox({ tls: {} });
    const health = () => spawnExit(node, [flag, script.replace(String(port), String(sandbox.port))]);
    expect(await health()).toBe(0);
    await sandbox.close();
    expect(await health()).toBe(1);
  });

  it('asks for health where the monitor of the container listens', async () => {
    const [node, flag, script] = readStage('paydrop').check;
    let status = 200;
    const monitor = createServer((request, response) => {
      response.writeHead(request.url === '/health/live' ? status : 404).end();
    }).listen(0, '127.0.0.1');
    await once(monitor, 'listening');
    const { port } = monitor.address() as AddressInfo;
    const health = () => spawnExit(node, [flag, script], { PAYDROP_MONITOR: `0.0.0.0:${port}` });
    expect(await health()).toBe(0);
    status = 503;
    expect(await health()).toBe(1);
    monitor.close();
    expect(await health()).toBe(1);
  });
});

describe('paydrop.service and paydrop@.service', () => {
  const [one = '', each = ''] = ['paydrop', 'paydrop@'].map((name) => readFileSync(`deploy/${name}.service`, 'utf8'));

  it('start the program that the package starts, and let it end', () => {
    const program = 'ExecStart=/usr/bin/node /opt/paydrop/dist/src/main.js start';
    expect(one).toContain(`${program}\n`);
    expect(each).toContain(`${program} --roles %i\n`);
    for (const unit of [one, each]) expect(unit).toContain('KillSignal=SIGTERM');
  });

  it('differ in name, roles and environment only; the instances leave no role undone', () => {
    const shared = (unit: string) => unit.replace(/^(?:#|Description=|EnvironmentFile=|ExecStart=).*\n/gm, '');
    expect(shared(each)).toBe(shared(one));
    const roles = [...each.matchAll(/paydrop@(\w+)(?!\.service)\b/g)].map(([, role]) => role!);
    expect(roles.toSorted()).toEqual(Object.keys(ROLES).toSorted());
  });
});

type Container = {
  name: string;
  image: string;
  args?: string[];
  command?: string[];
  env?: { name: string; value?: string }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: unknown;
  resources: { requests: object; limits: object };
} & Record<string, unknown>;
type Pod = {
  initContainers?: Container[];
  containers: Container[];
  volumes: { name: string }[];
  securityContext: { runAsUser: number };
} & Record<string, unknown>;
type Manifest = {
  kind: string;
  metadata?: { name: string };
  resources?: string[];
  spec?: {
    replicas?: number;
    selector?: { matchLabels?: object };
    template?: { metadata: { labels: object }; spec: Pod };
    volumeClaimTemplates?: { metadata: { name: string } }[];
  };
};

describe('deploy/kubernetes', () => {
  const FOLDER = 'deploy/kubernetes';
  const manifests = ['base', 'example'].flatMap((part) => {
    const folder = `${FOLDER}/${part}`;
    const [{ resources = [] }] = readManifests(`${folder}/kustomization.yaml`) as [Manifest];
    expect([...resources, 'kustomization.yaml', 'paydrop.yaml'].filter((path) => !path.startsWith('..'))).toEqual(
      expect.arrayContaining(readdirSync(folder)),
    );
    return resources.filter((path) => path.endsWith('.yaml')).flatMap((path) => readManifests(`${folder}/${path}`));
  });
  const config = readFileSync(`${FOLDER}/example/paydrop.yaml`, 'utf8');
  const secrets = [...config.matchAll(/env:(\w+)/g)].map(([, name]) => name!);
  const settings = resolveSettings(
    Config.parse(parse(config)),
    '/srv/paydrop',
    Object.fromEntries(secrets.map((name) => [name, 'TEST88'])),
  );
  const works = manifests.flatMap(({ spec }) => (spec?.template ? [{ ...spec, pod: spec.template.spec }] : []));
  const containers = works.flatMap(({ pod }) => pod.containers);

  it('leaves no role undone, and gives each to one container', () => {
    const given = containers.flatMap(({ args = [] }) => {
      expect(args.slice(0, 2)).toEqual(['start', '--roles']);
      return [...readRoles(args[2])];
    });
    expect(given.toSorted()).toEqual(Object.keys(ROLES).toSorted());
  });

  it('names no variable that paydrop does not know, and listens where its probes ask', () => {
    for (const { env = [], ports = [], ...container } of containers) {
      expect(Object.keys(ENVIRONMENT)).toEqual(expect.arrayContaining(env.map(({ name }) => name)));
      const monitor = env.find(({ name }) => name === 'PAYDROP_MONITOR')?.value?.split(':')[1];
      for (const [probe, path] of [
        ['startupProbe', '/health/live'],
        ['livenessProbe', '/health/live'],
        ['readinessProbe', '/health/ready'],
      ] as const) {
        const { httpGet } = container[probe] as { httpGet: { path: string; port: string } };
        expect(httpGet.path).toBe(path);
        expect(ports.find(({ name }) => name === httpGet.port)?.containerPort).toBe(Number(monitor));
      }
    }
  });

  it('runs as the user of the image, which can change nothing but its volumes', () => {
    const image = readFileSync('Dockerfile', 'utf8');
    for (const { pod, volumeClaimTemplates = [] } of works) {
      const user = { runAsNonRoot: true, runAsUser: 10_001, runAsGroup: 10_001, fsGroup: 10_001 };
      expect(pod.securityContext).toMatchObject(user);
      expect(image).toContain(`useradd --uid ${pod.securityContext.runAsUser} `);
      const volumes = [...pod.volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)].map(({ name }) => name);
      for (const container of [...(pod.initContainers ?? []), ...pod.containers]) {
        expect(container.image).toBe('paydrop');
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
        expect(container.resources).toMatchObject({ requests: { memory: expect.anything() }, limits: {} });
        expect(volumes).toEqual(expect.arrayContaining(container.volumeMounts.map(({ name }) => name)));
      }
      // Data, outputs and quarantine lie in the one volume that is mounted below the folder of the configuration.
      for (const path of Object.values(settings.paths).filter((one) => one !== undefined))
        expect(path).toMatch(/^\/srv\/paydrop\/site\//);
      for (const { volumeMounts } of pod.containers)
        expect(volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
          expect.arrayContaining(['/srv/paydrop/paydrop.yaml', '/srv/paydrop/site', '/tmp']),
        );
    }
  });

  it('lists every sender by the name of its pod, and keeps the journal of each', () => {
    const [{ metadata, spec }] = manifests.filter(({ kind }) => kind === 'StatefulSet') as [Manifest];
    const pods = Array.from({ length: spec!.replicas! }, (_, index) => `${metadata!.name}-${index}`);
    expect(settings.senders).toEqual(pods);
    const [{ args, env }] = spec!.template!.spec.containers as [Container];
    expect([...readRoles(args![2])]).toEqual(['submit']);
    expect(env).toContainEqual({
      name: 'PAYDROP_HOST',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
    });
    expect(spec).toMatchObject({
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
    });
  });

  it('makes each drop folder of its configuration', () => {
    const made = works.flatMap(({ pod }) => pod.initContainers ?? []).map(({ command = [] }) => command.join(' '));
    expect(settings.folders.length).toBeGreaterThan(0);
    for (const { path } of settings.folders) expect(made.join()).toContain(path.replace('/srv/paydrop/', ' '));
  });
});

function readManifests(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => {
    expect(document.errors, path).toEqual([]);
    return document.toJS() as Manifest;
  });
}
