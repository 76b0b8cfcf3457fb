import { h, type ComponentType } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Renders a component to HTML. */
export function draw<Props extends object>(component: ComponentType<Props>, props: Props): string {
  return renderToString(h(component, props));
}

/** Returns the text a user reads in some HTML, with single spaces. */
export function wordsOf(html: string): string {
  return html
    .replaceAll(/<[^>]+>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([.,])(?= |$)/g, '$1')
    .trim();
}

/** Returns the text of a part that updates itself on the page; empty when there is none of that name. */
export function partOf(html: string, name: string): string {
  const from = html.indexOf(`data-part="${name}"`);
  return from < 0 ? '' : wordsOf(html.slice(html.indexOf('>', from) + 1, html.indexOf('</section>', from)));
}
