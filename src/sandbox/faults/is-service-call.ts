/** Whether a request calls an operation. Descriptions, pages and the control API are never struck. */
export function isServiceCall({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method === 'POST' && /^\/netgate\/.*\.asmx$/i.test(path);
}
