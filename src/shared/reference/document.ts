import type { Schema } from './example.ts';

/* The parts of an OpenAPI document that the reference page reads. */

export type ReferenceDocument = {
  info: { title: string; version: string; description?: string | undefined };
  tags?: readonly { name: string; description?: string | undefined }[] | undefined;
  paths?: object | undefined;
  webhooks?: object | undefined;
  components?: { schemas?: object | undefined } | undefined;
};

/** An operation or a webhook, with its method and path. */
export type DocumentedOperation = {
  method: string;
  path: string;
  kind: 'operation' | 'webhook';
  operation: OperationObject;
};

export type OperationObject = {
  operationId: string;
  tags?: string[];
  summary: string;
  description?: string;
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, Media> };
  responses: Record<string, ResponseObject>;
};

export type ResponseObject = { description: string; content?: Record<string, Media> };

export type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };

export type Schemas = Readonly<Record<string, Schema>>;

type Parameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
};

/** Lists the operations of the document's `paths` or `webhooks`, in order. */
export function listOperations(items: object, kind: DocumentedOperation['kind']): DocumentedOperation[] {
  return Object.entries(items).flatMap(([path, item]) =>
    Object.entries(item as Record<string, OperationObject>).map(([method, operation]) => ({
      method,
      path,
      kind,
      operation,
    })),
  );
}

/** The examples of a body. */
export function exampleValues(media: Media | undefined): unknown[] {
  if (media?.examples) return Object.values(media.examples).map(({ value }) => value);
  return media?.example === undefined ? [] : [media.example];
}

/** The error codes of a response. */
export function errorCodes({ content }: ResponseObject): string[] {
  return Object.keys(content?.['application/json']?.examples ?? {});
}
