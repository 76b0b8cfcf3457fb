import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERRORS, type FaultCode } from '../../schemas/errors.ts';
import { layoutOf, LAYOUTS } from '../../schemas/layouts.ts';
import { FOLDER_OPERATIONS, type FolderOperation, OPERATIONS } from '../../schemas/operations.ts';
import { FAULTY_SAMPLES, NOT_IN_A_FILE } from '../../scripts/samples/faulty-samples.ts';
import { renderSamples } from '../../scripts/samples/render-samples.ts';
import { readPayments, RESULT_SAMPLES } from '../../scripts/samples/result-samples.ts';
import { MARKER_SAMPLE, MARKER_SUFFIX, VALID_SAMPLES } from '../../scripts/samples/valid-samples.ts';
import type { CheckRules } from '../../src/csv/check/check-payment-file.ts';
import { readResultFile } from '../../src/csv/read/read-result-file.ts';
import { createFolderScanner } from '../../src/files/scan-folder.ts';
import { readSidecar } from '../../src/files/sidecar.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { type Folder, loadSettings } from '../../src/config/config.ts';
import { sha256Of } from '../../src/kernel/hash.ts';
import { type Limits, limitsOf } from '../../src/config/account-rules.ts';
import { lastFour } from '../../src/kernel/mask.ts';
import { matchResults } from '../../src/reconcile/match-results.ts';
import { decideIntake } from '../../workers/intake/decide-intake.ts';
import { checkAll } from '../csv/support.ts';
import { ALARM_KINDS } from '../../schemas/alarms.ts';
import { Config } from '../../schemas/config.ts';
import { FIELDS } from '../../schemas/fields.ts';
import { BATCH_MOVES, FILE_MOVES } from '../../schemas/lifecycle.ts';
import { METRICS } from '../../schemas/metrics.ts';
import { REJECTIONS } from '../../schemas/rejections.ts';
import { REPORTS } from '../../schemas/reports.ts';
import { SMALLEST_CONFIG } from '../../scripts/reference/configuration.ts';
import { renderPages } from '../../scripts/reference/pages.ts';

const SAMPLES = new URL('../../samples/', import.meta.url);
const SETTINGS = loadSettings(fileURLToPath(SAMPLES), {});
const RENDERED = await renderSamples();

type Setting = {
  operation: FolderOperation;
  account?: string;
  folder?: (Partial<CheckRules['folder']> & Partial<Pick<Folder, 'limits'>>) | undefined;
};

/** Returns intake's verdict on a sample in the folder of samples/paydrop.yaml that it is meant for. */
async function decide(file: string, setting: Setting) {
  const bytes = await readFile(new URL(file, SAMPLES));
  const { rowFaults, rows: _rows, codes: _codes, ...check } = await checkAll(bytes, rulesOf(setting));
  const control = RENDERED.has(`${file}.ctl`)
    ? await readSidecar(fileURLToPath(new URL(`${file}.ctl`, SAMPLES)))
    : null;
  const { decision, faults } = decideIntake(check, {
    effects: rulesOf(setting).folder,
    control,
    claimedSha256: sha256Of(bytes),
    changed: false,
    sameName: undefined,
    maxBytes: undefined,
    limits: limitsFor(setting),
    approvalDue: false,
    history: undefined,
  });
  return { check, decision, faults: [...rowFaults, ...check.faults, ...faults] };
}

function folderFor({ operation, account = 'main', folder }: Setting): Folder {
  const found = SETTINGS.folders.find((row) => row.account === account && row.operation === operation)!;
  return { ...found, ...folder };
}

function limitsFor(setting: Setting): Limits {
  return limitsOf(SETTINGS.accounts.get(setting.account ?? 'main')!, folderFor(setting));
}

function rulesOf(setting: Setting): CheckRules {
  const { operation, account = 'main' } = setting;
  return {
    operation,
    account: SETTINGS.accounts.get(account)!,
    folder: folderFor(setting),
    largestRowCents: limitsFor(setting).rowCents,
    // The day of the sample rows.
    today: '2026-06-15',
  };
}

describe('samples/', () => {
  it.each([...RENDERED])('%s is what the tables say; if not, run "npm run samples"', async (name, bytes) => {
    expect(bytes.equals(await readFile(new URL(name, SAMPLES))), name).toBe(true);
  });

  it('holds nothing else but the configuration', async () => {
    const entries = await readdir(SAMPLES, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.slice(fileURLToPath(SAMPLES).length).replace(/^\//, ''));
    expect(files.toSorted()).toEqual([...RENDERED.keys(), 'paydrop.yaml', 'exports/paydrop.yaml'].toSorted());
  });

  it('holds no card number but the test numbers of the sandbox, and one of them with a wrong digit', () => {
    const texts = [...RENDERED.values()].map((bytes) => bytes.toString('latin1').replace(/(?<=\d)[ -](?=\d)/g, ''));
    const numbers = texts.flatMap((text) => text.match(/\b[3-6]\d{12,18}\b/g) ?? []);
    const known = ['4222222222222220', '4111111111111111', '5454545454545454', '378282246310005'];
    expect([...new Set(numbers)].toSorted()).toEqual([...known, '4222222222222221'].toSorted());
  });

  it('has no two rows that the sandbox would take for one payment', () => {
    const files = [...VALID_SAMPLES, MARKER_SAMPLE, ...FAULTY_SAMPLES];
    const prefixes = files.map(({ file, layout, operation }) => {
      const row = RENDERED.get(file)!
        .toString('latin1')
        .split('\n')
        .find((line) => line.includes('-1001'));
      const place = layout === 'card' || layout === 'card-ca' ? 1 : 0;
      return row === undefined ? file : `${operation} ${row.split(',')[place]}`;
    });
    expect(new Set(prefixes).size).toBe(prefixes.length);
  });
});

describe('samples/paydrop.yaml', () => {
  it('has a folder for every operation and every layout', () => {
    const taken = SETTINGS.folders.map(
      ({ account, operation }) => `${SETTINGS.accounts.get(account)!.country} ${operation}`,
    );
    for (const operation of Object.keys(FOLDER_OPERATIONS)) expect(taken).toContain(`US ${operation}`);
    expect(taken).toContain('CA card');
  });
});

describe('a valid sample', () => {
  it.each([...VALID_SAMPLES, MARKER_SAMPLE])('$file has no fault', async (sample) => {
    const { check, decision, faults } = await decide(sample.file, sample);
    expect(faults).toEqual([]);
    expect(decision).toEqual({ verdict: 'accept' });
    expect(check).toMatchObject({ layout: sample.layout, records: sample.rows, valid: { rows: sample.rows } });
    expect(check.headerLine).toBe(sample.hasHeader ? 1 : null);
  });

  it('is there for every operation and layout', () => {
    const wanted = (Object.keys(FOLDER_OPERATIONS) as FolderOperation[]).flatMap((operation) =>
      Object.values(LAYOUTS).flatMap((layout) =>
        layout.operations.some((name) => name === operation)
          ? `${operation} ${layoutOf(operation, layout.columns.length)}`
          : [],
      ),
    );
    expect(VALID_SAMPLES.map(({ operation, layout }) => `${operation} ${layout}`).toSorted()).toEqual(
      wanted.toSorted(),
    );
  });

  it('with a marker is taken in a folder that asks for markers', async () => {
    const path = fileURLToPath(new URL('marker/', SAMPLES));
    const complete = { by: 'marker', suffix: MARKER_SUFFIX } as const;
    const scan = await createFolderScanner({ path, complete }, systemClock).scan();
    expect(scan.settled).toMatchObject([{ name: 'june-dues.csv', completeness: 'marker' }]);
    expect([...scan.unmarked, ...scan.settling, ...scan.odd]).toEqual([]);
  });
});

describe('a faulty sample', () => {
  it.each(FAULTY_SAMPLES)('$file shows $code and nothing else', async (sample) => {
    const { code, beside = [] } = sample;
    const { check, decision, faults } = await decide(sample.file, sample);
    expect(new Set(faults.map((fault) => fault.code))).toEqual(new Set([code, ...beside]));
    const { scope, effect } = ERRORS[code];
    switch (effect) {
      case 'row':
        expect(decision).toEqual({ verdict: 'accept' });
        expect(check).toMatchObject({ valid: { rows: 11 }, invalid: { rows: 1 } });
        expect(faults.map((fault) => fault.line)).toEqual([5]);
        break;
      case 'warn':
        expect(decision).toEqual({ verdict: 'accept' });
        expect(check).toMatchObject({ valid: { rows: 12 }, invalid: { rows: 0 } });
        break;
      case 'reject':
      case 'hold':
        expect(decision).toMatchObject({ verdict: effect, code });
        if (scope === 'row') expect(faults).toHaveLength(1);
        break;
    }
  });

  it.each(FAULTY_SAMPLES.filter((sample) => sample.folder))(
    '$file is fine without the setting that it names',
    async ({ file, operation, code }) => {
      const { faults } = await decide(file, { operation });
      expect(faults.map((fault) => fault.code)).not.toContain(code);
    },
  );

  it('is there for every code of a row or a file, or said to be impossible', () => {
    const codes = (Object.keys(ERRORS) as (keyof typeof ERRORS)[]).filter((code) =>
      ['row', 'file'].includes(ERRORS[code].scope),
    ) as FaultCode[];
    const shown = FAULTY_SAMPLES.map((sample) => sample.code);
    expect([...shown, ...Object.keys(NOT_IN_A_FILE)].toSorted()).toEqual(codes.toSorted());
  });

  it('stands in the README with what to do', () => {
    const readme = RENDERED.get('README.md')!.toString();
    for (const { file, code } of FAULTY_SAMPLES) {
      const row = readme.split('\n').find((line) => line.includes(`\`${file}\` |`));
      expect(row).toContain(`\`${code}\``);
      expect(row).toContain(ERRORS[code].remedy);
    }
    for (const code of Object.keys(NOT_IN_A_FILE)) expect(readme).toContain(`| \`${code}\` |`);
  });
});

describe('a result sample', () => {
  it.each(RESULT_SAMPLES)('$file is read and fits the rows of $of.file', async ({ file, of }) => {
    const bytes = await readFile(new URL(file, SAMPLES));
    const columnCount = LAYOUTS[of.layout].columns.length;
    const results = readResultFile(bytes, { columnCount });
    const sent = (await readPayments(of)).map(({ number, ...payment }) => ({ ...payment, lastFour: lastFour(number) }));
    const match = matchResults(of.layout, sent, results);
    expect(match).toMatchObject({ kind: 'matched', reordered: false });
    expect(results.every(({ message }) => /^(OK|REJECT|Received)/.test(message))).toBe(true);
    expect(bytes.toString().split('\r\n')).toHaveLength(of.rows + 1);
    expect(bytes.toString()).not.toMatch(/\d{12}/);
  });

  it('is there for every layout', () => {
    expect(RESULT_SAMPLES.map(({ of }) => of.layout).toSorted()).toEqual(Object.keys(LAYOUTS).toSorted());
  });
});

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

  it.each(Object.entries(PAGES))('%s is whole Markdown', (name, text) => {
    expect(text).toMatch(/^<!-- Generated .* -->\n\n# /);
    expect(text).toMatch(/[^\n]\n$/);
    expect(text).not.toMatch(name === 'ledger.md' ? /undefined|\[object/ : /undefined|null|\[object/);
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
