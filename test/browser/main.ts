import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { openChromium } from '../support/chromium.ts';
import { openFurnishedDashboard, visitAs } from './support/furnished-dashboard.ts';

/** `npm run screenshots [page…]`: every page, or some, at the width of a phone and of a dashboard, in light and dark. */
const WIDTHS = [390, 1440];
const SCHEMES = ['light', 'dark'] as const;
const FOLDER = 'docs/screenshots';
/** The length of a long list says nothing more, and weighs. */
const TALLEST = 2_600;

const wanted = process.argv.slice(2);
await mkdir(FOLDER, { recursive: true });
const dashboard = await openFurnishedDashboard();
const browser = await openChromium();
for (const { name, path, as } of dashboard.pages) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  for (const width of WIDTHS) {
    for (const colorScheme of SCHEMES) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const page = await visitAs(context, dashboard, { path, as });
      const file = join(FOLDER, `${name}-${width}-${colorScheme}.jpg`);
      // In a window as tall as the page, what sticks to the edge of the window covers nothing.
      const tall = await page.evaluate('document.documentElement.scrollHeight');
      await page.setViewportSize({ width, height: Math.min(Math.max(900, Number(tall)), TALLEST) });
      await page.screenshot({ path: file, quality: 50, type: 'jpeg' });
      await context.close();
    }
  }
  process.stderr.write(`${name}\n`);
}
await browser.close();
await dashboard.close();
// The servers of the tests end with their process.
process.exit(0);
