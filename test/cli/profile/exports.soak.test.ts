import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { EXPORT_LINES } from '../../../scripts/samples/export-lines.ts';
import { EXPORT_SAMPLES, type ExportSample, renderExportSample } from '../../../scripts/samples/export-samples.ts';
import { runSuggest } from '../../../src/cli/profile/suggest.ts';
import { answer, askedBy } from '../../../src/csv/suggest/questions.ts';
import { groupDigits } from '../../../src/kernel/counted.ts';
import { openedForTests } from '../../support/opened-for-tests.ts';
import { openCliWorld } from '../support/cli-world.ts';
import { fakeTerminal, runHere, takeDown } from '../support/run-here.ts';
import { allowOldDates, answerAll, answersShown, EXPORTS, expectResult, openExport } from './support/walk-export.ts';
import { FEATURES } from '../../../src/features.ts';

const PAGE = await readFile(new URL('../../../docs/from-your-accounting-system.md', import.meta.url), 'utf8');
/** The cells of all tables of the page. */
const TABLES = PAGE.split('\n').flatMap((line) => (line.startsWith('| ') ? [line.slice(2, -2).split(' | ')] : []));
const FOLDER = 'drop/quickbooks';
const QUICKBOOKS = EXPORT_SAMPLES.find(({ name }) => name === 'quickbooks')!;

const world = openedForTests(async () => {
  const opened = await openCliWorld({
    settings: {
      folders: [
        {
          path: FOLDER,
          account: 'main',
          operation: 'card',
          profile: 'quickbooks',
          complete: { by: 'quiet', quietMs: 20, probes: 2 },
        },
      ],
    },
  });
  await copyFile(join(EXPORTS, 'quickbooks.csv'), join(opened.root, 'june.csv'));
  return opened;
});

describe('docs/from-your-accounting-system.md', () => {
  it.each(EXPORT_SAMPLES)('says for $name what is asked, and what comes of it', async (sample) => {
    const { name, like, rows, total, leftOut, outcomes } = sample;
    const proposal = await openExport(sample);
    const section = PAGE.split(/^### /m).find((part) => part.toLowerCase().startsWith(`${like.toLowerCase()}\n`));
    const asked = answersShown(proposal, sample)
      .map(([about, label]) => `${about}: \`${label}\``)
      .join('; ');
    expect(section?.replace(/\s+/g, ' ')).toContain(`Asked: ${asked}. `);
    const out = await previewed(sample, join(EXPORTS, `${name}.csv`));
    expect(out).toContain(`\n${rows} payments, total ${groupDigits(total)}\n`);
    expect(out).toContain(`\nLeft out: ${leftOut.join('; ') || 'nothing'}\n`);
    const kinds = leftOut.map((kind) => kind.replace(/^total row .*/, 'total row'));
    const cells = [name, like, String(rows), total, kinds.join('; ') || 'nothing', outcomes];
    expect(TABLES).toContainEqual(cells);
  });

  it.each(TABLES.filter((cells) => cells.length === 4 && cells[0]?.startsWith('`')))(
    'says of %s that became %s: %s',
    async (...cells) => {
      const [given, changed, code] = cells.map((cell) => cell.replaceAll('`', '')) as [string, string, string];
      const sample = EXPORT_SAMPLES.find(({ name }) => EXPORT_LINES[name].some((line) => line.includes(given)))!;
      const text = renderExportSample(sample).toString('latin1').replace(given, changed);
      await writeFile(at('trap.csv'), text, 'latin1');
      expect(await previewed(sample, at('trap.csv'))).toContain(`(${code})\n`);
    },
  );

  it('shows how a profile is made, and what its first file brings', async () => {
    for (const { words, lines } of consolesOf(PAGE)) {
      const said = await paydrop(words);
      const places = lines.map((line) => said.indexOf(line));
      expect([words, places], said).toEqual([words, places.toSorted((a, b) => a - b).filter((place) => place >= 0)]);
    }
    await world.drop('quickbooks', 'quickbooks.csv', await readFile(at('june.csv')));
    await world.finish();
    const { titles, results } = await expectResult(world.root, QUICKBOOKS);
    const shown = TABLES.find(([first]) => first === 'No.')!;
    const rows = TABLES.filter(([first]) => first?.startsWith('QB-'));
    const cells = results.map((result) => shown.map((title) => result[titles.indexOf(title)]));
    expect(rows).toHaveLength(2);
    expect(cells).toEqual(expect.arrayContaining(rows));
  });
});

type Console = { readonly words: readonly string[]; readonly lines: readonly string[] };

/** Returns the commands of a page, each with the lines that it prints; a line `…` stands for any. */
function consolesOf(page: string): Console[] {
  const text = [...page.matchAll(/```console\n([^`]*)```/g)].map(([, block]) => block).join('');
  return text
    .split(/^\$ paydrop /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.trimEnd().split('\n');
      const words = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
      return { words, lines: lines.filter((line) => line !== '…') };
    });
}

const at = (name: string) => join(world.root, name);

/** Returns what the profile of a sample makes of a file. */
async function previewed(sample: ExportSample, file: string): Promise<string> {
  const [proposal, text] = [await openExport(sample), at(`draft-${sample.name}.yaml`)];
  await writeFile(text, answer(proposal, answerAll(proposal, sample)).draft);
  const place = ['--dir', EXPORTS, 'profile', 'preview', text, file, '--folder', `drop/${sample.name}`];
  const { out } = await runHere(place);
  return out;
}

/** Runs a command of the page. At the terminal the answers are those of the table, or Enter. */
async function paydrop(words: readonly string[]): Promise<string> {
  const placed = words.map((word) => (/\.(?:csv|yaml)$/.test(word) ? at(word) : word));
  if (words[1] === 'suggest') return suggest(at('june.csv'), placed.at(-1)!);
  const { out, err } = await world.paydrop(...placed);
  return `${out}${err}`;
}

async function suggest(sample: string, out: string): Promise<string> {
  const proposal = await openExport(QUICKBOOKS);
  const typed = askedBy(proposal, answerAll(proposal, QUICKBOOKS)).flatMap(({ id, words = [''], isWhole }) =>
    words.map(() => (isWhole ? 'y' : (QUICKBOOKS.answers[id] ?? ''))),
  );
  const terminal = fakeTerminal(typed);
  const options = { folder: FOLDER, out };
  const printed = await takeDown(() =>
    runSuggest({ arguments: [sample], options, dir: world.root, features: FEATURES }, terminal),
  );
  await allowOldDates(out, FOLDER);
  return stripVTControlCharacters(`${terminal.shown()}${printed.out}`);
}
