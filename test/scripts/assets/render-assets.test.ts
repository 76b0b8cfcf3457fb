import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { COLORS } from '../../../scripts/assets/look.ts';
import { colorOf, renderAssets } from '../../../scripts/assets/render-assets.ts';

const WEB = new URL('../../../src/web/', import.meta.url);
const RENDERED = await renderAssets();

describe('renderAssets', () => {
  it.each([...RENDERED])('%s is what the packages say; if not, run "npm run assets"', async (path, bytes) => {
    expect(bytes.equals(await readFile(new URL(path, WEB))), path).toBe(true);
  });

  it.each(['eval(', 'new Function', '.setAttribute("style"', '.cssText'])(
    'serves no script with %s, which the policy of the dashboard forbids',
    (words) => {
      const scripts = [...RENDERED].filter(([path]) => path.endsWith('.js'));
      expect(scripts).toHaveLength(2);
      expect(scripts.filter(([, bytes]) => bytes.includes(words)).map(([path]) => path)).toEqual([]);
    },
  );
});

describe('colorOf', () => {
  it('takes a step of a scale, for light and for dark, and leaves other colors alone', () => {
    expect([colorOf('sage2', 'light'), colorOf('sage2', 'dark'), colorOf('#0b6a63', 'dark')]).toEqual([
      '#f7f9f8',
      '#171918',
      '#0b6a63',
    ]);
    expect(() => colorOf('sage13', 'light')).toThrow('has no sage13');
  });
});

const GROUNDS = ['ground', 'panel', 'hover', 'selected'];
const TONES = ['bad', 'warn', 'good', 'info', 'idle'];

/** Which color is drawn on which, and the least contrast: 4.5 for text, 3 for icons and edges (WCAG 2.2 AA). */
const PAIRS: readonly (readonly [color: string, on: string, least: number])[] = [
  ...GROUNDS.flatMap((on) => ['ink', 'soft', 'accent'].map((color) => [color, on, 4.5] as const)),
  ...GROUNDS.flatMap((on) => [...TONES, 'edge', 'danger'].map((color) => [color, on, 3] as const)),
  ...TONES.flatMap((tone) => [
    [`${tone}-ink`, `${tone}-ground`, 4.5] as const,
    [tone, `${tone}-ground`, 3] as const,
    ['ink', `${tone}-ground`, 4.5] as const,
    ['accent', `${tone}-ground`, 4.5] as const,
  ]),
  ['on-accent', 'accent', 4.5],
  ['on-danger', 'danger', 4.5],
];

/** Returns the relative luminance of `#rrggbb`, as WCAG defines it. */
function luminanceOf(color: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

function contrastOf(one: string, other: string): number {
  const [dark, light] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

describe('COLORS', () => {
  it('reckons contrast as WCAG does', () => {
    expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21, 5);
    expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });

  it.each(['light', 'dark'] as const)('can be read in the %s: every pair has enough contrast', (mode) => {
    const hexOf = (name: string) => colorOf(COLORS[name]![mode === 'light' ? 0 : 1], mode);
    const faint = PAIRS.map(([color, on, least]) => ({ color, on, least, is: contrastOf(hexOf(color), hexOf(on)) }));
    expect(faint.filter(({ is, least }) => is < least)).toEqual([]);
  });

  it('is tried whole: a color that is in no pair could be invisible', () => {
    const tried = new Set(PAIRS.flatMap(([color, on]) => [color, on]));
    expect(Object.keys(COLORS).filter((name) => !tried.has(name))).toEqual(['line']);
  });
});
