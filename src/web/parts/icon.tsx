import { ICON_PATHS } from './icon-paths.ts';

export type IconName = keyof typeof ICON_PATHS;

/** Draws an icon beside a word. Screen readers skip it, so the word must tell everything. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      {ICON_PATHS[name].map((shape) => (
        <path key={shape} fill-rule="evenodd" clip-rule="evenodd" d={shape} />
      ))}
    </svg>
  );
}
