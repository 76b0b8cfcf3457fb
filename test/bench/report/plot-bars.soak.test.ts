import { describe, expect, it } from 'vitest';
import { plotBars } from '../../../bench/report/plot-bars.ts';

describe('plotBars', () => {
  const svg = plotBars({
    title: 'Rows checked',
    bars: [
      { name: 'paydrop', value: 200, label: '200', isOurs: true },
      { name: 'peer', value: 50, label: '50', isOurs: false },
    ],
  });

  it('draws bars from zero, so that their lengths may be compared', () => {
    const widths = [...svg.matchAll(/<rect [^>]*width="([\d.]+)"/g)].map(([, width]) => Number(width));
    expect(widths[0]! / widths[1]!).toBeCloseTo(4, 1);
  });

  it('tells ours from the others', () => {
    expect(svg.match(/<rect class="ours"/g)).toHaveLength(1);
    expect(svg.match(/<rect class="bar"/g)).toHaveLength(1);
  });
});
