import { afterEach, describe, expect, it, vi } from 'vitest';
import { openCommandLog } from '../../src/cli/open-command-log.ts';
import { takeDown } from './support/take-down.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('openCommandLog', () => {
  it.each([
    ['', 'info'],
    ['debug', 'debug'],
    ['silent', 'silent'],
  ])('PAYDROP_LOG_LEVEL=%j: %s', (value, level) => {
    vi.stubEnv('PAYDROP_LOG_LEVEL', value);
    expect(openCommandLog().level).toBe(level);
  });

  it('lets the command say what is usual', () => {
    vi.stubEnv('PAYDROP_LOG_LEVEL', '');
    expect(openCommandLog('warn').level).toBe('warn');
  });

  it('clears the progress line before each line', async () => {
    vi.stubEnv('PAYDROP_LOG_LEVEL', 'info');
    const order: string[] = [];
    const { err } = await takeDown(() => {
      const log = openCommandLog('warn', { show: () => {}, clear: () => order.push('clear') });
      log.info('one');
      log.debug('not said');
    });
    expect(order).toEqual(['clear']);
    expect(JSON.parse(err)).toMatchObject({ msg: 'one' });
  });

  it('names a level that does not exist', () => {
    vi.stubEnv('PAYDROP_LOG_LEVEL', 'loud');
    expect(() => openCommandLog()).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => openCommandLog()).toThrow(/"loud".*Set PAYDROP_LOG_LEVEL to debug, info/);
  });
});
