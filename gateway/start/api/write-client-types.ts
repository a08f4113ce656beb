import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateTypes } from '../../../packages/client/scripts/generate-types.ts'
import { createOpenApiDocument } from '../../pages/openapi/create-document.ts'

// `npm run client-types`: writes the types of the client from the API description.
const path = join(import.meta.dirname, '../../../packages/client/src/schema.ts')
writeFileSync(path, await generateTypes(createOpenApiDocument('public')))
