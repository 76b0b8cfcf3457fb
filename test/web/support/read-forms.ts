/** What a test needs of a form to send it. */
export type PageForm = {
  readonly action: string;
  readonly method: 'get' | 'post';
  readonly fields: readonly { readonly name: string; readonly value: string; readonly choices: readonly string[] }[];
};

/** Returns the forms of a page with their contents. */
export function formsOf(html: string): PageForm[] {
  return [...html.matchAll(/<form\b([^>]*)>([^]*?)<\/form>/g)].map(([, head = '', body = '']) => ({
    action: unescapeHtml(attribute(head, 'action')),
    method: attribute(head, 'method') === 'post' ? 'post' : 'get',
    fields: [...inputsOf(body), ...textsOf(body), ...selectsOf(body)],
  }));
}

function inputsOf(body: string) {
  return [...body.matchAll(/<input\b([^>]*)>/g)]
    .map(([, attributes = '']) => ({
      name: attribute(attributes, 'name'),
      value: unescapeHtml(attribute(attributes, 'value')),
      choices: [],
    }))
    .filter(({ name }) => name !== '');
}

function textsOf(body: string) {
  return [...body.matchAll(/<textarea\b([^>]*)>([^<]*)/g)].map(([, attributes = '', value = '']) => ({
    name: attribute(attributes, 'name'),
    value: unescapeHtml(value),
    choices: [],
  }));
}

function selectsOf(body: string) {
  return [...body.matchAll(/<select\b([^>]*)>([^]*?)<\/select>/g)].map(([, attributes = '', options = '']) => {
    const choices = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, option = '']) => attribute(option, 'value'));
    return { name: attribute(attributes, 'name'), value: choices[0] ?? '', choices };
  });
}

function attribute(attributes: string, name: string): string {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
}

function unescapeHtml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
