import type { App } from '../../app.ts';
import { type Folder, foldersHere } from '../../config/config.ts';
import { createFolderScanner, type FolderScanner } from '../../files/scan-folder.ts';
import { answerInTime } from '../../kernel/answer-in-time.ts';

/** Time between two listings of a folder, in ms, and as a multiple of how long the last one took. */
const LIST_EACH_MS = 2_000;
const REST_PER_LISTING = 20;

/** How long a page waits for folders, in ms. A slower listing shows on the next page. */
const WAIT_MS = 300;

/** Brings what waits in the drop folders up to date, or gives up after a moment. */
export type DropLister = { refresh(): Promise<void> };

type Listing = { readonly scanner: FolderScanner; nextAt: number; running: Promise<void> | undefined };

/**
 * Lists the drop folders for pages of a process that does not watch them; one that does has just listed them. Folders
 * are listed only while pages ask for them, and all viewers share a listing.
 */
export function openDropLister({ settings, waiting, clock }: Pick<App, 'settings' | 'waiting' | 'clock'>): DropLister {
  /** By the folder as it is set, because a changed one begins anew. */
  const listings = new Map<Folder, Listing>();
  const list = (folder: Folder): Promise<void> | undefined => {
    const begin = (): Listing => ({ scanner: createFolderScanner(folder, clock), nextAt: 0, running: undefined });
    const listing = listings.get(folder) ?? begin();
    listings.set(folder, listing);
    const began = performance.now();
    if (listing.running !== undefined || began < listing.nextAt) return listing.running;
    const note = async () => {
      try {
        waiting.note(folder.id, await listing.scanner.scan());
      } catch {
        // The folder has its own alarm.
        waiting.forget(folder.id);
      } finally {
        const took = performance.now() - began;
        listing.nextAt = began + Math.max(LIST_EACH_MS, REST_PER_LISTING * took);
        listing.running = undefined;
      }
    };
    listing.running = note();
    return listing.running;
  };
  return {
    async refresh(): Promise<void> {
      if (waiting.isFollowed) return;
      const folders = foldersHere(settings);
      for (const gone of [...listings.keys()].filter((folder) => !folders.includes(folder))) listings.delete(gone);
      await answerInTime(WAIT_MS, Promise.all(folders.map(async (folder) => list(folder)))).catch(() => undefined);
    },
  };
}
