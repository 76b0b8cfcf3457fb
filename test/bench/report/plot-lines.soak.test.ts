import { describe, expect, it } from 'vitest';
import { plotLines } from '../../../bench/report/plot-lines.ts';

const PLOT = {
  title: 'Seconds <of it>',
  x: 'rows',
  y: 'seconds',
  series: [
    {
      name: 'ours',
      points: [
        [10, 1],
        [1_000, 10],
      ],
    },
    {
      name: 'theirs',
      points: [
        [10, 1.1],
        [1_000, 10.1],
      ],
    },
    { name: 'nobody', points: [] },
  ],
} as const;

describe('plotLines', () => {
  const svg = plotLines(PLOT);

  it('draws a line with its points for each series that has some', () => {
    expect(svg.match(/<path class="line/g)).toHaveLength(2);
    expect(svg.match(/<circle/g)).toHaveLength(4);
    expect(svg).not.toContain('nobody');
  });

  it('puts ten times as much as far from one as a hundred from ten', () => {
    const placeOf = (label: string) =>
      new RegExp(`x="([\\d.]+)" y="[\\d.]+" text-anchor="middle">${label}<`).exec(svg)?.[1];
    const at = ['10', '100', '1,000'].map((label) => Number(placeOf(label)));
    expect(at[1]! - at[0]!).toBeCloseTo(at[2]! - at[1]!, 0);
  });

  it('keeps names of lines that end side by side apart', () => {
    const [ours, theirs] = ['ours', 'theirs'].map((name) =>
      Number(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`).exec(svg)?.[1]),
    );
    expect(Math.abs(ours! - theirs!)).toBeGreaterThanOrEqual(18);
  });

  it('escapes its words and can be read on dark pages', () => {
    expect(svg).toContain('Seconds &lt;of it&gt;');
    expect(svg).toContain('prefers-color-scheme: dark');
    expect(svg).not.toContain('NaN');
  });
});
