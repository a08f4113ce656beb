import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import { generateTypes } from '../../packages/client/scripts/generate-types.ts'

const committed = readFileSync(join(import.meta.dirname, '../../packages/client/src/schema.ts'), 'utf8')

it("the client's types match the API description (`npm run client-types` writes them)", async () => {
  expect(await generateTypes(createOpenApiDocument('public'))).toBe(committed)
})
