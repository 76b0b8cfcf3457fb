import { describe, expect, it } from 'vitest';
import { WEEKDAYS, type WindowConfig } from '../../../../schemas/config.ts';
import { describeWindow } from '../../../../src/web/pages/accounts/rules.tsx';

const window: WindowConfig = { from: '09:00', to: '17:00', days: [...WEEKDAYS], holidays: [] };

describe('describeWindow', () => {
  it.each([
    [undefined, 'at any time'],
    [window, '09:00 to 17:00, every day, in Europe/London'],
    [{ ...window, days: ['mon', 'tue'] }, '09:00 to 17:00, mon tue, in Europe/London'],
    [{ ...window, from: '00:00', to: '00:00' }, 'the whole day, every day, in Europe/London'],
    [{ ...window, holidays: ['2026-12-25'] }, '09:00 to 17:00, every day, in Europe/London, not on 2026-12-25'],
  ] as [WindowConfig | undefined, string][])('of %j says "%s"', (of, words) => {
    expect(describeWindow(of, 'Europe/London')).toBe(words);
  });
});
