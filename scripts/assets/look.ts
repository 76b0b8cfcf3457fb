/**
 * The colors of the dashboard: a step of a Radix scale, or a color of our own, for light and for dark. A test computes
 * the contrast of every pair that pages use (test/scripts/assets/render-assets.test.ts).
 */
export const COLORS: Readonly<Record<string, readonly [light: string, dark: string]>> = {
  ground: ['sage2', 'sage1'],
  panel: ['#ffffff', 'sage3'],
  hover: ['sage3', 'sage4'],
  selected: ['teal3', 'teal3'],
  ink: ['sage12', 'sage12'],
  soft: ['sage11', 'sage11'],
  line: ['sage6', 'sage7'],
  edge: ['sage10', '#868e8b'],
  accent: ['#0b6a63', '#5cc4b8'],
  'on-accent': ['#ffffff', '#06201d'],
  danger: ['red11', 'red11'],
  'on-danger': ['#ffffff', 'red3'],
  bad: ['red11', 'red11'],
  'bad-ground': ['red3', 'red3'],
  'bad-ink': ['red12', 'red12'],
  warn: ['amber11', 'amber11'],
  'warn-ground': ['amber3', 'amber3'],
  'warn-ink': ['amber12', 'amber12'],
  good: ['green11', 'green11'],
  'good-ground': ['green3', 'green3'],
  'good-ink': ['green12', 'green12'],
  info: ['blue11', 'blue11'],
  'info-ground': ['blue3', 'blue3'],
  'info-ink': ['blue12', 'blue12'],
  idle: ['sage11', 'sage11'],
  'idle-ground': ['sage3', 'sage4'],
  'idle-ink': ['sage12', 'sage12'],
};

/** Sizes of type, in rem and line height, so that the zoom of the browser works. */
export const TYPE: Readonly<Record<string, string>> = {
  'text-xs': '0.75rem / 1rem',
  'text-sm': '0.875rem / 1.25rem',
  'text-md': '1rem / 1.5rem',
  'text-lg': '1.25rem / 1.75rem',
  'text-xl': '1.75rem / 2.25rem',
};

/** The icons that pages use, by their names in heroicons. */
export const ICON_NAMES = [
  'arrow-right-start-on-rectangle',
  'arrow-up-tray',
  'banknotes',
  'bars-3',
  'building-library',
  'calendar-days',
  'chart-bar',
  'check-badge',
  'check-circle',
  'chevron-up-down',
  'lock-closed',
  'clipboard-document-list',
  'code-bracket',
  'command-line',
  'document-text',
  'exclamation-triangle',
  'information-circle',
  'magnifying-glass',
  'queue-list',
  'user-circle',
  'users',
  'x-circle',
] as const;

/** The parts of the font that are served: Western letters. Others come from the reader's system. */
export const FONT_PARTS = ['latin'] as const;
