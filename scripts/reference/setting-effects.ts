import { SETTING_EFFECTS, type SettingEffect, WORK_STAGES, type WorkStage } from '../../schemas/setting-effects.ts';
import { code, page, sentence, table, withStop } from './markdown.ts';

export function renderSettingEffects(): string {
  return page(
    '# Changing a setting',
    'What a change of each setting of `paydrop.yaml` does to work under way. `itself`: running processes take it up within seconds. `restart`: they go on with the former value until they are restarted, and `paydrop status`, `doctor`, `init` and the terminal of the process say so. A file with faults changes nothing. [configuration.md](configuration.md) explains the settings.',
    'A change of a folder that takes effect by itself still waits for a restart if its account, schedule or server was changed too.',
    '## Work under way',
    table(
      ['Called', 'Are'],
      Object.values(WORK_STAGES).map(({ title, means }) => [title, withStop(means)]),
    ),
    '## Settings',
    'Work that a row does not name stays as it is. `*` stands for a name, `[]` for each entry of a list.',
    table(
      ['Setting', 'Takes effect', 'Work under way'],
      Object.entries(SETTING_EFFECTS).map(([path, effect]) => [code(path), effect.by, describeEffect(effect)]),
    ),
  );
}

function describeEffect(effect: SettingEffect): string {
  const stages = (Object.keys(WORK_STAGES) as WorkStage[]).flatMap((stage) => {
    const text = effect[stage];
    return text === undefined ? [] : [`**${WORK_STAGES[stage].title}**: ${withStop(text)}`];
  });
  return [...stages, ...(effect.note === undefined ? [] : [sentence(effect.note)])].join(' ');
}
