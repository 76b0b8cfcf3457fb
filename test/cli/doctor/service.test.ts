import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { service } from '../../../src/cli/doctor/servers.ts';
import { closedUrl } from '../../workers/support/step-world.ts';
import { openPatientWorld, type PatientWorld } from './support/patient-world.ts';

let world: PatientWorld;
beforeAll(async () => {
  world = await openPatientWorld();
});
afterAll(() => world.close());

function withUrl(baseUrl: string) {
  const main = world.settings.accounts.get('main')!;
  return { ...world.settings, accounts: new Map([['main', { ...main, baseUrl }]]) };
}

describe('service', () => {
  it('can be reached, and is sent nothing', async () => {
    const { host } = new URL(world.sandbox.url);
    expect(await world.look(service)).toEqual([{ level: 'ok', found: `account main: ${host} can be reached` }]);
  });

  it('finds that it cannot be reached', async () => {
    const settings = withUrl(await closedUrl());
    expect(await world.look(service, { settings })).toMatchObject([
      {
        level: 'bad',
        found: expect.stringContaining('cannot be reached: the connection could not be made (ECONNREFUSED)'),
      },
    ]);
  });

  it('finds an address that may not be used, without saying it', async () => {
    const settings = withUrl('https://ada:hunter2@service.test');
    const findings = await world.look(service, { settings });
    expect(findings).toMatchObject([{ level: 'bad' }]);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });
});
