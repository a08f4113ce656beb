import { isDeliveryLabel } from '#contracts/deliveries.ts'
import { operationTexts } from '#contracts/docs/operation-texts.ts'
import { tagTexts } from '#contracts/docs/tag-texts.ts'
import { codesOfCore } from '#contracts/errors.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { labels, rowOf } from '#contracts/shared/row.ts'
import {
  createDocumentWriter,
  type DocumentWriter,
  inlineComponents,
  type OpenApiFields,
} from './document-writer.ts'
import { describeErrorResponses, errorSchema } from './error-responses.ts'
import type { Audience } from './load-description.ts'
import { describeOwnParameters, describePathParameters } from './parameters.ts'
import { defaultSecurity, describeSecurity, describeSecuritySchemes } from './security.ts'
import { describeSuccesses } from './success-responses.ts'

/** A path's operations by lower-case method, and the `parameters` they share. */
type PathItem = OpenApiFields

const description = [
  'Get an access token from your token issuer, and send it as `Authorization: Bearer <token>`.',
  'Every response names its route in `x-service-native-route` and the runtime that served it in `x-service-core-runtime`.',
  'An error has a stable code in `error`, and a human-readable sentence in `message`.',
  'Send an `Idempotency-Key` with a write that you may have to repeat. Before you repeat a request, wait as long as `Retry-After` says.',
  'Responses of the legacy core are forwarded unchanged, so their errors may have other codes and no message.',
  `Invalid input has the code \`validation_error\` in responses with \`x-service-core-runtime: native\`, and \`${codesOfCore.validation_error}\` in those with \`proxy\`.`,
  'Responses may contain fields that are not described here, and enumerations with `x-extensible-enum` may have other values. Ignore what you do not know.',
].join(' ')

const selectTag = (label: Label) => label.split('.', 1)[0] ?? label

const describeRequestBody = ({ label, body }: Contract, writer: DocumentWriter) => {
  if (!body) return {}
  const { body: example } = operationTexts[label]
  return {
    requestBody: {
      ...(body.safeParse({}).success ? {} : { required: true }),
      content: { 'application/json': { schema: writer.describeSchema(body, 'input'), example } },
    },
  }
}

const describeOperation = (label: Label, writer: DocumentWriter): OpenApiFields => {
  const row = rowOf(label)
  const contract: Contract = contracts[label]
  const { summary, description } = operationTexts[label]
  return {
    operationId: label,
    summary,
    description,
    tags: [selectTag(label)],
    ...describeSecurity(label, row),
    ...describeOwnParameters(contract, writer),
    ...describeRequestBody(contract, writer),
    responses: {
      ...describeSuccesses(contract, writer),
      ...describeErrorResponses(label, writer),
    },
  }
}

const toTemplate = (label: Label) => rowOf(label).path.replace(/:(\w+)/g, '{$1}')

const describePaths = (described: readonly Label[], writer: DocumentWriter) => {
  const paths: Record<string, PathItem> = {}
  for (const label of described) {
    const template = toTemplate(label)
    const method = rowOf(label).method.toLowerCase()
    paths[template] = {
      ...(paths[template] ?? describePathParameters(rowOf(label), writer)),
      [method]: describeOperation(label, writer),
    }
  }
  return paths
}

// Kept out of `paths`, so generated clients get no methods for what only providers send.
const describeWebhooks = (described: readonly Label[], writer: DocumentWriter) =>
  Object.fromEntries(
    described.map((label) => [
      label,
      { [rowOf(label).method.toLowerCase()]: describeOperation(label, writer) },
    ]),
  )

/** Only operators see internal routes. */
export const createOpenApiDocument = (audience: Audience) => {
  const described = labels.filter((label) => audience === 'operators' || rowOf(label).auth !== 'internal')
  const isDelivery: (label: Label) => boolean = isDeliveryLabel
  const writer = createDocumentWriter()
  writer.addComponent('schemas', 'Error', errorSchema)
  const paths = describePaths(
    described.filter((label) => !isDelivery(label)),
    writer,
  )
  const webhooks = describeWebhooks(described.filter(isDelivery), writer)
  return inlineComponents({
    openapi: '3.1.1',
    info: {
      title: 'Crossfade',
      version: '1',
      description,
      contact: { name: 'The operator of this service' },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: '/', description: 'The service that serves this description.' }],
    security: defaultSecurity,
    tags: Object.entries(tagTexts)
      .filter(([name]) => described.some((label) => selectTag(label) === name))
      .map(([name, text]) => ({ name, description: text })),
    paths,
    webhooks,
    components: {
      ...writer.components(),
      securitySchemes: describeSecuritySchemes(audience === 'operators'),
    },
  })
}
