import { describe, expect, it } from 'vitest';
import { dashboardForTests, PASSWORD } from '../support/dashboard-world.ts';
import { tryFrom } from '../support/try-from.ts';

const world = dashboardForTests({ dashboard: { trustedProxies: ['127.0.0.1'] } });

describe('logIn', () => {
  it('slows guessing from many addresses, and still lets the user in', async () => {
    const { cookies } = await tryFrom(world, '10.0.1.1', 'operator', PASSWORD);
    await Promise.all(Array.from({ length: 50 }, (_, n) => tryFrom(world, `10.0.2.${n}`, 'operator', 'wrong')));
    const begun = performance.now();
    expect((await tryFrom(world, '10.0.3.1', 'operator', PASSWORD)).status).toBe(303);
    expect(performance.now() - begun).toBeGreaterThan(1_990);
    expect((await tryFrom(world, '10.0.1.1', 'operator', PASSWORD, cookies)).status).toBe(303);
  });
});
