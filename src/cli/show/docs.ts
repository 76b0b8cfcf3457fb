import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '../../../schemas/errors.ts';
import { didYouMean } from '../../config/nearest.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import { type CliCommand, JSON_OPTION, print } from '../command.ts';
import { packageRoot } from '../package-version.ts';
import { type Paint, paintFor } from '../print/paint.ts';
import { tableOf } from '../print/table.ts';
import { sayOwn } from '../print/say.ts';

export const docs: CliCommand = {
  name: 'docs',
  about: 'Show a page of the documentation, or list the pages',
  takes: [['[topic]', 'a topic; left out, all are listed']],
  options: [JSON_OPTION],
  examples: ['docs', 'docs operating', 'docs configuration | less'],
  async run(call) {
    const [topic] = call.arguments;
    const pages = readPages(join(packageRoot(), 'docs'));
    if (topic === undefined) {
      const listed = pages
        .filter(({ folder }) => folder !== DECISIONS)
        .map(({ topic: name, title }) => ({ topic: name, title }));
      print(
        call,
        listed,
        () => `${tableOf(listed, { Topic: (page) => page.topic, Title: (page) => page.title })}\n\n${HINT}`,
      );
      return EXIT.ok;
    }
    const { title, text } = findPage(pages, topic);
    const shown = process.stdout.isTTY ? forTerminal(text, paintFor(process.stdout)) : text;
    sayOwn(call.options['json'] ? JSON.stringify({ topic, title, text }, null, 2) : shown);
    return EXIT.ok;
  },
};

const HINT = '"paydrop docs TOPIC" shows one. "paydrop COMMAND --help" explains a command.';

/** One page for each decision; only their list is a topic of its own. */
const DECISIONS = 'decisions';

type Page = { readonly topic: string; readonly folder: string; readonly title: string; readonly text: string };

/** Reads all pages of a folder and its folders. The page of a folder itself has its name. */
function readPages(root: string): readonly Page[] {
  const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  return paths
    .map((path) => {
      const parts = path.slice(0, -'.md'.length).split(/[/\\]/);
      const isIndex = parts.at(-1) === 'README';
      const text = readFileSync(join(root, path), 'utf8');
      const [, title = ''] = /^# (.*)$/m.exec(text) ?? [];
      const topic = (isIndex ? parts.at(-2) : parts.at(-1)) ?? '';
      return { topic, folder: isIndex ? '' : parts.slice(0, -1).join('/'), title, text };
    })
    .toSorted((one, other) => one.folder.localeCompare(other.folder) || one.topic.localeCompare(other.topic));
}

/** @throws PipelineError NOT_FOUND */
function findPage(pages: readonly Page[], topic: string): Page {
  const wanted = topic.toLowerCase().replace(/\.md$/, '').replace(/^.*\//, '');
  const page = pages.find((one) => one.topic === wanted);
  if (page) return page;
  const meant = didYouMean(
    wanted,
    pages.map((one) => one.topic),
  );
  throw new PipelineError('NOT_FOUND', `show the page "${maskText(topic)}"`, `there is no such topic${meant}`, {
    next: '"paydrop docs" lists all.',
  });
}

/** Shows headings in bold, and links as their texts; anything else in Markdown reads well as it is. */
export function forTerminal(text: string, paint: Paint): string {
  // With the fences in the pattern, every other part is code.
  return text
    .split(/^(```[^]*?^```)$/m)
    .map((part, index) => (index % 2 === 1 ? part : proseForTerminal(part, paint)))
    .join('');
}

function proseForTerminal(text: string, paint: Paint): string {
  return text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^#+ (.*)$/gm, (_line, heading: string) => paint('bold', heading));
}
