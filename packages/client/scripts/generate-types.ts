import openapiTS, { astToString } from 'openapi-typescript'

const header = `// Generated from the API description by \`npm run client-types\`: do not edit.\n\n`

/**
 * Generates an OpenAPI document's TypeScript types, the text of `src/schema.ts`. Leaves out webhooks, which no client
 * receives.
 */
export const generateTypes = async (document: object) => {
  const types = await openapiTS(Buffer.from(JSON.stringify({ ...document, webhooks: undefined })), {
    // A field with a default is optional in a request. Responses list the fields they always have as required.
    defaultNonNullable: false,
  })
  return `${header}${astToString(types)}`
}
