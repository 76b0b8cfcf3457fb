import type { CliCommand } from '../command.ts';

/** A place in a command line after some command words, and what may follow there. */
export type Place = {
  /** The command words, `key list`; empty at the beginning. */
  readonly at: string;
  readonly commands: readonly Suggestion[];
  readonly options: readonly (Suggestion & { readonly takesValue: boolean })[];
};

export type Suggestion = { readonly word: string; readonly about: string };

const EVERYWHERE = [
  { word: '--dir', about: 'folder of paydrop.yaml', takesValue: true },
  { word: '--help', about: 'show help', takesValue: false },
];

/** Lists all places of the command table, the beginning first. */
export function placesOf(commands: readonly CliCommand[]): readonly Place[] {
  const version = { word: '--version', about: 'show the version', takesValue: false };
  return [
    { at: '', commands: suggest(commands), options: [...EVERYWHERE, version] },
    ...commands.flatMap((command) => placesIn(command, '')),
  ];
}

function placesIn(command: CliCommand, above: string): readonly Place[] {
  const at = `${above} ${command.name}`.trim();
  const inner = 'commands' in command ? command.commands : [];
  const here = { at, commands: suggest(inner), options: [...optionsOf(command), ...EVERYWHERE] };
  return [here, ...inner.flatMap((one) => placesIn(one, at))];
}

function suggest(commands: readonly CliCommand[]): readonly Suggestion[] {
  return commands.map(({ name, about }) => ({ word: name, about }));
}

function optionsOf({ required = [], groups = [], options = [] }: CliCommand): Place['options'] {
  const described = [...required, ...groups.flatMap((group) => group.options), ...options];
  return described.flatMap(([flags, about]) => {
    const word = /--[\w-]+/.exec(flags)?.[0];
    return word === undefined ? [] : [{ word, about, takesValue: /[<[]/.test(flags) }];
  });
}
