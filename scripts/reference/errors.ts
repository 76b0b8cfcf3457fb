import { ERRORS, EXIT } from '../../schemas/errors.ts';
import { code, page, sentence, table } from './markdown.ts';

type ErrorRow = (typeof ERRORS)[keyof typeof ERRORS];
type Effect = ErrorRow['effect'];

const EFFECTS: Record<Effect, { title: string; about: string }> = {
  row: { title: 'The row is withheld', about: 'The row is invalid and stays out; the rest of the file goes on.' },
  reject: { title: 'The file is refused', about: 'Nothing in the file is sent; a NAK says why.' },
  hold: { title: 'The file needs approval', about: 'Nothing is sent until a person has approved it.' },
  warn: { title: 'Warnings', about: 'The acknowledgment reports it; nothing else follows.' },
  quarantine: { title: 'The drop is quarantined', about: 'It is not a plain file and is never opened.' },
  stop: { title: 'The command or the work step fails', about: 'It says why and changes nothing.' },
};

const EXIT_MEANS: Record<keyof typeof EXIT, string> = {
  ok: 'Done.',
  usage: 'The command was not understood.',
  invalid: 'A file or a row has faults.',
  held: 'A file needs approval.',
  unknownOpen: 'At least one batch may or may not have been accepted by the service.',
  exception: 'Something failed, or a result does not match what was sent.',
};

export function renderErrors(): string {
  const effects = Object.keys(EFFECTS) as Effect[];
  return page(
    '# Errors',
    'Every code that paydrop reports. A message reads: Cannot do this: what it means. What to do next. It never contains a card or account number.',
    ...effects.flatMap((effect) => [`## ${EFFECTS[effect].title}`, EFFECTS[effect].about, describeCodes(effect)]),
    '## Exit status of the command line',
    table(
      ['Status', 'Meaning'],
      Object.entries(EXIT).map(([name, status]) => [String(status), EXIT_MEANS[name as keyof typeof EXIT]]),
    ),
  );
}

function describeCodes(effect: Effect): string {
  const rows = (Object.entries(ERRORS) as [string, ErrorRow][]).filter(([, row]) => row.effect === effect);
  return table(
    ['Code', 'Found in', 'Meaning', 'What to do', 'Who'],
    rows.map(([name, row]) => [code(name), row.scope, sentence(row.means), row.remedy, row.who]),
  );
}
