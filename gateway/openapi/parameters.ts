import {
  keyText,
  type ParameterText,
  pathParameterTexts,
  queryParameterTexts,
} from '#contracts/docs/parameter-texts.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import type { Row } from '#contracts/shared/row.ts'
import { hasStoredResponses } from '../pipeline/idempotency/identify-request.ts'
import type { DocumentWriter, OpenApiFields } from './document-writer.ts'
import { type JsonSchema, toJsonSchema } from './json-schema.ts'

const propertiesOf = (schema: JsonSchema) => Object.entries(schema.properties ?? {})

const findText = (texts: Readonly<Record<string, ParameterText>>, name: string): ParameterText => {
  const text = texts[name]
  if (text === undefined) throw new Error(`describe the parameter ${name} in parameter-texts.ts`)
  return text
}

// The type of a property also allows booleans, but no parameter is described by one.
const asSchema = (schema: unknown) => schema as JsonSchema

interface QueryParameter extends OpenApiFields {
  readonly name: string
  readonly schema: JsonSchema
}

// Query values are strings. For a number, the schema of the parsed value says which numbers are allowed.
const listQueryParameters = ({ query }: Contract): readonly QueryParameter[] => {
  if (!query) return []
  const sent = toJsonSchema(query, 'input')
  const parsed = new Map(propertiesOf(toJsonSchema(query, 'output')))
  return propertiesOf(sent).map(([name, asText]) => {
    const asValue = parsed.get(name)
    const isNumber = typeof asValue === 'object' && asValue.type === 'integer'
    return {
      name,
      in: 'query',
      ...(sent.required?.includes(name) ? { required: true } : {}),
      schema: isNumber ? asValue : asSchema(asText),
      ...findText(queryParameterTexts, name),
    }
  })
}

export const describePathParameters = ({ path }: Row, writer: DocumentWriter): OpenApiFields => {
  const parameters = Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) =>
    writer.addComponent('parameters', name, {
      name,
      in: 'path',
      required: true,
      // No pattern, because a malformed id gets the same 404 as an unknown one.
      schema: { type: 'string' },
      ...findText(pathParameterTexts, name),
    }),
  )
  return parameters.length > 0 ? { parameters } : {}
}

// A parameter such as `limit` has different maximums and defaults on different routes, so the component's name includes
// them.
const nameOf = ({ name, schema }: QueryParameter) =>
  [
    name,
    ...(['default', 'maximum'] as const).flatMap((limit) => {
      const value = schema[limit]
      return typeof value === 'number' ? [limit, value] : []
    }),
  ].join('-')

const describeKey = (label: Label, writer: DocumentWriter) =>
  hasStoredResponses(label)
    ? [
        writer.addComponent('parameters', 'IdempotencyKey', {
          name: 'Idempotency-Key',
          in: 'header',
          schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
          ...keyText,
        }),
      ]
    : []

export const describeOwnParameters = (contract: Contract, writer: DocumentWriter): OpenApiFields => {
  const parameters = [
    ...listQueryParameters(contract).map((parameter) =>
      writer.addComponent('parameters', nameOf(parameter), parameter),
    ),
    ...describeKey(contract.label, writer),
  ]
  return parameters.length > 0 ? { parameters } : {}
}
