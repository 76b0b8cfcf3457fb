// `npm run release` tags the version of package.json, and the workflow `release` publishes what has such a tag. With
// `--check` it only looks; with `--tagged v1.2.3`, in the workflow, that tag must be the version's. Works on the folder
// that it is started in. See docs/release.md.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const words = process.argv.slice(2);
const given = words[0] === '--tagged' ? words[1] : undefined;
if (words.length > 0 && words[0] !== '--check' && given === undefined) {
  stop([`"${words.join(' ')}" is neither --check nor --tagged TAG`]);
}
const { name, version, repository } = JSON.parse(readFileSync('package.json', 'utf8'));
const tag = `v${version}`;
const faults = [...findFaults()];
if (faults.length > 0) stop(faults);
if (words.length > 0) {
  console.log(`${name} ${version} can be released.`);
} else {
  git('tag', '--annotate', tag, '--message', `${name} ${version}`);
  console.log(`Tagged ${tag}. "git push origin ${tag}" lets the workflow "release" publish it.`);
}

function* findFaults() {
  if (git('status', '--porcelain').stdout !== '') yield 'the tree has changes that are not committed';
  if (!hasEntry(readFileSync('CHANGELOG.md', 'utf8'))) {
    yield `CHANGELOG.md has no entry "## [${version}] - DATE" with text below it`;
  }
  if (given !== undefined && given !== tag) yield `the tag is ${given}, and the version of package.json is ${version}`;
  if (given === undefined && isTagged()) yield `${tag} is tagged already: a version is published once`;
  // The registry compares it with where the workflow ran.
  if (repository === undefined) yield 'package.json has no "repository", without which there is no provenance';
}

/** An empty part would tell users nothing. */
function hasEntry(changelog) {
  const parts = changelog.split(/^(?=## )/m).map((part) => part.trim().split('\n'));
  return parts.some(([head, ...rest]) => {
    const [, listed] = /^## \[(.+)\] - \d{4}-\d\d-\d\d$/.exec(head ?? '') ?? [];
    return listed === version && rest.some((line) => /\w/.test(line));
  });
}

/** Another clone may have pushed the tag. */
function isTagged() {
  if (git('tag', '--list', tag).stdout !== '') return true;
  if (git('remote').stdout === '') return false;
  return git('ls-remote', '--tags', 'origin', `refs/tags/${tag}`).stdout !== '';
}

function git(...line) {
  const ended = spawnSync('git', line, { encoding: 'utf8' });
  if (ended.status !== 0) stop([`git ${line[0]} failed: ${(ended.stderr || String(ended.error)).trim()}`]);
  return ended;
}

function stop(reasons) {
  for (const reason of reasons) console.error(`Not released: ${reason}.`);
  process.exit(1);
}
