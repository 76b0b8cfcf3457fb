import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.ts';
import { folderOf } from '../../workers/open-original.ts';

const KNOWN = { id: 'drop/card' };
// `folderOf` only uses the app's folders.
const app = { folder: (id: string) => (id === KNOWN.id ? KNOWN : undefined) } as unknown as App;

describe('folderOf', () => {
  it('is the folder of the configuration', () => {
    expect(folderOf(app, 'drop/card', 'f1')).toBe(KNOWN);
  });

  it('says which folder to put back when it is gone', () => {
    expect(() => folderOf(app, 'drop/gone', 'f1')).toThrow(
      'Cannot take in file "f1": folder "drop/gone" is not in the configuration any more. Put the folder back into paydrop.yaml; the file waits in the work folder.',
    );
  });
});
