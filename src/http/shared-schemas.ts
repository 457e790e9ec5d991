/**
 * Moves every schema with an `$id` to `components/schemas` and refers to it, so that a shape is named once in the
 * OpenAPI document (and in the clients that are generated from it). Within TypeBox the shapes stand inline.
 */
export function shareSchemas<T extends object>(document: T): T {
  const schemas: Record<string, unknown> = {};

  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (node === null || typeof node !== 'object') return node;
    const { $id, examples, ...rest } = node as Record<string, unknown>;
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(rest)) copy[key] = visit(value);
    // Examples are data: they are not walked.
    if (typeof $id !== 'string') return examples === undefined ? copy : { ...copy, examples };
    schemas[$id] ??= copy;
    const ref = { $ref: `#/components/schemas/${$id}` };
    // OpenAPI 3.1 allows keywords beside $ref.
    return examples === undefined ? ref : { ...ref, examples };
  };

  const shared = visit(document) as Record<string, unknown>;
  return { ...shared, components: { ...(shared.components as object), schemas } } as unknown as T;
}
