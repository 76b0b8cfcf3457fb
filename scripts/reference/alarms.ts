import { ALARM_KINDS } from '../../schemas/alarms.ts';
import { code, page, table, withStop } from './markdown.ts';

const ASKED = {
  kinds: '; only to targets that list it in `kinds`',
  digest: ' a day; only to targets with a time in `digest`',
};

export function renderAlarms(): string {
  return page(
    '# Alarms',
    'What paydrop sends by mail or webhook when `alarms` is in the configuration. A message gives counts, totals and the next step, but no row and no name. [operating.md](../operating.md#alarms) explains each alarm.',
    table(
      ['Kind', 'Means', 'What to do', 'Told'],
      Object.entries(ALARM_KINDS).map(([kind, { means, next, lasts, asked }]) => [
        code(kind),
        withStop(means),
        next.startsWith('paydrop') ? code(next) : next,
        `${lasts ? 'Once while it lasts, and when it is over' : 'Once'}${asked === false ? '' : ASKED[asked]}.`,
      ]),
    ),
  );
}
