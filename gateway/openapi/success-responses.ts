import type * as z from 'zod'
import { exampleOf, findExample } from '#contracts/docs/examples.ts'
import { operationTexts } from '#contracts/docs/operation-texts.ts'
import {
  findSchemaName,
  requireSchemaName,
  type SchemaName,
  schemaNames,
} from '#contracts/docs/schema-names.ts'
import { contracts } from '#contracts/registry.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { listHeaderNames, type ResponseHeaderName } from '#contracts/shared/response-headers.ts'
import { labels } from '#contracts/shared/row.ts'
import type { DocumentWriter } from './document-writer.ts'
import { describeHeaders } from './headers.ts'

interface Success {
  readonly contract: Contract
  readonly status: string
  readonly schema: z.ZodType | null
  readonly text: string
  readonly headers: readonly ResponseHeaderName[]
}

const listSuccesses = (contract: Contract): readonly Success[] => {
  const { label, responses, headers } = contract
  const { success } = operationTexts[label]
  return Object.entries(responses).map(([status, schema]) => ({
    contract,
    status,
    schema,
    text: typeof success === 'string' ? success : (success[Number(status)] ?? ''),
    headers: listHeaderNames(headers?.[Number(status)] ?? {}),
  }))
}

const usesOf = (name: SchemaName) =>
  labels
    .flatMap((label) => listSuccesses(contracts[label]))
    .filter(({ schema }) => schema !== null && requireSchemaName(schema) === name)

// An example that several schemas share is a component, named after the first of them.
const describeExample = (name: SchemaName, writer: DocumentWriter) => {
  const value = exampleOf(name)
  const shared = schemaNames.find((other) => findExample(other) === value) ?? name
  return { examples: { example: writer.addComponent('examples', shared, { value }) } }
}

// Only one response component can be named after the schema, so it gets the first text that several operations use.
const findSharedText = (name: SchemaName) => {
  const texts = usesOf(name)
    .filter(({ headers }) => headers.length === 0)
    .map(({ text }) => text)
  return texts.find((text, index) => texts.indexOf(text, index + 1) > 0)
}

// Linters report a component as unused if only an extension refers to it, so only some events have a named schema, and
// only those get an example.
const listExamples = (events: readonly (readonly [string, z.ZodType])[]) =>
  events.flatMap(([name, schema]) => {
    const schemaName = findSchemaName(schema)
    return schemaName ? [`event: ${name}\ndata: ${JSON.stringify(exampleOf(schemaName))}\n\n`] : []
  })

/** OpenAPI 3.1 cannot describe events, so `x-event-data` has a schema for each event's data. */
const describeEventStream = ({ stream, responses }: Contract, writer: DocumentWriter) => {
  const done = responses[200]
  if (!stream || !done) return {}
  const events = Object.entries({ ...stream.events, done })
  return {
    'text/event-stream': {
      schema: {
        type: 'string',
        description:
          'Events. The last one is `done` with the JSON response, or `error` with the body of an error. Comments keep the connection alive.',
      },
      'x-event-data': Object.fromEntries(
        events.map(([name, schema]) => [name, writer.describeSchema(schema, 'output')]),
      ),
      example: listExamples(Object.entries(stream.events)).join(''),
    },
  }
}

const describeSuccess = ({ contract, schema, text, headers }: Success, writer: DocumentWriter) => {
  const head = { description: text, ...describeHeaders(headers, writer) }
  if (!schema) return head
  const name = requireSchemaName(schema)
  const response = {
    ...head,
    content: {
      'application/json': {
        schema: writer.describeSchema(schema, 'output'),
        ...describeExample(name, writer),
      },
      ...describeEventStream(contract, writer),
    },
  }
  const isShared = headers.length === 0 && findSharedText(name) === text
  return isShared ? writer.addComponent('responses', name, response) : response
}

export const describeSuccesses = (contract: Contract, writer: DocumentWriter) =>
  Object.fromEntries(
    listSuccesses(contract).map((success) => [success.status, describeSuccess(success, writer)]),
  )
