import type { FileRow } from '../../../src/ledger/engine/records.ts';
import { findFile } from '../../../src/ledger/file/search.ts';
import type { PipelineWorld } from '../../support/pipeline-world.ts';
import type { Answer, TestBrowser } from './dashboard-world.ts';

/** What an action's page shows, and what its form carries. */
export type ActionPage = Answer & {
  /** Hidden fields: the mark of the plan, and what was chosen. */
  readonly hidden: Record<string, string>;
  /** The page's text without markup. */
  readonly words: string;
};

export async function openAction(browser: TestBrowser, path: string): Promise<ActionPage> {
  return readAction(await browser.get(path));
}

export function readAction(answer: Answer): ActionPage {
  return { ...answer, hidden: hiddenFields(answer.text), words: wordsOf(answer.text) };
}

/** Reads the plan and carries it out, as a user would. */
export async function doIt(
  browser: TestBrowser,
  path: string,
  form: Record<string, string> = { reason: 'looked at with the sender' },
): Promise<ActionPage> {
  const page = await openAction(browser, path);
  if (page.hidden['bind'] === undefined) return page;
  return readAction(await browser.post(path.split('?')[0]!, { ...page.hidden, ...form }));
}

export function fileNamed(world: PipelineWorld, name: string): Promise<FileRow> {
  return findFile(world.app.ledger, name);
}

/** Returns the moves users made on a file and its batches, with actor and reason, in order. */
export async function actionsOf(world: PipelineWorld, fileId: string): Promise<string[]> {
  const { rows } = await world.app.ledger.pool.query<{ actor: string; move: string; reason: string }>(
    `SELECT actor, move, reason FROM audit WHERE file_id = $1 AND actor LIKE 'operator:%' ORDER BY seq`,
    [fileId],
  );
  return rows.map(({ actor, move, reason }) => `${actor} ${move}: ${reason}`);
}

function hiddenFields(text: string): Record<string, string> {
  const main = text.slice(text.indexOf('<main'));
  const fields = [...main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(
    fields.map(([, name, value]) => [name!, plain(value!)]).filter(([name]) => name !== '_csrf'),
  );
}

function wordsOf(text: string): string {
  const main = text.slice(text.indexOf('<main'));
  return plain(main.replace(/<[^>]+>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

function plain(html: string): string {
  return html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
