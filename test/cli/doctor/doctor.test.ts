import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openCliWorld } from '../support/cli-world.ts';
import { bad, type Check, findingOf, ok } from '../../../src/cli/doctor/check.ts';
import { CHECKS, examine } from '../../../src/cli/doctor/doctor.ts';
import { closedUrl } from '../../workers/support/step-world.ts';
import type { Settings } from '../../../src/config/config.ts';
import { freshFolder } from '../../files/support/fresh-folder.ts';
import { makeOwnFolders } from './support/patient-world.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';

const world = openedForTests(openCliWorld);
beforeAll(async () => {
  await makeOwnFolders(world.settings);
});

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
    expect(out).toMatch(/Fix the lines marked bad\.\n$/);
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

const alone: Check = { name: 'Alone', needs: 'nothing', look: async () => [ok('seen')] };
const within: Check = { name: 'Within', needs: 'ledger', look: async () => [ok('seen')] };
const failing: Check = {
  name: 'Failing',
  needs: 'nothing',
  look: async () => {
    throw new Error('4111111111111111');
  },
};

describe('examine', () => {
  const examineWith = (checks: Check[], change: Partial<Settings> = {}) =>
    examine({ settings: { ...world.settings, ...change }, env: {}, clock: world.app.clock }, checks);

  it('makes every check, whatever becomes of the others', async () => {
    const examined = await examineWith([failing, alone, within]);
    expect(examined.map(({ name, findings }) => [name, findings[0]!.level])).toEqual([
      ['Failing', 'bad'],
      ['Alone', 'ok'],
      ['Within', 'ok'],
    ]);
    expect(JSON.stringify(examined)).not.toContain('4111111111111111');
  });

  it('tells of a ledger that does not answer, and leaves out what needs it', async () => {
    const databaseUrl = (await closedUrl()).replace('http', 'postgres');
    const examined = await examineWith([alone, within], { databaseUrl });
    expect(examined).toMatchObject([{ name: 'Ledger', findings: [{ level: 'bad' }] }, { name: 'Alone' }]);
  });

  it('makes no ledger where there is none', async () => {
    const data = await freshFolder();
    await mkdir(join(data, 'work'));
    const paths = { ...world.settings.paths, data };
    const examined = await examineWith([within], { databaseUrl: undefined, paths });
    expect(examined).toMatchObject([{ name: 'Ledger', findings: [{ level: 'warn', found: 'there is none yet' }] }]);
    expect(await readdir(data)).toEqual(['work']);
  });
});

it('CHECKS names each once and forgets none', async () => {
  const folder = new URL('../../../src/cli/doctor/', import.meta.url);
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8')));
  expect(CHECKS).toHaveLength(texts.join('\n').match(/^export const \w+: Check = /gm)!.length);
  expect(new Set(CHECKS.map(({ name }) => name)).size).toBe(CHECKS.length);
});

describe('findingOf', () => {
  it('takes apart what cannot be done and what to do next', () => {
    const error = new PipelineError('QUEUE_UNREACHABLE', 'ask Redis', 'no answer within 5 ms');
    expect(findingOf(error, bad)).toEqual({
      level: 'bad',
      found: 'cannot ask Redis: no answer within 5 ms',
      mend: 'Check Redis or PostgreSQL; nothing is lost, the ledger rebuilds the queue.',
    });
  });

  it('says of any other error its code and nothing else', () => {
    const error = Object.assign(new Error('row 4111111111111111'), { code: 'EIO' });
    expect(findingOf(error, bad)).toMatchObject({ level: 'bad', found: 'the check itself failed (EIO)' });
    expect(findingOf('odd', bad).found).toBe('the check itself failed (unforeseen error)');
  });
});
