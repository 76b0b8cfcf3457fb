import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { type ServiceVerdict, serviceVerdict } from './service-verdict.ts';

/** Where Debian and similar systems install it. */
const CHROMIUM = '/usr/bin/chromium';

export function chromiumIsInstalled(): boolean {
  return existsSync(CHROMIUM);
}

export function chromiumVerdict(): ServiceVerdict {
  return serviceVerdict('chromium', 'tests of the dashboard in a browser', chromiumIsInstalled());
}

/** Opens a real browser without a window, which contacts only the page it is given. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      // As root, as in a CI container, its sandbox refuses to start.
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
