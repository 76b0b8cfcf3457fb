import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import colors from '@radix-ui/colors';
import { COLORS, FONT_PARTS, ICON_NAMES, TYPE } from './look.ts';

const SCALES: Readonly<Record<string, Readonly<Record<string, string>>>> = colors;
const FONT = '@fontsource-variable/geist';

/**
 * Renders everything of the dashboard's look that comes from packages, so that browsers load nothing from elsewhere and
 * the running program needs none of these packages.
 * @returns contents by their path in src/web
 */
export async function renderAssets(): Promise<ReadonlyMap<string, Buffer>> {
  const rendered: readonly (readonly [path: string, content: string | Buffer])[] = [
    ['assets/tokens.css', await renderTokens()],
    ['assets/vendor/idiomorph.js', await renderIdiomorph()],
    ['assets/vendor/hotkey.js', await renderHotkey()],
    ...(await Promise.all(
      FONT_PARTS.map(async (part) => [`assets/fonts/${part}.woff2`, await readFont(part)] as const),
    )),
    ['assets/fonts/LICENSE', await readPackageFile(FONT, 'LICENSE')],
    ['parts/icon-paths.ts', await renderIcons()],
  ];
  return new Map(rendered.map(([path, content]) => [path, Buffer.from(content)]));
}

/** Finds a file of a package by its main folder; not every package exports its package.json. */
async function readPackageFile(name: string, path: string): Promise<Buffer> {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  for (const folder of folders) {
    const found = await readFile(join(folder, name, path)).catch(() => undefined);
    if (found) return found;
  }
  throw new Error(`${name} is not installed, or has no ${path}`);
}

const readFont = (part: string) => readPackageFile(FONT, `files/geist-${part}-wght-normal.woff2`);

async function licenceLine(name: string): Promise<string> {
  const about = JSON.parse(String(await readPackageFile(name, 'package.json'))) as { version: string; license: string };
  return `${name} ${about.version}, ${about.license}`;
}

async function renderTokens(): Promise<string> {
  const colors = Object.entries(COLORS).map(([name, [light, dark]]) => {
    return `  --${name}: light-dark(${colorOf(light, 'light')}, ${colorOf(dark, 'dark')});`;
  });
  const sizes = Object.entries(TYPE).map(([name, size]) => `  --${name}: ${size};`);
  return [
    `/* Written by "npm run assets" (scripts/assets/look.ts). ${await licenceLine('@radix-ui/colors')};`,
    `   ${await licenceLine(FONT)} (fonts/LICENSE). */`,
    ...(await renderFontFaces()),
    ':root {',
    '  color-scheme: light dark;',
    ...colors,
    ...sizes,
    '}',
    '',
  ].join('\n');
}

/**
 * Returns a color as hexadecimal digits.
 * @param color `sage11`, a step of a scale, or a color itself
 */
export function colorOf(color: string, mode: 'light' | 'dark'): string {
  const [, scale] = /^([a-z]+)\d+$/.exec(color) ?? [];
  if (scale === undefined) return color;
  const step = SCALES[mode === 'dark' ? `${scale}Dark` : scale]?.[color];
  if (step === undefined) throw new Error(`@radix-ui/colors has no ${color}`);
  return step;
}

async function renderFontFaces(): Promise<string[]> {
  const ranges = JSON.parse(String(await readPackageFile(FONT, 'unicode.json'))) as Record<string, string>;
  return FONT_PARTS.flatMap((part) => [
    '@font-face {',
    '  font-family: Geist;',
    '  font-weight: 100 900;',
    '  font-display: swap;',
    `  src: url(fonts/${part}.woff2) format("woff2");`,
    '  unicode-range:',
    `    ${ranges[part]!.replaceAll(',', ', ')};`,
    '}',
  ]);
}

/** The small file of idiomorph is made for a script element; the last line makes it a module. */
async function renderIdiomorph(): Promise<string> {
  const code = String(await readPackageFile('idiomorph', 'dist/idiomorph.min.js'));
  return `// ${await licenceLine('idiomorph')}.\n${code.trimEnd()}\nexport { Idiomorph };\n`;
}

async function renderHotkey(): Promise<string> {
  const licence = String(await readPackageFile('@github/hotkey', 'LICENSE')).trim();
  const code = String(await readPackageFile('@github/hotkey', 'dist/index.js'));
  return `/* ${await licenceLine('@github/hotkey')}\n\n${licence} */\n${code.trimEnd()}\n`;
}

async function renderIcons(): Promise<string> {
  const rows = await Promise.all(ICON_NAMES.map(async (name) => renderIcon(name, await pathsOf(name))));
  const licence = String(await readPackageFile('heroicons', 'LICENSE')).trim();
  return [
    `/* Written by "npm run assets" (scripts/assets/look.ts) from ${await licenceLine('heroicons')}:\n\n${licence} */`,
    '',
    '/** The shapes of each icon, drawn in a square of 20 by 20. */',
    'export const ICON_PATHS = {',
    ...rows,
    '} as const;',
    '',
  ].join('\n');
}

/** Renders an icon as the formatter of the code would. */
function renderIcon(name: string, paths: readonly string[]): string {
  const key = name.includes('-') ? `'${name}'` : name;
  return [`  ${key}: [`, ...paths.map((path) => `    '${path}',`), '  ],'].join('\n');
}

async function pathsOf(icon: string): Promise<string[]> {
  const svg = String(await readPackageFile('heroicons', `20/solid/${icon}.svg`));
  return [...svg.matchAll(/<path [^>]*\bd="([^"]+)"/g)].map(([, shape]) => shape!);
}
