import openapiTS, { astToString } from 'openapi-typescript'

const header = `// Generated from the API description by \`npm run client-types\`: do not edit.\n\n`

/**
 * Generates the TypeScript types of an OpenAPI document, without its webhooks, which no client receives: the text of
 * `src/schema.ts`.
 */
export const generateTypes = async (document: object) => {
  const types = await openapiTS(Buffer.from(JSON.stringify({ ...document, webhooks: undefined })), {
    // A field with a default is optional in a request. What a response always has is in its list of required fields.
    defaultNonNullable: false,
  })
  return `${header}${astToString(types)}`
}
