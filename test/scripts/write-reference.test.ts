import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ALARM_KINDS } from '../../schemas/alarms.ts';
import { Config } from '../../schemas/config.ts';
import { ERRORS } from '../../schemas/errors.ts';
import { FIELDS } from '../../schemas/fields.ts';
import { LAYOUTS } from '../../schemas/layouts.ts';
import { BATCH_MOVES, FILE_MOVES } from '../../schemas/lifecycle.ts';
import { METRICS } from '../../schemas/metrics.ts';
import { OPERATIONS } from '../../schemas/operations.ts';
import { REJECTIONS } from '../../schemas/rejections.ts';
import { REPORTS } from '../../schemas/reports.ts';
import { SMALLEST_CONFIG } from '../../scripts/reference/configuration.ts';
import { renderPages } from '../../scripts/reference/pages.ts';

const FOLDER = new URL('../../docs/reference/', import.meta.url);
const PAGES = renderPages();

describe('docs/reference', () => {
  it.each(Object.entries(PAGES))('%s is what the tables say; if not, run "npm run docs"', async (name, text) => {
    expect(await readFile(new URL(name, FOLDER), 'utf8')).toBe(text);
  });

  it('holds no page that is not generated', async () => {
    expect((await readdir(FOLDER)).toSorted()).toEqual(Object.keys(PAGES).toSorted());
  });
});

describe('renderPages', () => {
  it.each([
    ['alarms.md', Object.keys(ALARM_KINDS).map((kind) => `| \`${kind}\` |`)],
    ['operations.md', Object.keys(OPERATIONS).map((name) => `### ${name}\n`)],
    ['fields.md', Object.keys(FIELDS).map((name) => `| \`${name}\` |`)],
    ['layouts.md', Object.keys(LAYOUTS).map((name) => `## ${name}\n`)],
    ['rejections.md', Object.keys(REJECTIONS).map((number) => `\n| ${number} |`)],
    ['errors.md', Object.keys(ERRORS).map((name) => `| \`${name}\` |`)],
    ['lifecycle.md', [...FILE_MOVES, ...BATCH_MOVES].map(({ from, to }) => `  ${from ?? '[*]'} --> ${to}: `)],
    ['metrics.md', Object.keys(METRICS).map((name) => `| \`${name}\` |`)],
    ['reports.md', Object.keys(REPORTS).map((name) => `| \`${name}\` |`)],
    ['restrictions.md', ['Service cannot be used on this server.', '| NA | USD |', '| UK | EUR |']],
    [
      'configuration.md',
      ['`poll.factor`', '`complete.suffix`', '`badRows.maxPercent`', '`hostKey`', '`marker`', '`DATABASE_URL`'],
    ],
  ] as const)('%s names every row of its table', (name, marks) => {
    for (const mark of marks) expect(PAGES[name]).toContain(mark);
  });

  it.each(Object.entries(PAGES))('%s is whole Markdown', (_name, text) => {
    expect(text).toMatch(/^<!-- Generated .* -->\n\n# /);
    expect(text).toMatch(/[^\n]\n$/);
    expect(text).not.toMatch(/undefined|null|\[object/);
    for (const table of text
      .trim()
      .split('\n\n')
      .filter((block) => block.startsWith('|'))) {
      const widths = table.split('\n').map((line) => line.split(/(?<!\\)\|/).length);
      expect(new Set(widths).size, table).toBe(1);
    }
  });

  it('shows a configuration that works', () => {
    expect(Config.safeParse(parse(SMALLEST_CONFIG)).error).toBeUndefined();
  });
});
