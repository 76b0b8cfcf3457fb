import { describe, expect, it } from 'vitest';
import { METRICS } from '../../schemas/metrics.ts';

describe('METRICS', () => {
  it.each(Object.entries(METRICS))('%s has a name as Prometheus wants it and says what it is', (name, { help }) => {
    expect(name).toMatch(/^paydrop(_[a-z]+)+$/);
    expect(help).toMatch(/^\S.*[^.]$/);
  });

  it('names the unit of whatever has one, at its end', () => {
    const units = Object.entries(METRICS).filter(([, { help }]) =>
      /\bcents\b|how long|since when|how late|\bsize\b|space/i.test(help),
    );
    for (const [name] of units) expect(name).toMatch(/_(?:seconds|cents|bytes)$/);
    expect(units.length).toBeGreaterThan(5);
  });
});
