import { z } from 'zod';
import { Config, ENVIRONMENT } from '../../schemas/config.ts';
import { code, codes, page, table, withStop } from './markdown.ts';

/** The parts of a JSON schema that this page reads. */
type Schema = {
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly default?: string | number | boolean | number[] | Readonly<Record<string, string>>;
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | false;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
};

/** The smallest configuration that works; a test reads it. */
export const SMALLEST_CONFIG = `accounts:
  main:
    server: NA
    country: US
    currency: USD
    agentCode: env:AGENT_CODE
    password: env:AGENT_PASSWORD
folders:
  - path: drop/dues
    account: main
    operation: ach-charge`;

export function renderConfiguration(): string {
  const { accounts, folders, alarms, schedules, remotes, push, ...rest } = propertiesOf(
    z.toJSONSchema(Config, { io: 'input' }) as Schema,
  );
  return page(
    '# Configuration',
    'The file `paydrop.yaml`. Any other setting is refused, so a misspelled one is found at once. The smallest file that works:',
    `\`\`\`yaml\n${SMALLEST_CONFIG}\n\`\`\``,
    'Times are in milliseconds. A secret is written `env:NAME` (an environment variable), `file:PATH` (a file), or as plain text, which is for trials only.',
    '## Accounts',
    `${meaningOf(accounts)} Each is written under \`accounts.<name>\`, where the name has lowercase letters, digits and hyphens.`,
    describeSettings(objectIn(accounts?.additionalProperties)),
    '## Folders',
    `${meaningOf(folders)} Each is an entry of the list \`folders\`.`,
    describeSettings(objectIn(folders?.items)),
    '## Alarms',
    `${meaningOf(alarms)} Each is an entry of the list \`alarms\`; [alarms.md](alarms.md) has the kinds.`,
    describeSettings({ properties: { alarms: objectIn(alarms?.items) } }),
    '## Schedules',
    `${meaningOf(schedules)} Each is written under \`schedules.<name>\`; names as those of accounts.`,
    table(SETTING_TITLES, [
      groupLine('does', objectIn(schedules?.additionalProperties)),
      ...listShared(objectIn(schedules?.additionalProperties).oneOf ?? []),
    ]),
    '## SFTP servers',
    `${meaningOf(remotes)} Each is written under \`remotes.<name>\`; names as those of accounts. A folder fetches from one with \`pull\`.`,
    describeSettings(objectIn(remotes?.additionalProperties)),
    '## Uploads',
    `${meaningOf(push)} Each is an entry of the list \`push\`.`,
    describeSettings(objectIn(push?.items)),
    '## The installation',
    describeSettings({ properties: rest }),
    '## Environment',
    table(
      ['Variable', 'Meaning'],
      Object.entries(ENVIRONMENT).map(([name, about]) => [code(name), withStop(about)]),
    ),
  );
}

function describeSettings(schema: Schema): string {
  return table(SETTING_TITLES, listSettings(schema, ''));
}

const SETTING_TITLES = ['Setting', 'Value', 'Default', 'Meaning'];

/** Lists settings of similar choices once each. A setting that not all choices have gets a condition. */
function listShared(choices: readonly Schema[]): string[][] {
  const lines = choices.flatMap((choice) => {
    const [[selector, chosen] = ['', {} as Schema], ...others] = Object.entries(propertiesOf(choice));
    const settings = { properties: Object.fromEntries(others), required: choice.required ?? [] };
    return listSettings(settings, '').map((line) => ({ line, condition: code(`${selector}: ${chosen.const}`) }));
  });
  const isOfAll = (name = '') => lines.filter(({ line }) => line[0] === name).length === choices.length;
  return lines
    .filter(({ line }, index) => lines.findIndex((other) => other.line[0] === line[0]) === index)
    .map(({ line, condition }) => {
      const [name = '', value = '', fallback = '', meaning = ''] = line;
      return isOfAll(name) ? line : [name, value, fallback, `${meaning} Only with ${condition}.`];
    });
}

/** Returns one line per setting, groups before their settings. */
function listSettings(schema: Schema, prefix: string): string[][] {
  const required = schema.required ?? [];
  return Object.entries(propertiesOf(schema)).flatMap(([name, setting]) => {
    const path = `${prefix}${name}`;
    if (setting.oneOf) return [groupLine(path, setting), ...listChoices(setting.oneOf, path)];
    if (setting.properties) return [groupLine(path, setting), ...listSettings(setting, `${path}.`)];
    const fallback = required.includes(name) ? 'required' : defaultOf(setting);
    return [[code(path), valueOf(setting), fallback, meaningOf(setting)]];
  });
}

/** Lists the settings of each choice, told apart by the first setting, as in `complete`. */
function listChoices(choices: readonly Schema[], path: string): string[][] {
  return choices.flatMap((choice) => {
    const [[selector, chosen] = ['', {} as Schema], ...others] = Object.entries(propertiesOf(choice));
    const condition = `${path}.${selector}: ${chosen.const}`;
    const settings = listSettings({ properties: Object.fromEntries(others) }, `${path}.`);
    return settings.map(([name = '', value = '', fallback = '', meaning = '']) => {
      return [name, value, fallback, `${meaning} Only with ${code(condition)}.`];
    });
  });
}

function groupLine(path: string, { oneOf, default: fallback, ...group }: Schema): string[] {
  if (!oneOf) return [code(path), 'group', '', meaningOf(group)];
  const [selector = ''] = Object.keys(propertiesOf(oneOf[0] ?? {}));
  const values = oneOf.map((choice) => propertiesOf(choice)[selector]?.const ?? '');
  const chosen = typeof fallback === 'object' && !Array.isArray(fallback) ? code(fallback[selector] ?? '') : 'required';
  return [code(path === selector ? path : `${path}.${selector}`), codes(values, ' or '), chosen, meaningOf(group)];
}

function valueOf(setting: Schema): string {
  if (setting.anyOf) return setting.anyOf.map(valueOf).join(' or ');
  if (setting.const !== undefined) return code(setting.const);
  if (setting.enum) return codes(setting.enum, ' or ');
  if (setting.type === 'array') return listOf(setting.items ?? {});
  if (setting.type === 'object') return `${valueOf(setting.additionalProperties || {})} by name`;
  if (setting.type === 'boolean') return '`true` or `false`';
  if (setting.type === 'string')
    return setting.format === 'uri' ? 'address' : setting.format === 'date' ? 'dates' : 'text';
  // A type without a wording must not pass for a number.
  if (setting.type !== 'integer' && setting.type !== 'number')
    throw new Error(`no words for ${JSON.stringify(setting)}`);
  return `${setting.type === 'integer' ? 'whole number' : 'number'}${rangeOf(setting)}`;
}

function listOf(item: Schema): string {
  if (item.enum) return `list of ${codes(item.enum, ', ')}`;
  return `list of ${valueOf(item).replace(/^(whole )?number/, '$1numbers')}`;
}

/** Returns the limits of a number, without JavaScript's safe-integer limit. */
function rangeOf({ minimum, exclusiveMinimum, maximum }: Schema): string {
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + 1);
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined) return `, at least ${least}`;
  return most === undefined ? '' : `, at most ${most}`;
}

function defaultOf(setting: Schema): string {
  const fallback = setting.default;
  if (Array.isArray(fallback)) return fallback.length > 0 ? codes(fallback.map(String), ', ') : '';
  return fallback === undefined || typeof fallback === 'object' ? '' : code(String(fallback));
}

function meaningOf(setting: Schema | undefined): string {
  return setting?.description ? withStop(setting.description) : '';
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return schema.properties ?? {};
}

function objectIn(schema: Schema | false | undefined): Schema {
  return schema || {};
}
