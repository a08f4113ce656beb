import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOpenApiDocument } from '#gateway/openapi/create-document.ts'
import { generateTypes } from '../../../packages/client/scripts/generate-types.ts'

// `npm run client-types`: writes the client's types from the API description.
const path = join(import.meta.dirname, '../../../packages/client/src/schema.ts')
writeFileSync(path, await generateTypes(createOpenApiDocument('public')))
