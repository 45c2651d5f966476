import { type Field, fieldsOf, resourcesOf } from './schema.js';

/** Milliseconds after which a form is shown without the fields of the deployment. */
const TIMEOUT = 5_000;

/**
 * What the service says about its deployment, in its OpenAPI document.
 *
 * @param found called with the resources that its schema names
 * @returns a function for the fields of a create; undefined if the deployment accepts any members. The document is
 *   read once; after a failure, again at the next call
 */
export function makeDeployment(service: string, found: (resources: string[]) => void) {
  let fields: Promise<readonly Field[] | undefined> | undefined;

  async function read(): Promise<readonly Field[] | undefined> {
    const response = await fetch(`${service}openapi.json`, { signal: AbortSignal.timeout(TIMEOUT) });
    if (!response.ok) throw new Error(response.statusText);
    const document: unknown = await response.json();
    found(resourcesOf(document));
    return fieldsOf(document);
  }

  return (): Promise<readonly Field[] | undefined> =>
    (fields ??= read().catch(() => {
      fields = undefined;
      return undefined;
    }));
}
