import { describe, expect, it } from 'vitest';
import type { App } from '../../../src/app.ts';
import { PipelineError } from '../../../src/kernel/errors.ts';
import { checkKeys } from '../../../workers/watch/check-folders.ts';

const FOLDERS = [
  { account: 'here', site: 'main' },
  { account: 'here', site: 'main' },
  { account: 'elsewhere', site: 'berlin' },
];

function appWith(openPgpKeys: App['openPgpKeys']): App {
  return { settings: { folders: FOLDERS, site: 'main' }, openPgpKeys } as unknown as App;
}

describe('checkKeys', () => {
  it('opens the keys of each account whose folders lie here', async () => {
    const asked: string[] = [];
    await checkKeys(appWith((account) => void asked.push(account)));
    expect(asked).toEqual(['here']);
  });

  it('fails for a key that cannot be used', async () => {
    const trouble = new PipelineError('PGP_KEY', 'use it');
    await expect(checkKeys(appWith(() => Promise.reject(trouble)))).rejects.toBe(trouble);
  });
});
