import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import type { CliCommand } from '../command.ts';
import { sayOut } from '../print/say.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

export const completion: CliCommand = {
  name: 'completion',
  about: 'Print a script that completes commands and options in a shell',
  takes: [['<shell>', Object.keys(SCRIPTS).join(', ')]],
  notes: [
    [
      'To use it:',
      '  bash  add to ~/.bashrc: source <(paydrop completion bash)',
      '  zsh   add to ~/.zshrc, after compinit: source <(paydrop completion zsh)',
      '  fish  paydrop completion fish > ~/.config/fish/completions/paydrop.fish',
    ].join('\n'),
  ],
  examples: ['completion bash'],
  async run(call) {
    const [shell = ''] = call.arguments;
    if (!Object.hasOwn(SCRIPTS, shell)) {
      const next = `Choose from ${Object.keys(SCRIPTS).join(', ')}.`;
      throw new PipelineError('USAGE', `complete in "${maskText(shell)}"`, 'there is no script for this shell', {
        next,
      });
    }
    // The table holds this command too, so it exists only now.
    const { loadCommands } = await import('../commands.ts');
    sayOut(SCRIPTS[shell as keyof typeof SCRIPTS](placesOf(await loadCommands(call.features))));
    return EXIT.ok;
  },
};

/**
 * Scripts for the shells. Each finds the command words in the line and suggests what may follow them: options after a
 * dash, else commands, else files.
 */

function bashScript(places: readonly Place[]): string {
  const cases = places.map(({ at, commands, options }) => {
    const [names, flags] = [commands, options].map((list) => list.map(({ word }) => word).join(' '));
    return `    ${quote(at)}) commands=${quote(names!)} options=${quote(flags!)} ;;`;
  });
  return `_paydrop() {
  local cur=\${COMP_WORDS[COMP_CWORD]} at= next i commands options
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ \${COMP_WORDS[i]} == --dir ]]; then ((i++)); continue; fi
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case $next in
      ${known(places)}) at=$next ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else COMPREPLY=($(compgen -W "$commands" -- "$cur")); fi
}
complete -o default -F _paydrop paydrop`;
}

export function zshScript(places: readonly Place[]): string {
  const list = (suggestions: readonly Suggestion[]) =>
    suggestions.map(({ word, about }) => quote(`${word}:${about.replaceAll(':', String.raw`\:`)}`)).join(' ');
  const cases = places.map(
    ({ at, commands, options }) => `    ${quote(at)}) commands=(${list(commands)}) options=(${list(options)}) ;;`,
  );
  return `#compdef paydrop
_paydrop() {
  local at= next i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    if [[ $words[i] == --dir ]]; then ((i++)); continue; fi
    next="\${at:+$at }$words[i]"
    case $next in
      ${known(places)}) at=$next ;;
    esac
  done
  case $at in
${cases.join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif ((\${#commands})); then _describe command commands
  else _files; fi
}
compdef _paydrop paydrop`;
}

export function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ at, commands, options }) => {
    const here = `complete -c paydrop -n ${quoteFish(`__paydrop_at ${quoteFish(at)}`)}`;
    const names = commands.map(({ word, about }) => `${here} -f -a ${word} -d ${quoteFish(about)}`);
    const flags = options.map(
      ({ word, about, takesValue }) => `${here} -l ${word.slice(2)}${takesValue ? ' -r' : ''} -d ${quoteFish(about)}`,
    );
    return [...names, ...flags];
  });
  const paths = places.filter(({ at }) => at !== '').map(({ at }) => quoteFish(at));
  return `function __paydrop_at
  set -l at
  set -l skip no
  for word in (commandline -opc)[2..-1]
    if test $skip = yes
      set skip no
    else if test "$word" = --dir
      set skip yes
    else
      set -l next (string join ' ' $at $word)
      contains -- "$next" ${paths.join(' ')}; and set at $next
    end
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}`;
}

/** Returns all command words as a pattern of \`case\`. */
function known(places: readonly Place[]): string {
  return places
    .filter(({ at }) => at !== '')
    .map(({ at }) => quote(at))
    .join('|');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function quoteFish(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}

/** A place in a command line after some command words, and what may follow there. */
type Place = {
  /** The command words, `key list`; empty at the beginning. */
  readonly at: string;
  readonly commands: readonly Suggestion[];
  readonly options: readonly (Suggestion & { readonly takesValue: boolean })[];
};

type Suggestion = { readonly word: string; readonly about: string };

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
