import { EXIT } from '../../../schemas/errors.ts';
import { type CliCommand, JSON_OPTION, print, withLedger } from '../command.ts';
import { describeStory } from '../show/describe-story.ts';
import { nextSendOf } from '../../explain/next-send.ts';
import { readStory } from '../../explain/read-story.ts';

export const show: CliCommand = {
  name: 'show',
  about: 'All about one payment file: its rows, batches, outputs and every move with its reason',
  takes: [['<file>', 'its id, the first letters of it (as in names of output files), or its name']],
  options: [JSON_OPTION],
  examples: ['show monday.csv', 'show g7fhpaqs --json'],
  async run(call) {
    const [words = ''] = call.arguments;
    await withLedger(call, async (ledger, settings) => {
      const story = await readStory(ledger, words, settings);
      const timeZone = settings.accounts.get(story.file.account)?.timeZone ?? 'UTC';
      const nextSendAt = nextSendOf(story, settings, ledger.clock.now());
      print(call, { ...story, nextSendAt }, () => describeStory(story, timeZone, nextSendAt));
    });
    return EXIT.ok;
  },
};
