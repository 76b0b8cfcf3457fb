import { COLUMNS } from '../../schemas/layouts.ts';
import { OPERATIONS } from '../../schemas/operations.ts';
import { FREEDOMS, KEPT_RULES } from '../../schemas/sandbox/service-rules.ts';
import { type RuleRow, type RuleStage, STRICT_RULES } from '../../schemas/sandbox/strict-rules.ts';
import { code, codes, page, sentence, table } from './markdown.ts';

type Rules = Readonly<Record<string, RuleRow>>;

const ALL_OPERATIONS = Object.keys(OPERATIONS).length;

/** How an answer is introduced, by the stage of the call. */
const STAGES: Readonly<Record<RuleStage, string>> = {
  fault: 'a SOAP fault with',
  absent: 'Failure:',
  failure: 'Failure:',
  record: '',
  format: 'in a row',
  decline: '',
};

const CERTAINTY: Readonly<Record<RuleRow['certainty'], string>> = {
  known: 'known',
  words: 'words known, place assumed',
  assumption: 'assumed',
};

export function renderSandboxRules(): string {
  return page(
    '# What the sandbox checks, and what not',
    'The rules of the service\'s specification, one by one, for single calls and the rows of a batch alike. *Known*: seen in public clients, recorded answers or the vendor\'s pages. *Assumed*: the specification has the rule, and no source shows the answer. "Failure:" stands for STATUS `Failure` with that text in ERRORS.',
    'A call is judged in this order: faults, missing elements, login, Failures, the test cards and amounts, and only for a charge that they approve the strict rules about its card. So a decline that the [cards](../sandbox.md) promise is never replaced.',
    '## Strict rules',
    `These ${Object.keys(STRICT_RULES).length} are applied unless the sandbox is started with \`--lenient\` (\`strict: false\`). \`--allow names-given,mop-known\` (\`allow\`) switches off single ones, by their names here.`,
    renderRules(STRICT_RULES),
    '## Rules that are always applied',
    renderRules(KEPT_RULES),
    '## Not checked',
    'Public clients do so with success, or nobody knows. Nothing else is required of a call, whatever the [parameters](operations.md#parameters) say.',
    table(
      ['Name', 'Operations', 'Elements', 'What is free', 'Why'],
      Object.entries(FREEDOMS as Rules).map(([id, rule]) => [
        code(id),
        operationsOf(rule),
        elementsOf(rule),
        sentence(rule.asks),
        sentence(rule.why ?? ''),
      ]),
    ),
  );
}

function renderRules(rules: Rules): string {
  return table(
    ['Name', 'Operations', 'Elements', 'What is asked', 'Answer', 'Answer is', 'Note'],
    Object.entries(rules).map(([id, rule]) => [
      code(id),
      operationsOf(rule),
      elementsOf(rule),
      sentence(rule.asks),
      answersOf(rule),
      CERTAINTY[rule.certainty],
      rule.why === undefined ? '' : sentence(rule.why),
    ]),
  );
}

function operationsOf({ operations }: RuleRow): string {
  return operations.length === ALL_OPERATIONS ? 'all' : codes(operations);
}

function elementsOf({ elements = [], columns = [] }: RuleRow): string {
  return [...elements.map(code), ...columns.map((name) => `column ${COLUMNS[name].title}`)].join(', ');
}

function answersOf({ answers }: RuleRow): string {
  const parts = Object.entries(answers) as [RuleStage, string][];
  return parts.map(([stage, text]) => `${STAGES[stage]} ${code(text)}`.trim()).join('; ');
}
