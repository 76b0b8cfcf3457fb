import { userInfo } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { operatorName } from '../../src/cli/operator-name.ts';

describe('operatorName', () => {
  it('is the user of the operating system, whatever the environment claims', () => {
    vi.stubEnv('USER', 'somebody-else');
    vi.stubEnv('LOGNAME', 'somebody-else');
    expect(operatorName()).toBe(`operator:${userInfo().username}`);
    vi.unstubAllEnvs();
  });

  it('falls back to the number of a user without a name', () => {
    const nameless = () => {
      throw new Error('A system error occurred: uv_os_get_passwd returned ENOENT');
    };
    expect(operatorName(nameless)).toBe(`operator:uid-${process.getuid?.()}`);
  });
});
