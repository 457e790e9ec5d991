// biome-ignore lint/suspicious/noExplicitAny: documents are walked freely
export type Document = any;

export type Parameter = {
  name: string;
  place: 'path' | 'query' | 'header';
  schema: Document;
  example: unknown;
};

export type BodyKind = { type: string; schema: Document; examples: unknown[] };

export type DocumentedOperation = {
  /** `METHOD /path` as in the document */
  name: string;
  method: string;
  path: string;
  parameters: Parameter[];
  bodies: BodyKind[];
  /** documented status → media type → schema */
  answers: Map<number, Map<string, Document>>;
  /** whether it creates a job; workers solve those, so they are requested sparingly */
  isJob: boolean;
};

const METHODS = ['get', 'put', 'post', 'patch', 'delete'];

/** The operations of an OpenAPI 3.1 document. */
export function readOperations(document: Document): DocumentedOperation[] {
  return Object.entries<Document>(document.paths).flatMap(([path, methods]) =>
    METHODS.filter((method) => methods[method]).map((method) =>
      readOperation(document, path, method, methods[method]),
    ),
  );
}

function readOperation(
  document: Document,
  path: string,
  method: string,
  operation: Document,
): DocumentedOperation {
  const answers = new Map<number, Map<string, Document>>();
  for (const [status, answer] of Object.entries<Document>(operation.responses)) {
    const content = Object.entries<Document>(follow(document, answer).content ?? {});
    answers.set(Number(status), new Map(content.map(([type, { schema }]) => [type, schema])));
  }
  const body = follow(document, operation.requestBody ?? {});
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters ?? [])
      .map((parameter: Document) => follow(document, parameter))
      .map((parameter: Document) => ({
        name: parameter.name,
        place: parameter.in,
        schema: parameter.schema ?? {},
        example: parameter.example ?? follow(document, parameter.schema ?? {}).examples?.[0],
      })),
    bodies: Object.entries<Document>(body.content ?? {}).map(([type, { schema, example, examples }]) => ({
      type,
      schema,
      examples: [
        ...Object.values<Document>(examples ?? {}).map(({ value }) => value),
        ...(example === undefined ? [] : [example]),
        ...(follow(document, schema ?? {}).examples ?? []),
      ],
    })),
    answers,
    isJob: answers.has(202) && method === 'post',
  };
}

/** The node that a reference stands for, or the node itself. */
export function follow(document: Document, node: Document): Document {
  let found = node;
  while (typeof found?.$ref === 'string') {
    const parts = found.$ref.replace('#/', '').split('/');
    found = parts.reduce(
      (at: Document, part: string) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    );
  }
  return found ?? {};
}
