import { chmod, mkdir, readdir, rename } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliWorld, openCliWorld } from '../support/cli-world.ts';

let world: CliWorld;
beforeAll(async () => {
  world = await openCliWorld();
  const { paths, folders } = world.settings;
  for (const dir of [paths.data, paths.archive, paths.out, paths.quarantine, ...folders.map(({ work }) => work)]) {
    await mkdir(dir, { recursive: true });
    await chmod(dir, 0o700);
  }
});
afterAll(() => world.close());

describe('doctor', () => {
  it('looks at everything and changes nothing', async () => {
    const before = await readdir(world.root, { recursive: true });
    const { out, err } = await world.paydrop('doctor');
    expect(err).toBe('');
    expect(out).toMatch(/^ok {4}Folders +\S/);
    expect(out).toMatch(/^ok {4}Service +account main: /m);
    expect(await readdir(world.root, { recursive: true })).toEqual(before);
  });

  it('names what is bad with its mend: 5', async () => {
    const { path } = world.settings.folders[0]!;
    await rename(path, `${path}.away`);
    const { status, out } = await world.paydrop('doctor');
    await rename(`${path}.away`, path);
    expect(status).toBe(5);
    expect(out).toMatch(/^bad +Folders +the drop folder ".*" is missing\n +fix: mkdir -p /m);
    expect(out).toMatch(/What is marked bad has to be fixed\.\n$/);
  });

  it('is one JSON value on request', async () => {
    const { out } = await world.paydrop('doctor', '--json');
    const { checks, worst } = JSON.parse(out);
    expect(['ok', 'warn', 'bad']).toContain(worst);
    expect(checks.map((check: { name: string }) => check.name)).toContain('Send journal');
  });

  it('is well when nothing is bad: 0', async () => {
    const { status, out } = await world.paydrop('doctor');
    // The test database does not wait for the disk, which is rightly bad.
    const bad = out.split('\n').filter((line) => line.startsWith('bad'));
    expect(bad.every((line) => line.includes('is off: a power cut'))).toBe(true);
    expect(status).toBe(bad.length > 0 ? 5 : 0);
  });
});
