import openapiTS, { astToString } from 'openapi-typescript'

const header = `// Generated from the API description by \`npm run client-types\`: do not edit.\n\n`

/** Leaves out webhooks, which no client receives. */
export const generateTypes = async (document: object) => {
  const types = await openapiTS(Buffer.from(JSON.stringify({ ...document, webhooks: undefined })), {
    // A field with a default is optional in a request. In responses, fields that are always present are listed as
    // required.
    defaultNonNullable: false,
  })
  return `${header}${astToString(types)}`
}
