import { medianOf } from '../measure/look-up.ts';
import type { Measurement } from '../measure/record.ts';
import { count, figure, table } from './markdown.ts';

/** Renders where paydrop's own time goes, by owner of the code. */
export function renderProfile(measurements: readonly Measurement[]): string[] {
  const profiles = measurements.filter(({ part }) => part === 'profile');
  const owners = [...new Set(profiles.flatMap(ownersIn))];
  const spentBy = (owner: string) => profiles.map((profile) => medianOf(profile, `${owner} allMs`) ?? 0);
  const wholes = profiles.map((profile) => sum(ownersIn(profile).map((owner) => medianOf(profile, `${owner} allMs`)!)));
  const shown = owners.filter((owner) => spentBy(owner).some((ms, place) => ms >= LEAST_SHARE * wholes[place]!));
  return [
    '### Of that, in Node',
    '',
    'What the profiler of Node says the threads of paydrop did in one round, in seconds; in brackets how much of it was outside of',
    'JavaScript, in calls of the system, hashes and ciphers. What Node does is counted for the folder or package that asked for it,',
    'and the start of the program is part of it. The profiler itself costs time, and what V8 compiles in the background it does',
    'not see.',
    '',
    ...table(
      ['For', ...profiles.map(({ condition, rows }) => `${condition}, ${count(rows)} rows`)],
      [
        ...shown
          .toSorted((one, other) => sum(spentBy(other)) - sum(spentBy(one)))
          .map((owner) => [nameOf(owner), ...profiles.map((profile) => cell(profile, owner))]),
        ...(profiles.length > 0 ? [['all of it', ...wholes.map((ms) => figure(ms / 1_000))]] : []),
      ],
    ),
  ];
}

/** Owners below this share of every profile are left out. */
const LEAST_SHARE = 0.015;

function ownersIn({ samples }: Measurement): string[] {
  const names = Object.keys(samples[0]?.figures ?? {});
  return names.filter((name) => name.endsWith(' allMs')).map((name) => name.slice(0, -' allMs'.length));
}

function cell(profile: Measurement, owner: string): string {
  const [all = 0, native = 0] = ['allMs', 'nativeMs'].map((of) => medianOf(profile, `${owner} ${of}`));
  return all < SHOWN_MS ? '' : `${seconds(all)}${native < SHOWN_MS ? '' : ` (${seconds(native)})`}`;
}

/** Less than this is only a few profiler samples. */
const SHOWN_MS = 10;

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(2);
}

function nameOf(owner: string): string {
  return owner.includes(' ') ? owner : `\`${owner}\``;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
