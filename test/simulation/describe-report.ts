import type { Played } from './play-scenario.ts';
import type { Report } from './simulate.ts';

/** Formats the totals for readers: a line for each topic, followed by its names. */
export function describeReport({ scenarios, failed, counts }: Report, seed: number, seconds: number): string {
  const topics = Object.entries(counts).map(([topic, names]) => {
    const parts = Object.entries(names)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([name, times]) => `${name} ${times}`);
    return `${topic}: ${parts.join(', ')}`;
  });
  const money = counts['money'] ?? {};
  const twice = (money['batches taken too often'] ?? 0) + (money['rows charged that nobody knows of'] ?? 0);
  const last = seed + scenarios - 1;
  return [
    `${scenarios} scenarios, seeds ${seed} to ${last}, in ${seconds} s: ${failed} failed, ${twice} double charges`,
    ...topics,
  ].join('\n\n');
}

/** Tells the story of a failed scenario, and how to play it again. */
export function describeFailure({ seed, story, complaints }: Played): string {
  return [
    '',
    `Seed ${seed} failed:`,
    ...story.map((sentence, index) => `${String(index + 1).padStart(4)}  ${sentence}`),
    'What does not hold:',
    ...complaints.map((complaint) => `  ${complaint}`),
    `Play it again: npm run simulate -- --seed ${seed} --scenarios 1`,
  ].join('\n');
}
