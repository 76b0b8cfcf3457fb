import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../schemas/metrics.ts';

type Panel = {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string }[];
};

const ROOT = new URL('../../', import.meta.url);
const text = await readFile(new URL('deploy/grafana-dashboard.json', ROOT), 'utf8');
const { panels } = JSON.parse(text) as { panels: Panel[] };

function figuresIn(words: string): string[] {
  return words.match(/\bpaydrop_\w+/g) ?? [];
}

describe('deploy/grafana-dashboard.json', () => {
  it('names only figures that there are, and every one of them', () => {
    expect(new Set(figuresIn(text))).toEqual(new Set(Object.keys(METRICS)));
  });

  it('groups and filters only by labels that the figure has', () => {
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const [name] = figuresIn(expr) as [keyof typeof METRICS];
        const asked = [...expr.matchAll(/(\w+)=~|by \(([\w, ]+)\)/g)].flatMap(
          ([, one, many]) => one ?? many!.split(', '),
        );
        const labels: readonly string[] = METRICS[name].labels;
        expect(
          asked.filter((label) => !labels.includes(label)),
          `${title}: ${expr}`,
        ).toEqual([]);
      }
    }
  });

  it('shows panels that do not lie on one another', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  });

  it('is not the only place that names them: the operating page has those worth a call', async () => {
    const page = await readFile(new URL('docs/operating.md', ROOT), 'utf8');
    expect(figuresIn(page).length).toBeGreaterThan(3);
    for (const name of figuresIn(page)) expect(Object.keys(METRICS)).toContain(name);
  });
});
