import { operationTexts } from '#contracts/docs/operation-texts.ts'
import { contracts } from '#contracts/registry.ts'
import type { Label } from '#contracts/route-table.ts'
import type { Contract } from '#contracts/shared/contract.ts'
import { rowOf } from '#contracts/shared/row.ts'
import type { DocumentWriter, OpenApiFields } from './document-writer.ts'
import { describeErrorResponses } from './error-responses.ts'
import { describeOwnParameters } from './parameters.ts'
import { describeSecurity } from './security.ts'
import { describeSuccesses } from './success-responses.ts'

export const selectTag = (label: Label) => label.split('.', 1)[0] ?? label

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

export const describeOperation = (label: Label, writer: DocumentWriter): OpenApiFields => {
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
