import { EXIT } from '../../../schemas/errors.ts';
import { PipelineError } from '../../kernel/errors.ts';
import { maskText } from '../../kernel/mask.ts';
import type { CliCommand } from '../command.ts';
import { bashScript, fishScript, placesOf, zshScript } from './scripts.ts';

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
    const { COMMANDS } = await import('../commands.ts');
    console.log(SCRIPTS[shell as keyof typeof SCRIPTS](placesOf(COMMANDS)));
    return EXIT.ok;
  },
};
